"""Damaged models and modules: a message and exit code 1, never a crash."""

import numpy as np
import pytest
from bad_input.hostile import data, good, good_file
from harness.tools import compile_model, run

FLAGS = ["--bind=batch=4", "--loss=cross_entropy(logits,y)"]


@pytest.fixture
def count(request):
    return 400 if request.config.getoption("--long") else 8


def damaged(whole, rng):
    """A few bytes changed, a piece cut out, or the end cut off."""
    data = bytearray(whole)
    kind = rng.integers(3)
    at = int(rng.integers(len(data)))
    if kind == 0:
        for _ in range(rng.integers(1, 5)):
            data[rng.integers(len(data))] = rng.integers(256)
    elif kind == 1:
        del data[at : at + int(rng.integers(1, 20))]
    else:
        del data[at:]
    return bytes(data)


def test_models(count, tmp_path):
    """Stops after lower, since damage that is still a model compiles."""
    whole, rng = good().SerializeToString(), np.random.default_rng(1)
    for _ in range(count):
        (tmp_path / "m.onnx").write_bytes(damaged(whole, rng))
        result = run("dsc", tmp_path / "m.onnx", "--emit=lower", "-o", tmp_path / "m.mlir", *FLAGS)
        assert result.code in (0, 1), str(result)
        assert result.code == 0 or "error: " in result.err, str(result)


def test_weights_and_data(count, tmp_path):
    good_file(tmp_path)
    data(tmp_path)
    module = compile_model(tmp_path / "m.onnx", tmp_path / "m.so", *FLAGS)
    rng, inputs = np.random.default_rng(2), ["--input=x=x.npy", "--input=y=y.npy"]
    for name in ("m.weights.safetensors", "x.npy", "y.npy"):
        whole = (tmp_path / name).read_bytes()
        for _ in range(count):
            (tmp_path / name).write_bytes(damaged(whole, rng))
            result = run("dsrun", module, *inputs, "--epochs=1", cwd=tmp_path)
            assert result.code in (0, 1), str(result)
            assert result.code == 0 or "error: " in result.err, str(result)
        (tmp_path / name).write_bytes(whole)
