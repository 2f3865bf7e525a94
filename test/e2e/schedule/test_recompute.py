"""What backward computes again has the bits that forward had, and needs less memory.

A GPT with every kind of Dropout, and residual layers without attention. Each of N
ranks, ZeRO stages and micro-batches an update is held against the same training that
keeps all of its activations.
"""

import json

import numpy as np
import onnx
import pytest
from harness import decoder
from harness.marks import long
from harness.models import model, node, value
from harness.ranks import Work, check_same_bits
from harness.session import session
from harness.tools import compile_model, run

SAMPLES, UPDATES = 42, "--steps=5"
STAGES = range(4)
BLOCKS = "--recompute=blocks"
# Small models: what travels together would hide what is recomputed in the arena.
APART = ["--allgather-bucket-size=0", "--reduce-bucket-size=0"]


def make_gpt(folder):
    onnx.save(decoder.decoder(layers=3), folder / "m.onnx")
    flags = [*decoder.FLAGS, "--optimizer=adamw", "--lr=0.01", "--clip-norm=0.5"]
    return Work(folder, folder / "m.onnx", flags, decoder.data(SAMPLES))


def make_mlp(folder):
    """Layers h.0 to h.3 of y = x + drop(tanh(x a)) b."""
    rng, width = np.random.default_rng(5), 6
    drawn = {"ratio": np.float32(0.3), "on": np.array(True)}
    nodes, x = [], "x"
    for i in range(4):
        name = "h.%d" % i
        drawn[name + ".a"] = (0.5 * rng.standard_normal((width, 9))).astype(np.float32)
        drawn[name + ".b"] = (0.5 * rng.standard_normal((9, width))).astype(np.float32)
        nodes += [
            node("MatMul", [x, name + ".a"], [name + "/p"], "/%s/first" % name),
            node("Tanh", [name + "/p"], [name + "/t"], "/%s/tanh" % name),
            node("Dropout", [name + "/t", "ratio", "on"], [name + "/d"], "/%s/drop" % name),
            node("MatMul", [name + "/d", name + ".b"], [name + "/q"], "/%s/second" % name),
            node("Add", [x, name + "/q"], [name + "/y"], "/%s/add" % name),
        ]
        x = name + "/y"
    made = model(
        nodes,
        [value("x", onnx.TensorProto.FLOAT, ["batch", width])],
        [value(x, onnx.TensorProto.FLOAT, ["batch", width])],
        drawn,
    )
    onnx.save(made, folder / "m.onnx")
    flags = ["--loss=mse(%s,t)" % x, "--bind=batch=2", "--optimizer=sgd", "--lr=0.1"]
    data = {n: rng.standard_normal((SAMPLES, width)).astype(np.float32) for n in ("x", "t")}
    return Work(folder, folder / "m.onnx", flags, data)


class Pair:
    """One work that keeps its activations and one that recomputes them."""

    def __init__(self, kept, folder):
        self.kept, self.folder = kept, folder
        self.blocks = Work(folder, kept.path, [*kept.flags, BLOCKS], {})
        self.blocks.data = kept.data


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    made = {}

    def of(make):
        if make not in made:
            kept = make(tmp_path_factory.mktemp(make.__name__))
            made[make] = Pair(kept, tmp_path_factory.mktemp(make.__name__ + "_blocks"))
        return made[make]

    return of


@pytest.fixture(params=[make_gpt, make_mlp])
def pair(pairs, request):
    return pairs(request.param)


def plan(work, stage, *flags):
    """The plan of one rank."""
    result = run("dsc", work.path, *work.flags, "-zero=%d" % stage, "--plan", "--json", *flags)
    assert result.code == 0, str(result)
    return json.loads(result.out)


@pytest.mark.parametrize("accumulate", [1, 3])
@pytest.mark.parametrize("ranks", [1, 3, *long(2)])
@pytest.mark.parametrize("stage", [0, 3, *long(1, 2)])
def test_same_bits(pair, stage, ranks, accumulate):
    kept = pair.kept.trained(stage, ranks, accumulate, UPDATES)
    assert len({line["loss"] for line in kept[0]}) == 5, "nothing was trained"
    check_same_bits(pair.blocks.trained(stage, ranks, accumulate, UPDATES), kept)


@pytest.mark.parametrize("stage", STAGES)
def test_the_arena_is_smaller(pair, stage):
    kept, blocks = (
        {entry["name"]: entry["arena_bytes"] for entry in plan(work, stage, *APART)["entries"]}
        for work in (pair.kept, pair.blocks)
    )
    for name in kept:
        if name in ("step", "step_last"):
            assert blocks[name] < kept[name]
        else:
            assert blocks[name] == kept[name]


