"""dsc --simulate: times, bytes and memory against closed forms."""

import functools
import json
import math

import onnx
import pytest
from harness.models import mlp
from harness.tools import REPOSITORY, run

from . import machines

BATCH, SIZES = 16, [64, 96, 10]
FLAGS = ["--bind=batch=%d" % BATCH, "--loss=cross_entropy(logits,y)"]
RANKS = [1, 2, 4, 6, 1024]
STAGES = range(4)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("simulate")
    onnx.save(mlp(SIZES), folder / "mlp.onnx")
    machines.write(folder / "plain.json")
    return folder


def ask(folder, *flags, model="mlp.onnx", binds=FLAGS):
    result = run("dsc", model, *binds, *flags, cwd=folder)
    assert result.code == 0, str(result)
    return json.loads(result.out)


@functools.cache
def simulate(folder, stage, ranks, *flags):
    common = ["--topology=plain.json", "--ranks=%d" % ranks, "-zero=%d" % stage]
    return ask(folder, "--simulate", "--json", *common, *flags)


@functools.cache
def plan(folder, stage, ranks):
    common = ["--topology=plain.json", "--ranks=%d" % ranks, "-zero=%d" % stage]
    return ask(folder, "--plan=verbose", "--json", *common)


def by_name(rows, key="name"):
    return {row[key]: row for row in rows}


def test_contractions_take_their_flops(folder):
    """Forward and weight gradients of both layers, and one input's gradient."""
    simulated = by_name(simulate(folder, 0, 1)["entries"])
    first, second = SIZES[0] * SIZES[1], SIZES[1] * SIZES[2]
    step = 2 * BATCH * (2 * first + 3 * second)
    assert simulated["step_last"]["seconds"] == pytest.approx(step / 1e9, rel=1e-6)
    assert simulated["eval"]["seconds"] == pytest.approx(
        2 * BATCH * (first + second) / 1e9, rel=1e-6
    )


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("stage", STAGES)
def test_bytes_by_level(folder, stage, ranks):
    """An all-gather enters a node of 4 once; an all-to-all has a message a pair."""
    planned = plan(folder, stage, ranks)
    node = min(ranks, 4)
    for name, simulated in by_name(simulate(folder, stage, ranks)["entries"]).items():
        wire = by_name(planned["entries"])[name]["wire"]
        network = 0
        for row in wire:
            if ranks == 1:
                continue
            shard = row["received_bytes"] // (ranks - 1)
            gathers = row["collective"] == "all_gather"
            network += shard * (math.ceil(ranks / node) - 1 if gathers else ranks - node)
        received = by_name(planned["entries"])[name]["received_bytes"]
        assert simulated["received_bytes"] == [received - network, network], name


@pytest.mark.parametrize("stage", STAGES)
def test_memory_is_what_is_planned(folder, stage):
    told = simulate(folder, stage, 2)
    assert told["total_bytes"] == plan(folder, stage, 2)["total_bytes"]
    assert told["memory_bytes"] == 10**9


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("stage", STAGES)
def test_times_add_up(folder, stage, ranks):
    told = simulate(folder, stage, ranks)
    entries = by_name(told["entries"])
    for entry in entries.values():
        assert entry["seconds"] >= entry["compute_seconds"] > 0 or entry["seconds"] >= 0
        assert entry["exposed_seconds"] == pytest.approx(
            entry["seconds"] - entry["compute_seconds"], abs=1e-12
        )
        assert entry["seconds"] <= (entry["compute_seconds"] + entry["exchange_seconds"]) * (
            1 + 1e-9
        )
        if ranks == 1:
            assert entry["exposed_seconds"] == pytest.approx(0, abs=1e-9)
    [update] = told["updates"]
    assert update["seconds"] == pytest.approx(
        entries["step_last"]["seconds"] + entries["update"]["seconds"]
    )
    assert update["samples_per_second"] == pytest.approx(BATCH * ranks / update["seconds"])
    assert update["tokens_per_second"] is None


def test_without_a_schedule_all_is_exposed(folder):
    off = by_name(simulate(folder, 3, 2, "--schedule-stage=off")["entries"])["step_last"]
    on = by_name(simulate(folder, 3, 2)["entries"])["step_last"]
    assert off["exposed_seconds"] == pytest.approx(off["exchange_seconds"], rel=1e-6)
    assert on["seconds"] <= off["seconds"]


