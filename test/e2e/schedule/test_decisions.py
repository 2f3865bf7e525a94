"""What the schedule chooses: within its limits, told to the user, and without a trace in
the results."""

import functools
import json
import re

import onnx
import pytest
from harness import decoder
from harness.marks import long
from harness.ranks import Work, check_same_bits
from harness.tools import compile_model, run

SAMPLES, UPDATES, RANKS = 42, "--steps=5", 2


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gpt")
    onnx.save(decoder.decoder(layers=3), folder / "m.onnx")
    flags = [*decoder.FLAGS, "--optimizer=adamw", "--lr=0.01", "--clip-norm=0.5"]
    return Work(folder, folder / "m.onnx", flags, decoder.data(SAMPLES))


# No gather begins with another.
APART = "--allgather-bucket-size=0"


def compiler(work, stage, *flags):
    return run("dsc", work.path, *work.flags, "-zero=%d" % stage, *flags)


def plan(work, stage, *flags):
    command = ("--plan=verbose", "--json", "--ranks=%d" % RANKS, *flags)
    result = compiler(work, stage, *command)
    assert result.code == 0, str(result)
    return json.loads(result.out)


@functools.cache
def smallest_limit(work, stage, recompute):
    result = compiler(work, stage, "--plan", "--ranks=%d" % RANKS, "--memory-limit=1", recompute)
    assert result.code == 1, str(result)
    assert "does not fit in --memory-limit=1 on %d ranks" % RANKS in result.err
    assert re.search(r"with that limit '\w+' is expected to take [\d.]+ ms", result.err)
    return int(re.search(r"smallest limit that it fits in is (\d+) bytes", result.err)[1])


@pytest.mark.parametrize("recompute", ["--recompute=auto", *long("--recompute=none")])
@pytest.mark.parametrize("stage", [0, 3, *long(1, 2)])
def test_the_smallest_limit_is_the_smallest(work, stage, recompute):
    least = smallest_limit(work, stage, recompute)
    assert plan(work, stage, "--memory-limit=%d" % least, recompute)["total_bytes"] <= least
    below = compiler(
        work, stage, "--plan", "--ranks=2", "--memory-limit=%d" % (least - 1), recompute
    )
    assert below.code == 1 and "smallest limit that it fits in is %d bytes" % least in below.err


def test_recomputation_lowers_the_smallest_limit(work):
    kept = smallest_limit(work, 0, "--recompute=none")
    assert smallest_limit(work, 0, "--recompute=auto") < kept


