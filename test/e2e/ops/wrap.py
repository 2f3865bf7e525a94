"""Node tests as training models, since that is what dsc compiles.

Several node tests share a model, since a model costs one compilation. A trained
scalar with a loss of its own stands beside the nodes under test, whose outputs
`eval` then returns. Operands that say a shape, axes or a mode are inputs in the
node tests; here they are initializers, as in every exported model.
"""

import numpy as np
import onnx
from harness.models import model
from onnx import TensorProto, compose, helper, numpy_helper

# op -> operand positions that must be known when compiling
COMPILE_TIME_OPERANDS = {
    "ConstantOfShape": [0],
    "CumSum": [1],
    "Dropout": [1, 2],
    "Expand": [1],
    "NonZero": [0],
    "Range": [0, 1, 2],
    "ReduceMax": [1],
    "ReduceMean": [1],
    "ReduceMin": [1],
    "ReduceProd": [1],
    "ReduceSum": [1],
    "Reshape": [1],
    "Slice": [1, 2, 3, 4],
    "Split": [1],
    "Squeeze": [1],
    "Tile": [1],
    "Trilu": [1],
    "Unsqueeze": [1],
}


def _fixed_inputs(graph):
    names = {i.name for i in graph.input}
    return {
        n.input[p]
        for n in graph.node
        for p in COMPILE_TIME_OPERANDS.get(n.op_type, [])
        if p < len(n.input) and n.input[p] in names
    }


def wrap(cases, opset):
    """(model, feeds, wanted) of node tests: wanted is (case, output name, array)."""
    parts = [(c, inputs, outputs) for c in cases for inputs, outputs in c.data_sets]
    nodes, inputs, outputs, initializers = [], [], [], {"anchor": np.ones(1, np.float32)}
    feeds, wanted = {}, []
    for i, (case, given, expected) in enumerate(parts):
        graph = compose.add_prefix(case.model, "case%d." % i).graph
        fixed = _fixed_inputs(graph)
        for info, array in zip(graph.input, given):
            if info.name in fixed:
                initializers[info.name] = array
            else:
                feeds[info.name] = array
                inputs.append(info)
        initializers.update({t.name: numpy_helper.to_array(t) for t in graph.initializer})
        nodes += graph.node
        outputs += graph.output
        wanted += [(case, info.name, array) for info, array in zip(graph.output, expected)]
    nodes.append(helper.make_node("Mul", ["anchor", "anchor"], ["anchor.loss"]))
    outputs.append(helper.make_tensor_value_info("anchor.loss", TensorProto.FLOAT, [1]))
    return model(nodes, inputs, outputs, initializers, opset), feeds, wanted


def save(wrapped, path):
    onnx.save(wrapped, path)
    return path
