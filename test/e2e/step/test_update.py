"""What an update does at the edges: padding, ignored labels, micro-batches, infinities."""

import numpy as np
import onnx
import pytest
from harness.compare import check_gradients
from harness.models import mlp
from harness.session import session
from harness.tools import compile_model
from oracle import Graph, Sgd, loss_and_gradients, train

BATCH, LOSS = 4, "cross_entropy(logits,y)"
SGD = ["--optimizer=sgd", "--lr=0.5"]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """(graph, initial parameters, module) of a small classifier under SGD."""
    folder = tmp_path_factory.mktemp("update")
    model = mlp([6, 5, 3])
    onnx.save(model, folder / "mlp.onnx")
    flags = ["--bind", "batch=%d" % BATCH, "--loss=" + LOSS, *SGD]
    module = compile_model(folder / "mlp.onnx", folder / "mlp.so", *flags)
    graph = Graph.load(model)
    return graph, {n: graph.initializers[n] for n in graph.float_initializers()}, module


def batch(seed=3):
    rng = np.random.default_rng(seed)
    return {"x": rng.standard_normal((BATCH, 6)).astype("f4"), "y": rng.integers(0, 3, BATCH)}


def parameters_of(run):
    return {name: run.read(name) for name in run.trained()}


def test_padded_samples_do_not_count(trained):
    """A short last batch is filled up with samples of weight 0."""
    graph, initial, module = trained
    full = batch()
    short = {name: array[:3] for name, array in full.items()}
    wanted = train(graph, LOSS, initial, [short], Sgd(0.5))
    with session(module, full) as run:
        run.bind_all({"dsc.sample_weight": [1, 1, 1, 0]})
        assert run.train_step() == pytest.approx(wanted.losses[0], rel=1e-6)
        check_gradients(parameters_of(run), wanted.parameters)


def test_micro_batches_are_one_batch(trained):
    """step then step_last accumulate; unequal weights count by sample."""
    graph, initial, module = trained
    first, second = batch(1), batch(2)
    second["y"][:] = [-100, 2, -100, -100]
    wanted = train(graph, LOSS, initial, [[first, second]], Sgd(0.5))
    with session(module, first) as run:
        run.run("step")
        assert run.train_step(**second) == pytest.approx(wanted.losses[0], rel=1e-6)
        check_gradients(parameters_of(run), wanted.parameters)


def test_update_clears_the_accumulators(trained):
    graph, initial, module = trained
    batches = [batch(1), batch(2)]
    wanted = train(graph, LOSS, initial, batches, Sgd(0.5))
    with session(module) as run:
        losses = [run.train_step(**b) for b in batches]
        np.testing.assert_allclose(losses, wanted.losses, rtol=1e-6)
        assert all(not run.read(name + ".grad").any() for name in run.trained())


def test_all_labels_ignored(trained):
    """0 / 0 is a loss of 0 that changes nothing."""
    _, initial, module = trained
    nothing = {**batch(), "y": np.full(BATCH, -100)}
    with session(module, nothing) as run:
        before = parameters_of(run)
        assert run.train_step() == 0.0
        for name, value in parameters_of(run).items():
            np.testing.assert_array_equal(value, before[name])


@pytest.mark.parametrize("poison", [np.inf, -np.inf, np.nan])
def test_a_non_finite_step_is_skipped(trained, poison):
    """Nothing is updated, the skip is counted, and the next step is as if it had not been."""
    graph, initial, module = trained
    bad, good = batch(1), batch(2)
    bad["x"][1, 2] = poison
    wanted = train(graph, LOSS, initial, [good], Sgd(0.5))
    with session(module, bad) as run:
        before = parameters_of(run)
        run.train_step()
        assert run.get("dsc.report.skipped") == 1
        assert run.get("dsc.applied_steps") == 0
        for name, value in parameters_of(run).items():
            np.testing.assert_array_equal(value, before[name])
        assert run.train_step(**good) == pytest.approx(wanted.losses[0], rel=1e-6)
        assert run.get("dsc.applied_steps") == 1
        check_gradients(parameters_of(run), wanted.parameters)


def test_reported_norm_is_that_of_the_mean_gradient(trained):
    graph, initial, module = trained
    _, gradients = loss_and_gradients(graph, LOSS, initial, batch())
    norm = np.sqrt(sum(float(np.sum(g * g)) for g in gradients.values()))
    with session(module) as run:
        run.train_step(**batch())
        assert run.get("dsc.report.grad_norm") == pytest.approx(norm, rel=1e-5)
        assert run.get("dsc.report.weight") == BATCH


def test_eval_counts_correct_answers(trained):
    graph, initial, module = trained
    data = batch()
    with session(module, data) as run:
        run.run("eval")
        logits = run.output("eval", "logits")
        assert run.get("dsc.eval_correct") == np.sum(logits.argmax(1) == data["y"])
        assert run.get("dsc.eval_weight") == BATCH
