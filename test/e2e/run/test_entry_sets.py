"""A list of sizes in --bind: one module takes data of each of them."""

import numpy as np
import onnx
import pytest
from harness.models import model, node, value
from harness.tools import compile_model, run
from safetensors.numpy import load_file

BATCH, SAMPLES, LENGTHS = 4, 10, (3, 5)  # 10 = 4 + 4 + 2
FLAGS = ["--bind", "batch=%d" % BATCH, "--loss=mse(y,t)", "--lr=0.05"]


def rows():
    """y = x w on rows of a symbolic length."""
    w = np.linspace(-1, 1, 6, dtype=np.float32).reshape(3, 2)
    return model(
        [node("MatMul", ["x", "w"], ["y"])],
        [value("x", onnx.TensorProto.FLOAT, ["batch", "seq", 3])],
        [value("y", onnx.TensorProto.FLOAT, ["batch", "seq", 2])],
        {"w": w},
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sets")
    onnx.save(rows(), folder / "m.onnx")
    lists = "seq=%d,%d" % LENGTHS
    compile_model(folder / "m.onnx", folder / "sets.so", *FLAGS, "--bind", lists)
    rng = np.random.default_rng(5)
    for length in (*LENGTHS, 7):
        if length != 7:
            one = "seq=%d" % length
            compile_model(folder / "m.onnx", folder / ("only%d.so" % length), *FLAGS, "--bind", one)
        for name, width in (("x", 3), ("t", 2)):
            data = rng.standard_normal((SAMPLES, length, width)).astype(np.float32)
            np.save(folder / ("%s%d.npy" % (name, length)), data)
    return folder


def dsrun(folder, module, length, *arguments):
    data = []
    for name in "xt":
        data += ["--input", "%s=%s" % (name, folder / ("%s%d.npy" % (name, length)))]
    return run("dsrun", folder / module, *data, *arguments, cwd=folder)


@pytest.mark.parametrize("accumulate", [1, 2])
@pytest.mark.parametrize("length", LENGTHS)
def test_a_set_trains_as_a_module_of_its_size(folder, tmp_path, length, accumulate):
    outputs = []
    for module in ("sets.so", "only%d.so" % length):
        out = tmp_path / module
        saved = tmp_path / (module + ".safetensors")
        arguments = ["--epochs", 3, "--accumulate", accumulate]
        arguments += ["--save", saved, "--eval", "--write-outputs", out]
        result = dsrun(folder, module, length, *arguments)
        assert result.code == 0, str(result)
        outputs.append((load_file(saved)["w"], np.load(out / "y.npy")))
    (weights, predicted), (wanted_weights, wanted_predicted) = outputs
    # The nominal weight of the first set scales and unscales gradients, by
    # another number than that of a module of its own: the same to rounding.
    np.testing.assert_allclose(weights, wanted_weights, rtol=1e-5)
    assert predicted.shape == (SAMPLES, length, 2)
    np.testing.assert_allclose(predicted, wanted_predicted, rtol=1e-4, atol=1e-6)


def test_data_of_no_set_is_refused(folder):
    result = dsrun(folder, "sets.so", 7, "--steps", 1)
    assert result.code == 1, str(result)
    message = result.first_line()
    assert message.startswith("dsrun: error: --input: no set of entries takes"), message
    for shape in ("x [10, 7, 3]", "'step_last' takes", "'step_last.seq5' takes"):
        assert shape in message, message
