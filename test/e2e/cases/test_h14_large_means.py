"""H14: E[x^2] - E[x]^2 cancels where the mean is large.

16 values 0.001 apart around a mean of up to 10000, in f32, where neighbours of
10000 are 0.00098 apart: what is computed from these f32 values must be right.
"""

import numpy as np
import onnx
import pytest
from harness.check import gradients_as_oracle
from harness.models import decomposed_layer_norm, model, node, value
from harness.session import session
from harness.tools import compile_model
from onnx import TensorProto

WIDTH, EPSILON = 16, 1e-5
MEANS = [0.0, 100.0, 1000.0, 10000.0]
SCALE = np.linspace(0.5, 1.5, WIDTH, dtype=np.float32)
BIAS = np.linspace(-1, 1, WIDTH, dtype=np.float32)

# The result is about 1. Deviations from an f32 mean are exact, and so is all
# but a few roundings of 6e-8 after them.
BOUND = 2e-6


def row(mean):
    return (mean + 0.001 * np.arange(WIDTH)).astype(np.float32)


def nodes(form):
    if form == "LayerNormalization":
        return [node(form, ["x", "scale", "bias"], ["y"], epsilon=EPSILON)], {}
    numbers = {"two": np.float32(2), "epsilon": np.float32(EPSILON)}
    return decomposed_layer_norm("x"), numbers


def reference(x):
    x = x.astype(np.float64)
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + EPSILON) * SCALE + BIAS


FORMS = ["LayerNormalization", "decomposed"]


@pytest.mark.parametrize("form", FORMS)
def test_forward(form, tmp_path):
    """Also rows of equal values, which give the bias to the bit: of 16 elements,
    and of 12, whose mean is not exact in binary."""
    made_nodes, numbers = nodes(form)
    x = np.stack([row(mean) for mean in MEANS] + [np.full(WIDTH, v) for v in (0.1, 777.7, 1e6)])
    x = x.astype(np.float32)
    made = model(
        made_nodes,
        [value("x", x)],
        [value("y", x)],
        {"scale": SCALE, "bias": BIAS, **numbers},
    )
    onnx.save(made, tmp_path / "m.onnx")
    module = compile_model(tmp_path / "m.onnx", tmp_path / "m.so", "--loss=mse(y,target)")
    with session(module, {"x": x, "target": np.zeros_like(x)}) as run:
        run.run("eval")
        y = run.output("eval", "y")
    np.testing.assert_allclose(y, reference(x), rtol=BOUND, atol=BOUND)
    np.testing.assert_array_equal(y[len(MEANS) :], np.tile(BIAS, (3, 1)))


@pytest.mark.parametrize("width", [1, 3, 12, 768])
def test_equal_elements_give_zero(width, tmp_path):
    """Of any number, also where their mean is not exact in binary."""
    x = np.repeat(np.array([[0.1], [-777.7], [1e6], [0.0]], np.float32), width, axis=1)
    made = model(
        [node("LayerNormalization", ["x", "scale"], ["y"], epsilon=EPSILON)],
        [value("x", x)],
        [value("y", x)],
        {"scale": np.ones(width, np.float32)},
    )
    onnx.save(made, tmp_path / "m.onnx")
    module = compile_model(tmp_path / "m.onnx", tmp_path / "m.so", "--loss=mse(y,target)")
    with session(module, {"x": x, "target": np.zeros_like(x)}) as run:
        run.run("eval")
        np.testing.assert_array_equal(run.output("eval", "y"), np.zeros_like(x))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mean", MEANS)
def test_gradients(mean, form, tmp_path):
    made_nodes, numbers = nodes(form)
    x = np.stack([row(mean), -row(mean)])
    made = model(
        made_nodes,
        [],
        [value("y", TensorProto.FLOAT, x.shape)],
        {"x": x, "scale": SCALE, "bias": BIAS, **numbers},
    )
    target = np.linspace(-2, 2, x.size, dtype=np.float32).reshape(x.shape)
    gradients_as_oracle(made, tmp_path, "mse(y,target)", {"target": target})
