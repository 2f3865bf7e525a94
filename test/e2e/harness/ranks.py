"""Runs of several ranks: trainings held against one another, and processes that a
test stops or kills."""

import functools
import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from . import tolerance
from .compare import check_gradients, check_losses
from .tools import BIN, compile_model, train_module

# Much longer than anything here takes, also on a busy machine.
PATIENCE_SECONDS = 60


class Work:
    """A model compiled once for each stage, and data for it in `folder`."""

    def __init__(self, folder, path, flags, data):
        self.folder, self.path, self.flags = folder, path, flags
        self.data = []
        for name, array in data.items():
            np.save(folder / (name + ".npy"), array)
            self.data += ["--input", "%s=%s" % (name, folder / (name + ".npy"))]
        self.compiled = functools.cache(self.compile)
        self.trained = functools.cache(self.train)

    def compile(self, stage):
        return compile_model(
            self.path, self.folder / ("m%d.so" % stage), *self.flags, "-zero=%d" % stage
        )

    def train(self, stage, ranks, accumulate, *more):
        """Metrics and final parameters."""
        return self.train_module(self.compiled(stage), ranks, accumulate, *more)

    def train_module(self, module, ranks, accumulate, *more):
        saved = self.folder / "saved.safetensors"
        lines = train_module(
            module,
            *self.data,
            *("-n", ranks, "--threads=1", "--accumulate=%d" % accumulate),
            *("--save", saved),
            *more,
        )
        return lines, load_file(saved)


def check_equal(got, wanted):
    """Two trainings to rounding: losses, norms, rates and final parameters."""
    (lines, parameters), (other_lines, others) = got, wanted
    for key in ("loss", "grad_norm", "lr"):
        check_losses(
            [line[key] for line in lines], [line[key] for line in other_lines], tolerance.RANKS
        )
    assert parameters.keys() == others.keys()
    check_gradients(parameters, others, tolerance.RANKS)


def check_same_bits(got, wanted):
    (lines, parameters), (other_lines, others) = got, wanted
    for key in ("loss", "grad_norm", "lr"):
        assert [line[key] for line in lines] == [line[key] for line in other_lines]
    assert parameters.keys() == others.keys()
    for name, array in others.items():
        assert parameters[name].shape == array.shape
        assert parameters[name].tobytes() == array.tobytes(), name


def wait_for(read, enough=bool):
    """What `read` gives, once that is enough."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not enough(found := read()):
        assert time.monotonic() < end, "only %s" % (found,)
        time.sleep(0.002)
    return found


def lines_of(path):
    return path.read_text().splitlines() if path.exists() else []


def is_running(process):
    """Whether a process lives; one that ended but whom nobody asked about does not."""
    try:
        state = Path("/proc/%d/stat" % process).read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


class Launched:
    """dsrun -n RANKS in the background. What it leaves behind, `close` checks."""

    def __init__(self, ranks, module, *flags, environment=None):
        self.shared_memory = shared_memory()
        command = [BIN / "dsrun", "-n", ranks, module, "--threads=1", *flags]
        self.launcher = subprocess.Popen(
            list(map(str, command)),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self.count, self.ranks = ranks, []

    def find_ranks(self):
        """The processes of the ranks, in their order, once all have started. One
        alone has no launcher."""
        if self.count == 1:
            return self.ranks
        id = self.launcher.pid
        children = Path("/proc/%d/task/%d/children" % (id, id))

        def read():
            assert self.launcher.poll() is None, self.launcher.communicate()[1]
            return [int(process) for process in children.read_text().split()]

        self.ranks = wait_for(read, lambda found: len(found) == self.count)
        return self.ranks

    def send(self, rank, sent):
        os.kill(self.ranks[rank], sent)

    def end(self):
        """Exit code and what was written to stderr; nothing may be left."""
        _, err = self.launcher.communicate(timeout=PATIENCE_SECONDS)
        self.check_gone()
        return self.launcher.returncode, err

    def kill(self):
        """SIGKILL for the launcher alone."""
        self.launcher.kill()
        self.launcher.communicate()
        self.check_gone()

    def check_gone(self):
        """No rank outlives its launcher for long, and no name is left in memory."""
        wait_for(lambda: not any(map(is_running, self.ranks)))
        assert shared_memory() <= self.shared_memory, "left in /dev/shm"

    def close(self):
        """After a failed test: what is stopped would stay for ever."""
        if self.launcher.poll() is None:
            self.launcher.kill()
            self.launcher.communicate()
        for process in filter(is_running, self.ranks):
            os.kill(process, signal.SIGKILL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def shared_memory():
    """Names in shared memory that dsc could have made. Tests of other parts, and
    other programs, have theirs."""
    return {name for name in os.listdir("/dev/shm") if "dsc" in name or "dsrun" in name}
