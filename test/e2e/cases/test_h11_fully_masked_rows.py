"""H11: a query that may attend to nothing must not poison the gradients.

Its row is 0 (nn.attention says so); the loss ignores it, so the weights get the
gradients of the batch without that row.
"""

import numpy as np
import onnx
import pytest
from harness.compare import check_gradients
from harness.models import model, node, value
from harness.session import session
from harness.tools import compile_model, run
from onnx import TensorProto

TOKENS, WIDTH, CLASSES, IGNORED = 4, 6, 5, -100
LOSS = ["--loss=cross_entropy(logits,labels)"]
# Causal, and the first key is padding: query 0 sees nothing.
VISIBLE = np.tril(np.ones((TOKENS, TOKENS), bool)) & (np.arange(TOKENS) > 0)


def weights():
    rng = np.random.default_rng(2)
    shapes = {"q": (WIDTH, WIDTH), "k": (WIDTH, WIDTH), "v": (WIDTH, WIDTH), "o": (WIDTH, CLASSES)}
    return {
        "w%s.weight" % name: rng.standard_normal(shape).astype(np.float32)
        for name, shape in shapes.items()
    }


def attention(rows, mask):
    """One head; queries come from an input of their own, so that rows can go."""
    nodes = [
        node("MatMul", ["queries", "wq.weight"], ["q"]),
        node("MatMul", ["tokens", "wk.weight"], ["k"]),
        node("MatMul", ["tokens", "wv.weight"], ["v"]),
        node("Transpose", ["k"], ["kt"], perm=[0, 2, 1]),
        node("MatMul", ["q", "kt"], ["products"]),
        node("Div", ["products", "root"], ["scores"]),
    ]
    constants = {"root": np.float32(WIDTH**0.5)}
    hidden = ~VISIBLE[TOKENS - rows :]
    if mask == "add":
        constants["mask"] = np.where(hidden, -np.inf, 0).astype(np.float32)
        nodes.append(node("Add", ["scores", "mask"], ["masked"]))
    else:
        constants |= {"mask": ~hidden, "least": np.float32(-np.inf)}
        nodes.append(node("Where", ["mask", "scores", "least"], ["masked"]))
    nodes += [
        node("Softmax", ["masked"], ["p"], axis=-1),
        node("MatMul", ["p", "v"], ["mixed"]),
        node("MatMul", ["mixed", "wo.weight"], ["logits"]),
    ]
    return model(
        nodes,
        [
            value("queries", TensorProto.FLOAT, [1, rows, WIDTH]),
            value("tokens", TensorProto.FLOAT, [1, TOKENS, WIDTH]),
        ],
        [value("logits", TensorProto.FLOAT, [1, rows, CLASSES])],
        {**weights(), **constants},
    )


def trained(rows, mask, folder):
    """(loss, gradients, logits) of the last `rows` queries."""
    folder.mkdir()
    onnx.save(attention(rows, mask), folder / "m.onnx")
    flags = [*LOSS, "--freeze=.*", "--train=weight$"]
    result = run("dsc", folder / "m.onnx", "--emit=normalize", *flags)
    assert "nn.attention" in result.out, str(result)
    module = compile_model(folder / "m.onnx", folder / "m.so", *flags)
    tokens = np.random.default_rng(3).standard_normal((1, TOKENS, WIDTH))
    labels = np.array([[IGNORED, 1, 4, 2]])
    feeds = {
        "queries": tokens[:, TOKENS - rows :],
        "tokens": tokens,
        "labels": labels[:, TOKENS - rows :],
    }
    with session(module, feeds) as opened:
        loss, gradients = opened.eval_loss(), opened.gradients()
        return loss, gradients, opened.output("eval", "logits")


@pytest.mark.parametrize("mask", ["add", "where"])
def test_the_row_might_as_well_not_be_there(mask, tmp_path):
    loss, gradients, logits = trained(TOKENS, mask, tmp_path / "masked")
    np.testing.assert_array_equal(logits[0, 0], np.zeros(CLASSES))
    wanted_loss, wanted, _ = trained(TOKENS - 1, mask, tmp_path / "removed")
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
