"""H1: whether an operator has a gradient must not depend on its optional outputs."""

import numpy as np
import pytest
from harness.check import gradients_as_oracle
from harness.models import decomposed_layer_norm, model, node, value
from onnx import TensorProto

ROWS, WIDTH, EPSILON = 3, 6, 1e-5
OUTPUTS = [["y"], ["y", "mean"], ["y", "", "inverse"], ["y", "mean", "inverse"]]


def parameters():
    rng = np.random.default_rng(1)
    return {
        "w": rng.standard_normal((ROWS, WIDTH)).astype(np.float32),
        "scale": rng.uniform(0.5, 1.5, WIDTH).astype(np.float32),
        "bias": rng.standard_normal(WIDTH).astype(np.float32),
    }


def layer_norm(outputs):
    return [node("LayerNormalization", ["w", "scale", "bias"], outputs, epsilon=EPSILON)]


def gradients(nodes, folder, constants=None, output="y", width=WIDTH, flags=()):
    folder.mkdir()
    y = value(output, TensorProto.FLOAT, [ROWS, width])
    made = model(nodes, [], [y], {**parameters(), **(constants or {})})
    target = np.linspace(-1, 1, ROWS * width, dtype=np.float32).reshape(ROWS, width)
    return gradients_as_oracle(
        made, folder, "mse(%s,target)" % output, {"target": target}, "--precision=f64", *flags
    )


@pytest.mark.parametrize("outputs", OUTPUTS, ids=lambda names: "".join(n[:1] or "_" for n in names))
def test_unused_outputs_change_nothing(outputs, tmp_path):
    alone = gradients(layer_norm(["y"]), tmp_path / "alone")
    more = gradients(layer_norm(outputs), tmp_path / "more")
    assert set(alone) == {"w", "scale", "bias"}
    for name, gradient in alone.items():
        np.testing.assert_array_equal(more[name], gradient, err_msg=name)


def test_decomposed_form_has_the_same_gradients(tmp_path):
    alone = gradients(layer_norm(["y"]), tmp_path / "alone")
    numbers = {"two": np.float32(2), "epsilon": np.float32(EPSILON)}
    apart = gradients(decomposed_layer_norm("w"), tmp_path / "apart", numbers, flags=["--freeze=two|epsilon"])
    for name, gradient in alone.items():
        np.testing.assert_allclose(apart[name], gradient, rtol=1e-9, err_msg=name)


@pytest.mark.parametrize("statistic", ["mean", "inverse"])
def test_used_statistics_pass_gradients(statistic, tmp_path):
    """Alone, so that nothing but the statistic has a gradient."""
    nodes = layer_norm(["y", "mean", "inverse"])
    got = gradients(nodes, tmp_path / "one", output=statistic, width=1)
    assert np.linalg.norm(got["w"]) > 0


def test_all_three_outputs_used(tmp_path):
    nodes = layer_norm(["y", "mean", "inverse"])
    nodes.append(node("Mul", ["y", "inverse"], ["product"]))
    nodes.append(node("Add", ["product", "mean"], ["total"]))
    gradients(nodes, tmp_path / "all", output="total")


@pytest.mark.parametrize("outputs", [["loss"], ["loss", "log_prob"]], ids=["one", "two"])
def test_loss_with_its_optional_output(outputs, tmp_path):
    """SoftmaxCrossEntropyLoss, the other operator with an optional output."""
    nodes = [node("SoftmaxCrossEntropyLoss", ["w", "labels"], outputs)]
    labels = value("labels", TensorProto.INT64, [ROWS])
    loss = value("loss", TensorProto.FLOAT, [])
    made = model(nodes, [labels], [loss], {"w": parameters()["w"]})
    gradients_as_oracle(made, tmp_path, "loss", {"labels": np.arange(ROWS)}, "--precision=f64")
