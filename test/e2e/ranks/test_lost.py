"""Runs that lose a rank end, say where, and leave nothing behind."""

import random
import re
import signal
import time

import numpy as np
import onnx
import pytest
from harness.models import mlp, model, node, value
from harness.ranks import Launched, lines_of, wait_for
from harness.tools import compile_model, run

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
    more = [*work[1], "--epochs=1000000", "--metrics", metrics, *flags]
    return Launched(ranks, work[0], *more)


def training(metrics):
    """Waits until the run has made some updates."""
    wait_for(lambda: lines_of(metrics), lambda lines: len(lines) >= 3)


@pytest.mark.parametrize("seed", range(4))
def test_a_killed_rank_ends_the_others(work, seed, tmp_path):
    """At any instant; test_faults.py does it at collectives."""
    rng, metrics = random.Random(seed), tmp_path / "m.jsonl"
    count = rng.choice([2, 3, 4])
    with start(work, count, metrics) as launched:
        launched.find_ranks()
        training(metrics)
        time.sleep(rng.uniform(0, 0.1))
        lost = rng.randrange(count)
        launched.send(lost, signal.SIGKILL)
        code, message = launched.end()
    assert code == RANK_LOST
    pattern = r"dsrun: error: rank %d was killed by signal 9 \(Killed\); %s waits for rank %d; "
    pattern = pattern % (lost, PLACE, lost) + r"the other ranks were ended"
    assert re.fullmatch(pattern, message.splitlines()[-1]), message


def test_a_stopped_rank_ends_the_run_after_the_timeout(work, tmp_path):
    metrics, lost = tmp_path / "m.jsonl", 1
    with start(work, 3, metrics, "--timeout=0.7") as launched:
        launched.find_ranks()
        training(metrics)
        launched.send(lost, signal.SIGSTOP)
        code, message = launched.end()
    assert code == RANK_LOST
    pattern = r"dsrun: error: no rank has moved for 0.7 s: %s waits for rank %d, rank %d is stopped"
    pattern = pattern % (PLACE, lost, lost) + r"; all ranks were ended"
    assert re.fullmatch(pattern, message.splitlines()[-1]), message


def test_a_rank_that_is_stopped_for_a_while_is_waited_for(work, tmp_path):
    metrics = tmp_path / "m.jsonl"
    with start(work, 2, metrics, "--timeout=30", "--steps=2000") as launched:
        launched.find_ranks()
        training(metrics)
        launched.send(1, signal.SIGSTOP)
        time.sleep(0.3)
        launched.send(1, signal.SIGCONT)
        code, message = launched.end()
    assert code == 0, message


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
    metrics = tmp_path / "m.jsonl"
    with start(work, 3, metrics) as launched:
        launched.find_ranks()
        training(metrics)
        launched.kill()


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_training_and_saves(work, sent, tmp_path):
    metrics, saved = tmp_path / "m.jsonl", tmp_path / "w.safetensors"
    with start(work, 3, metrics, "--save", saved) as launched:
        launched.find_ranks()
        training(metrics)
        launched.launcher.send_signal(sent)
        code, message = launched.end()
    assert code == 0, message
    assert "dsrun: notice: interrupted after step %d" % len(lines_of(metrics)) in message
    assert saved.exists()