@pytest.mark.parametrize("stage", [3, *long(0, 1, 2)])
def test_moments_leave_memory_only_as_far_as_a_limit_asks(work, stage, tmp_path):
    auto = "--offload-optimizer=auto"
    least, kept = (smallest_limit(work, stage, flag) for flag in (auto, "--recompute=none"))
    assert least < kept
    where = {}
    for limit in (least, (least + kept) // 2, kept):
        planned = plan(work, stage, auto, "--memory-limit=%d" % limit)
        assert planned["total_bytes"] <= limit
        rows = [row for row in planned["decisions"] if row["kind"] == "moments"]
        where[limit] = [row["decision"] for row in rows].count("kept")
    assert list(where.values()) == sorted(where.values())
    assert where[least] < where[kept] == len(rows)
    limit = ["--memory-limit=%d" % ((least + kept) // 2), "--ranks=%d" % RANKS, auto]
    command = [*work.flags, "-zero=%d" % stage]
    trained = [
        work.train_module(
            compile_model(work.path, tmp_path / name, *command, *flags), RANKS, 1, UPDATES
        )
        for name, flags in (("auto.so", limit), ("off.so", ["--schedule-stage=off"]))
    ]
    check_same_bits(*trained)


@pytest.mark.parametrize("stage", [3, *long(0, 1, 2)])
@pytest.mark.parametrize("part", [0, *long(0.5, 1)])
def test_limits_hold_and_change_no_bit(work, stage, part, tmp_path):
    free = plan(work, stage)["total_bytes"]
    least = smallest_limit(work, stage, "--recompute=auto")
    limit = int(least + part * max(free - least, 0))
    flags = ["--memory-limit=%d" % limit, "--ranks=%d" % RANKS, "--recompute=auto"]
    command = [*work.flags, "-zero=%d" % stage]
    module = compile_model(work.path, tmp_path / "limited.so", *command, *flags)
    limited = work.train_module(module, RANKS, 1, UPDATES)
    off = compile_model(work.path, tmp_path / "off.so", *command, "--schedule-stage=off")
    assert len({line["loss"] for line in limited[0]}) == 5, "nothing was trained"
    check_same_bits(limited, work.train_module(off, RANKS, 1, UPDATES))
    assert plan(work, stage, *flags)["total_bytes"] <= limit


def decisions(work, *flags):
    rows = plan(work, 3, "--topology=h100x8", *flags)["decisions"]
    return [row for row in rows if row["entry"] == "step_last"]


def gathers(rows):
    return [row for row in rows if row["kind"] == "gather"]


def test_all_is_told(work):
    rows = decisions(work)
    assert [row["kind"] for row in rows].count("entry") == 1
    groups = {row["group"] for row in gathers(rows)}
    reduced = {row["group"] for row in rows if row["kind"] == "reduction"}
    assert groups == reduced and len(groups) > 3
    for row in rows:
        assert row["seconds"] >= 0 and row["bytes"] >= 0 and row["text"]
    printed = compiler(work, 3, "--plan=verbose", "--ranks=2", "--topology=h100x8")
    assert "decisions for step_last: " in printed.out


def test_gathers_are_hidden_and_no_longer_without_overlap(work):
    assert any(row["decision"] == "prefetched" for row in gathers(decisions(work)))
    for row in decisions(work, "--overlap=off", APART):
        assert row.get("decision") not in ("prefetched", "overlapped")
    for row in gathers(decisions(work, "--prefetch-bucket-size=0")):
        assert row["decision"] in ("in place", "kept")


def test_what_may_not_be_reused_is_not_kept(work):
    kept = decisions(work, "--overlap=off", APART)
    assert any(row["decision"] == "kept" for row in gathers(kept))
    never = gathers(decisions(work, "--overlap=off", APART, "--max-reuse-distance=0"))
    assert {row["decision"] for row in never} == {"in place"}
    # Where two uses follow one another, no more is alive than one use needs.
    few = gathers(decisions(work, "--overlap=off", APART, "--max-live-parameters=0"))
    count = [row["decision"] for row in few].count("kept")
    assert count < [row["decision"] for row in gathers(kept)].count("kept")


@pytest.mark.parametrize(
    "flags, code, message",
    [
        (["--memory-limit=0"], 2, "must be a number of bytes above 0"),
        (["--memory-limit=-5"], 2, "must be a number of bytes above 0"),
        (["--memory-limit=much"], 2, "such as 8000000000, 8G or 7.5GiB"),
        (["--memory-limit="], 2, "must be a number of bytes above 0"),
        (["--memory-limit=1000T"], 2, "this machine has "),
        (["--memory-limit=200G", "--topology=h100x8"], 2, " bytes of memory"),
        (["--memory-limit=1G", "--schedule-stage=off"], 2, "needs the schedule stage"),
        (["--memory-limit=1G", "--shard-weights=1,2", "--plan"], 2, "equal shares"),
        (["--topology=h100x8", "--overlap=maybe"], 2, "choose one of on, off"),
        (["--topology=h100x8", "--prefetch-bucket-size=-1"], 2, "prefetch-bucket-size"),
    ],
)
def test_bad_input(work, flags, code, message):
    result = run("dsc", work.path, *work.flags, "--ranks=2", *flags)
    assert result.code == code, str(result)
    assert message in result.err


def test_a_limit_needs_a_number_of_ranks(work):
    result = run("dsc", work.path, *work.flags, "--memory-limit=1G")
    assert result.code == 2
    assert "--memory-limit needs --ranks" in result.err
