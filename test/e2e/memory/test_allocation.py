"""What dsrun allocates on each of several ranks is what dsc --plan says, to the
byte: the C library's mmap is watched in every process."""

import json
import os
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import pytest
from harness.models import mlp
from harness.tools import BIN, compile_model, run

HERE = Path(__file__).parent
SAMPLES, BATCH = 24, 3
FLAGS = ["--bind=batch=%d" % BATCH, "--loss=cross_entropy(logits,y)"]
# Ranks, or the shares of ranks.
RUNS = ["1", "2", "3", "8", "3,1,1", "0,1", "1,0,5,2"]


@pytest.fixture(scope="module")
def watcher(tmp_path_factory):
    library = tmp_path_factory.mktemp("watcher") / "log_mappings.so"
    source = HERE / "log_mappings.c"
    command = ["clang-22", "-O1", "-shared", "-fPIC", source, "-o", library]
    subprocess.run(command, check=True)
    return library


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("allocation")
    # Large enough that no other mapping of a process has the size of a plan.
    onnx.save(mlp([5, 397, 161, 5]), folder / "m.onnx")
    rng = np.random.default_rng(1)
    np.save(folder / "x.npy", rng.standard_normal((SAMPLES, 5)).astype(np.float32))
    np.save(folder / "y.npy", rng.integers(0, 5, SAMPLES))
    return folder


@pytest.fixture(scope="module", params=range(4))
def module(request, model):
    flag = "-zero=%d" % request.param
    return compile_model(model / "m.onnx", model / (flag + ".so"), *FLAGS, flag), flag


def planned(model, flag, ranks):
    shares = "--shard-weights=" + ranks if "," in ranks else "--ranks=" + ranks
    result = run("dsc", model / "m.onnx", *FLAGS, flag, "--plan", "--json", shares)
    assert result.code == 0, str(result)
    plan = json.loads(result.out)
    if "by_rank" in plan:
        return plan, [row["total_bytes"] for row in plan["by_rank"]]
    return plan, [plan["total_bytes"]] * int(ranks)


def mapped(watcher, folder, *command):
    """The sizes that each process maps."""
    folder.mkdir()
    done = subprocess.run(
        [*map(str, command)],
        env={**os.environ, "LD_PRELOAD": str(watcher), "DSC_MAPPINGS": str(folder)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return [Counter(map(int, log.read_text().split())) for log in folder.iterdir()]


@pytest.mark.parametrize("ranks", RUNS)
def test_ranks_allocate_what_is_planned(watcher, model, module, ranks, tmp_path):
    path, flag = module
    _, totals = planned(model, flag, ranks)
    shares = ["--shard-weights=" + ranks] if "," in ranks else ["-n", ranks]
    data = ["--input", "x=%s" % (model / "x.npy"), "--input", "y=%s" % (model / "y.npy")]
    command = [BIN / "dsrun", path, *data, *shares, "--threads=1", "--steps=1"]
    logs = mapped(watcher, tmp_path / "logs", *command)
    for total, count in Counter(totals).items():
        assert sum(log[total] for log in logs) == count
    # Each process has one block.
    assert all(sum(log[total] for total in set(totals)) <= 1 for log in logs)


def test_shares_follow_the_weights(model):
    """A rank's share of what is cut, where the rest is the same for all."""
    plan, totals = planned(model, "-zero=3", "3,1,1")
    assert totals[0] == max(totals) == plan["total_bytes"] and plan["rank"] == 0
    snapshots = [row["snapshot_bytes"] for row in plan["by_rank"]]
    # Groups are cut in units of 64 elements.
    assert snapshots[0] / sum(snapshots) == pytest.approx(3 / 5, abs=0.02)
    assert snapshots[1] / sum(snapshots) == pytest.approx(1 / 5, abs=0.02)
    none, _ = planned(model, "-zero=3", "0,1")
    assert none["rank"] == 1
    for kind in ("parameters", "gradients", "optimizer"):
        equal, _ = planned(model, "-zero=3", "1")
        assert none["bytes"][kind] == equal["bytes"][kind]


def test_a_snapshot_is_what_a_checkpoint_holds(watcher, model, module, tmp_path):
    """Beside the block there is a copy of what the rank saves, and no more."""
    path, flag = module
    plan, totals = planned(model, flag, "3,0,1")
    data = ["--input", "x=%s" % (model / "x.npy"), "--input", "y=%s" % (model / "y.npy")]
    command = [BIN / "dsrun", path, *data, "--shard-weights=3,0,1", "--threads=1", "--steps=2"]
    command += ["--save", tmp_path / "saved", "--save-every=1"]
    logs = mapped(watcher, tmp_path / "logs", *command)
    for row, total in zip(plan["by_rank"], totals, strict=True):
        found = [log for log in logs if log[total] and log[row["snapshot_bytes"]]]
        assert found or row["snapshot_bytes"] == 0, row


def test_reading_ahead_takes_one_batch(model):
    plan, _ = planned(model, "-zero=0", "2")
    aligned = [-(-BATCH * width // 128) * 128 for width in (5 * 4, 8, 4)]  # x, y, weights
    assert plan["read_ahead_bytes"] == sum(aligned)
