"""Node tests as training models, since that is what dsc compiles.

A trained scalar with a loss of its own stands beside the node under test, whose
outputs `eval` then returns. Operands that say a shape or axes are inputs in the
node tests; here they are initializers, as in every exported model.
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# op -> operand positions that must be known when compiling
SHAPE_OPERANDS = {
    "Reshape": [1],
    "Squeeze": [1],
    "Unsqueeze": [1],
    "Expand": [1],
    "ReduceSum": [1],
    "ReduceMean": [1],
    "ReduceMax": [1],
    "ConstantOfShape": [0],
}


def wrap(model, inputs):
    """(wrapped model, feeds) of a node test and one of its data sets."""
    wrapped = onnx.ModelProto()
    wrapped.CopyFrom(model)
    graph = wrapped.graph
    feeds = dict(zip([i.name for i in graph.input], inputs))
    fixed = {
        n.input[p]
        for n in graph.node
        for p in SHAPE_OPERANDS.get(n.op_type, [])
        if p < len(n.input) and n.input[p] in feeds
    }
    kept = [i for i in graph.input if i.name not in fixed]
    del graph.input[:]
    graph.input.extend(kept)
    for name in sorted(fixed):
        graph.initializer.append(numpy_helper.from_array(feeds.pop(name), name))
    anchor = numpy_helper.from_array(np.array([1.0], np.float32), "anchor")
    graph.initializer.append(anchor)
    graph.node.append(helper.make_node("Mul", ["anchor", "anchor"], ["anchor.loss"]))
    graph.output.append(helper.make_tensor_value_info("anchor.loss", TensorProto.FLOAT, [1]))
    return wrapped, feeds
