"""A small GPT whose every kind of Dropout is active, built node by node."""

import numpy as np
from onnx import TensorProto

from .models import model, node, value

CLASSES, LENGTH, WIDTH, HEADS = 11, 6, 8, 2
FLAGS = ["--loss=cross_entropy(logits,labels)", "--bind=batch=2"]


def decoder(layers, ratio=0.2):
    """tokens [batch, LENGTH] to logits; pre-norm layers h.0, h.1, ..."""
    rng = np.random.default_rng(7)
    constants = {
        "ratio": np.float32(ratio),
        "on": np.array(True),
        "scale": np.float32((WIDTH // HEADS) ** -0.5),
        "heads": np.array([0, LENGTH, HEADS, WIDTH // HEADS]),
        "joined": np.array([0, LENGTH, WIDTH]),
        "parts": np.array([WIDTH] * 3),
        "positions": np.arange(LENGTH),
        "mask": np.triu(np.full((LENGTH, LENGTH), -np.inf, np.float32), 1),
    }
    nodes = []

    def draw(name, *shape):
        constants[name] = (0.5 * rng.standard_normal(shape)).astype(np.float32)
        return name

    def add(op, inputs, name, **attributes):
        nodes.append(node(op, inputs, [name], "/" + name, **attributes))
        return name

    def normalize(x, name):
        scale, bias = draw(name + ".weight", WIDTH), draw(name + ".bias", WIDTH)
        return add("LayerNormalization", [x, scale, bias], name + "/out", axis=-1)

    def project(x, name, inputs, outputs):
        product = add("MatMul", [x, draw(name + ".weight", inputs, outputs)], name + "/product")
        return add("Add", [product, draw(name + ".bias", outputs)], name + "/sum")

    def drop(x, name):
        return add("Dropout", [x, "ratio", "on"], name + "/dropped")

    def attend(x, name):
        packed = project(x, name + ".attn", WIDTH, 3 * WIDTH)
        parts = [name + "/" + part for part in "qkv"]
        nodes.append(node("Split", [packed, "parts"], parts, "/" + name + "/split", axis=-1))
        for i, perm in enumerate([(0, 2, 1, 3), (0, 2, 3, 1), (0, 2, 1, 3)]):
            split = add("Reshape", [parts[i], "heads"], parts[i] + "/heads")
            parts[i] = add("Transpose", [split], parts[i] + "/moved", perm=perm)
        scores = add("MatMul", parts[:2], name + "/scores")
        scaled = add("Mul", [scores, "scale"], name + "/scaled")
        masked = add("Add", [scaled, "mask"], name + "/masked")
        weights = drop(add("Softmax", [masked], name + "/softmax", axis=-1), name + "/softmax")
        mixed = add("MatMul", [weights, parts[2]], name + "/mixed")
        moved = add("Transpose", [mixed], name + "/moved", perm=(0, 2, 1, 3))
        joined = add("Reshape", [moved, "joined"], name + "/joined")
        return drop(project(joined, name + ".proj", WIDTH, WIDTH), name + ".proj")

    table = draw("wte", CLASSES, WIDTH)
    places = add("Gather", [draw("wpe", LENGTH, WIDTH), "positions"], "places")
    x = add("Add", [add("Gather", [table, "tokens"], "embedded"), places], "entered")
    x = drop(x, "entered")
    for i in range(layers):
        name = "h.%d" % i
        x = add("Add", [x, attend(normalize(x, name + ".ln_1"), name)], name + "/middle")
        hidden = project(normalize(x, name + ".ln_2"), name + ".fc", WIDTH, 4 * WIDTH)
        hidden = add("Tanh", [hidden], name + "/tanh")
        out = drop(project(hidden, name + ".out", 4 * WIDTH, WIDTH), name + ".out")
        x = add("Add", [x, out], name + "/end")
    add("MatMul", [normalize(x, "ln_f"), draw("head", WIDTH, CLASSES)], "logits")
    return model(
        nodes,
        [value("tokens", TensorProto.INT64, ["batch", LENGTH])],
        [value("logits", TensorProto.FLOAT, ["batch", LENGTH, CLASSES])],
        constants,
    )


def data(samples):
    rng = np.random.default_rng(3)
    shape = (samples, LENGTH)
    return {name: rng.integers(0, CLASSES, shape) for name in ("tokens", "labels")}
