"""H13: the gradient of a table loses or repeats rows that are read more than once."""

import numpy as np
import onnx
import pytest
from harness.check import gradients_as_oracle
from harness.models import model, node, value
from harness.session import session
from harness.tools import compile_model
from onnx import TensorProto

INDEX_TYPES = {"int32": TensorProto.INT32, "int64": TensorProto.INT64}


def lookup(rows, width, shape, kind="int64"):
    """y = table[ids]; the loss sum(y * seed) makes the seed the upstream gradient."""
    table = np.random.default_rng(0).standard_normal((rows, width)).astype(np.float32)
    nodes = [
        node("Gather", ["table", "ids"], ["y"]),
        node("Mul", ["y", "seed"], ["weighted"]),
    ]
    inputs = [
        value("ids", INDEX_TYPES[kind], shape),
        value("seed", TensorProto.FLOAT, [*shape, width]),
    ]
    outputs = [value("weighted", TensorProto.FLOAT, [*shape, width])]
    return model(nodes, inputs, outputs, {"table": table})


def gradient(folder, rows, ids, seed, kind="int64"):
    feeds = {"ids": np.asarray(ids), "seed": np.asarray(seed, np.float32)}
    made = lookup(rows, feeds["seed"].shape[-1], list(feeds["ids"].shape), kind)
    return gradients_as_oracle(made, folder, "sum(weighted)", feeds)["table"]


@pytest.mark.parametrize("kind", INDEX_TYPES)
def test_rows_read_twice_count_twice(kind, tmp_path):
    got = gradient(tmp_path, 3, [[0, 2, 0]], np.ones((1, 3, 2)), kind)
    np.testing.assert_array_equal(got, [[2, 2], [0, 0], [1, 1]])


@pytest.mark.parametrize("kind", INDEX_TYPES)
def test_one_token_over_the_whole_batch(kind, tmp_path):
    """The gradient of the table sums to that of the result, and lies in one row."""
    seed = np.random.default_rng(1).integers(-8, 9, (16, 33, 5))  # sums are exact in f32
    got = gradient(tmp_path, 7, np.full((16, 33), 4), seed, kind)
    np.testing.assert_array_equal(got[4], seed.sum((0, 1)))
    assert not np.delete(got, 4, axis=0).any()


@pytest.mark.parametrize("kind", INDEX_TYPES)
def test_one_row_under_two_signs(kind, tmp_path):
    got = gradient(tmp_path, 3, [[-1, 2], [1, -2]], np.ones((2, 2, 4)), kind)
    np.testing.assert_array_equal(got, np.array([[0], [2], [2]]) * np.ones(4))


def test_a_table_of_one_element(tmp_path):
    got = gradient(tmp_path, 1, [[0, 0, -1]], [[[1], [2], [3]]])
    np.testing.assert_array_equal(got, [[6]])


def test_same_bits_on_two_runs_and_any_thread_count(tmp_path):
    """Float additions in another order would differ in the last bits."""
    rng = np.random.default_rng(2)
    ids = rng.integers(-50, 50, (64, 65)) // 10  # rows of very unequal use
    seed = rng.standard_normal((64, 65, 24)).astype(np.float32)
    onnx.save(lookup(97, 24, [64, 65]), tmp_path / "m.onnx")
    module = compile_model(tmp_path / "m.onnx", tmp_path / "m.so", "--loss=sum(weighted)")
    runs = []
    for threads in (1, 1, 2, 3):
        with session(module, {"ids": ids, "seed": seed}, threads=threads) as run:
            runs.append(run.gradients()["table"].tobytes())
    assert len(set(runs)) == 1
