"""H6: negative indices read the wrong row, in run-time data and in folded shapes."""

import numpy as np
import onnx
import onnxruntime
import pytest
from harness.check import forward, gradients_as_oracle
from harness.models import model, node, value
from harness.session import DsrtError
from harness.tools import compile_model, run
from onnx import TensorProto

# Mixed signs, in which -1 and 2 name the same row of three.
IDS = np.array([[-1, 1], [2, -3]])


def weighted(nodes, inputs, shape, initializers):
    """A seed makes the upstream gradients unequal."""
    nodes = [*nodes, node("Mul", ["y", "seed"], ["weighted"])]
    inputs = [*inputs, value("seed", TensorProto.FLOAT, shape)]
    return model(nodes, inputs, [value("weighted", TensorProto.FLOAT, shape)], initializers)


def table():
    return np.random.default_rng(0).standard_normal((3, 2, 3)).astype(np.float32)


@pytest.mark.parametrize("axis", [0, 2, -1, -3])
@pytest.mark.parametrize("constant", [False, True], ids=["data", "constant"])
def test_gather(axis, constant, tmp_path):
    shape = list(np.take(table(), IDS, axis).shape)
    ids = [] if constant else [value("ids", TensorProto.INT64, list(IDS.shape))]
    made = weighted(
        [node("Gather", ["table", "ids"], ["y"], axis=axis)],
        ids,
        shape,
        {"table": table(), **({"ids": IDS} if constant else {})},
    )
    feeds = {"seed": np.random.default_rng(1).standard_normal(shape).astype(np.float32)}
    if not constant:
        feeds["ids"] = IDS
    gradients_as_oracle(made, tmp_path, "sum(weighted)", feeds)
    (got,) = forward(tmp_path / "model.so", feeds, "weighted")
    wanted = onnxruntime.InferenceSession(made.SerializeToString()).run(None, feeds)[0]
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("picked", [-1, -2, 1])
def test_a_folded_shape_is_read_from_its_end(picked, tmp_path):
    """The extent that a Gather picks of a Shape becomes a Slice's end."""
    nodes = [
        node("Shape", ["x"], ["dims"]),
        node("Gather", ["dims", "position"], ["extent"]),
        node("Slice", ["table", "zero", "extent"], ["y"]),
    ]
    rows = (4, 2, 3)[picked]
    made = weighted(
        nodes,
        [value("x", TensorProto.FLOAT, [4, 2, 3])],
        [rows, 5],
        {
            "position": np.array([picked]),
            "zero": np.array([0]),
            "table": np.random.default_rng(0).standard_normal((6, 5)).astype(np.float32),
        },
    )
    seed = np.random.default_rng(1).standard_normal((rows, 5)).astype(np.float32)
    feeds = {"seed": seed, "x": np.zeros((4, 2, 3), np.float32)}
    got = gradients_as_oracle(made, tmp_path, "sum(weighted)", feeds)["table"]
    np.testing.assert_array_equal(got[:rows], seed)
    assert not got[rows:].any()


def out_of_range(index):
    made = weighted(
        [node("Gather", ["table", "ids"], ["y"], "/pick/Gather")],
        [],
        [1, 2, 3],
        {"table": table(), "ids": np.array([index])},
    )
    return made


@pytest.mark.parametrize("index", [3, -4, 1 << 40])
def test_a_constant_out_of_range_is_named(index, tmp_path):
    onnx.save(out_of_range(index), tmp_path / "m.onnx")
    result = run("dsc", "m.onnx", "-o", "m.so", "--loss=sum(weighted)", cwd=tmp_path)
    assert result.code == 1, str(result)
    assert "/pick/Gather" in result.first_line() and str(index) in result.err, str(result)


@pytest.mark.parametrize("index", [3, -4, 1 << 40])
def test_data_out_of_range_is_refused(index, tmp_path):
    """Before the step, with the sample; -3 and 2 are the last that are right."""
    made = weighted(
        [node("Gather", ["table", "ids"], ["y"])],
        [value("ids", TensorProto.INT64, [2])],
        [2, 2, 3],
        {"table": table()},
    )
    onnx.save(made, tmp_path / "m.onnx")
    module = compile_model(tmp_path / "m.onnx", tmp_path / "m.so", "--loss=sum(weighted)")
    seed = np.ones((2, 2, 3), np.float32)
    (got,) = forward(module, {"ids": np.array([-3, 2]), "seed": seed}, "weighted")
    np.testing.assert_array_equal(got, table()[[0, 2]])
    with pytest.raises(DsrtError, match="input 'ids': sample 1 has the index %d" % index):
        forward(module, {"ids": np.array([0, index]), "seed": seed}, "weighted")
