"""One model with parameters of every kind that ranks could get wrong."""

import numpy as np
from onnx import TensorProto

from .models import model, node, value

COLUMNS, CLASSES = 5, 5

SHAPES = {
    "h.0.table": (5, 7),  # used at both ends; 5 rows, which only 1 and 5 ranks divide
    "h.0.gain": (),
    "h.0.shift": (7,),
    "h.0.frozen": (7,),
    "h.1.weight": (7, 2),
    "h.1.bias": (2,),
    "h.1.scale": (1,),
    "h.2.weight": (2, 2),  # used on both sides of h.3
    "h.3.weight": (2, 2),
    "h.4.weight": (2, 8),
    "h.4.empty": (0, 8),
    "h.5.weight": (8, 7),
    "h.5.unused": (3,),
}
FLAGS = ["--loss=cross_entropy(logits,y)", "--freeze=frozen", "--optimizer=sgd", "--lr=0.1"]
NOT_TRAINED = {"h.0.frozen", "h.4.empty", "h.5.unused"}


def parameters():
    rng = np.random.default_rng(4)
    return {
        name: (0.7 * rng.standard_normal(shape)).astype(np.float32).reshape(shape)
        for name, shape in SHAPES.items()
    }


def zoo():
    """x [batch, 5] to logits [batch, 5]."""
    nodes = [
        node("MatMul", ["x", "h.0.table"], ["a"], "/h.0/MatMul"),
        node("Mul", ["a", "h.0.gain"], ["b"], "/h.0/Mul"),
        node("Add", ["b", "h.0.shift"], ["c"], "/h.0/Add"),
        node("Mul", ["c", "h.0.frozen"], ["d"], "/h.0/Mul_1"),
        node("MatMul", ["d", "h.1.weight"], ["e"], "/h.1/MatMul"),
        node("Add", ["e", "h.1.bias"], ["f"], "/h.1/Add"),
        node("Mul", ["f", "h.1.scale"], ["g"], "/h.1/Mul"),
        node("Tanh", ["g"], ["h"], "/h.1/Tanh"),
        node("MatMul", ["h", "h.2.weight"], ["i"], "/h.2/MatMul"),
        node("MatMul", ["i", "h.3.weight"], ["j"], "/h.3/MatMul"),
        node("MatMul", ["j", "h.2.weight"], ["k"], "/h.2/MatMul_1"),
        node("Concat", ["h.4.weight", "h.4.empty"], ["l"], "/h.4/Concat", axis=0),
        node("MatMul", ["k", "l"], ["m"], "/h.4/MatMul"),
        node("MatMul", ["m", "h.5.weight"], ["n"], "/h.5/MatMul"),
        node("Transpose", ["h.0.table"], ["o"], "/head/Transpose", perm=[1, 0]),
        node("MatMul", ["n", "o"], ["logits"], "/head/MatMul"),
    ]
    return model(
        nodes,
        [value("x", TensorProto.FLOAT, ["batch", COLUMNS])],
        [value("logits", TensorProto.FLOAT, ["batch", CLASSES])],
        parameters(),
    )


def data(samples, seed=9):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, CLASSES, samples)
    y[::5] = -100  # batches weigh differently
    return {"x": rng.standard_normal((samples, COLUMNS)).astype(np.float32), "y": y}
