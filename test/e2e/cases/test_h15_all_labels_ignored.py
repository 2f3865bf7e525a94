"""H15: a mean over labels that are all ignored is 0/0, and spoils the others' sum.

Here micro-batches are unequal; ranks/test_equal.py has the same with ranks.
"""

import numpy as np
import onnx
import pytest
from harness.compare import check_gradients
from harness.models import mlp, model, node, value
from harness.session import session
from harness.tools import compile_model
from onnx import TensorProto
from oracle import Graph, loss_and_gradients

ROWS, CLASSES, IGNORED = 3, 4, -100


def classifier():
    return mlp([5, CLASSES], batch=ROWS)


def language_model():
    """Three tokens a row, of which the labels of the second and third count."""
    rng = np.random.default_rng(0)
    weight = rng.standard_normal((5, CLASSES)).astype(np.float32)
    x = value("x", TensorProto.FLOAT, [1, ROWS + 1, 5])
    logits = value("logits", TensorProto.FLOAT, [1, ROWS + 1, CLASSES])
    return model([node("MatMul", ["x", "w"], ["logits"])], [x], [logits], {"w": weight})


def with_loss(op):
    """The loss is a node of the graph, with a mean of its own."""
    made = mlp([5, CLASSES], batch=ROWS)
    scores = "logits"
    if op == "NegativeLogLikelihoodLoss":
        made.graph.node.append(node("LogSoftmax", ["logits"], ["logs"], axis=-1))
        scores = "logs"
    made.graph.node.append(node(op, [scores, "y"], ["loss"], ignore_index=IGNORED))
    made.graph.input.append(value("y", TensorProto.INT64, [ROWS]))
    del made.graph.output[:]
    made.graph.output.append(value("loss", TensorProto.FLOAT, []))
    return made


CASES = {
    "cross_entropy": (classifier, "cross_entropy(logits,y)"),
    "shifted": (language_model, "cross_entropy(logits,y,shift=1)"),
    "SoftmaxCrossEntropyLoss": (lambda: with_loss("SoftmaxCrossEntropyLoss"), "loss"),
    "NegativeLogLikelihoodLoss": (lambda: with_loss("NegativeLogLikelihoodLoss"), "loss"),
}


@pytest.fixture(scope="module", params=CASES)
def case(request, tmp_path_factory):
    build, loss = CASES[request.param]
    folder, made = tmp_path_factory.mktemp(request.param), build()
    onnx.save(made, folder / "m.onnx")
    # Without weight decay, which would change weights whatever the loss is.
    flags = ["--loss=" + loss, "--optimizer=sgd", "--lr=0.5"]
    module = compile_model(folder / "m.onnx", folder / "m.so", *flags)
    return made, module


def micro_batch(run, valid, seed):
    """`valid` labels count, and the others are ignored."""
    rng = np.random.default_rng(seed)
    shape = run.inputs["y"]["shape"]
    labels = rng.integers(0, CLASSES, shape)
    labels[..., : shape[-1] - valid] = IGNORED
    return {"x": rng.standard_normal(run.inputs["x"]["shape"]).astype("f4"), "y": labels}


def as_one_process(made, batches):
    """The oracle's mean over all labels that count, whichever way the model says it."""
    graph = Graph.load(made)
    shifted = "w" in graph.initializers
    loss = "cross_entropy(logits,y%s)" % (",shift=1" if shifted else "")
    parameters = {n: graph.initializers[n] for n in graph.float_initializers()}
    graph.outputs, graph.inputs = ["logits"], ["x"]
    return loss_and_gradients(graph, loss, parameters, batches)


@pytest.mark.parametrize("valid", [(0, 3), (3, 0), (1, 2)], ids=str)
def test_the_mean_is_over_all_that_count(case, valid):
    made, module = case
    with session(module) as run:
        batches = [micro_batch(run, count, seed) for seed, count in enumerate(valid)]
        loss, gradients = run.accumulated(batches)
        assert run.get("dsc.report.skipped") == 0
    wanted, of_oracle = as_one_process(made, batches)
    assert loss == pytest.approx(float(wanted), rel=1e-6)
    check_gradients(gradients, of_oracle)


def test_nothing_counts_anywhere(case):
    """The loss is 0, and the update changes nothing."""
    _, module = case
    with session(module) as run:
        batches = [micro_batch(run, 0, seed) for seed in range(2)]
        before = {name: run.read(name) for name in run.trained()}
        run.bind_all(batches[0])
        run.run("step")
        assert run.train_step(**batches[1]) == 0.0
        for name, old in before.items():
            np.testing.assert_array_equal(run.read(name), old)
