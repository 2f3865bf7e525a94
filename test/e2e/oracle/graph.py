"""An ONNX graph as plain Python: sorted nodes and float64 initializers."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper


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
    """Kahn's algorithm, stable: the files of the wild are not always sorted."""
    known, waiting, order = set(known) | {""}, list(nodes), []
    while waiting:
        ready = [n for n in waiting if all(i in known for i in n.inputs)]
        if not ready:
            raise ValueError("cycle or missing input at node '%s'" % waiting[0].name)
        order += ready
        known.update(o for n in ready for o in n.outputs)
        waiting = [n for n in waiting if n not in ready]
    return order


@dataclass
class Graph:
    nodes: list
    inputs: list
    outputs: list
    initializers: dict = field(default_factory=dict)

    @staticmethod
    def load(model):
        """From a path or an onnx.ModelProto."""
        if not isinstance(model, onnx.ModelProto):
            model = onnx.load(Path(model))
        opset = next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), 1)
        graph = model.graph
        initializers = {t.name: to_float64(numpy_helper.to_array(t)) for t in graph.initializer}
        inputs = [i.name for i in graph.input]
        nodes = [
            Node(
                n.op_type,
                n.name,
                list(n.input),
                list(n.output),
                {a.name: _attribute(a) for a in n.attribute},
                opset,
            )
            for n in graph.node
        ]
        nodes = _sorted(nodes, [*inputs, *initializers])
        return Graph(nodes, inputs, [o.name for o in graph.output], initializers)

    def float_initializers(self):
        return [name for name, value in self.initializers.items() if value.dtype.kind == "f"]
