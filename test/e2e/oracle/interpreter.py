"""Runs a graph on float64 values, which autograd may be tracing."""

from .graph import to_float64
from .ops import OPS


def _needed(nodes, given, wanted):
    """The nodes that `wanted` depends on and that are not given, in order."""
    needed, kept = set(wanted), []
    for node in reversed(nodes):
        if not needed.isdisjoint(node.outputs) and not given.issuperset(node.outputs):
            needed.update(node.inputs)
            kept.append(node)
    return kept[::-1]


def evaluate(graph, feeds, wanted=None):
    """Values of `wanted` (default: the graph's outputs) by name.

    `feeds` gives graph inputs and may override initializers and results of nodes
    (a parameter may be an Identity of an initializer), which is how a parameter
    is traced or perturbed.
    """
    wanted = graph.outputs if wanted is None else wanted
    values = {"": None, **graph.initializers}
    values.update({k: v if hasattr(v, "_node") else to_float64(v) for k, v in feeds.items()})
    for node in _needed(graph.nodes, set(feeds), wanted):
        operands = [values[name] for name in node.inputs]
        while operands and operands[-1] is None:
            operands.pop()
        rule = OPS.get(node.op)
        if rule is None:
            raise NotImplementedError("the oracle does not know the op %s" % node.op)
        results = rule(node, *operands)
        if not isinstance(results, tuple):
            results = (results,)
        values.update(zip(node.outputs, results))
    return {name: values[name] for name in wanted}
