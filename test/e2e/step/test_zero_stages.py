"""-zero=1|2|3 over one rank: gathers, parts, reductions and refreshes change no bit."""

import functools
import json

import numpy as np
import onnx
import pytest
from harness.models import mlp, model, node, value
from harness.session import session
from harness.tools import compile_model
from harness.tools import run as run_tool
from onnx import TensorProto

STEPS, BATCH = 3, 4


def deep():
    return mlp([6, 8, 8, 5], activation="Tanh")


def returns_parameters():
    """The outputs are the scores, a weight, and another shape of it."""
    made = mlp([6, 5])
    made.graph.node.extend(
        [
            node("Identity", ["fc1.weight"], ["weight"], "/out/Identity"),
            node("Flatten", ["fc1.weight"], ["flat"], "/out/Flatten", axis=0),
        ]
    )
    made.graph.output.extend(
        [value("weight", TensorProto.FLOAT, [5, 6]), value("flat", TensorProto.FLOAT, [1, 30])]
    )
    return made


def tied():
    """One table is the embedding, a layer between, and the head."""
    rng = np.random.default_rng(3)
    table = rng.standard_normal((5, 6)).astype(np.float32)
    between = rng.standard_normal((6, 6)).astype(np.float32)
    return model(
        [
            node("MatMul", ["x", "h.0.table"], ["e"], "/embed/MatMul"),
            node("MatMul", ["e", "h.1.weight"], ["m"], "/h.1/MatMul"),
            node("Tanh", ["m"], ["a"], "/h.1/Tanh"),
            node("Transpose", ["h.0.table"], ["t"], "/head/Transpose", perm=[1, 0]),
            node("MatMul", ["a", "t"], ["logits"], "/head/MatMul"),
        ],
        [value("x", TensorProto.FLOAT, ["batch", 5])],
        [value("logits", TensorProto.FLOAT, ["batch", 5])],
        {"h.0.table": table, "h.1.weight": between},
    )


def loose():
    """No name tells a layer, so a bound on bytes forms the groups."""
    made = mlp([6, 8, 5], activation="Tanh", form="MatMul")
    names = {t.name: "onnx::MatMul_%d" % (490 + i) for i, t in enumerate(made.graph.initializer)}
    for tensor in made.graph.initializer:
        tensor.name = names[tensor.name]
    for each in made.graph.node:
        for i, name in enumerate(each.input):
            each.input[i] = names.get(name, name)
        each.name = ""
    return made


def odd():
    """Parameters of 0, 1, 2 and 7 elements and without dims, a frozen one, one used
    twice on both sides of another layer, and one that nothing uses."""
    rng = np.random.default_rng(4)
    sizes = {
        "h.0.weight": [7, 7],
        "h.0.gain": [],
        "h.0.shift": [7],
        "h.0.out": [7, 2],
        "h.1.bias": [2],
        "h.1.empty": [0],
        "h.1.scale": [1],
        "h.1.frozen": [2],
        "h.2.weight": [2, 2],
        "h.3.weight": [2, 5],
        "h.3.unused": [3],
    }
    return model(
        [
            node("MatMul", ["x", "h.0.weight"], ["w"], "/h.0/MatMul"),
            node("Mul", ["w", "h.0.gain"], ["a"], "/h.0/Mul"),
            node("Add", ["a", "h.0.shift"], ["b"], "/h.0/Add"),
            node("MatMul", ["b", "h.0.out"], ["c"], "/h.0/MatMul_1"),
            node("MatMul", ["c", "h.2.weight"], ["d"], "/h.2/MatMul"),
            node("Concat", ["h.1.bias", "h.1.empty"], ["e"], "/h.1/Concat", axis=0),
            node("Add", ["d", "e"], ["f"], "/h.1/Add"),
            node("Mul", ["f", "h.1.scale"], ["g"], "/h.1/Mul"),
            node("Add", ["g", "h.1.frozen"], ["h"], "/h.1/Add_1"),
            node("Tanh", ["h"], ["i"], "/h.1/Tanh"),
            node("MatMul", ["i", "h.2.weight"], ["j"], "/h.2/MatMul_1"),
            node("MatMul", ["j", "h.3.weight"], ["logits"], "/h.3/MatMul"),
        ],
        [value("x", TensorProto.FLOAT, ["batch", 7])],
        [value("logits", TensorProto.FLOAT, ["batch", 5])],
        {
            name: rng.standard_normal(shape).astype(np.float32).reshape(shape)
            for name, shape in sizes.items()
        },
    )


def train(module, columns, accumulate):
    """Losses, norms, outputs and all parameters of some updates."""
    rng = np.random.default_rng(7)
    seen = []
    with session(module, {}) as run:
        run.set("dsc.nominal_weight", accumulate * BATCH)
        for _ in range(STEPS):
            for entry in ["step"] * (accumulate - 1) + ["step_last"]:
                x = rng.standard_normal((BATCH, columns)).astype(np.float32)
                run.bind(x=x, y=rng.integers(0, 5, BATCH))
                run.run(entry)
            run.run("update", "eval")
            for report in ("dsc.report.loss", "dsc.report.grad_norm"):
                seen.append(np.float64(run.get(report)))
            seen += [run.output("eval", o["name"]) for o in run.entries["eval"]["outputs"]]
        seen += [run.read(name) for name in run.trained()]
    return seen


FLAGS = ["--bind=batch=%d" % BATCH, "--loss=cross_entropy(logits,y)", "--clip-norm=1"]


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    """Compiles a model of this file once for each set of flags."""

    @functools.cache
    def compiled(build, *flags):
        folder = tmp_path_factory.mktemp(build.__name__)
        onnx.save(build(), folder / "m.onnx")
        freeze = ["--freeze=frozen"] if build is odd else []
        return compile_model(folder / "m.onnx", folder / "m.so", *FLAGS, *freeze, *flags)

    return compiled