def test_exchanges_take_latency_and_the_slowest_level(folder):
    """The loss and its weight: one message of the update, in f64."""
    entry = by_name(simulate(folder, 0, 1024)["entries"])["update"]
    inside, outside = entry["received_bytes"]
    assert inside + outside == plan(folder, 0, 1024)["entries"][2]["received_bytes"]
    assert entry["exchange_seconds"] == pytest.approx(
        0.011 + max(inside / 1e9, outside / 1e8), rel=1e-6
    )


def test_efficiency_and_sharing(folder):
    machines.write(folder / "shared.json", shared=True)
    machine = {
        **machines.PLAIN,
        "efficiency": dict.fromkeys(["contraction", "vector", "memory"], 0.5),
    }
    machine["efficiency"]["link"] = 1
    machines.write(folder / "half.json", machine)
    whole = by_name(simulate(folder, 3, 2)["entries"])["step"]
    for name in ["shared.json", "half.json"]:
        flags = ["--topology=%s" % name, "--ranks=2", "-zero=3", "--simulate", "--json"]
        half = by_name(ask(folder, *flags)["entries"])["step"]
        assert half["compute_seconds"] == pytest.approx(2 * whole["compute_seconds"])
        assert half["received_bytes"] == whole["received_bytes"]


def test_agrees_with_the_estimate_of_the_schedule(folder):
    """The same model twice: of the program to be, and of the program."""
    machines.write(
        folder / "slow.json", vector_flops=1e9, memory_bandwidth=1e9, launch_latency=1e-5
    )
    for stage in STAGES:
        flags = ["--topology=slow.json", "--ranks=4", "-zero=%d" % stage, "--json"]
        told = by_name(ask(folder, "--simulate", *flags)["entries"])
        decided = ask(folder, "--plan=verbose", *flags)["decisions"]
        estimates = [row for row in decided if row["kind"] == "entry"]
        assert {row["entry"] for row in estimates} >= {"step_last", "update"}
        for row in estimates:
            assert row["seconds"] == pytest.approx(told[row["entry"]]["seconds"], rel=0.01), row


def test_tokens_are_counted(folder):
    model = REPOSITORY / "test/e2e/models/gpt2_dynamo.onnx"
    binds = ["--bind=batch=2", "--bind=seq=16", "--loss=cross_entropy(logits,labels,shift=1)"]
    told = ask(
        folder, "--simulate", "--json", "--ranks=8", "--topology=a100x8", model=model, binds=binds
    )
    [update] = told["updates"]
    assert update["tokens_per_second"] == pytest.approx(2 * 16 * 8 / update["seconds"])
    assert update["samples_per_second"] == pytest.approx(2 * 8 / update["seconds"])


def test_every_topology_that_is_shipped(folder):
    files = sorted((REPOSITORY / "examples/topologies").glob("*.json"))
    assert {file.stem for file in files} >= {"a100x8", "h100x8", "h200x8", "ascend910bx8", "host"}
    seconds = {}
    for file in files:
        flags = ["--topology=%s" % file.stem, "--ranks=8", "-zero=2", "--simulate", "--json"]
        told = ask(folder, *flags)
        assert told["machine"] == json.loads(file.read_text())["name"]
        assert sum(level["ranks"] >= 8 for level in told["levels"]) > 0
        seconds[file.stem] = told["updates"][0]["seconds"]
        assert 0 < seconds[file.stem] < 1
    assert seconds["h100x8"] < seconds["a100x8"] < seconds["host"]


def test_tables(folder):
    flags = ["--topology=plain.json", "--ranks=1024", "-zero=3"]
    result = run("dsc", "mlp.onnx", *FLAGS, "--simulate", *flags, cwd=folder)
    assert result.code == 0, str(result)
    assert result.out.startswith("simulated for 1024 ranks of plain\n")
    for part in ["step_last", "exposed", "over network", "samples/s", "memory of a rank"]:
        assert part in result.out
    assert not (folder / "mlp.so").exists()  # as with --plan
    machines.write(folder / "small.json", memory_bytes=1000)
    small = run("dsc", "mlp.onnx", *FLAGS, "--simulate", "--topology=small.json", cwd=folder)
    assert ", more than the 1000 that it has" in small.out


