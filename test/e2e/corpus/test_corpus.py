"""Other people's models: what they are known to give, and first gradients."""

import numpy as np
import onnx
import pytest
from harness import tolerance
from harness.compare import check_gradients
from harness.golden import LOSSES, golden
from harness.session import session
from harness.tools import compile_model, run
from oracle import Graph, loss_and_gradients
from safetensors.numpy import save_file

GOLDEN_FLAGS = [
    "--bind",
    "input-0=2x784",
    "--bind",
    "labels=2",
    "--train=fc.*",
    "--optimizer=adam",
    "--adam-epsilon=uncorrected",
    "--eps=1e-6",
    "--lr=1e-3",
]


def test_golden_ort_mnist(corpus, tmp_path):
    """Parameters are graph inputs, labels int32; the second loss tells Adam's two
    epsilon placements apart."""
    parameters, batch = golden(corpus)
    save_file(parameters, tmp_path / "w.safetensors")
    weights = "--weights=%s" % (tmp_path / "w.safetensors")
    model = corpus / "ort_tapi_eval_model.onnx"
    module = compile_model(model, tmp_path / "golden.so", weights, *GOLDEN_FLAGS)
    with session(module, batch) as running:
        losses = [running.train_step() for _ in range(2)]
    assert losses == pytest.approx(LOSSES, rel=tolerance.GOLDEN)


def first_gradients(path, module, batch, loss):
    graph = Graph.load(path)
    with session(module, batch) as running:
        names = running.trained()
        assert names
        parameters = {name: graph.initializers[name] for name in names}
        value, wanted = loss_and_gradients(graph, loss, parameters, batch)
        assert running.eval_loss() == pytest.approx(float(value), rel=1e-5)
        check_gradients(running.gradients(), wanted)
    return set(names)


MODELS = {
    "ort_mnist_mlp.onnx": "sum(predictions)",
    "marabou_shared_weights.onnx": "sum(output_2)",
}


@pytest.mark.parametrize("name", MODELS)
def test_first_gradients(corpus, name, tmp_path):
    loss = MODELS[name]
    module = compile_model(corpus / name, tmp_path / "model.so", "--loss=" + loss)
    graph = Graph.load(corpus / name)
    rng = np.random.default_rng(2)
    batch = {
        i.name: rng.uniform(-1, 1, [d.dim_value for d in i.type.tensor_type.shape.dim])
        for i in onnx.load(corpus / name).graph.input
        if i.name not in graph.initializers
    }
    batch = {k: v.astype(np.float32) for k, v in batch.items()}
    trained = first_gradients(corpus / name, module, batch, loss)
    if name == "ort_mnist_mlp.onnx":
        assert trained == {"W1", "W2", "W3", "B1", "B2", "B3"}


def test_mnist_with_cross_entropy(corpus, tmp_path):
    """A loss on a new input, against a graph that has none."""
    path, loss = corpus / "ort_mnist_mlp.onnx", "cross_entropy(predictions,labels)"
    module = compile_model(path, tmp_path / "model.so", "--loss=" + loss)
    x = np.random.default_rng(2).uniform(0, 1, (1, 784)).astype(np.float32)
    first_gradients(path, module, {"X": x, "labels": np.array([3])}, loss)