def columns_of(build):
    return build().graph.input[0].type.tensor_type.shape.dim[1].dim_value


BUILDS = [deep, returns_parameters, tied, loose, odd]
STAGES = [["-zero=1"], ["-zero=2"], ["-zero=3"], ["-zero=3", "--persistence-threshold=7"]]


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("stage", STAGES, ids="".join)
def test_same_bits_as_stage_0(modules, build, stage):
    columns = columns_of(build)
    wanted = train(modules(build, "-zero=0"), columns, 1)
    got = train(modules(build, *stage), columns, 1)
    assert len({np.asarray(v).tobytes() for v in wanted}) > STEPS, "nothing was trained"
    for a, b in zip(got, wanted, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("stage", STAGES, ids="".join)
def test_stages_agree_to_rounding_over_micro_batches(modules, build, stage):
    """Shards add up sums of ranks, whole accumulators sum what ranks added up."""
    columns = columns_of(build)
    wanted = train(modules(build, "-zero=0"), columns, 3)
    got = train(modules(build, *stage), columns, 3)
    for a, b in zip(got, wanted, strict=True):
        # Of f32 sums in another order, over few steps.
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def collectives(module, entry):
    with session(module, {}) as run:
        return [(c["op"], c.get("group")) for c in run.entries[entry]["collectives"]]


def test_what_each_stage_exchanges(modules):
    """Gathers happen at stage 3 alone, and nothing persists unless it is asked for."""

    def names(stage, entry):
        return [name for name, _ in collectives(modules(deep, *stage), entry)]

    zero1, zero2, zero3, persistent = STAGES
    assert names(["-zero=0"], "step") == names(zero1, "step") == []
    assert names(["-zero=0"], "step_last") == ["all_reduce_gradients"] * 3
    assert names(zero1, "step_last") == ["reduce_gradients"] * 3
    assert names(zero2, "step") == names(zero2, "step_last") == ["reduce_scatter"] * 3
    # The last layer's backward follows its forward, the first needs no gradient of x:
    # the middle one is gathered twice, unless schedule has the memory to keep it.
    assert names([*zero3, "--schedule-stage=off"], "step").count("gather") == 4
    assert names(zero3, "step").count("gather") == 3
    for stage, refreshes in [(zero1, 3), (zero2, 3), (zero3, 0), (persistent, 1)]:
        assert names(stage, "update").count("refresh") == refreshes


# How often a rank receives a range from each other rank for one group.
RECEIVED = {
    0: dict(step=0, step_last=2, update=0),  # reduce-scatter and all-gather
    1: dict(step=0, step_last=1, update=1),
    2: dict(step=1, step_last=1, update=1),
    3: dict(step=3, step_last=3, update=0),  # gathered in forward and in backward
}
KEPT = dict(step=2, step_last=2, update=0)  # gathered once, kept until backward


@pytest.mark.parametrize("ranks", [1, 2, 3, 8])
@pytest.mark.parametrize("schedule", ["off", "on"])
@pytest.mark.parametrize("stage", RECEIVED)
def test_bytes_on_the_wire_are_the_closed_form(tmp_path, stage, schedule, ranks):
    """Of the middle layer, which backward needs again after others."""
    onnx.save(mlp([300, 200, 100, 50]), tmp_path / "m.onnx")
    options = ["-zero=%d" % stage, "--schedule-stage=" + schedule]
    options += ["--plan", "--json", "--ranks=%d" % ranks]
    result = run_tool("dsc", tmp_path / "m.onnx", *FLAGS, *options)
    assert result.code == 0, str(result)
    plan = json.loads(result.out)
    unit, elements = 64, 200 * 100 + 100
    shard = -(-elements // (unit * ranks)) * unit * 4
    times_of = KEPT if stage == 3 and schedule == "on" else RECEIVED[stage]
    for entry, times in times_of.items():
        (found,) = [e for e in plan["entries"] if e["name"] == entry]
        got = sum(w["received_bytes"] for w in found["wire"] if w["group"] == "fc2")
        assert got == times * (ranks - 1) * shard, entry


def test_a_remark_says_what_persists(tmp_path):
    onnx.save(deep(), tmp_path / "m.onnx")
    flags = [*FLAGS, *STAGES[-1], "--remarks=partition", "--emit=partition"]
    result = run_tool("dsc", tmp_path / "m.onnx", *flags)
    assert result.code == 0, str(result)
    said = [line for line in result.err.splitlines() if "stays whole on every rank" in line]
    assert len(said) == 1 and "fc3.bias" in said[0]


def test_groups_without_layers(modules):
    with session(modules(loose, "-zero=3"), {}) as run:
        assert [g["name"] for g in run.manifest["groups"]] == ["group0", "group1"]


def test_sizes_of_any_kind_are_in_groups(modules):
    """An empty tensor has nothing to share, an unused one is frozen."""
    with session(modules(odd, "-zero=3"), {}) as run:
        groups = {g["name"]: g for g in run.manifest["groups"]}
        sizes = {s["tensor"]: s["elements"] for g in groups.values() for s in g["segments"]}
        roles = {p["name"]: p["role"] for p in run.manifest["parameters"]}
    assert sizes["h.0.gain"] == sizes["h.1.scale"] == 1
    assert sizes["h.1.bias"] == 2 and sizes["h.0.shift"] == 7
    assert "h.1.empty" not in sizes
    assert roles["h.1.frozen"] == "frozen"
    assert [s["tensor"] for s in groups["h.2.weight.group"]["segments"]] == ["h.2.weight"]
