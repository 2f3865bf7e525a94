"""--forward: the entry that only computes the model's outputs."""

import numpy as np
import onnx
import pytest
from harness import tolerance
from harness.models import mlp
from harness.session import session
from harness.tools import compile_model, run
from oracle import Graph, evaluate

BATCH = 4
FLAGS = ["--bind=batch=%d" % BATCH, "--forward"]


@pytest.fixture
def network(tmp_path):
    made = mlp([6, 5, 3], activation="Tanh")
    onnx.save(made, tmp_path / "m.onnx")
    return made


def feeds():
    x = np.random.default_rng(2).standard_normal((BATCH, 6)).astype(np.float32)
    return {"x": x}


@pytest.mark.parametrize("stage", [0, 1, 2, 3])
def test_alone(tmp_path, network, stage):
    module = compile_model(tmp_path / "m.onnx", tmp_path / "m.so", *FLAGS, "-zero=%d" % stage)
    with session(module, feeds()) as running:
        assert list(running.entries) == ["forward"]
        # No gradient, moment, counter or setting: only the model's tensors.
        assert set(running.states) == {p["name"] for p in running.manifest["parameters"]}
        assert running.trained() == []
        running.run("forward")
        got = running.output("forward", "logits")
    wanted = evaluate(Graph.load(network), feeds(), ["logits"])["logits"]
    np.testing.assert_allclose(got, wanted, rtol=tolerance.PREDICTION, atol=tolerance.PREDICTION)


def test_beside_training_it_takes_no_labels_and_follows_the_weights(tmp_path, network):
    loss = "--loss=cross_entropy(logits,y)"
    module = compile_model(
        tmp_path / "m.onnx", tmp_path / "m.so", *FLAGS, loss, "--optimizer=sgd", "--lr=0.5"
    )
    with session(module, {}) as running:
        assert [i["name"] for i in running.entries["forward"]["inputs"]] == ["x"]
        running.bind(**feeds(), y=np.array([0, 1, 2, 0]))
        running.run("forward")
        before = running.output("forward", "logits")
        running.run("step_last", "update", "forward")
        after = running.output("forward", "logits")
        running.run("eval")
        np.testing.assert_array_equal(after, running.output("eval", "logits"))
        assert np.abs(after - before).max() > 1e-3


def test_an_option_of_the_optimizer_needs_a_loss(tmp_path, network):
    result = run("dsc", "m.onnx", "-o", "m.so", *FLAGS, "--optimizer=sgd", cwd=tmp_path)
    assert result.code == 2
    assert "--optimizer has no effect with --forward alone" in result.first_line()
