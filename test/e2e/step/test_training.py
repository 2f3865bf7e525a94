"""Ten steps of dsc against the oracle and against recorded PyTorch values."""

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from harness import tolerance
from harness.compare import check_gradients, check_losses
from harness.session import session
from harness.tools import compile_model
from oracle import Graph, train

from step.cases import CASES

RECORDED = json.loads((Path(__file__).parent / "pytorch.json").read_text())["cases"]


def train_with_dsc(module, batches):
    """(losses, rates, first gradients, final parameters)"""
    losses, rates, first = [], [], None
    with session(module) as run:
        for batch in batches:
            run.bind_all(batch)
            if first is None:
                first = run.gradients()
            losses.append(run.train_step())
            rates.append(run.get("dsc.report.lr"))
        return losses, rates, first, {name: run.read(name) for name in run.trained()}


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_ten_steps(case, tmp_path):
    model = case.build()
    onnx.save(model, tmp_path / "mlp.onnx")
    module = compile_model(tmp_path / "mlp.onnx", tmp_path / "mlp.so", *case.compile_flags())
    losses, rates, gradients, parameters = train_with_dsc(module, case.batches())

    graph = Graph.load(model)
    initial = {n: graph.initializers[n] for n in graph.float_initializers()}
    trace = train(
        graph, case.loss, initial, case.batches(), case.optimizer(), case.schedule, case.clip_norm
    )
    check_gradients(gradients, trace.first_gradients)
    check_losses(losses, trace.losses)
    np.testing.assert_allclose(rates, trace.learning_rates, rtol=1e-12, atol=1e-15)
    check_gradients(parameters, trace.parameters, tolerance.PARAMETER)

    if case.torch:
        recorded = RECORDED[case.name]
        check_losses(losses, recorded["losses"])
        wanted = {n: np.reshape(g, initial[n].shape) for n, g in recorded["gradients"].items()}
        check_gradients(gradients, wanted)
