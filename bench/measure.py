"""What the benchmarks share: dsc's cost, and workers that take turns."""

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "test/e2e"))

from harness.tools import BIN  # noqa: E402

# Runs its arguments. Prints seconds, the peak of all resident pages and the
# highest sample of those that no file backs, in bytes.
_COST = """
import resource, subprocess, sys, time
start, anonymous = time.perf_counter(), 0
child = subprocess.Popen(sys.argv[1:])
while child.poll() is None:
    try:
        status = open("/proc/%d/status" % child.pid).read()
    except OSError:
        break
    rows = dict(line.split(":", 1) for line in status.splitlines())
    anonymous = max(anonymous, int(rows.get("RssAnon", "0 kB").split()[0]))
    time.sleep(0.01)
seconds = time.perf_counter() - start
if child.wait():
    sys.exit(child.returncode)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(seconds, peak * 1024, anonymous * 1024)
"""


def cost_of_dsc(*arguments):
    """(seconds, peak bytes, peak bytes beside mapped files) of one run of dsc."""
    # Through a small process: a child's peak counts the pages of its parent,
    # and this one may have PyTorch in it.
    command = [sys.executable, "-c", _COST, str(BIN / "dsc"), *map(str, arguments)]
    output = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout
    seconds, peak, anonymous = output.split()
    return float(seconds), int(peak), int(anonymous)


class WorkerEnded(Exception):
    """A worker's process is gone; what it said is on standard error."""


class Worker:
    """A process of its own, so that each peak memory is its own, which steps
    when asked."""

    def __init__(self, name, script, *arguments):
        self.name = name
        command = [sys.executable, script, "--worker", *map(str, arguments)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def _ask(self, *question):
        try:
            print(*question, file=self._process.stdin, flush=True)
            answer = self._process.stdout.readline().split()
        except BrokenPipeError:
            answer = None
        if not answer:
            raise WorkerEnded("%s ended with exit code %s" % (self.name, self._process.wait()))
        return answer

    def steps(self, count):
        """Seconds a step."""
        return float(self._ask("steps", count)[0]) / count

    def loss(self):
        return float(self._ask("loss")[0])

    def close(self):
        """The peak of its resident pages in bytes."""
        peak = int(self._ask("quit")[0])
        self._process.wait()
        return peak


def peak_bytes():
    """The peak of this process's resident pages."""
    # Unlike ru_maxrss, which a process inherits, VmHWM starts anew with exec: the
    # one that started this may have PyTorch in it.
    rows = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return int(rows["VmHWM"].split()[0]) * 1024


def serve(runner):
    """The other side: answers on standard output until told to quit."""
    for line in sys.stdin:
        question = line.split()
        if question[0] == "steps":
            start = time.perf_counter()
            for _ in range(int(question[1])):
                runner.step()
            print(time.perf_counter() - start, flush=True)
        elif question[0] == "loss":
            print(runner.loss(), flush=True)
        else:
            print(peak_bytes(), flush=True)
            return
