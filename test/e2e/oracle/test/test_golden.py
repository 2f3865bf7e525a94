"""The oracle against ONNX Runtime's recorded training trace."""

import pytest
from harness.golden import LOSSES, golden
from harness.tolerance import GOLDEN
from oracle import Adam, Graph, train


def losses(corpus, placement):
    parameters, batch = golden(corpus)
    graph = Graph.load(corpus / "ort_tapi_eval_model.onnx")
    optimizer = Adam(1e-3, eps=1e-6, epsilon_placement=placement)
    return train(graph, graph.outputs[0], parameters, [batch, batch], optimizer).losses


def test_losses(corpus):
    assert losses(corpus, "uncorrected") == pytest.approx(LOSSES, rel=GOLDEN)


def test_the_other_epsilon_is_told_apart(corpus):
    assert losses(corpus, "corrected")[1] == pytest.approx(0.3583272, rel=GOLDEN)
