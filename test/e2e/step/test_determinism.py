"""Same module, data and seed: same bits, whatever the threads, run or ZeRO stage."""

import numpy as np
import onnx
import pytest
from harness.models import mlp
from harness.session import session
from harness.tools import compile_model

BATCH, SIZES, STEPS = 48, [96, 130, 70, 10], 4  # large enough to be split, and unevenly


def flags(*more):
    return ["--bind", "batch=%d" % BATCH, "--loss=cross_entropy(logits,y)", "--clip-norm=1", *more]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("determinism") / "mlp.onnx"
    onnx.save(mlp(SIZES), path)
    return path


@pytest.fixture(scope="module")
def reference(model):
    return trained_state(compile_model(model, model.with_suffix(".so"), *flags()))


def trained_state(module, threads=1):
    """Parameters and losses after some steps, as bytes."""
    rng = np.random.default_rng(5)
    with session(module, threads=threads) as run:
        losses = [
            run.train_step(
                x=rng.standard_normal((BATCH, SIZES[0])), y=rng.integers(0, SIZES[-1], BATCH)
            )
            for _ in range(STEPS)
        ]
        states = {n: run.read(n).tobytes() for n in run.trained()}
    return {"losses": np.array(losses).tobytes(), **states}


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_and_runs(model, reference, threads):
    assert trained_state(model.with_suffix(".so"), threads) == reference


@pytest.mark.parametrize("flag", ["-zero=1", "-zero=2", "-zero=3", "--schedule-stage=off"])
def test_options_that_move_data_only(model, reference, flag, tmp_path):
    module = compile_model(model, tmp_path / "other.so", *flags(flag))
    assert trained_state(module) == reference


def test_compiling_twice_gives_the_same_bytes(model, reference, tmp_path):
    """The output's own name is in the manifest, so it is the same in both folders."""
    again = compile_model(model, tmp_path / "mlp.so", *flags())
    assert again.read_bytes() == model.with_suffix(".so").read_bytes()
