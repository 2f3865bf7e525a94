"""Gather by indices that are data: the siblings of cases H6 and H13."""

import numpy as np
import pytest
from harness.check import gradients_as_oracle
from harness.models import model, node, value
from harness.session import session
from onnx import TensorProto

F32 = TensorProto.FLOAT
TYPES = {"int32": np.int32, "int64": np.int64}


def table(*shape):
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


def weighted(data, indices, axis=0):
    """loss = sum(data[indices] * g), so that g is the gradient of what is taken."""
    shape = list(np.take(data, indices, axis).shape)
    nodes = [
        node("Gather", ["table", "i"], ["taken"], "/embed/Gather", axis=axis),
        node("Mul", ["taken", "g"], ["weighted"]),
        node("ReduceSum", ["weighted"], ["loss"], keepdims=0),
    ]
    g = np.random.default_rng(3).uniform(-1, 1, shape).astype(np.float32)
    inputs = [value("i", indices), value("g", g)]
    made = model(nodes, inputs, [value("loss", F32, [])], {"table": data})
    return made, {"i": indices, "g": g}


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2])
def test_every_axis(axis, kind, tmp_path):
    made, feeds = weighted(table(2, 3, 4), np.array([[-1, 1], [0, -2]], TYPES[kind]), axis)
    gradients_as_oracle(made, tmp_path, "loss", feeds, "--precision=f64")


@pytest.mark.parametrize("rows,width", [(1, 1), (1, 4), (6, 1), (50, 33), (300, 5)])
def test_nothing_is_lost(rows, width, tmp_path):
    """The gradient adds up to what arrived, with indices of both signs."""
    indices = np.random.default_rng(4).integers(-rows, rows, (4, 24))
    made, feeds = weighted(table(rows, width), indices)
    got = gradients_as_oracle(made, tmp_path, "loss", feeds, "--precision=f64")["table"]
    wanted = feeds["g"].astype(np.float64).sum((0, 1))
    np.testing.assert_allclose(got.sum(0), wanted, rtol=1e-10, atol=1e-10)


def test_rows_of_no_dimension(tmp_path):
    made, feeds = weighted(table(5), np.array([[4, -1, 0], [4, 4, 4]]))
    got = gradients_as_oracle(made, tmp_path, "loss", feeds, "--precision=f64")["table"]
    assert got[1:4].tolist() == [0, 0, 0]


def test_additions_keep_the_order_of_the_indices(tmp_path):
    """Magnitudes far apart, so that any other order rounds otherwise."""
    rng = np.random.default_rng(5)
    made, feeds = weighted(table(9, 40), rng.integers(0, 9, (16, 64)))
    feeds["g"] *= (10.0 ** rng.integers(-4, 5, (16, 64, 1))).astype(np.float32)
    gradients_as_oracle(made, tmp_path, "loss", feeds)
    ordered = np.zeros((9, 40), np.float32)
    for row, part in zip(feeds["i"].reshape(-1), feeds["g"].reshape(-1, 40)):
        ordered[row] += part
    for threads in (1, 3):
        with session(tmp_path / "model.so", feeds, threads=threads) as run:
            np.testing.assert_array_equal(run.gradients()["table"], ordered)


def test_tied_with_the_head(tmp_path):
    """One table in two uses: the sum by index and the product's add up."""
    indices = np.array([[3, 3, 0], [-1, 3, 5]])
    nodes = [
        node("Gather", ["table", "i"], ["h"], "/embed/Gather"),
        node("Transpose", ["table"], ["head"], perm=[1, 0]),
        node("MatMul", ["h", "head"], ["y"], "/head/MatMul"),
    ]
    y = value("y", F32, [2, 3, 6])
    made = model(nodes, [value("i", indices)], [y], {"table": table(6, 4)})
    feeds = {"i": indices, "target": np.random.default_rng(7).standard_normal((2, 3, 6))}
    gradients_as_oracle(made, tmp_path, "mse(y,target)", feeds, "--precision=f64")
