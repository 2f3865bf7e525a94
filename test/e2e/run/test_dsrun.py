"""dsrun as a user runs it: files in, lines and files out."""

import json

import numpy as np
import onnx
import pytest
from harness.compare import check_gradients, check_losses
from harness.models import mlp
from harness.tools import compile_model, run, train_module
from oracle import Graph, Sgd, evaluate, train
from safetensors.numpy import load_file, save_file

BATCH, SAMPLES, LOSS = 4, 10, "cross_entropy(logits,y)"  # 10 = 4 + 4 + 2


class Work:
    """A compiled model and its data in a folder."""

    def __init__(self, folder):
        self.folder, model = folder, mlp([6, 5, 3])
        self.graph = Graph.load(model)
        self.initial = {n: self.graph.initializers[n] for n in self.graph.float_initializers()}
        onnx.save(model, folder / "m.onnx")
        flags = ["--bind", "batch=%d" % BATCH, "--loss=" + LOSS, "--optimizer=sgd", "--lr=0.5"]
        self.module = compile_model(folder / "m.onnx", folder / "m.so", *flags)
        rng = np.random.default_rng(4)
        self.x = rng.standard_normal((SAMPLES, 6)).astype(np.float32)
        self.y = rng.integers(0, 3, SAMPLES)
        np.save(folder / "x.npy", self.x)
        np.save(folder / "y.npy", self.y)
        self.data = ["--input", "x=%s" % (folder / "x.npy"), "--input", "y=%s" % (folder / "y.npy")]

    def batches(self):
        for begin in range(0, SAMPLES, BATCH):
            yield {"x": self.x[begin : begin + BATCH], "y": self.y[begin : begin + BATCH]}

    def oracle(self, epochs):
        batches = [b for _ in range(epochs) for b in self.batches()]
        return train(self.graph, LOSS, self.initial, batches, Sgd(0.5))


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    return Work(tmp_path_factory.mktemp("dsrun"))


def losses(lines):
    return [line["loss"] for line in lines]


def test_epochs_with_a_short_last_batch(work, tmp_path):
    saved = tmp_path / "trained.safetensors"
    lines = train_module(work.module, *work.data, "--epochs", 2, "--save", saved)
    wanted = work.oracle(2)
    check_losses(losses(lines), wanted.losses)
    check_gradients(load_file(saved), wanted.parameters)


@pytest.mark.parametrize("loss", ["cross_entropy(logits,y)", "mse(logits,t)"])
@pytest.mark.parametrize(
    "batch, flag", [(10, "--accumulate=1"), (1, "--global-batch=10"), (4, "--accumulate=9")]
)
def test_any_split_of_a_batch_gives_its_update(work, tmp_path, loss, batch, flag):
    """H20: a micro-batch counts by its labels, some of which are ignored, and its samples."""
    y, t = work.y.copy(), np.random.default_rng(5).standard_normal((SAMPLES, 3))
    y[[1, 2, 6]] = -100
    target = {"y": y} if "y" in loss else {"t": t.astype(np.float32)}
    wanted = train(work.graph, loss, work.initial, [{"x": work.x, **target}], Sgd(0.5))
    ((name, array),) = target.items()
    np.save(tmp_path / "target.npy", array)
    data = [*work.data[:2], "--input", "%s=%s" % (name, tmp_path / "target.npy")]
    flags = ["--bind=batch=%d" % batch, "--loss=" + loss, "--optimizer=sgd", "--lr=0.5"]
    module = compile_model(work.folder / "m.onnx", tmp_path / "m.so", *flags)
    saved = tmp_path / "w.safetensors"
    lines = train_module(module, *data, "--epochs=1", flag, "--save", saved)
    check_losses(losses(lines), wanted.losses)
    check_gradients(load_file(saved), wanted.parameters)


