"""Writes tiny.onnx: a classifier of 4 features with one hidden layer."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

rng = np.random.default_rng(0)
weights = [
    numpy_helper.from_array(rng.normal(0, 0.5, shape).astype(np.float32), name)
    for name, shape in [("fc1.weight", (4, 16)), ("fc1.bias", (16,)), ("fc2.weight", (16, 2)), ("fc2.bias", (2,))]
]
graph = helper.make_graph(
    [
        helper.make_node("Gemm", ["x", "fc1.weight", "fc1.bias"], ["hidden"]),
        helper.make_node("Relu", ["hidden"], ["active"]),
        helper.make_node("Gemm", ["active", "fc2.weight", "fc2.bias"], ["logits"]),
    ],
    "tiny",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 4])],
    [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 2])],
    weights,
)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), "tiny.onnx")