def test_one_element_and_no_training(folder):
    onnx.save(mlp([1, 1]), folder / "one.onnx")
    for flags in (["--loss=sum(logits)", "-zero=3"], ["--forward"]):
        flags = ["--bind=batch=1", *flags, "--simulate", "--json", "--ranks=1000"]
        told = ask(folder, *flags, model="one.onnx", binds=[])
        assert all(math.isfinite(entry["seconds"]) for entry in told["entries"])
        assert len(told["updates"]) == (flags[1] != "--forward")


def faults():
    """Name, edit of the description's text, and what dsc says behind its path."""
    plain = json.dumps(machines.PLAIN, indent=1)

    def drop(*path):
        machine = json.loads(plain)
        inner = machine
        for key in path[:-1]:
            inner = inner[key]
        del inner[path[-1]]
        return json.dumps(machine, indent=1)

    return [
        ("no-levels", drop("levels"), ":1:1: the key 'levels' is missing: a list of"),
        ("no-bandwidth", drop("levels", 1, "bandwidth"), "(/levels/1): the key 'bandwidth' is"),
        ("unknown", plain.replace("vector_flops", "vectr_flops"), "did you mean 'vector_flops'?"),
        ("negative", plain.replace("100000000.0", "-1"), "(/levels/1/bandwidth): expected bytes/s"),
        ("zero", plain.replace("100000000.0", "0"), "(/levels/1/bandwidth): expected bytes/s"),
        ("nan", plain.replace("100000000.0", "NaN"), "invalid literal"),
        ("huge", plain.replace("100000000.0", "1e999"), "number overflow"),
        ("order", plain.replace("1024", "3"), "(/levels/1/ranks): levels are out of order"),
        ("types", plain.replace('"plain"', "[1]"), "(/name): expected a name, not a list of 1"),
        ("truncated", plain[: len(plain) // 2], ":"),
        ("empty", "", ":1:1: "),
        ("binary", "\x7fELF\x02", ":1:1: "),
    ]


@pytest.mark.parametrize("name, text, said", faults(), ids=[row[0] for row in faults()])
def test_faults_are_located(folder, name, text, said):
    (folder / "bad.json").write_text(text)
    for flag in ("--simulate", "--timeline=t.json", "--plan"):
        result = run("dsc", "mlp.onnx", *FLAGS, flag, "--topology=bad.json", cwd=folder)
        assert result.code == 1, str(result)
        assert result.first_line().startswith("dsc: error: bad.json:"), str(result)
        assert said in result.err and not result.out
    assert not (folder / "t.json").exists()


@pytest.mark.parametrize(
    "flags, code, said",
    [
        (
            ["--topology=plain.json", "--ranks=1025", "-max-world=2000"],
            1,
            "(/levels/1/ranks): the level 'network' joins 1024 ranks, and 1025 are asked for",
        ),
        (["--topology=a100x9"], 1, "no machine of this name; did you mean 'a100x8'?"),
        (["--topology=./none.json"], 1, "none.json"),
        (["--topology="], 1, "--topology="),
        (["--ranks=0"], 2, "--ranks=0: must be from 1 to --max-world"),
        (["--params"], 2, "--params stops before there is a plan; drop --simulate"),
        (["--emit=fusion"], 2, "--emit=fusion stops before there is a plan; drop --simulate"),
        (["--shard-weights=1,2"], 2, "with equal shares; drop --shard-weights"),
        (["--plan", "--json"], 2, "--json prints one object"),
        (["--timeline=-"], 2, "--timeline=- prints to standard output"),
        (["--timeline="], 2, "--timeline needs a file"),
        (["--timeline=no/folder/t.json"], 1, "no/folder/t.json"),
    ],
)
def test_refuses(folder, flags, code, said):
    result = run("dsc", "mlp.onnx", *FLAGS, "--simulate", *flags, cwd=folder)
    assert result.code == code, str(result)
    assert said in result.err, str(result)
