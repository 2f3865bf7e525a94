"""What the optimizer keeps outside of memory trains as what it keeps there, and needs
less memory.

Each of N ranks, ZeRO stages, optimizers and micro-batches an update is held against the
same training without offloading; checkpoints go from one to the other.
"""

import functools
import itertools
import json
import os
import signal
from pathlib import Path

import numpy as np
import onnx
import pytest
from harness import zoo
from harness.checkpoints import read_set, sets_of
from harness.marks import long
from harness.models import mlp
from harness.ranks import Launched, Work, check_same_bits, lines_of, wait_for
from harness.session import session
from harness.tools import run

OFFLOAD = "--offload-optimizer=all"
BATCH, SAMPLES = 2, 21
UPDATES = "--steps=6"
OPTIMIZERS = {
    "adam": ["--optimizer=adam", "--lr=0.01", "--clip-norm=0.5"],
    "adamw": ["--optimizer=adamw", "--lr=0.01", "--weight-decay=0.1"],
    "sgd": ["--optimizer=sgd", "--lr=0.1", "--momentum=0.9"],
}
STAGES = range(4)
RANKS = [1, 2, 3]


class Pair:
    """One model that keeps its moments in memory and one that offloads them."""

    def __init__(self, folder, model, flags, data):
        (folder / "kept").mkdir()
        (folder / "offloaded").mkdir()
        onnx.save(model, folder / "m.onnx")
        self.kept = Work(folder / "kept", folder / "m.onnx", flags, data)
        self.offloaded = Work(folder / "offloaded", folder / "m.onnx", [*flags, OFFLOAD], data)
        self.disk = folder / "disk"
        self.disk.mkdir()
        self.to_disk = "--offload-dir=%s" % self.disk


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """Tied, frozen, unused, scalar and empty parameters, with each optimizer."""

    @functools.cache
    def of(optimizer, *more):
        flags = ["--loss=cross_entropy(logits,y)", "--freeze=frozen", "--bind=batch=%d" % BATCH]
        flags += [*OPTIMIZERS[optimizer], *more]
        folder = tmp_path_factory.mktemp(optimizer)
        return Pair(folder, zoo.zoo(), flags, zoo.data(SAMPLES))

    return of


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Groups of many units, most of which are no multiple of the ranks."""
    flags = ["--loss=cross_entropy(logits,y)", "--bind=batch=%d" % BATCH, *OPTIMIZERS["adamw"]]
    folder = tmp_path_factory.mktemp("large")
    return Pair(folder, mlp([5, 97, 61, 5]), flags, zoo.data(SAMPLES))


ALL = list(itertools.product(OPTIMIZERS, STAGES, RANKS, [1, 3]))
# Each optimizer with each stage, and each number of ranks and of micro-batches.
QUICK = [row for i, row in enumerate(ALL) if i % 6 == (i // 6) % 6]


@pytest.mark.parametrize(
    "optimizer, stage, ranks, accumulate",
    [*QUICK, *long(*(row for row in ALL if row not in QUICK))],
)
def test_same_bits(pairs, optimizer, stage, ranks, accumulate):
    pair = pairs(optimizer)
    kept = pair.kept.trained(stage, ranks, accumulate, UPDATES)
    assert len({line["loss"] for line in kept[0]}) == 6, "nothing was trained"
    trained = pair.offloaded.trained(stage, ranks, accumulate, UPDATES, pair.to_disk)
    check_same_bits(trained, kept)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("place", ["memory", "disk"])
def test_many_units(large, stage, place):
    flags = [large.to_disk] if place == "disk" else []
    trained = large.offloaded.trained(stage, 3, 1, UPDATES, *flags)
    check_same_bits(trained, large.kept.trained(stage, 3, 1, UPDATES))


@pytest.mark.parametrize("stage", [1, 3, *long(0, 2)])
@pytest.mark.parametrize("weights", ["0,3,1", *long("1,0,0", "7,1,2")])
def test_unequal_shares(large, stage, weights):
    flags = [UPDATES, "--shard-weights=" + weights]
    trained = large.offloaded.trained(stage, 3, 1, *flags, large.to_disk)
    check_same_bits(trained, large.kept.trained(stage, 3, 1, *flags))


@pytest.mark.parametrize("stage", [0, 2])
def test_in_program_order(pairs, stage):
    """Without a schedule, transfers are awaited where they begin."""
    pair = pairs("adamw", "--schedule-stage=off")
    trained = pair.offloaded.trained(stage, 2, 1, UPDATES, pair.to_disk)
    check_same_bits(trained, pairs("adamw").kept.trained(stage, 2, 1, UPDATES))


def test_plain_sgd_has_nothing_to_offload(tmp_path):
    onnx.save(mlp([4, 3]), tmp_path / "m.onnx")
    flags = ["--bind=batch=2", "--loss=cross_entropy(logits,y)", "--optimizer=sgd", OFFLOAD]
    result = run("dsc", tmp_path / "m.onnx", *flags, "-o", tmp_path / "m.so")
    assert result.code == 0, str(result)
    assert "offloading saves nothing: the optimizer has no state of its own" in result.err


#
# Checkpoints
#


def save(pair, work, stage, ranks, folder, *flags):
    """The last set that a training of a module leaves in `folder`."""
    module = work.compiled(stage)
    result = run(
        "dsrun", module, *work.data, "-n", ranks, "--threads=1", "--save", folder, *flags
    )
    assert result.code == 0, str(result)
    return read_set(sets_of(folder)[-1])


def check_same_sets(got, wanted):
    assert got.step == wanted.step
    assert got.tensors.keys() == wanted.tensors.keys()
    assert any("exp_avg" in name for name in wanted.tensors)
    for name, array in wanted.tensors.items():
        assert got.tensors[name].tobytes() == array.tobytes(), name


@pytest.mark.parametrize("stage, ranks", [(0, 2), (1, 3), (3, 2), *long((2, 3))])
def test_a_checkpoint_is_the_same_and_goes_on_with_either(large, stage, ranks, tmp_path):
    kept, offloaded = large.kept, large.offloaded
    whole = save(large, kept, stage, ranks, tmp_path / "whole", "--steps=5")
    for name, first, second in [("in", kept, offloaded), ("out", offloaded, kept)]:
        folder = tmp_path / name
        to_disk = {offloaded: [large.to_disk], kept: []}
        half = save(large, first, stage, ranks, folder, "--steps=2", *to_disk[first])
        assert half.step == 2
        flags = ["--steps=5", "--resume", *to_disk[second]]
        check_same_sets(save(large, second, stage, ranks, folder, *flags), whole)


def test_going_on_after_a_kill(large, tmp_path):
    """Nothing is left of the file, and nothing is needed of it."""
    stage, ranks = 1, 2
    work, metrics = large.offloaded, tmp_path / "metrics.jsonl"
    flags = [*work.data, "--save", tmp_path / "sets", large.to_disk]
    more = ["--save-every=1", "--epochs=1000000", "--metrics", metrics]
    with Launched(ranks, work.compiled(stage), *flags, *more) as launched:
        launched.find_ranks()
        wait_for(lambda: lines_of(metrics), lambda lines: len(lines) >= 5)
        for rank in launched.ranks:
            assert has_file_in(rank, large.disk)
        launched.kill()
    assert os.listdir(large.disk) == []
    step = read_set(sets_of(tmp_path / "sets")[-1]).step
    until = "--steps=%d" % (step + 2)
    wanted = save(large, large.kept, stage, ranks, tmp_path / "whole", until)
    flags = [until, "--resume", large.to_disk]
    check_same_sets(save(large, work, stage, ranks, tmp_path / "sets", *flags), wanted)


#
# Memory
#


def has_file_in(process, folder):
    links = Path("/proc/%d/fd" % process).iterdir()
    return any(os.readlink(link).startswith("%s/" % folder) for link in links)


WIDTH, LAYERS = 1024, 6
MOMENT_BYTES = 2 * 4 * LAYERS * WIDTH * WIDTH  # 48 MiB


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    flags = ["--loss=cross_entropy(logits,y)", "--bind=batch=2", "--optimizer=adamw"]
    rng = np.random.default_rng(3)
    data = {
        "x": rng.standard_normal((8, WIDTH)).astype(np.float32),
        "y": rng.integers(0, WIDTH, 8),
    }
    folder = tmp_path_factory.mktemp("wide")
    return Pair(folder, mlp([WIDTH] * (LAYERS + 1)), flags, data)


def peak_bytes(work, metrics, *flags):
    """Of the one rank of a run, after some updates, what the system says."""
    more = [*work.data, "--epochs=1000000", "--metrics", metrics, *flags]
    with Launched(1, work.compiled(0), *more) as launched:
        wait_for(lambda: lines_of(metrics), lambda lines: len(lines) >= 3)
        status = Path("/proc/%d/status" % launched.launcher.pid).read_text()
        launched.launcher.send_signal(signal.SIGKILL)
        launched.end()
    fields = dict(line.split(":", 1) for line in status.splitlines())
    return int(fields["VmHWM"].split()[0]) * 1024


def test_resident_memory_falls_with_a_file(wide, tmp_path):
    """By the moments, but for those of two layers of six, which are worked on; half of
    that is above all that the system does on its own."""
    kept = peak_bytes(wide.kept, tmp_path / "kept.jsonl")
    offloaded = peak_bytes(wide.offloaded, tmp_path / "offloaded.jsonl", wide.to_disk)
    assert os.listdir(wide.disk) == []
    assert kept - offloaded > MOMENT_BYTES * (LAYERS - 2) / LAYERS / 2


def plan(work, stage, *flags):
    result = run("dsc", work.path, *work.flags, "-zero=%d" % stage, "--plan", "--json", *flags)
    assert result.code == 0, str(result)
    return json.loads(result.out)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("flags", [["--ranks=1"], ["--ranks=3", "--shard-weights=0,3,1"]])
def test_the_plan_moves_the_optimizer_out_of_memory(large, stage, flags):
    kept, offloaded = (plan(work, stage, *flags) for work in (large.kept, large.offloaded))
    assert kept["offloaded_bytes"] == 0 and offloaded["bytes"]["optimizer"] == 0
    assert offloaded["offloaded_bytes"] == kept["bytes"]["optimizer"] > 0
    assert sum(offloaded["bytes"].values()) == offloaded["total_bytes"]
    assert offloaded["snapshot_bytes"] == kept["snapshot_bytes"]


@pytest.mark.parametrize("stage", STAGES)
def test_planned_bytes_are_allocated_bytes(large, stage):
    with session(large.offloaded.compiled(stage)) as running:
        assert running.allocated_bytes() == plan(large.offloaded, stage)["total_bytes"]


def test_what_dsrun_and_explain_say(large):
    module = large.offloaded.compiled(1)
    result = run("dsrun", module, *large.offloaded.data, "--steps=1", "--dry-run", large.to_disk)
    assert result.code == 0, str(result)
    assert "in files in %s" % large.disk in result.out
    assert ", as planned" in result.out
    explained = run("dsc", "explain", module)
    assert "offloaded states" in explained.out and "optimizer, offloaded" in explained.out


#
# Bad input
#


def refuse(pair, code, message, *flags, work=None, **more):
    work = work or pair.offloaded
    result = run("dsrun", work.compiled(1), *work.data, "--steps=1", *flags, **more)
    assert result.code == code, str(result)
    assert message in result.err, str(result)
    assert os.listdir(pair.disk) == []


def test_bad_places(large, tmp_path):
    absent = tmp_path / "absent"
    refuse(large, 1, "cannot offload to '%s': No such file" % absent, "--offload-dir=%s" % absent)
    file = tmp_path / "file"
    file.write_text("")
    refuse(large, 1, "cannot offload to '%s': Not a directory" % file, "--offload-dir=%s" % file)
    # As on a disk without room.
    message = "in '%s': File too large" % large.disk
    refuse(large, 1, message, large.to_disk, limit_bytes=4096)


def test_a_module_that_offloads_nothing(large):
    message = "--offload-dir: the module offloads nothing; compile it with dsc"
    refuse(large, 2, message, large.to_disk, work=large.kept)


def test_a_configuration_offloads(tmp_path):
    """DeepSpeed's keys: the module is compiled for it, and dsrun takes the folder."""
    onnx.save(mlp([5, 9, 5]), tmp_path / "m.onnx")
    (tmp_path / "disk").mkdir()
    offload = {"device": "nvme", "nvme_path": str(tmp_path / "disk")}
    config = {"zero_optimization": {"stage": 2, "offload_optimizer": offload}}
    (tmp_path / "ds.json").write_text(json.dumps(config))
    flags = ["--loss=cross_entropy(logits,y)", "--bind=batch=2"]
    work = Work(tmp_path, tmp_path / "m.onnx", flags, zoo.data(SAMPLES))
    from_config = ["--config", tmp_path / "ds.json"]
    module = tmp_path / "m.so"
    result = run("dsc", work.path, *flags, *from_config, "-o", module)
    assert result.code == 0, str(result)
    result = run("dsrun", module, *work.data, "--steps=1", "--dry-run", *from_config)
    assert result.code == 0, str(result)
    assert "in files in %s" % (tmp_path / "disk") in result.out
