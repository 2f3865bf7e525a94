"""Model-local functions, as exports of PyTorch 2.1 to 2.5 are full of them."""

import numpy as np
import onnx
from harness.check import gradients_as_oracle
from harness.models import model, node, value
from onnx import TensorProto, helper

WIDTH = 4
OPSETS = [helper.make_opsetid("", 18), helper.make_opsetid("local", 1)]


def block():
    """y = x + scaled(normalized(x) w), which calls another function and passes an
    attribute on; inner names repeat those of the graph."""
    normalization = node("LayerNormalization", ["x", "gain"], ["n"])
    normalization.attribute.append(
        onnx.AttributeProto(name="epsilon", ref_attr_name="epsilon", type=onnx.AttributeProto.FLOAT)
    )
    nodes = [
        normalization,
        node("MatMul", ["n", "w"], ["h"]),
        node("halved", ["h"], ["s"], domain="local"),
        node("Add", ["x", "s"], ["y"]),
    ]
    inputs = ["x", "gain", "w"]
    return helper.make_function("local", "block", inputs, ["y"], nodes, OPSETS, ["epsilon"])


def halved():
    """Has a constant and an output that nobody reads."""
    nodes = [
        helper.make_node("Constant", [], ["c"], value_float=0.5),
        node("Mul", ["x", "c"], ["y"]),
        node("Shape", ["x"], ["unused"]),
    ]
    return helper.make_function("local", "halved", ["x"], ["y", "unused"], nodes, OPSETS)


def test_gradients_through_calls(tmp_path):
    rng = np.random.default_rng(0)
    weights = {
        name: rng.standard_normal(shape).astype(np.float32)
        for i in range(2)
        for name, shape in (("gain%d" % i, (WIDTH,)), ("w%d" % i, (WIDTH, WIDTH)))
    }
    nodes = [
        node("block", ["x", "gain0", "w0"], ["h"], "/first", domain="local", epsilon=1e-2),
        node("block", ["h", "gain1", "w1"], ["y"], "/second", domain="local", epsilon=1e-5),
    ]
    x, y = (value(name, TensorProto.FLOAT, [3, WIDTH]) for name in "xy")
    made = model(nodes, [x], [y], weights, opset=18)
    made.opset_import.append(helper.make_opsetid("local", 1))
    made.functions.extend([block(), halved()])
    feeds = {n: rng.standard_normal((3, WIDTH)).astype(np.float32) for n in ("x", "target")}
    gradients = gradients_as_oracle(made, tmp_path, "mse(y,target)", feeds)
    assert sorted(gradients) == sorted(weights)
