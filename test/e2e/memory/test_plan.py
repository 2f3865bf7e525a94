"""dsc --plan: what it promises is what a closed form says and a session allocates."""

import functools
import json
import math
from pathlib import Path
from typing import NamedTuple

import onnx
import pytest
from harness.models import mlp
from harness.session import session
from harness.tools import compile_model, run

from .test_memory import BYTES, aligned

RANKS = [1, 2, 3, 8, 1000]

# One share of the small groups is larger than the group: most ranks own nothing.
MLPS = {"mlp": [64, 96, 10], "small": [1, 3, 2]}
MLP_FLAGS = ["--bind", "batch=16", "--loss=cross_entropy(logits,y)", "--freeze=fc1.bias"]
PLAN_DOCUMENT = Path(__file__).parents[3] / "docs/plan.md"
GPT2 = Path(__file__).parents[1] / "models" / "gpt2_dynamo.onnx"
GPT2_FLAGS = [
    "--bind",
    "batch=2",
    "--bind",
    "seq=16",
    "--loss=cross_entropy(logits,labels,shift=1)",
]


class Model(NamedTuple):
    path: Path
    flags: tuple


@pytest.fixture(scope="module", params=[*MLPS, "gpt2"])
def model(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("plan") / (request.param + ".onnx")
    if request.param == "gpt2":
        path.write_bytes(GPT2.read_bytes())
        return Model(path, tuple(GPT2_FLAGS))
    onnx.save(mlp(MLPS[request.param]), path)
    return Model(path, tuple(MLP_FLAGS))


@pytest.fixture(scope="module", params=["-zero=%d" % stage for stage in range(4)])
def stage(request):
    return request.param


@pytest.fixture(scope="module")
def module(model, stage):
    return compile_model(model.path, model.path.parent / f"module{stage}.so", *model.flags, stage)


@pytest.fixture(scope="module")
def manifest(module):
    with session(module) as running:
        return running.manifest


@functools.cache
def plan(model, *flags):
    folder = model.path.parent
    result = run("dsc", model.path, *model.flags, "--plan=verbose", "--json", *flags, cwd=folder)
    assert result.code == 0, str(result)
    return json.loads(result.out)


def shard(group, unit, ranks):
    """Elements of one rank: whole units, as many as cover the group."""
    return unit * math.ceil(group["elements"] / (unit * ranks))


def closed_form(manifest, ranks):
    """Bytes of each class of states. AdamW, dsc's default, has two moments."""
    unit, groups = manifest["unit"], manifest["groups"]
    copies = {"parameters": 1, "gradients": 1, "optimizer": 2}
    sharded_from = {"parameters": 3, "gradients": 2, "optimizer": 1}
    expected = dict.fromkeys([*copies, "scalars", "staging"], 0)
    group_of = {p["name"]: manifest["states"][p["state"]]["group"] for p in manifest["parameters"]}
    trained = {group_of[p["name"]] for p in manifest["parameters"] if p["role"] == "trainable"}
    for index, group in enumerate(groups):
        one = shard(group, unit, ranks) * BYTES[group["type"]]
        for name, count in copies.items():
            if name != "parameters" and index not in trained:
                continue  # what is frozen has no gradient
            held = 1 if group["stage"] >= sharded_from[name] else ranks
            expected[name] += count * aligned(held * one)
    for state in manifest["states"]:
        if state["group"] >= 0 and state["class"] != "staging":
            continue
        size = state["elements"] * BYTES[state["type"]]
        if state["group"] >= 0:
            group = groups[state["group"]]
            size = ranks * shard(group, unit, ranks) * BYTES[group["type"]]
        name = {"scalar": "scalars", "parameter": "parameters"}.get(state["class"], "staging")
        expected[name] += aligned(size)
    return expected


@pytest.mark.parametrize("ranks", RANKS)
def test_states_follow_the_closed_form(model, stage, manifest, ranks):
    planned = plan(model, stage, f"--ranks={ranks}")
    expected = closed_form(manifest, ranks)
    assert {name: planned["bytes"][name] for name in expected} == expected
    assert planned["total_bytes"] == sum(planned["bytes"].values())


@pytest.mark.parametrize("ranks", RANKS)
def test_padding_is_bounded(model, stage, manifest, ranks):
    for planned, group in zip(plan(model, stage, f"--ranks={ranks}")["groups"], manifest["groups"]):
        per_rank = shard(group, manifest["unit"], ranks)
        tail = ranks * per_rank - group["elements"]
        assert planned["shard_elements"] == per_rank
        assert planned["tail_elements"] == tail < ranks * manifest["unit"]
        gaps = group["elements"] - sum(s["elements"] for s in group["segments"])
        assert planned["padding_bytes"] == (tail + gaps) * BYTES[group["type"]]
        # Ranks whose range begins before the last tensor ends.
        assert planned["owners"] == sum(r * per_rank < group["elements"] for r in range(ranks))


def received(collective, groups, unit, ranks):
    """What a rank receives of one collective of the manifest's list."""
    if "group" not in collective:
        return (ranks - 1) * collective["bytes"]
    group = groups[collective["group"]]
    one = (ranks - 1) * shard(group, unit, ranks) * BYTES[group["type"]]
    # Without shards a sum is scattered and gathered again.
    calls = 2 if collective["op"].startswith("all_reduce") else 1
    assert collective["calls"] == calls
    return calls * one


@pytest.mark.parametrize("ranks", RANKS)
def test_wire_follows_the_list_of_collectives(model, stage, manifest, ranks):
    groups = {g["name"]: g for g in manifest["groups"]}
    planned = plan(model, stage, f"--ranks={ranks}")["entries"]
    total = 0
    for entry, listed in zip(planned, manifest["entries"], strict=True):
        expected = dict.fromkeys([r["group"] for r in entry["wire"]], 0)
        for collective in listed["collectives"]:
            group = collective.get("group")
            expected[group] += received(collective, groups, manifest["unit"], ranks)
        found = dict.fromkeys(expected, 0)
        for row in entry["wire"]:
            found[row["group"]] += row["received_bytes"]
        assert found == expected
        assert entry["received_bytes"] == sum(expected.values())
        total += entry["received_bytes"]
    assert (total > 0) == (ranks > 1)


def test_state_of_a_rank_falls_as_one_over_ranks(tmp_path):
    """Stage 3, on a model that is large enough for units of 64 elements to be small:
    the table of docs/plan.md."""
    onnx.save(mlp([256, 1024, 1024, 10]), tmp_path / "m.onnx")
    large = Model(tmp_path / "m.onnx", ("--bind=batch=16", MLP_FLAGS[2]))
    states = {}
    for ranks in (1, 2, 4, 8):
        planned = plan(large, "-zero=3", f"--ranks={ranks}")["bytes"]
        states[ranks] = sum(planned[name] for name in ("parameters", "gradients", "optimizer"))
        assert states[1] <= states[ranks] * ranks < 1.001 * states[1]
    rows = [line.split("|") for line in PLAN_DOCUMENT.read_text().splitlines()]
    told = {int(r[1]): int(r[2]) for r in rows if len(r) == 4 and r[1].strip().isdigit()}
    assert told == states


def test_a_session_allocates_what_is_planned(model, stage, module):
    with session(module) as running:
        assert running.allocated_bytes() == plan(model, stage)["total_bytes"]


def test_buffers_at_the_peak_fill_the_step_region(model, stage, manifest):
    planned = plan(model, stage)
    for entry, listed in zip(planned["entries"], manifest["entries"], strict=True):
        assert entry["arena_bytes"] == listed["arena_bytes"]
        peak, end = entry["peak"], 0
        assert peak["bytes"] == max(s["bytes"] for s in entry["steps"])
        assert peak["bytes"] == sum(b["bytes"] for b in peak["buffers"])
        for buffer in peak["buffers"]:
            assert buffer["offset"] >= end, "two buffers in use share bytes"
            end = buffer["offset"] + buffer["bytes"]
        assert end <= entry["arena_bytes"]
    bytes_of = planned["bytes"]
    step_region = ("activations", "gather_buffers", "reduce_buffers", "workspace", "unused")
    assert sum(bytes_of[name] for name in step_region) == planned["arena_bytes"]
    moved = bytes_of["gather_buffers"] + bytes_of["reduce_buffers"]
    assert (moved > 0) == (stage in ("-zero=2", "-zero=3"))


def test_a_plan_writes_a_module_only_where_it_is_told(model, stage, module, tmp_path):
    plan(model, stage)
    assert not model.path.with_suffix(".so").exists()
    plan(model, stage, "-o", tmp_path / module.name, "--ranks=2")
    assert (tmp_path / module.name).read_bytes() == module.read_bytes()
