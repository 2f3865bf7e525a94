"""The model of a group of operator cases.

Its loss is the sum over cases of <result, seed>, with a data input `CASE.seed`
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
        nodes.append(node(case.op, names, [case.label], case.label, **case.attributes))
    return nodes, fixed


def _sizes(group, nodes, initializers):
    draft = model(nodes, [], [], initializers, group.opset)
    results = evaluate(Graph.load(draft), {}, [c.label for c in group.cases])
    return {label: math.prod(np.shape(result)) for label, result in results.items()}


def seeds(group, sizes):
    rng = np.random.default_rng(7)
    return {
        case.label + ".seed": rng.uniform(0.5, 1.5, (1, sizes[case.label])).astype(np.float32)
        for case in group.cases
    }


def build(group):
    """(model, feeds): the ONNX model and its one batch."""
    parameters = group.operands()
    nodes, fixed = _case_nodes(group)
    sizes = _sizes(group, nodes, {**parameters, **fixed})
    total = None
    for case in group.cases:
        label = case.label
        flat, term, part = label + ".flat", label + ".term", label + ".sum"
        fixed[label + ".shape"] = np.array([1, sizes[label]], np.int64)
        literal = {} if sizes[label] else {"allowzero": 1}  # else a 0 copies a dimension
        nodes.append(
            node("Reshape", [label, label + ".shape"], [flat], label + ".Reshape", **literal)
        )
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
