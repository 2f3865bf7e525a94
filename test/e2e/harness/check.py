"""One model, compiled and held against the oracle."""

import numpy as np
import onnx
import pytest
from oracle import Graph, Loss, loss_and_gradients

from . import tolerance
from .compare import check_gradients
from .session import session
from .tools import compile_model


def gradients_as_oracle(model, folder, loss, feeds, *flags, ties=(), bound=None):
    """Compiles `model` with `--loss=loss`, checks loss and every gradient of the
    batch `feeds` against the oracle, and returns dsc's gradients.

    With `--precision=f64` among the flags the bound is that of equal formulas;
    `ties` are --tie options, which the oracle follows.
    """
    onnx.save(model, folder / "model.onnx")
    options = [*flags, *("--tie=" + tie for tie in ties)]
    module = compile_model(folder / "model.onnx", folder / "model.so", "--loss=" + loss, *options)
    if bound is None:
        exact = "--precision=f64" in flags
        bound = tolerance.GRADIENT_F64 if exact else tolerance.GRADIENT
    graph = Graph.load(model).tied(ties)
    with session(module, feeds) as run:
        parameters = {name: run.read(name) for name in run.trained()}
        value, wanted = loss_and_gradients(graph, Loss(loss), parameters, feeds)
        # A sum may cancel: then only the rounding of its terms is left.
        assert run.eval_loss() == pytest.approx(float(value), rel=1e-5, abs=1e-6)
        gradients = run.gradients()
    check_gradients(gradients, wanted, bound)
    assert all(np.isfinite(g).all() for g in gradients.values())
    return gradients


def forward(module, feeds, *names):
    """Outputs of eval."""
    with session(module, feeds) as run:
        run.run("eval")
        return [run.output("eval", name) for name in names]
