"""The oracle's training against recorded PyTorch values, both in float64."""

import json
from pathlib import Path

import numpy as np
import pytest
from harness.compare import check_gradients, check_losses
from oracle import Graph, train

from step.cases import CASES

RECORDED = json.loads((Path(__file__).parent / "pytorch.json").read_text())["cases"]

# Twelve recorded digits, and ten steps of float64 rounding in another order.
BOUND = 1e-9


def _like(recorded, parameters):
    return {name: np.reshape(v, parameters[name].shape) for name, v in recorded.items()}


@pytest.mark.parametrize("case", [c for c in CASES if c.torch], ids=lambda c: c.name)
def test_oracle_equals_pytorch(case):
    graph = Graph.load(case.build())
    parameters = {n: graph.initializers[n] for n in graph.float_initializers()}
    trace = train(
        graph,
        case.loss,
        parameters,
        case.batches(),
        case.optimizer(),
        case.schedule,
        case.clip_norm,
    )
    recorded = RECORDED[case.name]
    check_losses(trace.losses, recorded["losses"], BOUND)
    check_gradients(trace.first_gradients, _like(recorded["gradients"], parameters), BOUND)
    check_gradients(trace.parameters, _like(recorded["parameters"], parameters), BOUND)
