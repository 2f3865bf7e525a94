"""What a person sees: the redrawn line, plain lines, and Ctrl-C, on a terminal of the test's own."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path

import numpy as np
import pytest
from harness.tools import BIN, TIMEOUT_SECONDS, run

CLEAR = "\r\x1b[K"


class Terminal:
    """Runs a command as a shell does, and keeps all that it prints."""

    def __init__(self, columns, *command):
        self.text = ""
        self.child, self.end = pty.fork()
        if self.child == 0:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            try:
                os.execv(command[0], list(map(str, command)))
            finally:
                os._exit(127)

    def read_until(self, wanted):
        """Reads until the text holds `wanted`, or to the end for None."""
        limit = time.monotonic() + TIMEOUT_SECONDS
        while wanted is None or wanted not in self.text:
            ready = select.select([self.end], [], [], limit - time.monotonic())[0]
            if not ready:
                os.kill(self.child, signal.SIGKILL)
                pytest.fail("nothing came after:\n" + self.text)
            try:
                read = os.read(self.end, 65536)
            except OSError:  # the child has closed its end
                read = b""
            if not read:
                assert wanted is None, self.text
                return
            self.text += read.decode()

    def press(self, key):
        os.write(self.end, key)

    def finish(self):
        """The exit code, and the rows that were ever on the screen, redrawn ones too."""
        self.read_until(None)
        status = os.waitpid(self.child, 0)[1]
        os.close(self.end)
        return os.waitstatus_to_exitcode(status), re.split("\r\n|\r\x1b\\[K", self.text)


def dsrun(watched, columns, *flags):
    return Terminal(columns, BIN / "dsrun", watched.module, *watched.data, *flags)


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("columns", [200, 60, 30, 8])
def test_the_line_is_redrawn_within_the_terminal(watched, columns, ranks):
    flags = ["--steps=300", "-n", ranks, "--threads=1", "--eval"]
    terminal = dsrun(watched, columns, *flags)
    code, rows = terminal.finish()
    assert code == 0, terminal.text
    assert terminal.text.count(CLEAR) >= 2 and terminal.text.endswith("\r\n")
    steps = [row for row in rows if row.startswith("step ")]
    whole = "step 300/300  loss "
    assert steps[-1].startswith(whole[: columns - 1].rstrip(" los"))
    assert max(map(len, steps)) < columns
    assert ("peak RSS" in steps[-1]) == (columns == 200)
    # What does not fit is left out whole.
    assert columns < 30 or re.fullmatch(r"(step|  loss|  lr|  norm| |  peak|.*left).*\S", steps[-1])
    assert "trained 300 steps in " in terminal.text and "\r\neval: step 300" in terminal.text


@pytest.mark.parametrize("ranks", [1, 2])
def test_ctrl_c_ends_the_line_and_the_run(watched, tmp_path, ranks):
    saved = tmp_path / "w.safetensors"
    flags = ["--steps=1000000000", "-n", ranks, "--threads=1", "--save", saved]
    terminal = dsrun(watched, 100, *flags)
    terminal.read_until("step 1/")
    terminal.press(b"\x03")
    code, rows = terminal.finish()
    assert code == 0, terminal.text
    told = [i for i, row in enumerate(rows) if row.startswith("dsrun: notice: interrupted after")]
    assert len(told) == 1, terminal.text
    rest = rows[told[0] + 1 :]
    step = re.match(r"dsrun: notice: interrupted after step (\d+)$", rows[told[0]]).group(1)
    assert rest[0].startswith("trained %s steps in " % step)
    assert rest[1:] == ["saved %s" % saved, ""], terminal.text
    hint = "dsrun: notice: ending after this update; press Ctrl-C again to end at once"
    assert rows.count(hint) == 1, terminal.text


def catches_interrupts(process):
    status = Path("/proc/%d/status" % process).read_text()
    if not status.startswith("Name:\tdsrun\n"):  # Still what starts it.
        return False
    return int(re.search(r"SigCgt:\s*(\w+)", status)[1], 16) >> (signal.SIGINT - 1) & 1


def test_a_second_ctrl_c_ends_the_run_at_once(watched, tmp_path):
    # One update of minutes. The files have holes and take no room.
    count = 40_000_000
    for name, dtype, shape in ("x", np.float32, (count, 6)), ("y", np.int64, (count,)):
        np.lib.format.open_memmap(tmp_path / (name + ".npy"), "w+", dtype, shape)
    data = ["--input=%s=%s" % (name, tmp_path / (name + ".npy")) for name in "xy"]
    saved = tmp_path / "w.safetensors"
    flags = ["--steps=1", "--accumulate=%d" % (count // 4), "--save", saved]
    terminal = Terminal(100, BIN / "dsrun", watched.module, *data, *flags)
    limit = time.monotonic() + TIMEOUT_SECONDS
    while not catches_interrupts(terminal.child):
        assert time.monotonic() < limit
        time.sleep(0.01)
    terminal.press(b"\x03")
    terminal.read_until("press Ctrl-C again to end at once")
    terminal.press(b"\x03")
    code, _ = terminal.finish()
    assert code == -signal.SIGINT, terminal.text
    assert not saved.exists()


@pytest.mark.parametrize("flag, lines", [("--steps-per-print=4", 3), ("--wall-clock-breakdown", 2)])
def test_plain_lines_on_request(watched, flag, lines):
    terminal = dsrun(watched, 30, "--steps=10", flag)
    code, rows = terminal.finish()
    assert code == 0 and "\x1b" not in terminal.text
    assert sum(row.startswith("step ") for row in rows) == lines, terminal.text


def test_steps_per_print(watched):
    result = run("dsrun", watched.module, *watched.data, "--steps=10", "--steps-per-print=4")
    assert re.findall(r"^step (\d+)/10 ", result.out, re.M) == ["4", "8", "10"]


def test_wall_clock_breakdown(watched):
    flags = ["--steps=10", "--eval-every=2", "--steps-per-print=5", "--wall-clock-breakdown"]
    result = run("dsrun", watched.module, *watched.data, *flags)
    assert result.code == 0, str(result)
    parts = re.findall(
        r"^step \d+/.*\n  ms an update: data (\S+), step (\S+), update (\S+), "
        r"evaluation (\S+), save (\S+)$",
        result.out,
        re.M,
    )
    assert len(parts) == 2
    for data, step, update, evaluation, save in parts:
        assert float(step) > 0 and float(update) > 0 and float(save) == 0
        assert float(evaluation) > 0 and float(data) >= 0


def test_output_into_a_closed_pipe(watched):
    """`dsrun | head -1` ends by the signal, as every filter does."""
    command = [BIN / "dsrun", watched.module, *watched.data, "--steps=100000000"]
    flags = ["--steps-per-print=1", "--threads=1"]
    process = subprocess.Popen(list(map(str, command + flags)), stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline().startswith("step 1/")
    process.stdout.close()
    assert process.wait(timeout=TIMEOUT_SECONDS) == -13
