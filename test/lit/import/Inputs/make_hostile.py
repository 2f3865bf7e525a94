"""Writes the files of hostile.test into the folder argv[1]."""

import pathlib
import sys

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)


def make_model(weight: TensorProto) -> ModelProto:
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [2, 2]) for n in "xy")
    node = helper.make_node("MatMul", ["x", "w"], ["y"])
    graph = helper.make_graph([node], "g", [x], [y], [weight])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def write(name: str, data: bytes) -> None:
    (folder / f"{name}.onnx").write_bytes(data)


def write_weight(name: str, dims: list[int], data_type: int = TensorProto.FLOAT, **fields) -> None:
    weight = TensorProto(name="w", dims=dims, data_type=data_type, **fields)
    write(name, make_model(weight).SerializeToString())


def encode_varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number: int, payload: bytes) -> bytes:
    """A length-delimited field."""
    return bytes([number << 3 | 2]) + encode_varint(len(payload)) + payload


write("empty", b"")
write("text", b"This is no model, but a sentence.\n")
write("varint", field(7, b"\x08" + b"\xff" * 11))
write("length", field(7, field(5, b"\x4a\x7f\x00")))
write("no-graph", field(8, b"\x10\x11"))
write_weight("huge-dims", [1 << 32, 1 << 32, 16], raw_data=b"")
write_weight("negative-dim", [-2, 2], raw_data=bytes(16))
write_weight("short-data", [2, 2], raw_data=bytes(8))
write_weight("wrong-field", [2, 2], data_type=TensorProto.INT64, double_data=[1, 2, 3, 4])

# Graphs inside attributes inside graphs, deeper than a parser should follow.
graph = b""
for _ in range(2000):
    graph = field(1, field(5, field(6, graph)))
write("deep", field(7, graph))

weight = numpy_helper.from_array(np.ones((2, 2), np.float32), "w")
write("short-model", make_model(weight).SerializeToString())

# A chain longer than a recursive walk could follow.
length = 30000
nodes = [helper.make_node("Neg", [f"v{i}"], [f"v{i + 1}"]) for i in range(length)]
v0 = helper.make_tensor_value_info("v0", TensorProto.FLOAT, [2])
end = helper.make_tensor_value_info(f"v{length}", TensorProto.FLOAT, [2])
chain = helper.make_graph(nodes, "g", [v0], [end])
write(
    "long-chain",
    helper.make_model(chain, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString(),
)

# Thirty functions each of which calls the one before twice: 2^30 nodes.
opsets = [helper.make_opsetid("", 17), helper.make_opsetid("f", 1)]
functions = [
    helper.make_function("f", "f0", ["x"], ["y"], [helper.make_node("Neg", ["x"], ["y"])], opsets)
]
for i in range(30):
    calls = [helper.make_node(f"f{i}", [a], [b], domain="f") for a, b in ("xh", "hy")]
    functions.append(helper.make_function("f", f"f{i + 1}", ["x"], ["y"], calls, opsets))
x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in "xy")
bomb = helper.make_graph([helper.make_node("f30", ["x"], ["y"], domain="f")], "g", [x], [y])
model = helper.make_model(bomb, opset_imports=opsets, functions=functions)
write("bomb", model.SerializeToString())
