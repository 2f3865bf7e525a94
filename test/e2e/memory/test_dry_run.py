"""dsc --dry-run: the plan and the schedule of the collectives, and nothing written."""

import json
import os

import onnx
import pytest
from harness.models import mlp
from harness.tools import run

FLAGS = ["--bind=batch=4", "--loss=cross_entropy(logits,y)"]


@pytest.fixture
def model(tmp_path):
    onnx.save(mlp([6, 70, 70, 3]), tmp_path / "m.onnx")
    return tmp_path / "m.onnx"


def dry_run(model, *flags):
    before = sorted(os.listdir(model.parent))
    result = run("dsc", model, *FLAGS, "--dry-run", *flags, cwd=model.parent)
    assert sorted(os.listdir(model.parent)) == before, "something was written"
    return result


@pytest.mark.parametrize("stage", range(4))
@pytest.mark.parametrize("output", [[], ["-o", "m.so"], ["-o", "none/m.so"]])
def test_prints_plan_and_schedule(model, stage, output):
    shares = ["-zero=%d" % stage, "--ranks=3"]
    result = dry_run(model, *shares, *output, "--json")
    assert result.code == 0, str(result)
    told = json.loads(result.out)
    planned = json.loads(run("dsc", model, *FLAGS, "--plan", "--json", *shares).out)
    for entry, same in zip(told["entries"], planned["entries"], strict=True):
        schedule = entry.pop("schedule")
        assert "schedule" not in same
        assert sum(row["received_bytes"] for row in schedule) == entry["received_bytes"]
        assert len(schedule) == sum(row["count"] for row in entry["wire"])
        for row in schedule:
            assert row["overlapped"] or row["starts_before"] == row["awaited_before"]
    assert told == planned


def test_tells_what_overlaps(model):
    def overlapped(*flags):
        told = json.loads(dry_run(model, "-zero=3", "--ranks=3", "--json", *flags).out)
        return [row["overlapped"] for entry in told["entries"] for row in entry["schedule"]]

    assert any(overlapped())
    # What needs a collective waits for it.
    assert not any(overlapped("--schedule-stage=off"))


def test_a_gather_is_awaited_by_what_reads_it(model):
    told = json.loads(dry_run(model, "-zero=3", "--ranks=2", "--json").out)
    step = next(entry for entry in told["entries"] if entry["name"] == "step_last")
    gathers = [row for row in step["schedule"] if row["operation"] == "all_gather fc1"]
    assert gathers and any("fc1" in node for node in gathers[0]["awaited_before"]["nodes"])


def test_text(model):
    result = dry_run(model, "-zero=3", "--ranks=2")
    assert result.code == 0, str(result)
    assert result.out.startswith("plan for 2 ranks\n")
    for part in ("checkpoint snapshot", "reading ahead", "schedule of step_last", "all_gather fc1"):
        assert part in result.out


def test_unequal_shares(model):
    result = dry_run(model, "-zero=3", "--shard-weights=3,0,1")
    assert result.code == 0, str(result)
    first = "plan for 3 ranks of unequal shares; rank 0 is one that holds most"
    assert result.out.splitlines()[0] == first
    told = json.loads(dry_run(model, "-zero=3", "--shard-weights=3,0,1", "--json").out)
    assert [row["weight"] for row in told["by_rank"]] == [3, 0, 1]
    assert told["by_rank"][0]["total_bytes"] == told["total_bytes"]


def test_mistakes_are_found(model):
    result = run("dsc", model, "--bind=batch=4", "--loss=nothing", "--dry-run")
    assert result.code == 1 and "nothing" in result.err and not result.out


@pytest.mark.parametrize(
    "flags, said",
    [
        (["--params"], "--params stops before there is a plan; drop --dry-run"),
        (["--dump-stages=d"], "--dump-stages writes files; drop --dry-run"),
        (["--emit=fusion"], "--emit=fusion stops before there is a plan; drop --dry-run"),
        (["--ranks=0"], "--ranks=0: must be from 1 to --max-world, which is 1024"),
        (["--shard-weights=0,0"], "--shard-weights: all weights are 0, so no rank would own"),
        (["--shard-weights=3,1", "--ranks=3"], "--shard-weights has 2 weights, one for each rank"),
        (["--shard-weights=3,-1"], "'-1' value invalid for uint argument"),
        (["--shard-weights=3,a"], "'a' value invalid for uint argument"),
        (["--shard-weights=1,1,1", "-max-world=2"], "--ranks=3: must be from 1 to --max-world"),
    ],
)
def test_refuses(model, flags, said):
    result = dry_run(model, *flags)
    assert result.code == 2, str(result)
    assert said in result.err
