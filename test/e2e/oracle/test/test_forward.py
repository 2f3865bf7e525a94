"""The oracle's forward values against ONNX Runtime and the ONNX node tests."""

import numpy as np
import onnxruntime
import pytest
from harness.compare import relative_error
from harness.models import mlp
from harness.node_tests import node_tests
from ops.build import build
from ops.cases import GROUPS
from oracle import Graph, evaluate
from oracle.ops import OPS

# f32 against float64 on a few dozen operations.
F32 = 1e-5


def run_onnxruntime(model, feeds):
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return session.run(None, feeds)


@pytest.mark.parametrize("group", [g for g in GROUPS if g.name != "empty"], ids=lambda g: g.name)
def test_operators(group):
    model, feeds = build(group)
    (wanted,) = run_onnxruntime(model, feeds)
    assert relative_error(evaluate(Graph.load(model), feeds)["loss"], wanted) < F32


@pytest.mark.parametrize("activation", ["Relu", "Tanh", "Sigmoid"])
@pytest.mark.parametrize("form", ["Gemm", "MatMul"])
def test_mlp(activation, form):
    model = mlp([5, 7, 3], activation, form=form)
    feeds = {"x": np.random.default_rng(1).standard_normal((4, 5)).astype(np.float32)}
    (wanted,) = run_onnxruntime(model, feeds)
    assert relative_error(evaluate(Graph.load(model), feeds)["logits"], wanted) < F32


DRAWING_RANDOM_NUMBERS = "test_training_dropout"
NODE_TESTS = [c for c in node_tests(OPS) if not c.name.startswith(DRAWING_RANDOM_NUMBERS)]


@pytest.mark.parametrize("case", NODE_TESTS, ids=lambda c: c.name)
def test_node_tests(case):
    graph = Graph.load(case.model)
    for inputs, outputs in case.data_sets:
        got = evaluate(graph, dict(zip(graph.inputs, inputs)))
        for name, wanted in zip(graph.outputs, outputs):
            np.testing.assert_allclose(got[name], wanted, rtol=2e-3, atol=1e-5)
