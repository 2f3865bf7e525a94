"""H5: Softmax and LogSoftmax up to opset 12 normalise over all dims from `axis`
on, later along `axis` alone: reading one as the other is silently wrong.

ONNX Runtime says what the forward is, the oracle what the gradients are.
"""

import numpy as np
import onnx
import onnxruntime
import pytest
from harness import tolerance
from harness.check import forward, gradients_as_oracle
from harness.models import model, node, value
from onnx import TensorProto

SHAPE = [2, 3, 4]
# Negative axes exist from opset 11 on.
AXES = {8: [None, 0, 1, 2], 12: [None, 0, 1, 2, -1, -2], 13: [None, 0, 1, 2, -1, -2]}


def network(op, opset, axis):
    """Weights in front of the softmax, and others behind it, so that its gradient
    is not that of a sum of ones."""
    rng = np.random.default_rng(1)
    attributes = {} if axis is None else {"axis": axis}
    scale = rng.uniform(0.5, 1.5, SHAPE).astype(np.float32)
    mix = rng.standard_normal(SHAPE).astype(np.float32)
    return model(
        [
            node("Mul", ["x", "scale"], ["scores"]),
            node(op, ["scores"], ["p"], **attributes),
            node("Mul", ["p", "mix"], ["y"]),
        ],
        [value("x", TensorProto.FLOAT, SHAPE)],
        [value("p", TensorProto.FLOAT, SHAPE), value("y", TensorProto.FLOAT, SHAPE)],
        {"scale": scale, "mix": mix},
        opset,
    )


@pytest.mark.parametrize(
    "opset,axis", [(opset, axis) for opset, axes in AXES.items() for axis in axes]
)
@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax"])
def test_axis_means_what_the_opset_says(tmp_path, op, opset, axis):
    made = network(op, opset, axis)
    x = 3 * np.random.default_rng(2).standard_normal(SHAPE).astype(np.float32)
    gradients_as_oracle(made, tmp_path, "sum(y)", {"x": x})
    runtime = onnxruntime.InferenceSession(made.SerializeToString())
    (wanted,) = runtime.run(["p"], {"x": x})
    (got,) = forward(tmp_path / "model.so", {"x": x}, "p")
    np.testing.assert_allclose(got, wanted, rtol=tolerance.PREDICTION, atol=1e-6)


def test_the_meanings_differ():
    """What the cases above tell apart: on the same numbers opset 12 and 13 give
    other results unless `axis` is the last dim."""
    x = np.random.default_rng(2).standard_normal(SHAPE).astype(np.float32)
    results = []
    for opset in (12, 13):
        made = network("Softmax", opset, 1)
        runtime = onnxruntime.InferenceSession(made.SerializeToString())
        results.append(runtime.run(["p"], {"x": x})[0])
    assert np.abs(results[0] - results[1]).max() > 0.1
