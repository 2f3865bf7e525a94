"""Model-local functions, and ONNX Runtime's own operators, against ONNX Runtime."""

import numpy as np
import onnx
import onnxruntime
import pytest
from harness.compare import relative_error
from harness.models import model, node, value
from onnx import TensorProto, helper
from oracle import Graph, evaluate

# f32 against float64 on a few operations.
F32 = 1e-6

X = np.linspace(-4, 4, 24, dtype=np.float32).reshape(2, 3, 4)
BIAS = np.array([0.5, -1, 0, 2], np.float32)


def agree(made):
    (wanted,) = onnxruntime.InferenceSession(made.SerializeToString()).run(None, {"x": X})
    assert relative_error(evaluate(Graph.load(made), {"x": X})["y"], wanted) < F32


def contrib(op, *operands, **attributes):
    made = model(
        [node(op, ["x", *operands], ["y"], domain="com.microsoft", **attributes)],
        [value("x", X)],
        [value("y", X)],
        {"bias": BIAS},
    )
    made.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    return made


@pytest.mark.parametrize(
    "made",
    [
        contrib("Gelu"),
        contrib("BiasGelu", "bias"),
        contrib("FastGelu"),
        contrib("FastGelu", "bias"),
        contrib("QuickGelu"),
        contrib("QuickGelu", alpha=0.7),
    ],
    ids=lambda m: "%s%d" % (m.graph.node[0].op_type, len(m.graph.node[0].input)),
)
def test_contrib(made):
    agree(made)


def test_a_function_calls_another_with_its_attribute(tmp_path):
    """y = leak(leak(x) + bias): the slope goes down two calls."""
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    slope = onnx.AttributeProto(name="alpha", ref_attr_name="slope", type=onnx.AttributeProto.FLOAT)
    leaky = helper.make_node("LeakyRelu", ["a"], ["b"])
    leaky.attribute.append(slope)
    leak = helper.make_function("local", "leak", ["a"], ["b"], [leaky], opsets, ["slope"])
    inner = [helper.make_node("leak", ["a"], ["b"], domain="local", slope=0.25)]
    inner.append(helper.make_node("Add", ["b", "c"], ["d"]))
    shifted = helper.make_function("local", "shifted", ["a", "c"], ["d"], inner, opsets)
    nodes = [
        node("shifted", ["x", "bias"], ["s"], domain="local"),
        node("leak", ["s"], ["y"], domain="local", slope=0.5),
    ]
    made = model(nodes, [value("x", X)], [value("y", X)], {"bias": BIAS})
    made.opset_import.append(helper.make_opsetid("local", 1))
    made.functions.extend([leak, shifted])
    agree(made)
