"""Attention over more than 512 positions, which is computed in blocks of queries."""

import numpy as np
import onnx
import pytest
from harness.check import gradients_as_oracle
from harness.models import model, node, value
from harness.session import session
from harness.tools import compile_model
from onnx import TensorProto

HEADS, WIDTH = 2, 8
LOSS = "mse(y,target)"


def attention(length, mask=None):
    """One block: y = (softmax(q k^T / sqrt(d) + mask) v) o of an input x.

    `mask` is None, "causal" (Where of a Trilu with -inf) or "padding" (added, an
    input of [batch, 1, 1, length]).
    """
    rng = np.random.default_rng(0)
    depth = WIDTH // HEADS
    drawn = {name: rng.standard_normal((WIDTH, WIDTH)) / np.sqrt(WIDTH) for name in "qkvo"}
    parts = {name: matrix.astype(np.float32) for name, matrix in drawn.items()}
    constants = {
        "split": np.array([0, 0, HEADS, depth]),
        "join": np.array([0, 0, WIDTH]),
        "scale": np.array(1 / np.sqrt(depth), np.float32),
    }
    inputs = [value("x", TensorProto.FLOAT, [1, length, WIDTH])]
    nodes = []
    for name, perm in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
        nodes += [
            node("MatMul", ["x", name], [name + ".flat"]),
            node("Reshape", [name + ".flat", "split"], [name + ".rows"]),
            node("Transpose", [name + ".rows"], [name + ".heads"], perm=perm),
        ]
    nodes += [
        node("MatMul", ["q.heads", "k.heads"], ["products"]),
        node("Mul", ["products", "scale"], ["scores"]),
    ]
    if mask == "causal":
        constants.update(square=np.array([length, length]), hidden=np.array(-np.inf, np.float32))
        ones = onnx.numpy_helper.from_array(np.ones(1, np.float32))
        nodes += [
            node("ConstantOfShape", ["square"], ["ones"], value=ones),
            node("Trilu", ["ones"], ["lower"], upper=0),
            node("Cast", ["lower"], ["seen"], to=TensorProto.BOOL),
            node("Where", ["seen", "scores", "hidden"], ["masked"]),
        ]
    elif mask == "padding":
        inputs.append(value("mask", TensorProto.FLOAT, [1, 1, 1, length]))
        nodes.append(node("Add", ["scores", "mask"], ["masked"]))
    else:
        nodes.append(node("Identity", ["scores"], ["masked"]))
    nodes += [
        node("Softmax", ["masked"], ["p"], axis=-1),
        node("MatMul", ["p", "v.heads"], ["mixed"]),
        node("Transpose", ["mixed"], ["mixed.rows"], perm=[0, 2, 1, 3]),
        node("Reshape", ["mixed.rows", "join"], ["mixed.flat"]),
        node("MatMul", ["mixed.flat", "o"], ["y"]),
    ]
    y = value("y", TensorProto.FLOAT, [1, length, WIDTH])
    return model(nodes, inputs, [y], {**parts, **constants})


def feeds(length, mask):
    rng = np.random.default_rng(1)
    drawn = {n: rng.standard_normal((1, length, WIDTH)).astype("f4") for n in ("x", "target")}
    if mask == "padding":
        hidden = np.arange(length) >= length - 100
        drawn["mask"] = np.where(hidden, np.float32(-1e9), np.float32(0)).reshape(1, 1, 1, -1)
    return drawn


@pytest.mark.parametrize("mask", [None, "causal", "padding"])
@pytest.mark.parametrize("length", [1, 512, 513, 700])
def test_gradients(length, mask, tmp_path):
    """The last block is full, a single row, and anything between."""
    if mask == "padding" and length == 1:
        pytest.skip("all padding")
    gradients = gradients_as_oracle(
        attention(length, mask), tmp_path, LOSS, feeds(length, mask), "--freeze=scale"
    )
    assert sorted(gradients) == ["k", "o", "q", "v"]


@pytest.mark.parametrize("mask", [None, "causal"])
def test_never_the_whole_matrix(mask, tmp_path):
    """Less than the probabilities of all heads would take alone."""
    length = 2048
    onnx.save(attention(length, mask), tmp_path / "m.onnx")
    module = compile_model(tmp_path / "m.onnx", tmp_path / "m.so", "--loss=" + LOSS)
    with session(module) as run:
        assert run.allocated_bytes() < HEADS * length * length * 4