@pytest.mark.parametrize("stage", STAGES)
def test_planned_bytes_are_allocated_bytes(pair, stage):
    with session(pair.blocks.compiled(stage)) as running:
        assert running.allocated_bytes() == plan(pair.blocks, stage)["total_bytes"]


def regions(work, stage, *flags):
    """How often each entry computes, and what it gathers."""
    command = [work.path, *work.flags, "-zero=%d" % stage, "--emit=schedule", *flags]
    result = run("dsc", *command)
    assert result.code == 0, str(result)
    entries = result.out.split("train.entry @")[1:]
    return {
        text[: text.index("(")]: (text.count(" nn.fusion "), text.count("zero.gather_start"))
        for text in entries
    }


def test_only_steps_compute_again(pair):
    """And no layer is gathered a third time for it."""
    kept, blocks = regions(pair.kept, 3), regions(pair.blocks, 3)
    assert kept.keys() == blocks.keys()
    for name in kept:
        assert blocks[name][1] == kept[name][1], name
        if name in ("step", "step_last"):
            assert blocks[name][0] > kept[name][0]
        else:
            assert blocks[name][0] == kept[name][0]


def test_a_model_of_one_layer_is_told(tmp_path):
    """There is nothing to free before its own backward; the module works."""
    made = model(
        [node("MatMul", ["x", "h.0.w"], ["p"]), node("Tanh", ["p"], ["y"])],
        [value("x", onnx.TensorProto.FLOAT, [2, 3])],
        [value("y", onnx.TensorProto.FLOAT, [2, 3])],
        {"h.0.w": np.eye(3, dtype=np.float32)},
    )
    onnx.save(made, tmp_path / "m.onnx")
    result = run("dsc", tmp_path / "m.onnx", "--loss=mse(y,t)", BLOCKS, "-o", tmp_path / "m.so")
    assert result.code == 0, str(result)
    assert result.err.count("recomputation by blocks saves nothing") == 1


@pytest.mark.parametrize("mode", ["blocks", "auto"])
def test_without_a_schedule_there_is_none(pair, mode):
    result = run("dsc", pair.kept.path, "--schedule-stage=off", "--recompute=" + mode)
    assert result.code == 2
    assert "--recompute=%s needs the schedule stage" % mode in result.err
    assert run("dsc", pair.kept.path, "--schedule-stage=off", "--recompute=none").code != 2


def test_an_unknown_mode_is_refused(pair):
    result = run("dsc", pair.kept.path, "--recompute=all")
    assert result.code == 2 and "none, blocks, auto" in result.err


def test_auto_without_a_limit_keeps_all(pair, tmp_path):
    modules = [
        compile_model(pair.kept.path, tmp_path / (mode + ".so"), *pair.kept.flags, mode)
        for mode in ("--recompute=none", "--recompute=auto")
    ]
    with session(modules[0]) as kept, session(modules[1]) as auto:
        assert auto.allocated_bytes() == kept.allocated_bytes()


def limited(pair, stage, ranks, share):
    """Flags of a limit that lies `share` of the way from the least memory to all."""
    at = "--ranks=%d" % ranks
    least = plan(pair.blocks, stage, at, *APART)["total_bytes"]
    most = plan(pair.kept, stage, at, *APART)["total_bytes"]
    limit = least + round(share * (most - least))
    return limit, ["--recompute=auto", "--memory-limit=%d" % limit, at]


@pytest.mark.parametrize("share", [0.3, 0.7, *long(0, 0.1, 0.5, 0.9, 1)])
@pytest.mark.parametrize("stage", [0, 3, *long(1, 2)])
def test_a_limit_between_least_and_all(pair, stage, share, tmp_path):
    ranks = 2
    limit, flags = limited(pair, stage, ranks, share)
    planned = plan(pair.kept, stage, *flags)["total_bytes"]
    assert planned <= limit
    module = compile_model(
        pair.kept.path, tmp_path / "m.so", *pair.kept.flags, "-zero=%d" % stage, *flags
    )
    kept = pair.kept.trained(stage, ranks, 1, UPDATES)
    check_same_bits(pair.kept.train_module(module, ranks, 1, UPDATES), kept)


def test_no_more_is_recomputed_than_a_limit_asks_for(pair):
    counts = []
    for share in (0, 0.5, 1):
        _, flags = limited(pair, 0, 1, share)
        counts.append(regions(pair.kept, 0, *flags)["step"][0])
    everything = regions(pair.blocks, 0)["step"][0]
    nothing = regions(pair.kept, 0)["step"][0]
    assert everything >= counts[0] > counts[1] > counts[2] == nothing
