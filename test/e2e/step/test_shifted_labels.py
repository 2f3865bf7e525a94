"""cross_entropy(OUT,LABELS,shift=1): position t is held against label t + 1.

The model is a table of scores, one row a token, so that loss, gradient and
predictions can be written down by hand.
"""

import numpy as np
import onnx
import pytest
from harness import tolerance
from harness.compare import check_gradients
from harness.models import model, node, value
from harness.session import session
from harness.tools import compile_model
from onnx import TensorProto

SAMPLES, CLASSES = 3, 7
LOSS = "--loss=cross_entropy(logits,%s,ignore=%d,shift=1)"


def bigram(positions):
    rng = np.random.default_rng(5)
    return model(
        [node("Gather", ["table", "ids"], ["logits"], "/table/Gather")],
        [value("ids", TensorProto.INT64, ["batch", positions])],
        [value("logits", TensorProto.FLOAT, ["batch", positions, CLASSES])],
        {"table": rng.standard_normal((CLASSES, CLASSES)).astype(np.float32)},
    )


def by_hand(table, ids, labels, ignore, sample_weights):
    """(mean loss, gradient of the table, correct answers) in float64, row by row."""
    table = table.astype(np.float64)
    loss, weight, correct, gradient = 0.0, 0.0, 0.0, np.zeros_like(table)
    for row, targets, w in zip(ids, labels, sample_weights):
        for token, target in zip(row[:-1], targets[1:]):
            if target == ignore or w == 0:
                continue
            p = np.exp(table[token]) / np.exp(table[token]).sum()
            loss -= w * np.log(p[target])
            gradient[token] += w * p
            gradient[token, target] -= w
            weight += w
            correct += np.argmax(table[token]) == target
    return loss / weight, gradient / weight, correct


@pytest.mark.parametrize("positions", [2, 5])
@pytest.mark.parametrize("ignore", [-100, 0, 3])
@pytest.mark.parametrize("labels_name", ["labels", "ids"])
def test_loss_gradient_and_correct_answers(tmp_path, positions, ignore, labels_name):
    onnx.save(bigram(positions), tmp_path / "m.onnx")
    flags = ["--bind=batch=%d" % SAMPLES, LOSS % (labels_name, ignore)]
    module = compile_model(tmp_path / "m.onnx", tmp_path / "m.so", *flags)
    rng = np.random.default_rng(positions)
    ids = rng.integers(0, CLASSES, (SAMPLES, positions))
    labels = ids if labels_name == "ids" else rng.integers(0, CLASSES, ids.shape)
    labels[0, 1] = 5  # something counts
    if labels_name == "labels":
        labels[1, 1] = ignore
    weights = np.array([1, 1, 0], np.float32)  # the last sample is padding
    with session(module, {"ids": ids, labels_name: labels}) as run:
        run.bind_all({"dsc.sample_weight": weights})
        table = run.read("table")
        loss, gradient, correct = by_hand(table, ids, labels, ignore, weights)
        assert run.get("dsc.nominal_weight") == SAMPLES * (positions - 1)
        got_loss, got = run.accumulated([{}])
        assert got_loss == pytest.approx(loss, rel=1e-6)
        check_gradients(got, {"table": gradient}, tolerance.GRADIENT)
        run.run("eval")
        assert run.get("dsc.eval_correct") == correct
        mean = run.get("dsc.eval_loss_sum") / run.get("dsc.eval_weight")
        assert mean == pytest.approx(loss, rel=1e-6)


def test_one_position_has_no_next(tmp_path):
    from harness.tools import run

    onnx.save(bigram(1), tmp_path / "m.onnx")
    flags = ["--bind=batch=2", LOSS % ("labels", -100)]
    result = run("dsc", "m.onnx", "-o", "m.so", *flags, cwd=tmp_path)
    assert result.code == 1, str(result)
    assert "has 1 position(s) a sample; bind a longer sequence with --bind" in result.err
    assert not (tmp_path / "m.so").exists()
