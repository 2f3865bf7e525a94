"""H3: exporters merge parameters that happen to be equal into one initializer; they
must train apart."""

import numpy as np
import onnx
import pytest
from harness.check import gradients_as_oracle
from harness.models import model, node, value
from harness.session import session
from harness.tools import compile_model
from onnx import TensorProto

WIDTH = 4
LOSS = "mse(y,target)"


def network(names):
    """Two layers x -> tanh(x w) scale + shift whose scales and shifts are the same
    initializers, under `names` of their own where those differ."""
    rng = np.random.default_rng(0)
    initializers = {
        "first.scale": np.ones(WIDTH, np.float32),
        "first.shift": np.zeros(WIDTH, np.float32),
    }
    nodes, current = [], "x"
    for name, source in names.items():
        nodes.append(node("Identity", [source], [name]))
    for layer in ("first", "second"):
        weight, (scale, shift) = layer + ".w", (layer + ".scale", layer + ".shift")
        initializers[weight] = rng.standard_normal((WIDTH, WIDTH)).astype(np.float32)
        nodes += [
            node("MatMul", [current, weight], [layer + ".h"]),
            node("Tanh", [layer + ".h"], [layer + ".t"]),
            node("Mul", [layer + ".t", scale], [layer + ".m"]),
            node("Add", [layer + ".m", shift], [layer + ".y"]),
        ]
        current = layer + ".y"
    nodes.append(node("Identity", [current], ["y"]))
    x, y = (value(name, TensorProto.FLOAT, [3, WIDTH]) for name in "xy")
    return model(nodes, [x], [y], initializers)


NAMES = {
    # One user is left with the initializer's own name.
    "direct": {"second.scale": "first.scale", "second.shift": "first.shift"},
    # An Identity of an Identity.
    "chain": {
        "between.scale": "first.scale",
        "second.scale": "between.scale",
        "second.shift": "first.shift",
    },
}
PARAMETERS = [part + end for part in ("first.", "second.") for end in ("scale", "shift", "w")]


def feeds():
    rng = np.random.default_rng(1)
    return {n: rng.standard_normal((3, WIDTH)).astype(np.float32) for n in ("x", "target")}


@pytest.mark.parametrize("names", NAMES)
def test_each_name_has_its_gradient(names, tmp_path):
    gradients = gradients_as_oracle(network(NAMES[names]), tmp_path, LOSS, feeds())
    assert sorted(gradients) == sorted(PARAMETERS)


@pytest.mark.parametrize("names", NAMES)
def test_they_part_at_the_first_step(names, tmp_path):
    onnx.save(network(NAMES[names]), tmp_path / "m.onnx")
    module = compile_model(tmp_path / "m.onnx", tmp_path / "m.so", "--loss=" + LOSS)
    with session(module) as run:
        for end in ("scale", "shift"):
            first, second = run.read("first." + end), run.read("second." + end)
            np.testing.assert_array_equal(first, second)
        run.train_step(**feeds())
        for end in ("scale", "shift"):
            first, second = run.read("first." + end), run.read("second." + end)
            assert not np.array_equal(first, second), end


def test_a_tie_brings_them_together_again(tmp_path):
    """Who has really shared a scale says so."""
    made = network(NAMES["direct"])
    flags = ["--loss=" + LOSS, "--tie=first.scale=second.scale"]
    onnx.save(made, tmp_path / "m.onnx")
    module = compile_model(tmp_path / "m.onnx", tmp_path / "m.so", *flags)
    with session(module) as run:
        assert sorted(run.trained()) == sorted(set(PARAMETERS) - {"second.scale"})