def test_metrics_have_the_documented_keys(work):
    lines = train_module(work.module, *work.data, "--steps", 2, "--eval", "--eval-every", 1)
    assert [line["step"] for line in lines] == [1, 2]
    for line in lines:
        assert {"step", "loss", "lr", "grad_norm", "samples", "step_seconds"} <= set(line)
        assert line["lr"] == 0.5 and line["grad_norm"] > 0 and line["step_seconds"] > 0


def test_steps_go_round_the_data(work):
    lines = train_module(work.module, *work.data, "--steps", 5)
    check_losses(losses(lines), work.oracle(2).losses[:5])


def test_numbers_are_given_at_run_time(work):
    lines = train_module(work.module, *work.data, "--steps", 2, "--lr", "0")
    assert losses(lines)[0] > 0 and lines[1]["lr"] == 0


@pytest.mark.parametrize("seed", [1, 2])
def test_a_seed_shuffles_reproducibly(work, seed):
    first = losses(train_module(work.module, *work.data, "--epochs", 2, "--seed", seed))
    again = losses(train_module(work.module, *work.data, "--epochs", 2, "--seed", seed))
    assert first == again
    in_order = losses(train_module(work.module, *work.data, "--epochs", 2))
    assert first != in_order


def test_evaluation_of_held_out_data(work, tmp_path):
    result = run(
        "dsrun", work.module, *work.data, "--eval", "--write-outputs", tmp_path / "outputs"
    )
    assert result.code == 0, str(result)
    logits = evaluate(work.graph, {"x": work.x})["logits"]
    written = np.load(tmp_path / "outputs" / "logits.npy")
    assert written.shape == logits.shape
    np.testing.assert_allclose(written, logits, rtol=1e-5, atol=1e-5)
    correct = np.sum(logits.argmax(1) == work.y)
    assert "accuracy %.2f%% (%d of 10)" % (10 * correct, correct) in result.out


def test_archives_of_several_arrays(work, tmp_path):
    np.savez(tmp_path / "data.npz", images=work.x)
    save_file({"labels": work.y}, tmp_path / "data.safetensors")
    inputs = [
        "--input",
        "x=%s:images" % (tmp_path / "data.npz"),
        "--input",
        "y=%s:labels" % (tmp_path / "data.safetensors"),
    ]
    lines = train_module(work.module, *inputs, "--epochs", 1)
    check_losses(losses(lines), work.oracle(1).losses)


def test_training_goes_on_from_saved_weights(work, tmp_path):
    saved = tmp_path / "half.safetensors"
    train_module(work.module, *work.data, "--epochs", 1, "--save", saved)
    lines = train_module(work.module, *work.data, "--epochs", 1, "--weights", saved)
    check_losses(losses(lines), work.oracle(2).losses[3:])


def test_export_beside_training(work, tmp_path):
    out = tmp_path / "out.onnx"
    train_module(work.module, *work.data, "--epochs", 1, "--export", out)
    exported = Graph.load(out)
    wanted = work.oracle(1).parameters
    check_gradients({n: exported.initializers[n] for n in wanted}, wanted)


def test_output_that_is_no_terminal_has_whole_lines(work):
    result = run("dsrun", work.module, *work.data, "--epochs", 2)
    assert "\r" not in result.out + result.err and "\x1b" not in result.out + result.err
    assert "loss" in result.out


def test_json_has_no_bare_infinity(work, tmp_path):
    """A step that is skipped for an infinite loss is still a line that parses."""
    x = work.x.copy()
    x[0, 0] = np.inf
    np.save(tmp_path / "x.npy", x)
    inputs = ["--input", "x=%s" % (tmp_path / "x.npy"), *work.data[2:]]
    metrics = tmp_path / "m.jsonl"
    result = run("dsrun", work.module, *inputs, "--epochs", 1, "--metrics", metrics)
    assert result.code == 0, str(result)

    def reject(name):
        raise ValueError(name)

    lines = [json.loads(t, parse_constant=reject) for t in metrics.read_text().splitlines()]
    assert len(lines) == 3
