"""The bytes that the channel counts are those of the plan, which are those of the
closed form in docs/plan.md."""

import functools
import json

import onnx
import pytest
from harness import zoo
from harness.models import mlp
from harness.ranks import Work
from harness.tools import run

STAGES = range(4)
BATCH, UPDATES = 1, 2
FLAGS = ["--loss=cross_entropy(logits,y)", "--bind=batch=%d" % BATCH]


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wire")
    onnx.save(mlp([5, 97, 61, 5]), folder / "m.onnx")
    made = Work(folder, folder / "m.onnx", [*FLAGS, "--clip-norm=1"], zoo.data(8 * 3 * UPDATES))
    made.planned = functools.cache(functools.partial(plan, made))
    return made


def plan(work, stage, shares):
    flags = [*work.flags, "-zero=%d" % stage, "--plan", "--json", shares]
    result = run("dsc", work.path, *flags)
    assert result.code == 0, str(result)
    return json.loads(result.out)


def per_update(received, accumulate):
    return (accumulate - 1) * received["step"] + received["step_last"] + received["update"]


def check_counted(work, stage, ranks, accumulate, received, *flags):
    lines, _ = work.trained(stage, ranks, accumulate, "--steps=%d" % UPDATES, *flags)
    expected = per_update(received, accumulate)
    assert [line.get("received_bytes", 0) for line in lines] == [expected] * UPDATES
    assert (expected > 0) == (ranks > 1)


@pytest.mark.parametrize("accumulate", [1, 3])
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 8])
@pytest.mark.parametrize("stage", STAGES)
def test_counted_bytes_are_planned_bytes(work, stage, ranks, accumulate):
    planned = work.planned(stage, "--ranks=%d" % ranks)
    received = {entry["name"]: entry["received_bytes"] for entry in planned["entries"]}
    check_counted(work, stage, ranks, accumulate, received)


@pytest.mark.parametrize("weights", ["3,1,1", "0,1,2"])
@pytest.mark.parametrize("stage", STAGES)
def test_by_weight_too(work, stage, weights):
    """Metrics are those of rank 0."""
    shares = "--shard-weights=" + weights
    received = work.planned(stage, shares)["by_rank"][0]["received_bytes"]
    check_counted(work, stage, 3, 3, received, shares)
    equal = work.planned(stage, "--ranks=3")["entries"]
    assert received != {entry["name"]: entry["received_bytes"] for entry in equal}


def padded(group, ranks):
    """N S of a group, in bytes."""
    return ranks * 64 * -(-group["elements"] // (64 * ranks)) * group["element_bytes"]


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 8, 1000])
@pytest.mark.parametrize("stage", STAGES)
def test_planned_bytes_are_those_of_the_closed_form(work, stage, ranks):
    """(N - 1) / N of the padded groups for each time that they travel, and (N - 1)
    times the numbers that ranks exchange; all groups here are trained, and each is
    gathered once for forward and once for backward but the first and the last."""
    planned = work.planned(stage, "--ranks=%d" % ranks)
    times = {entry["name"]: {} for entry in planned["entries"]}
    for entry in planned["entries"]:
        for row in entry["wire"]:
            if row["group"] is not None:
                key = row["group"], row["collective"]
                times[entry["name"]][key] = row["count"]
                size = next(padded(g, ranks) for g in planned["groups"] if g["name"] == row["group"])
                assert row["received_bytes"] * ranks == row["count"] * (ranks - 1) * size
    groups = [group["name"] for group in planned["groups"]]
    assert len(groups) == 3

    def all_of(*collectives):
        return {(group, name): 1 for group in groups for name in collectives}

    last = times["step_last"]
    if stage == 0:
        assert not times["step"] and not times["update"]
        assert last == all_of("all_to_all", "all_gather")
    elif stage == 1:
        assert not times["step"] and last == all_of("all_to_all")
        assert times["update"] == all_of("all_gather")
    elif stage == 2:
        assert times["step"] == last == all_of("all_to_all")
        assert times["update"] == all_of("all_gather")
    else:
        gathered = {key: count for key, count in last.items() if key[1] == "all_gather"}
        assert {key[0] for key in gathered} == set(groups)
        assert all(1 <= count <= 2 for count in gathered.values())
        assert times["step"] == last == {**all_of("all_to_all"), **gathered}
        assert not times["update"]
