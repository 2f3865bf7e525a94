"""An ONNX graph as plain Python: sorted nodes and float64 initializers."""

import heapq
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnx
import onnx.inliner
from onnx import numpy_helper

_STANDARD_DOMAINS = ("", "ai.onnx")


def to_float64(array):
    """Floats of any width become float64; integers and booleans stay."""
    array = np.asarray(array)
    if array.dtype.kind in "iub":
        return array
    return array.astype(np.float64)


@dataclass
class Node:
    op: str
    name: str
    inputs: list
    outputs: list
    attributes: dict
    opset: int

    def get(self, name, default=None):
        return self.attributes.get(name, default)


def _attribute(proto):
    value = onnx.helper.get_attribute_value(proto)
    if isinstance(value, onnx.TensorProto):
        return to_float64(numpy_helper.to_array(value))
    if isinstance(value, bytes):
        return value.decode()
    return value


def _sorted(nodes, known):
    """Kahn's algorithm, in file order where it can: the files of the wild are
    not always sorted."""
    known = set(known) | {""}
    missing = [len({i for i in n.inputs if i not in known}) for n in nodes]
    readers = defaultdict(list)
    for index, node in enumerate(nodes):
        for name in set(node.inputs) - known:
            readers[name].append(index)
    ready, order = [i for i, count in enumerate(missing) if not count], []
    while ready:
        index = heapq.heappop(ready)
        order.append(nodes[index])
        for name in nodes[index].outputs:
            for reader in readers.pop(name, []):
                missing[reader] -= 1
                if not missing[reader]:
                    heapq.heappush(ready, reader)
    if len(order) < len(nodes):
        stuck = next(n for n, count in zip(nodes, missing) if count)
        raise ValueError("cycle or missing input at node '%s'" % stuck.name)
    return order


def _without_duplicates(nodes):
    """Of nodes that define the same name, the last: as ONNX Runtime reads a file
    that breaks the standard so."""
    last = {name: index for index, n in enumerate(nodes) for name in n.outputs}
    return [n for index, n in enumerate(nodes) if any(last[o] == index for o in n.outputs)]


def _op(node):
    """Operators of other domains carry the domain in their name."""
    if node.domain in _STANDARD_DOMAINS:
        return node.op_type
    return "%s::%s" % (node.domain, node.op_type)


@dataclass
class Graph:
    nodes: list
    inputs: list
    outputs: list
    initializers: dict = field(default_factory=dict)

    @staticmethod
    def load(model):
        """From a path or an onnx.ModelProto; local functions are inlined."""
        if not isinstance(model, onnx.ModelProto):
            model = onnx.load(Path(model))
        if model.functions:
            model = onnx.inliner.inline_local_functions(model)
        opset = next((o.version for o in model.opset_import if o.domain in _STANDARD_DOMAINS), 1)
        graph = model.graph
        initializers = {t.name: to_float64(numpy_helper.to_array(t)) for t in graph.initializer}
        inputs = [i.name for i in graph.input]
        nodes = [
            Node(
                _op(n),
                n.name,
                list(n.input),
                list(n.output),
                {a.name: _attribute(a) for a in n.attribute},
                opset,
            )
            for n in graph.node
        ]
        nodes = _sorted(_without_duplicates(nodes), [*inputs, *initializers])
        return Graph(nodes, inputs, [o.name for o in graph.output], initializers)

    def tied(self, ties):
        """The graph in which B of each "A=B" or "A=B^T" is computed from A."""
        nodes, initializers = list(self.nodes), dict(self.initializers)
        for tie in ties:
            source, copy = tie.split("=")
            turned, copy = copy.endswith("^T"), copy.removesuffix("^T")
            op = "Transpose" if turned else "Identity"
            nodes.insert(0, Node(op, tie, [source], [copy], {}, opset=13))
            del initializers[copy]
        nodes = _sorted(nodes, [*self.inputs, *initializers])
        return Graph(nodes, self.inputs, self.outputs, initializers)

    def float_initializers(self):
        return [name for name, value in self.initializers.items() if value.dtype.kind == "f"]
