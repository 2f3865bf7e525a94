"""H10: a gradient that is not selected is 0, also where it is infinite or NaN.

Each model is y = op(w), and `upstream` is an input that y is multiplied by: so it
is the gradient that arrives at y, and the loss itself may be NaN.
"""

import numpy as np
import onnx
import pytest
from harness.models import model, node, value
from harness.session import session
from harness.tools import compile_model
from onnx import TensorProto

INF, NAN = np.inf, np.nan
W = np.array([-3.0, -1.0, 0.5, 2.0], np.float32)
TAKEN = np.array([True, False, True, False])

# name -> (op, operands after w, attributes, which elements of w are selected)
SELECTIONS = {
    "where_true": ("Where", ["taken", "w", "other"], TAKEN),
    "where_false": ("Where", ["taken", "other", "w"], ~TAKEN),
    "clip": ("Clip", ["w", "minus_one_half", "one"], (W > -0.5) & (W < 1)),
    "max": ("Max", ["w", "zeros"], W > 0),
    "max_right": ("Max", ["zeros", "w"], W > 0),
    "min": ("Min", ["w", "zeros"], W < 0),
    "relu": ("Relu", ["w"], W > 0),
    "drop_nothing": ("Dropout", ["w", "zero", "true"], np.ones(4, bool)),
}
CONSTANTS = {
    "taken": TAKEN,
    "other": np.full(4, -INF, np.float32),
    "zeros": np.zeros(4, np.float32),
    "minus_one_half": np.float32(-0.5),
    "zero": np.float32(0),
    "one": np.float32(1),
    "true": np.bool_(True),
}


def gradient(op, operands, folder, upstream, w=W):
    nodes = [
        node(op, operands, ["y"]),
        node("Mul", ["y", "upstream"], ["product"]),
        node("ReduceSum", ["product"], ["loss"], keepdims=0),
    ]
    used = {name: array for name, array in CONSTANTS.items() if name in operands}
    made = model(
        nodes,
        [value("upstream", w)],
        [value("loss", TensorProto.FLOAT, [])],
        {"w": w, **used},
    )
    onnx.save(made, folder / "m.onnx")
    flags = ["--loss=loss", "--freeze=.*", "--train=^w$"]
    module = compile_model(folder / "m.onnx", folder / "m.so", *flags)
    with session(module, {"upstream": upstream}) as run:
        return run.gradients()["w"]


@pytest.mark.parametrize("bad", [INF, -INF, NAN])
@pytest.mark.parametrize("name", SELECTIONS)
def test_unselected_elements_get_zero(name, bad, tmp_path):
    op, operands, selected = SELECTIONS[name]
    upstream = np.where(selected, [1.0, 2.0, 3.0, 4.0], bad)
    wanted = np.where(selected, upstream, 0.0)
    np.testing.assert_array_equal(gradient(op, operands, tmp_path, upstream), wanted)


def test_dropout_of_nothing_passes_infinity(tmp_path):
    """Multiplied by the mask's complement it would be NaN."""
    upstream = np.array([INF, -INF, 1.0, 0.0])
    got = gradient("Dropout", ["w", "zero", "true"], tmp_path, upstream)
    np.testing.assert_array_equal(got, upstream)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_of_infinity(approximate, tmp_path):
    """The derivative is x * slope(x) + share(x), and inf * 0 is NaN."""
    w = np.array([-INF, INF, -1e20, 1e20], np.float32)
    nodes = [
        node("Gelu", ["w"], ["y"], approximate=approximate),
        node("Mul", ["y", "upstream"], ["product"]),
        node("ReduceSum", ["product"], ["loss"], keepdims=0),
    ]
    loss = value("loss", TensorProto.FLOAT, [])
    made = model(nodes, [value("upstream", w)], [loss], {"w": w}, 20)
    onnx.save(made, tmp_path / "m.onnx")
    module = compile_model(tmp_path / "m.onnx", tmp_path / "m.so", "--loss=loss")
    with session(module, {"upstream": np.arange(1.0, 5.0)}) as run:
        np.testing.assert_array_equal(run.gradients()["w"], [0.0, 2.0, 0.0, 4.0])


def test_masked_softmax(tmp_path):
    """Where(taken, w, -inf), then Softmax, whose gradient is 0 at -inf; the taken
    elements have that of a softmax of them alone."""
    nodes = [
        node("Where", ["taken", "w", "other"], ["masked"]),
        node("Softmax", ["masked"], ["p"], axis=-1),
        node("Mul", ["p", "upstream"], ["product"]),
        node("ReduceSum", ["product"], ["loss"], keepdims=0),
    ]
    constants = {name: CONSTANTS[name] for name in ("taken", "other")}
    made = model(
        nodes,
        [value("upstream", W)],
        [value("loss", TensorProto.FLOAT, [])],
        {"w": W, **constants},
    )
    onnx.save(made, tmp_path / "m.onnx")
    flags = ["--loss=loss", "--freeze=.*", "--train=^w$"]
    module = compile_model(tmp_path / "m.onnx", tmp_path / "m.so", *flags)
    upstream = np.array([1.0, 2.0, 3.0, 4.0])
    powers = np.where(TAKEN, np.exp(W.astype(np.float64)), 0)
    p = powers / powers.sum()
    wanted = p * (upstream - (p * upstream).sum())
    with session(module, {"upstream": upstream}) as run:
        np.testing.assert_allclose(run.gradients()["w"], wanted, rtol=1e-5)
