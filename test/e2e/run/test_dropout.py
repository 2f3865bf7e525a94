"""Dropout as a run of dsrun draws it: by seed and micro-batch, and not in evaluation."""

import numpy as np
import onnx
import pytest
from harness.models import model, node, value
from harness.tools import compile_model, run, train_module

BATCH, WIDTH = 4, 16


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dropout")
    ratio, training = np.float32(0.5), np.array(True)
    made = model(
        [
            node("Dropout", ["x", "ratio", "training"], ["kept"], "drop"),
            node("MatMul", ["kept", "w"], ["y"]),
        ],
        [value("x", onnx.TensorProto.FLOAT, ["batch", WIDTH])],
        [value("y", onnx.TensorProto.FLOAT, ["batch", 1])],
        {
            "w": np.linspace(1, 2, WIDTH, dtype=np.float32)[:, None],
            "ratio": ratio,
            "training": training,
        },
    )
    onnx.save(made, folder / "m.onnx")
    flags = ["--bind=batch=%d" % BATCH, "--loss=sum(y)", "--optimizer=sgd", "--lr=0"]
    module = compile_model(folder / "m.onnx", folder / "m.so", *flags)
    # All samples are alike, so that their order changes nothing.
    np.save(folder / "x.npy", np.ones((BATCH, WIDTH), np.float32))
    return module, ["--input", "x=%s" % (folder / "x.npy")]


def losses(work, *flags):
    return [line["loss"] for line in train_module(work[0], *work[1], *flags)]


def test_a_seed_draws_the_masks(work):
    first = losses(work, "--steps=4", "--seed=1")
    assert first == losses(work, "--steps=4", "--seed=1")
    assert first == losses(work, "--steps=4", "--seed=1", "--threads=3")
    assert len(set(first)) == 4, "each update has a mask of its own"
    assert not set(first) & set(losses(work, "--steps=4", "--seed=2"))
    # All bits count, also those that a double cannot hold.
    large = [losses(work, "--steps=4", "--seed=%d" % seed) for seed in (2**53, 2**53 + 1)]
    assert large[0] != large[1]
    assert losses(work, "--steps=4") == losses(work, "--steps=4", "--seed=0")


def test_each_micro_batch_has_a_mask_of_its_own(work):
    """The third micro-batch draws the same, in whichever update it comes."""
    np.save(work[0].parent / "x4.npy", np.ones((4 * BATCH, WIDTH), np.float32))
    data = ["--input", "x=%s" % (work[0].parent / "x4.npy"), "--epochs=1"]
    alone = [line["loss"] for line in train_module(work[0], *data)]
    pairs = [line["loss"] for line in train_module(work[0], *data, "--accumulate=2")]
    np.testing.assert_allclose(pairs, [sum(alone[:2]) / 2, sum(alone[2:]) / 2], rtol=1e-6)


def test_evaluation_drops_nothing(work):
    result = run("dsrun", work[0], *work[1], "--eval", "--seed=1")
    assert "eval: step 0  loss %g" % (BATCH * WIDTH * 1.5) in result.out, str(result)
