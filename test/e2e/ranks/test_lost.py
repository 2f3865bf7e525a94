"""Runs that lose a rank end, say where, and leave nothing behind."""

import os
import random
import re
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import onnx
import pytest
from harness.models import mlp, model, node, value
from harness.tools import BIN, compile_model, run

RANK_LOST = 4
BATCH = 4
PLACE = (
    r"in step \d+, collective \d+ \((gather|reduce_scatter|all_reduce)[^()]*(\([A-Za-z_]+\))?"
    r"[^()]* in '(step_last|update)', all-(gather|to-all) of \d+ bytes\)"
)


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lost")
    onnx.save(mlp([6, 7, 3]), folder / "m.onnx")
    flags = ["--bind=batch=%d" % BATCH, "--loss=cross_entropy(logits,y)", "-zero=3"]
    module = compile_model(folder / "m.onnx", folder / "m.so", *flags)
    rng = np.random.default_rng(4)
    np.save(folder / "x.npy", rng.standard_normal((40, 6)).astype(np.float32))
    np.save(folder / "y.npy", rng.integers(0, 3, 40))
    data = ["--input", "x=%s" % (folder / "x.npy"), "--input", "y=%s" % (folder / "y.npy")]
    return module, data


def start(work, ranks, metrics, *flags):
    command = [BIN / "dsrun", work[0], *work[1], "-n", ranks, "--threads=1", "--epochs=1000000"]
    command += ["--metrics", metrics, *flags]
    return subprocess.Popen(
        list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )


def ranks_of(launcher, count):
    """The processes of the ranks, in their order, once all have started."""
    children = Path("/proc/%d/task/%d/children" % (launcher.pid, launcher.pid))
    return wait_for(lambda: [int(p) for p in children.read_text().split()], count)


def wait_for(read, count):
    end = time.monotonic() + 30
    while len(found := read()) < count:
        assert time.monotonic() < end, "only %s" % (found,)
        time.sleep(0.005)
    return found


def is_running(process):
    try:
        state = Path("/proc/%d/stat" % process).read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def training(metrics):
    """Waits until the run has made some updates."""
    wait_for(lambda: metrics.read_text().splitlines() if metrics.exists() else [], 3)


def shared_memory():
    return sorted(os.listdir("/dev/shm"))


@pytest.mark.parametrize("seed", range(6))
def test_a_killed_rank_ends_the_others(work, seed, tmp_path):
    rng, before, metrics = random.Random(seed), shared_memory(), tmp_path / "m.jsonl"
    count = rng.choice([2, 3, 4])
    launcher = start(work, count, metrics)
    ranks = ranks_of(launcher, count)
    training(metrics)
    time.sleep(rng.uniform(0, 0.2))
    lost = rng.randrange(count)
    begin = time.monotonic()
    os.kill(ranks[lost], signal.SIGKILL)
    _, message = launcher.communicate(timeout=30)
    assert time.monotonic() - begin < 2
    assert launcher.returncode == RANK_LOST
    pattern = r"dsrun: error: rank %d was killed by signal 9 \(Killed\); %s waits for rank %d; "
    pattern = pattern % (lost, PLACE, lost) + r"the other ranks were ended"
    assert re.fullmatch(pattern, message.splitlines()[-1]), message
    assert not any(map(is_running, ranks)) and shared_memory() == before


@pytest.mark.parametrize("seed", range(2))
def test_a_stopped_rank_ends_the_run_after_the_timeout(work, seed, tmp_path):
    rng, metrics = random.Random(seed), tmp_path / "m.jsonl"
    launcher = start(work, 3, metrics, "--timeout=0.7")
    ranks = ranks_of(launcher, 3)
    training(metrics)
    lost = rng.randrange(3)
    os.kill(ranks[lost], signal.SIGSTOP)
    _, message = launcher.communicate(timeout=30)
    assert launcher.returncode == RANK_LOST
    pattern = r"dsrun: error: no rank has moved for 0.7 s: %s waits for rank %d, rank %d is stopped"
    pattern = pattern % (PLACE, lost, lost) + r"; all ranks were ended"
    assert re.fullmatch(pattern, message.splitlines()[-1]), message
    assert not any(map(is_running, ranks))


def test_a_rank_that_is_stopped_for_a_while_is_waited_for(work, tmp_path):
    metrics = tmp_path / "m.jsonl"
    launcher = start(work, 2, metrics, "--timeout=30", "--steps=2000")
    rank = ranks_of(launcher, 2)[1]
    training(metrics)
    os.kill(rank, signal.SIGSTOP)
    time.sleep(0.3)
    os.kill(rank, signal.SIGCONT)
    _, message = launcher.communicate(timeout=60)
    assert launcher.returncode == 0, message


@pytest.mark.parametrize("row", [4, 7])
def test_a_rank_that_fails_ends_the_others(row, tmp_path):
    """A text may be larger than memory, so its tokens are checked when a rank
    comes to them."""
    made = model(
        [node("Gather", ["table", "ids"], ["logits"], "gather", axis=0)],
        [value("ids", onnx.TensorProto.INT64, ["batch", 5])],
        [value("logits", onnx.TensorProto.FLOAT, ["batch", 5, 4])],
        {"table": np.eye(4, dtype=np.float32)},
    )
    onnx.save(made, tmp_path / "g.onnx")
    loss = "--loss=cross_entropy(logits,labels)"
    module = compile_model(tmp_path / "g.onnx", tmp_path / "g.so", "--bind=batch=2", loss)
    tokens = np.ones((16, 5), np.uint16)
    tokens[row, 2] = 60000
    tokens.tofile(tmp_path / "t.bin")
    flags = ["--tokens", tmp_path / "t.bin", "--epochs=1", "-n", 2, "--threads=1"]
    result = run("dsrun", module, *flags)
    assert result.code == 1, str(result)
    last = result.err.splitlines()[-1]
    owner = row // 2 % 2  # ranks take batches of two in turn
    assert last.startswith("dsrun: error: rank %d: --tokens: " % owner), str(result)
    assert " is 60000, and " in last, str(result)
    assert last.endswith(" waits for rank %d; the other ranks were ended" % owner), str(result)


def test_ranks_die_with_a_launcher_that_is_killed(work, tmp_path):
    before, metrics = shared_memory(), tmp_path / "m.jsonl"
    launcher = start(work, 3, metrics)
    ranks = ranks_of(launcher, 3)
    training(metrics)
    launcher.kill()
    launcher.wait()
    end = time.monotonic() + 2
    while any(map(is_running, ranks)) and time.monotonic() < end:
        time.sleep(0.01)
    assert not any(map(is_running, ranks)) and shared_memory() == before


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_training_and_saves(work, sent, tmp_path):
    metrics, saved = tmp_path / "m.jsonl", tmp_path / "w.safetensors"
    launcher = start(work, 3, metrics, "--save", saved)
    ranks_of(launcher, 3)
    training(metrics)
    launcher.send_signal(sent)
    _, message = launcher.communicate(timeout=30)
    assert launcher.returncode == 0, message
    steps = len(metrics.read_text().splitlines())
    assert "dsrun: notice: interrupted after step %d" % steps in message.splitlines()
    assert saved.exists()
