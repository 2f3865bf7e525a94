"""Small ONNX models, built node by node."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# The oldest IR version that each opset of the tests needs; ONNX Runtime refuses
# files that claim a newer one than it knows.
IR_VERSION = 8


def node(op, inputs, outputs, name=None, **attributes):
    return helper.make_node(op, list(inputs), list(outputs), name=name, **attributes)


def decomposed_layer_norm(x):
    """Nodes of `y`, the normalised rows of `x`, as exporters before opset 17
    write them; `two`, `epsilon`, `scale` and `bias` are initializers."""
    return [
        node("ReduceMean", [x], ["mean"], axes=[-1]),
        node("Sub", [x, "mean"], ["centred"]),
        node("Pow", ["centred", "two"], ["squares"]),
        node("ReduceMean", ["squares"], ["variance"], axes=[-1]),
        node("Add", ["variance", "epsilon"], ["shifted"]),
        node("Sqrt", ["shifted"], ["deviation"]),
        node("Div", ["centred", "deviation"], ["normalized"]),
        node("Mul", ["normalized", "scale"], ["scaled"]),
        node("Add", ["scaled", "bias"], ["y"]),
    ]


def value(name, array_or_type, shape=None):
    """A graph input or output like an array, or of a type and shape."""
    if isinstance(array_or_type, np.ndarray):
        shape = list(array_or_type.shape) if shape is None else shape
        array_or_type = helper.np_dtype_to_tensor_dtype(array_or_type.dtype)
    return helper.make_tensor_value_info(name, array_or_type, shape)


def model(nodes, inputs, outputs, initializers, opset=17):
    graph = helper.make_graph(
        nodes,
        "test",
        inputs,
        outputs,
        [numpy_helper.from_array(np.asarray(a), name) for name, a in initializers.items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    made.ir_version = IR_VERSION
    return made


def mlp(sizes, activation="Relu", seed=0, form="Gemm", opset=17, batch="batch"):
    """fc1, fc2, ... with an activation between them; input `x`, output `logits`.

    `form` is Gemm (weights [out, in], as PyTorch exports) or MatMul followed by
    Add (weights [in, out]).
    """
    rng = np.random.default_rng(seed)
    nodes, initializers, current = [], {}, "x"
    layers = list(zip(sizes, sizes[1:]))
    for i, (fan_in, fan_out) in enumerate(layers, 1):
        last = i == len(layers)
        weight, bias = "fc%d.weight" % i, "fc%d.bias" % i
        out = "logits" if last else "h%d" % i
        data = rng.standard_normal((fan_out, fan_in)).astype(np.float32) / np.sqrt(fan_in)
        initializers[bias] = (0.1 * rng.standard_normal(fan_out)).astype(np.float32)
        if form == "Gemm":
            initializers[weight] = data.astype(np.float32)
            nodes.append(node("Gemm", [current, weight, bias], [out], "/fc%d/Gemm" % i, transB=1))
        else:
            initializers[weight] = np.ascontiguousarray(data.T, np.float32)
            nodes.append(node("MatMul", [current, weight], [out + ".m"], "/fc%d/MatMul" % i))
            nodes.append(node("Add", [out + ".m", bias], [out], "/fc%d/Add" % i))
        current = out
        if not last:
            current = "a%d" % i
            nodes.append(node(activation, [out], [current], "/act%d/%s" % (i, activation)))
    return model(
        nodes,
        [value("x", TensorProto.FLOAT, [batch, sizes[0]])],
        [value("logits", TensorProto.FLOAT, [batch, sizes[-1]])],
        initializers,
        opset,
    )


def save(made, path):
    onnx.checker.check_model(made)
    onnx.save(made, path)
    return path
