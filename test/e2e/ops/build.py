"""The model of a group of operator cases.

Its loss is the sum over results of <result, seed>, with a data input `RESULT.seed`
of shape [1, elements] as the cotangent: so each gradient is exercised with
unequal upstream values, and the model has one sample.
"""

import math

import numpy as np
import onnx
from harness.models import model, node, value
from onnx import TensorProto
from oracle import Graph, evaluate


def _case_nodes(group):
    fixed, nodes = {}, []
    for case in group.cases:
        trained, names = iter(case.operand_names()), []
        for position in range(len(case.shapes) + len(case.constants)):
            if position in case.constants:
                names.append("%s.const%d" % (case.label, position))
                fixed[names[-1]] = case.constants[position]
            else:
                names.append(next(trained))
        nodes.append(node(case.op, names, case.result_names(), case.label, **case.attributes))
    return nodes, fixed


def _results(group):
    return [name for case in group.cases for name in case.result_names()]


def _sizes(group, nodes, initializers):
    draft = model(nodes, [], [], initializers, group.opset)
    results = evaluate(Graph.load(draft), {}, _results(group))
    return {label: math.prod(np.shape(result)) for label, result in results.items()}


def seeds(group, sizes):
    rng = np.random.default_rng(7)
    return {
        name + ".seed": rng.uniform(0.5, 1.5, (1, sizes[name])).astype(np.float32)
        for name in _results(group)
    }


def build(group):
    """(model, feeds): the ONNX model and its one batch."""
    parameters = group.operands()
    nodes, fixed = _case_nodes(group)
    sizes = _sizes(group, nodes, {**parameters, **fixed})
    total = None
    for label in _results(group):
        flat, term, part = label + ".flat", label + ".term", label + ".sum"
        if sizes[label]:
            fixed[label + ".shape"] = np.array([1, sizes[label]], np.int64)
            nodes.append(node("Reshape", [label, label + ".shape"], [flat], label + ".Reshape"))
        else:  # before opset 14 no shape says 0 elements
            nodes.append(node("Flatten", [label], [flat], label + ".Flatten", axis=0))
        nodes.append(node("Mul", [flat, label + ".seed"], [term], label + ".Mul"))
        nodes.append(node("ReduceSum", [term], [part], label + ".ReduceSum", keepdims=0))
        if total is not None:
            nodes.append(node("Add", [total, part], [label + ".total"], label + ".Add"))
            part = label + ".total"
        total = part
    nodes.append(node("Identity", [total], ["loss"], "loss"))
    feeds = seeds(group, sizes)
    made = model(
        nodes,
        [value(name, array) for name, array in feeds.items()],
        [value("loss", TensorProto.FLOAT, [])],
        {**parameters, **fixed},
        group.opset,
    )
    onnx.checker.check_model(made)
    return made, feeds
