"""nn.attention, raised from the nodes that exporters write, in f64.

All of its operands are trained, so that each of its gradients is compared with
the oracle's, which sees the nodes.
"""

from dataclasses import dataclass

import numpy as np
import onnx
import pytest
from harness.check import gradients_as_oracle
from harness.models import model, node, value
from harness.tools import run
from onnx import TensorProto

LOSS = "mse(y,target)"


@dataclass
class Shape:
    batch: tuple = (2, 3)
    queries: int = 5
    keys: int = 5
    depth: int = 4
    width: int = 4  # of the values


SHAPES = {
    "heads": Shape(),
    "one_batch_dim": Shape(batch=(3,)),
    "more_keys": Shape(queries=3, keys=7),
    "more_queries": Shape(queries=7, keys=3),
    "wide_values": Shape(width=6),
    "one_element": Shape((1, 1), 1, 1, 1, 1),
    "one_key": Shape(keys=1),
    "one_query": Shape(queries=1),
    "blocks": Shape((1, 2), 530, 530, 2, 2),
}


def attention(shape, causal=False, bias=None):
    """(model, feeds); `bias` is the shape of a trained tensor added to the scores."""
    rng = np.random.default_rng(0)
    b, tq, tk = shape.batch, shape.queries, shape.keys
    sizes = {
        "q": (*b, tq, shape.depth),
        "k": (*b, shape.depth, tk),
        "v": (*b, tk, shape.width),
    }
    parameters = {n: rng.standard_normal(s).astype(np.float32) for n, s in sizes.items()}
    constants = {"scale": np.array(0.4, np.float32)}
    nodes = [
        node("MatMul", ["q", "k"], ["products"]),
        node("Mul", ["products", "scale"], ["scores"]),
    ]
    scores = "scores"
    if bias is not None:
        parameters["bias"] = rng.standard_normal(bias).astype(np.float32)
        nodes.append(node("Add", [scores, "bias"], ["biased"]))
        scores = "biased"
    if causal:
        # The last query sees all keys.
        constants["seen"] = np.tril(np.ones((tq, tk), bool), tk - tq)
        constants["hidden"] = np.array(-np.inf, np.float32)
        nodes.append(node("Where", ["seen", scores, "hidden"], ["masked"]))
        scores = "masked"
    nodes += [
        node("Softmax", [scores], ["p"], axis=-1),
        node("MatMul", ["p", "v"], ["y"]),
    ]
    y = value("y", TensorProto.FLOAT, [*b, tq, shape.width])
    target = rng.standard_normal((*b, tq, shape.width)).astype(np.float32)
    return model(nodes, [], [y], {**parameters, **constants}), {"target": target}


def check(made, feeds, folder, wanted):
    flags = ["--precision=f64", "--freeze=.*", "--train=^(q|k|v|bias)$"]
    onnx.save(made, folder / "raised.onnx")
    raised = run("dsc", folder / "raised.onnx", "--emit=normalize", "--loss=" + LOSS, *flags)
    assert raised.out.count(" = nn.attention ") == 1 and wanted in raised.out, str(raised)
    gradients = gradients_as_oracle(made, folder, LOSS, feeds, *flags)
    assert set(gradients) == {n.name for n in made.graph.initializer} & {"q", "k", "v", "bias"}


@pytest.mark.parametrize("name", SHAPES)
def test_all_keys(name, tmp_path):
    check(*attention(SHAPES[name]), tmp_path, "scale = 0.4")


@pytest.mark.parametrize("name", ["heads", "more_keys", "one_element", "one_query", "blocks"])
def test_causal(name, tmp_path):
    check(*attention(SHAPES[name], causal=True), tmp_path, "causal")


@pytest.mark.parametrize(
    "bias", [(2, 3, 5, 5), (1, 1, 5, 5), (2, 1, 1, 5), (1, 3, 5, 1), (1, 1, 1, 1)]
)
def test_trained_bias(bias, tmp_path):
    """Its gradient is a sum over what it was repeated along."""
    check(*attention(SHAPES["heads"], bias=bias), tmp_path, "bias")


def test_trained_bias_with_causal_mask_in_blocks(tmp_path):
    check(*attention(SHAPES["blocks"], causal=True, bias=(1, 2, 530, 530)), tmp_path, "bias")
