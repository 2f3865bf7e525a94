"""Files that no good tool would write."""

import struct
import subprocess

import numpy as np
import onnx
from harness.models import IR_VERSION, mlp, model, node, value
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import save_file


def good():
    return mlp([4, 3, 2])


def truncated(folder):
    data = good().SerializeToString()
    (folder / "m.onnx").write_bytes(data[: len(data) // 2])


def text(folder):
    (folder / "m.onnx").write_text("This is not a model.\n")


def empty(folder):
    (folder / "m.onnx").write_bytes(b"")


def lying_length(folder):
    """A field that claims 2^60 bytes."""
    (folder / "m.onnx").write_bytes(b"\x08\x08\x3a" + b"\x80" * 8 + b"\x10" + b"\x00" * 16)


def deep_nesting(folder):
    """Messages within messages, as deep as the file is long."""
    body = b""
    for _ in range(2000):
        body = b"\x3a" + _varint(len(body)) + body
    (folder / "m.onnx").write_bytes(body)


def _varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def _save(folder, made):
    onnx.save(made, folder / "m.onnx")


def good_file(folder):
    _save(folder, good())


def _changed(change):
    def build(folder):
        made = good()
        change(made.graph)
        _save(folder, made)

    return build


def _set_dims(name, dims):
    def change(graph):
        tensor = next(t for t in graph.initializer if t.name == name)
        del tensor.dims[:]
        tensor.dims.extend(dims)

    return _changed(change)


negative_dims = _set_dims("fc1.weight", [-3, -4])
overflowing_dims = _set_dims("fc1.weight", [2**40, 2**40])
short_data = _set_dims("fc1.weight", [5, 4])


def _external(location, offset="0", length="48"):
    def change(graph):
        tensor = next(t for t in graph.initializer if t.name == "fc1.weight")
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        for key, text in (("location", location), ("offset", offset), ("length", length)):
            entry = tensor.external_data.add()
            entry.key, entry.value = key, text

    return _changed(change)


missing_external = _external("weights.bin")
escaping_external = _external("../../../../etc/passwd")


def short_external(folder):
    (folder / "weights.bin").write_bytes(b"\0" * 16)
    _external("weights.bin", "8")(folder)


def _graph(nodes, inputs, outputs, initializers, opset=17):
    def build(folder):
        made = model(nodes, inputs, outputs, initializers, opset)
        _save(folder, made)

    return build


F, W = TensorProto.FLOAT, {"w": np.ones((4, 3), np.float32)}
X = value("x", F, [2, 4])

misfit = _graph(
    [node("MatMul", ["x", "w"], ["y"], "product")],
    [value("x", F, [2, 5])],
    [value("y", F, None)],
    W,
)
misfit_add = _graph(
    [node("MatMul", ["x", "w"], ["h"], "product"), node("Add", ["h", "b"], ["y"], "shift")],
    [X],
    [value("y", F, None)],
    {**W, "b": np.ones(2, np.float32)},
)
cycle = _graph(
    [
        node("Add", ["x", "c"], ["a"], "first"),
        node("Relu", ["a"], ["b"], "second"),
        node("Tanh", ["b"], ["c"], "third"),
    ],
    [X],
    [value("c", F, [2, 4])],
    {},
)
dangling = _graph([node("Add", ["x", "nowhere"], ["y"], "sum")], [X], [value("y", F, [2, 4])], {})
defined_twice = _graph(
    [node("Relu", ["x"], ["y"], "one"), node("Tanh", ["x"], ["y"], "two")],
    [X],
    [value("y", F, [2, 4])],
    {},
)
unsupported = _graph(
    [
        node("MatMul", ["x", "w"], ["h"], "product"),
        node("Atan", ["h"], ["a"], "bend"),
        node("Det", ["s"], ["d"], "off_path"),
        node("Selu", ["a"], ["y"], "squash"),
    ],
    [X, value("s", F, [2, 2])],
    [value("y", F, [2, 3]), value("d", F, [])],
    W,
)
foreign_domain = _graph(
    [
        helper.make_node("MatMul", ["x", "w"], ["h"], name="product"),
        helper.make_node("Wobble", ["h"], ["y"], name="wobble", domain="com.example"),
    ],
    [X],
    [value("y", F, [2, 3])],
    W,
)
nothing_to_train = _graph([node("Relu", ["x"], ["y"], "act")], [X], [value("y", F, [2, 4])], {})
old_opset = _graph([node("MatMul", ["x", "w"], ["y"], "p")], [X], [value("y", F, [2, 3])], W, 6)


def future_opset(folder):
    made = good()
    made.opset_import[0].version = 99
    _save(folder, made)


def half_weights(folder):
    made = good()
    for tensor in made.graph.initializer:
        array = numpy_helper.to_array(tensor).astype(np.float16)
        tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
    for v in [*made.graph.input, *made.graph.output]:
        v.type.tensor_type.elem_type = TensorProto.FLOAT16
    _save(folder, made)


def two_unbound(folder):
    made = helper.make_model(
        helper.make_graph(
            [node("MatMul", ["x", "w"], ["y"], "p")],
            "g",
            [value("x", F, ["batch", "time", 4])],
            [value("y", F, ["batch", "time", 3])],
            [numpy_helper.from_array(W["w"], "w")],
        ),
        opset_imports=[helper.make_opsetid("", 17)],
    )
    made.ir_version = IR_VERSION
    _save(folder, made)


# --- data for dsrun ---------------------------------------------------------


def data(folder, x=None, y=None):
    """Ten good samples for the good model, or what is given instead."""
    rng = np.random.default_rng(0)
    np.save(folder / "x.npy", rng.standard_normal((10, 4)).astype("f4") if x is None else x)
    np.save(folder / "y.npy", np.arange(10) % 2 if y is None else y)


def label_out_of_range(folder):
    y = np.arange(10) % 2
    y[7] = 5
    data(folder, y=y)


def wrong_dtype(folder):
    data(folder, x=np.ones((10, 4), np.complex64))


def wrong_shape(folder):
    data(folder, x=np.ones((10, 5), np.float32))


def unequal_counts(folder):
    data(folder, y=np.zeros(9, np.int64))


def no_samples(folder):
    data(folder, x=np.zeros((0, 4), np.float32), y=np.zeros(0, np.int64))


def truncated_npy(folder):
    data(folder)
    whole = (folder / "x.npy").read_bytes()
    (folder / "x.npy").write_bytes(whole[:-8])


def text_npy(folder):
    data(folder)
    (folder / "x.npy").write_text("1,2,3,4\n")


def label_negative(folder):
    y = np.arange(10) % 2
    y[3] = -1
    data(folder, y=y)


def lying_weights(folder):
    """A header that claims more bytes than there are."""
    good_file(folder)
    data(folder)
    (folder / "w.safetensors").write_bytes(struct.pack("<Q", 2**50) + b"{}")


def misshapen_weights(folder):
    data(folder)
    arrays = {t.name: numpy_helper.to_array(t) for t in good().graph.initializer}
    arrays["fc2.weight"] = arrays["fc2.weight"].T.copy()
    save_file(arrays, folder / "w.safetensors")


# --- modules for dsrun ------------------------------------------------------


def _symbol(path, name):
    """(file offset, bytes) of a symbol of a shared object."""
    listing = subprocess.run(
        ["llvm-nm-22", "--dynamic", "--print-size", path],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    address, size = next(l.split()[:2] for l in listing.splitlines() if l.split()[-1] == name)
    headers = subprocess.run(
        ["llvm-readelf-22", "--program-headers", "--wide", path],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for line in headers.splitlines():
        fields = line.split()
        if fields[:1] == ["LOAD"]:
            offset, virtual, _, bytes_in_file = (int(f, 16) for f in fields[1:5])
            if virtual <= int(address, 16) < virtual + bytes_in_file:
                return offset + int(address, 16) - virtual, int(size, 16)
    raise AssertionError("%s is not in a segment" % name)


def _patched(name, change):
    def build(folder):
        data(folder)
        path = folder / "m.so"
        offset, size = _symbol(path, name)
        module = bytearray(path.read_bytes())
        old = bytes(module[offset : offset + size])
        new = change(old)
        assert len(new) == size and new != old
        module[offset : offset + size] = new
        path.write_bytes(module)

    return build


other_abi = _patched("dsc_abi_version", lambda old: struct.pack("<I", 99))
# FMA4 was on AMD's CPUs of 2011 to 2015 only, none of which had AVX2.
other_cpu = _patched("dsc_manifest", lambda old: old.replace(b"+avx2", b"+fma4", 1))


def truncated_module(folder):
    data(folder)
    module = (folder / "m.so").read_bytes()
    (folder / "m.so").write_bytes(module[: len(module) // 3])
