"""-zero=3 over one rank: the gathers, parts and reductions change no bit."""

import numpy as np
import onnx
import pytest
from harness.models import mlp, model, node, value
from harness.session import session
from harness.tools import compile_model
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


def train(module, columns):
    """Losses, outputs and all parameters of some steps of two micro-batches."""
    rng = np.random.default_rng(7)
    seen = []
    with session(module, {}) as run:
        run.set("dsc.nominal_weight", 2 * BATCH)
        for _ in range(STEPS):
            for entry in ("step", "step_last"):
                x = rng.standard_normal((BATCH, columns)).astype(np.float32)
                run.bind(x=x, y=rng.integers(0, 5, BATCH))
                run.run(entry)
            run.run("update", "eval")
            seen.append(np.float64(run.get("dsc.report.loss")))
            seen += [run.output("eval", o["name"]) for o in run.entries["eval"]["outputs"]]
        seen += [run.read(name) for name in run.trained()]
    return seen


@pytest.mark.parametrize("build", [deep, returns_parameters, tied])
def test_same_bits_as_stage_0(tmp_path, build):
    made = build()
    onnx.save(made, tmp_path / "m.onnx")
    columns = made.graph.input[0].type.tensor_type.shape.dim[1].dim_value
    results = []
    for stage in (0, 3):
        flags = ["--bind=batch=%d" % BATCH, "--loss=cross_entropy(logits,y)", "-zero=%d" % stage]
        module = compile_model(tmp_path / "m.onnx", tmp_path / ("m%d.so" % stage), *flags)
        results.append(train(module, columns))
    for a, b in zip(*results, strict=True):
        np.testing.assert_array_equal(a, b)
