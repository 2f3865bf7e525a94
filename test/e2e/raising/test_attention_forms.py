"""Attention in the spellings of many exporters: is each raised to the form that a
person expects, and are its gradients still those of what was written?"""

import numpy as np
import onnx
import pytest
from harness.check import gradients_as_oracle
from harness.models import model, node, value
from onnx import TensorProto
from raising.test_raising import count

BATCH, HEADS, WIDTH = 2, 3, 4
LEAST = np.finfo(np.float32).min


def _attention(queries, keys, nodes, constants, scores="s", mixed="v"):
    """y = softmax(scores) v, of trained q, k, v; `nodes` make scores of them. The
    input x is added to v, so that data matters."""
    rng = np.random.default_rng(3)
    shapes = {"q": (queries, WIDTH), "k": (keys, WIDTH), "v": (keys, WIDTH)}
    drawn = {n: rng.standard_normal((BATCH, HEADS, *s)).astype("f4") for n, s in shapes.items()}
    frame = [
        node("Add", ["v", "x"], ["vx"]),
        *nodes,
        node("Softmax", [scores], ["p"], axis=-1),
        node("MatMul", ["p", "vx"], ["y"]),
    ]
    x = value("x", TensorProto.FLOAT, [BATCH, HEADS, keys, WIDTH])
    y = value("y", TensorProto.FLOAT, [BATCH, HEADS, queries, WIDTH])
    feeds = {
        "x": rng.standard_normal((BATCH, HEADS, keys, WIDTH)).astype("f4"),
        "target": rng.standard_normal((BATCH, HEADS, queries, WIDTH)).astype("f4"),
    }
    return model(frame, [x], [y], {**drawn, **constants}), feeds


def _constant(name, array):
    return node("Constant", [], [name], value=onnx.numpy_helper.from_array(np.asarray(array)))


_PRODUCT = [
    node("Transpose", ["k"], ["kt"], perm=[0, 1, 3, 2]),
    node("MatMul", ["q", "kt"], ["qk"]),
]


def _scaled(op="Mul", number=0.5, then="t"):
    return [*_PRODUCT, _constant("c", np.float32(number)), node(op, ["qk", "c"], [then])]


def _rows_and_columns(queries, keys):
    """Truth values: column <= row + keys - queries, of counted numbers."""
    last = np.arange(queries).reshape(-1, 1) + keys - queries
    return [
        *(_constant(n, np.int64(i)) for n, i in (("zero", 0), ("one", 1), ("n", keys))),
        node("Range", ["zero", "n", "one"], ["columns"]),
        _constant("last", last.astype(np.int64)),
        node("LessOrEqual", ["columns", "last"], ["seen"]),
    ]


def _hidden(number, op="Where", then="s"):
    return [_constant("hidden", np.float32(number)), node(op, ["seen", "t", "hidden"], [then])]


_LOWER = np.tril(np.ones((6, 6), np.float32))

# name: (queries, keys, nodes, buffers, causal, biased)
FORMS = {
    "no scale, no mask": (5, 7, [*_PRODUCT, node("Identity", ["qk"], ["s"])], {}, 0, 0),
    "quotient": (5, 7, _scaled("Div", 2.0, then="s"), {}, 0, 0),
    "counted, -inf": (6, 6, [*_scaled(), *_rows_and_columns(6, 6), *_hidden(-np.inf)], {}, 1, 0),
    "counted, cache": (3, 8, [*_scaled(), *_rows_and_columns(3, 8), *_hidden(LEAST)], {}, 1, 0),
    "one query sees all": (1, 8, [*_scaled(), *_rows_and_columns(1, 8), *_hidden(-1e4)], {}, 0, 0),
    "buffer, Where": (
        6,
        6,
        [*_scaled(), node("Cast", ["mask"], ["seen"], to=TensorProto.BOOL), *_hidden(-1e4)],
        {"mask": _LOWER.reshape(1, 1, 6, 6)},
        1,
        0,
    ),
    "Trilu of -inf, added": (
        6,
        6,
        [
            *_scaled(),
            _constant("full", np.full((6, 6), -np.inf, np.float32)),
            _constant("first", np.int64(1)),
            node("Trilu", ["full", "first"], ["upper"], upper=1),
            node("Add", ["t", "upper"], ["s"]),
        ],
        {},
        1,
        0,
    ),
    "scale on both sides, mask added first": (
        6,
        6,
        [
            _constant("r", np.float32(0.8)),
            node("Mul", ["q", "r"], ["qr"]),
            node("Mul", ["k", "r"], ["kr"]),
            node("Transpose", ["kr"], ["kt"], perm=[0, 1, 3, 2]),
            node("MatMul", ["qr", "kt"], ["qk"]),
            _constant("mask", np.where(_LOWER > 0, 0, LEAST).astype("f4")),
            node("Add", ["mask", "qk"], ["s"]),
        ],
        {},
        1,
        0,
    ),
    "a band is no causal mask": (
        6,
        6,
        [
            *_scaled(),
            _constant(
                "band", np.where(np.tri(6, k=0) * (1 - np.tri(6, k=-3)) > 0, 0, -1e9).astype("f4")
            ),
            node("Add", ["t", "band"], ["s"]),
        ],
        {},
        0,
        1,
    ),
}


def _check(made, feeds, folder, expected, *flags):
    onnx.save(made, folder / "m.onnx")
    raised = count(folder / "m.onnx", flags)
    assert (raised.attention, raised.causal, raised.biased) == (1, *expected)
    return gradients_as_oracle(made, folder, "mse(y,target)", feeds, "--precision=f64", *flags)


@pytest.mark.parametrize("name", sorted(FORMS))
def test_form(name, tmp_path):
    queries, keys, nodes, buffers, causal, biased = FORMS[name]
    made, feeds = _attention(queries, keys, nodes, buffers)
    assert sorted(_check(made, feeds, tmp_path, (causal, biased))) == ["k", "q", "v"]


@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize("shape", [(HEADS, 6, 6), (6,), (BATCH, 1, 6, 1), (1,)])
def test_trained_bias(shape, causal, tmp_path):
    """Its gradient is summed along what it was repeated along. What is added to
    scores is a buffer unless one asks for more."""
    bias = np.random.default_rng(5).standard_normal(shape).astype("f4")
    nodes = [*_scaled(then="u"), node("Add", ["u", "bias"], ["t"])]
    if causal:
        nodes += [*_rows_and_columns(6, 6), *_hidden(-np.inf)]
    else:
        nodes.append(node("Identity", ["t"], ["s"]))
    made, feeds = _attention(6, 6, nodes, {"bias": bias})
    assert "bias" in _check(made, feeds, tmp_path, (causal, 1), "--train=^bias$")


@pytest.mark.parametrize("shape", [(1, HEADS, 530, 530), (530,), (1, 1, 530, 1)])
def test_trained_bias_in_blocks(shape, tmp_path):
    """More than 512 queries: rows of the bias are joined, sums are added up."""
    bias = np.random.default_rng(5).standard_normal(shape).astype("f4")
    nodes = [
        *_scaled(then="u"),
        node("Add", ["u", "bias"], ["t"]),
        *_rows_and_columns(530, 530),
        *_hidden(-np.inf),
    ]
    made, feeds = _attention(530, 530, nodes, {"bias": bias})
    assert "bias" in _check(made, feeds, tmp_path, (1, 1), "--train=^bias$")
