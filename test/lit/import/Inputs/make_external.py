"""Writes models with external data for external-data.test into argv[1]."""

import pathlib
import sys

import onnx
from onnx import TensorProto, helper

folder = pathlib.Path(sys.argv[1])
(folder / "data").mkdir(parents=True, exist_ok=True)
(folder / "data" / "w.bin").write_bytes(bytes(32))
outside = folder.parent / (folder.name + ".outside.bin")
outside.write_bytes(bytes(32))
link = folder / "link.bin"
link.unlink(missing_ok=True)
link.symlink_to(outside)


def write(name: str, **external: str) -> None:
    weight = TensorProto(name="w", dims=[2, 2], data_type=TensorProto.FLOAT)
    weight.data_location = TensorProto.EXTERNAL
    for key, value in external.items():
        weight.external_data.add(key=key, value=value)
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [2, 2]) for n in "xy")
    node = helper.make_node("MatMul", ["x", "w"], ["y"])
    graph = helper.make_graph([node], name, [x], [y], [weight])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    (folder / f"{name}.onnx").write_bytes(model.SerializeToString())


write("good", location="data/w.bin", offset="16", length="16")
write("parent", location="../outside.bin")
write("absolute", location="/etc/hostname")
write("link", location="link.bin")
write("missing", location="none.bin")
write("end", location="data/w.bin", offset="24")
write("length", location="data/w.bin", length="12")
write("offset", location="data/w.bin", offset="-1")
