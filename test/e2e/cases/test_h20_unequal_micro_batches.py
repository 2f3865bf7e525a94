"""H20: a mean of the means of micro-batches is wrong when they count unequally."""

import functools
import itertools

import numpy as np
import onnx
import pytest
from harness.compare import check_gradients
from harness.models import model, node, value
from harness.session import session
from harness.tools import compile_model
from onnx import TensorProto
from oracle import Graph, loss_and_gradients

TOKENS, LENGTH, CLASSES = 7, 10, 5
LOSS = "cross_entropy(logits,y)"

# Labels that count in each of four samples.
VALID = (1, 9, 0, 5)


def language_model():
    rng = np.random.default_rng(0)
    drawn = {"table": (TOKENS, 4), "head": (4, CLASSES), "bias": (CLASSES,)}
    nodes = [
        node("Gather", ["table", "ids"], ["embedded"]),
        node("Tanh", ["embedded"], ["h"]),
        node("MatMul", ["h", "head"], ["scores"]),
        node("Add", ["scores", "bias"], ["logits"]),
    ]
    return model(
        nodes,
        [value("ids", TensorProto.INT64, ["batch", LENGTH])],
        [value("logits", TensorProto.FLOAT, ["batch", LENGTH, CLASSES])],
        {n: rng.standard_normal(s).astype(np.float32) for n, s in drawn.items()},
    )


def batch():
    rng = np.random.default_rng(1)
    labels = rng.integers(0, CLASSES, (len(VALID), LENGTH))
    for row, count in zip(labels, VALID):
        row[count:] = -100
    return {"ids": rng.integers(0, TOKENS, (len(VALID), LENGTH)), "y": labels}


def splits():
    """All ways to cut four samples into runs."""
    for cuts in itertools.product([0, 1], repeat=len(VALID) - 1):
        edges = [0, *(i + 1 for i, cut in enumerate(cuts) if cut), len(VALID)]
        yield list(zip(edges, edges[1:]))


@pytest.fixture(scope="module")
def module_of(tmp_path_factory):
    """Micro-batch size -> module."""
    folder = tmp_path_factory.mktemp("h20")
    onnx.save(language_model(), folder / "m.onnx")

    @functools.cache
    def compiled(size):
        flags = ["--loss=" + LOSS, "--bind=batch=%d" % size]
        return compile_model(folder / "m.onnx", folder / ("m%d.so" % size), *flags)

    return compiled


@pytest.mark.parametrize("split", list(splits()), ids=lambda s: "-".join(str(b - a) for a, b in s))
def test_any_split_is_the_whole_batch(module_of, split):
    """A short micro-batch is filled up with samples of weight 0."""
    graph, whole = Graph.load(language_model()), batch()
    parameters = {n: graph.initializers[n] for n in graph.float_initializers()}
    value_, wanted = loss_and_gradients(graph, LOSS, parameters, whole)
    size = max(end - begin for begin, end in split)
    parts = []
    for begin, end in split:
        rows = np.arange(begin, begin + size) % len(VALID)
        parts.append({name: array[rows] for name, array in whole.items()})
        parts[-1]["dsc.sample_weight"] = np.arange(size) < end - begin
    with session(module_of(size)) as run:
        loss, gradients = run.accumulated(parts)
    assert loss == pytest.approx(float(value_), rel=1e-6)
    check_gradients(gradients, wanted)
