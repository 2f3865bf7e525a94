"""The oracle's gradients against central differences of its own forward."""

import numpy as np
import pytest
from harness.compare import check_gradients
from harness.differences import central_differences
from harness.models import mlp
from harness.tolerance import DIFFERENCE
from ops.build import build
from ops.cases import GROUPS
from oracle import Graph, evaluate, loss_and_gradients


@pytest.mark.parametrize("group", GROUPS, ids=lambda g: g.name)
def test_operators(group):
    model, feeds = build(group)
    graph, parameters = Graph.load(model), group.operands()
    _, gradients = loss_and_gradients(graph, "loss", parameters, feeds)
    differences = central_differences(
        lambda values: float(evaluate(graph, {**feeds, **values})["loss"]), parameters
    )
    check_gradients(gradients, differences, DIFFERENCE)


LOSSES = {
    "cross_entropy(logits,y)": np.array([0, 2, 1, 2]),
    "cross_entropy(logits,y,ignore=1)": np.array([0, 2, 1, 2]),
    "mse(logits,y)": np.linspace(-1, 1, 12).reshape(4, 3),
    "bce_with_logits(logits,y)": np.linspace(0, 1, 12).reshape(4, 3),
    "sum(logits)": None,
}


@pytest.mark.parametrize("loss", LOSSES)
def test_losses(loss):
    model = mlp([5, 4, 3], "Tanh")
    graph = Graph.load(model)
    parameters = {n: graph.initializers[n] for n in graph.float_initializers()}
    batch = {"x": np.random.default_rng(1).standard_normal((4, 5)), "y": LOSSES[loss]}
    if LOSSES[loss] is None:
        del batch["y"]
    _, gradients = loss_and_gradients(graph, loss, parameters, batch)
    differences = central_differences(
        lambda values: float(loss_and_gradients(graph, loss, values, batch)[0]), parameters
    )
    check_gradients(gradients, differences, DIFFERENCE)


def test_micro_batches_weigh_samples_and_not_batches():
    """Any split of a batch into micro-batches is the same batch."""
    graph = Graph.load(mlp([5, 4, 3]))
    parameters = {n: graph.initializers[n] for n in graph.float_initializers()}
    x, y = np.random.default_rng(1).standard_normal((4, 5)), np.array([0, 2, -100, 2])
    whole = loss_and_gradients(graph, "cross_entropy(logits,y)", parameters, {"x": x, "y": y})
    parts = [{"x": x[:1], "y": y[:1]}, {"x": x[1:], "y": y[1:]}]
    split = loss_and_gradients(graph, "cross_entropy(logits,y)", parameters, parts)
    assert abs(whole[0] - split[0]) < 1e-14
    check_gradients(split[1], whole[1], 1e-13)
