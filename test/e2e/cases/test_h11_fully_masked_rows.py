"""H11: a query that may attend to nothing must not poison the gradients.

Its row is 0 (nn.attention says so); the loss ignores it, so the weights get the
gradients of the batch without such rows.
"""

import numpy as np
import onnx
import pytest
from harness.compare import check_gradients
from harness.models import model, node, value
from harness.session import session
from harness.tools import compile_model, run
from onnx import TensorProto

WIDTH, CLASSES, IGNORED = 6, 5, -100
LOSS = ["--loss=cross_entropy(logits,labels)"]

# (queries, keys, whether the first key is padding): with 600 queries attention runs
# in blocks of 256, of which the first two see no key at all where there are only 20.
SIZES = [
    (4, 4, True),
    (7, 3, True),
    (7, 3, False),
    (600, 600, True),
    (600, 20, True),
    (600, 20, False),
]


def visible(queries, keys, padded):
    """Causal: the last query sees the last key."""
    causal = np.tril(np.ones((queries, keys), bool), keys - queries)
    return causal & (np.arange(keys) >= padded)


def weights():
    rng = np.random.default_rng(2)
    shapes = {"q": (WIDTH, WIDTH), "k": (WIDTH, WIDTH), "v": (WIDTH, WIDTH), "o": (WIDTH, CLASSES)}
    return {
        "w%s.weight" % name: rng.standard_normal(shape).astype(np.float32)
        for name, shape in shapes.items()
    }


def attention(seen, mask):
    """One head; queries come from an input of their own, so that rows can go."""
    queries, keys = seen.shape
    nodes = [
        node("MatMul", ["queries", "wq.weight"], ["q"]),
        node("MatMul", ["tokens", "wk.weight"], ["k"]),
        node("MatMul", ["tokens", "wv.weight"], ["v"]),
        node("Transpose", ["k"], ["kt"], perm=[0, 2, 1]),
        node("MatMul", ["q", "kt"], ["products"]),
        node("Div", ["products", "root"], ["scores"]),
    ]
    constants = {"root": np.float32(WIDTH**0.5)}
    if mask == "add":
        constants["mask"] = np.where(seen, 0, -np.inf).astype(np.float32)
        nodes.append(node("Add", ["scores", "mask"], ["masked"]))
    else:
        constants |= {"mask": seen, "least": np.float32(-np.inf)}
        nodes.append(node("Where", ["mask", "scores", "least"], ["masked"]))
    nodes += [
        node("Softmax", ["masked"], ["p"], axis=-1),
        node("MatMul", ["p", "v"], ["mixed"]),
        node("MatMul", ["mixed", "wo.weight"], ["logits"]),
    ]
    return model(
        nodes,
        [
            value("queries", TensorProto.FLOAT, [1, queries, WIDTH]),
            value("tokens", TensorProto.FLOAT, [1, keys, WIDTH]),
        ],
        [value("logits", TensorProto.FLOAT, [1, queries, CLASSES])],
        {**weights(), **constants},
    )


def trained(queries, tokens, labels, seen, mask, folder):
    """(loss, gradients, logits)."""
    folder.mkdir()
    onnx.save(attention(seen, mask), folder / "m.onnx")
    flags = [*LOSS, "--freeze=.*", "--train=weight$"]
    result = run("dsc", folder / "m.onnx", "--emit=normalize", *flags)
    assert "nn.attention" in result.out, str(result)
    module = compile_model(folder / "m.onnx", folder / "m.so", *flags)
    with session(module, {"queries": queries, "tokens": tokens, "labels": labels}) as opened:
        loss = opened.eval_loss()
        logits = opened.output("eval", "logits")  # until another entry runs
        return loss, opened.gradients(), logits


@pytest.mark.parametrize("mask", ["add", "where"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: "%dx%d-%d" % size)
def test_the_rows_might_as_well_not_be_there(size, mask, tmp_path):
    rng = np.random.default_rng(3)
    queries, tokens = (rng.standard_normal((1, count, WIDTH)) for count in size[:2])
    seen = visible(*size)
    kept = seen.any(axis=1)
    assert not kept.all()
    labels = np.where(kept, rng.integers(0, CLASSES, (1, size[0])), IGNORED)
    loss, gradients, logits = trained(queries, tokens, labels, seen, mask, tmp_path / "masked")
    np.testing.assert_array_equal(logits[:, ~kept], 0)
    wanted_loss, wanted, _ = trained(
        queries[:, kept], tokens, labels[:, kept], seen[kept], mask, tmp_path / "removed"
    )
    assert loss == pytest.approx(wanted_loss, rel=1e-6)
    assert set(wanted) == set(weights())
    check_gradients(gradients, wanted)


def test_plain_softmax_keeps_the_standard(tmp_path):
    """Without the products around it, softmax of -inf alone is NaN."""
    made = model(
        [node("Softmax", ["x"], ["y"], axis=-1), node("Mul", ["w", "w"], ["loss"])],
        [value("x", TensorProto.FLOAT, [2, 2])],
        [value("y", TensorProto.FLOAT, [2, 2]), value("loss", TensorProto.FLOAT, [1])],
        {"w": np.ones(1, np.float32)},
    )
    onnx.save(made, tmp_path / "m.onnx")
    module = compile_model(tmp_path / "m.onnx", tmp_path / "m.so", "--loss=loss")
    with session(module, {"x": [[0.0, -np.inf], [-np.inf, -np.inf]]}) as opened:
        opened.run("eval")
        np.testing.assert_array_equal(opened.output("eval", "y"), [[1, 0], [np.nan, np.nan]])
