"""Each operator's gradient, compiled in f64 through the host target.

Held against central differences of dsc's own forward (is it the derivative of
what dsc computes?) and against the oracle (is it what the operator means?).
"""

import numpy as np
import onnx
import pytest
from harness.compare import check_gradients
from harness.differences import central_differences
from harness.session import session
from harness.tolerance import DIFFERENCE, GRADIENT_F64
from harness.tools import compile_model
from ops.build import build
from ops.cases import GROUPS
from ops.index_cases import INDEX_GROUPS
from oracle import Graph, evaluate, loss_and_gradients


@pytest.mark.parametrize("group", GROUPS + INDEX_GROUPS, ids=lambda g: g.name)
def test_gradient(group, tmp_path):
    model, feeds = build(group)
    onnx.save(model, tmp_path / "op.onnx")
    module = compile_model(
        tmp_path / "op.onnx", tmp_path / "op.so", "--precision=f64", "--loss=loss", *group.flags
    )
    graph, parameters = Graph.load(model), group.operands()
    with session(module, feeds) as run:
        assert sorted(run.trained()) == sorted(parameters)
        loss = float(evaluate(graph, feeds)["loss"])
        assert run.eval_loss() == pytest.approx(loss, rel=GRADIENT_F64)

        gradients = run.gradients()
        _, wanted = loss_and_gradients(graph, "loss", parameters, feeds)
        check_gradients(gradients, wanted, GRADIENT_F64)

        def loss_at(values):
            for name, value in values.items():
                run.write(name, value)
            return run.eval_loss()

        check_gradients(gradients, central_differences(loss_at, parameters), DIFFERENCE)
        assert all(np.isfinite(g).all() for g in gradients.values())
