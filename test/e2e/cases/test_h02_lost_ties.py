"""H2: exporters fold the transpose of a tied head, which then is a second tensor
without a name."""

import numpy as np
import onnx
import pytest
from harness.check import gradients_as_oracle
from harness.compare import check_losses
from harness.models import model, node, value
from harness.session import session
from harness.tools import compile_model, run
from onnx import TensorProto

TOKENS, WIDTH, LENGTH = 5, 3, 4
LOSS = "cross_entropy(logits,y)"
LOST = "onnx::MatMul_9"
TIE = "embedding.weight=%s^T" % LOST


def network(head):
    """Scores of an embedding by the same table. `head` says how the file holds it."""
    table = np.random.default_rng(0).standard_normal((TOKENS, WIDTH)).astype(np.float32)
    initializers = {"embedding.weight": table}
    nodes = [
        node("Gather", ["embedding.weight", "ids"], ["e"], "/embedding/Gather"),
        node("Tanh", ["e"], ["h"], "/Tanh"),
    ]
    if head == "tied":
        nodes.append(node("Transpose", ["embedding.weight"], ["turned"], perm=[1, 0]))
        nodes.append(node("MatMul", ["h", "turned"], ["logits"], "/head/MatMul"))
    elif head == "turned":
        initializers[LOST] = np.ascontiguousarray(table.T)
        nodes.append(node("MatMul", ["h", LOST], ["logits"], "/head/MatMul"))
    elif head == "copied":  # a Gemm reads it transposed
        initializers[LOST] = table.copy()
        rows = np.array([-1, WIDTH])
        initializers.update(rows=rows, shape=np.array([-1, LENGTH, TOKENS]))
        nodes.append(node("Reshape", ["h", "rows"], ["flat"]))
        nodes.append(node("Gemm", ["flat", LOST], ["scores"], "/head/Gemm", transB=1))
        nodes.append(node("Reshape", ["scores", "shape"], ["logits"]))
    elif head == "other":
        other = table.T.copy()
        other[-1, -1] += 1e-3
        initializers[LOST] = other
        nodes.append(node("MatMul", ["h", LOST], ["logits"], "/head/MatMul"))
    return model(
        nodes,
        [value("ids", TensorProto.INT64, [2, LENGTH])],
        [value("logits", TensorProto.FLOAT, [2, LENGTH, TOKENS])],
        initializers,
    )


def batch(seed=0):
    rng = np.random.default_rng(seed)
    return {name: rng.integers(0, TOKENS, (2, LENGTH)) for name in ("ids", "y")}


def two_losses(head, folder, *flags):
    onnx.save(network(head), folder / (head + ".onnx"))
    module = compile_model(
        folder / (head + ".onnx"), folder / (head + ".so"), "--loss=" + LOSS, "--lr=0.1", *flags
    )
    with session(module) as running:
        return [running.train_step(**batch(i)) for i in range(3)], running.trained()


@pytest.mark.parametrize("head, tie", [("turned", TIE), ("copied", TIE.removesuffix("^T"))])
def test_a_tie_made_again_trains_as_one(head, tie, tmp_path):
    wanted, _ = two_losses("tied", tmp_path)
    losses, trained = two_losses(head, tmp_path, "--tie=" + tie)
    assert trained == ["embedding.weight"]
    check_losses(losses, wanted)
    apart, _ = two_losses(head, tmp_path)
    assert apart[0] == losses[0] and apart[2] != losses[2]


@pytest.mark.parametrize("head, tie", [("turned", TIE), ("copied", TIE.removesuffix("^T"))])
def test_gradients_of_both_uses_are_added(head, tie, tmp_path):
    gradients_as_oracle(network(head), tmp_path, LOSS, batch(), ties=[tie])


def said_about(model_path, folder, *flags):
    result = run("dsc", model_path, "-o", folder / "m.so", *flags, cwd=folder)
    assert result.code == 0, str(result)
    return result


@pytest.mark.parametrize("head, tie", [("turned", TIE), ("copied", TIE.removesuffix("^T"))])
def test_a_notice_names_both_and_says_what_to_do(head, tie, tmp_path):
    onnx.save(network(head), tmp_path / "m.onnx")
    said = said_about("m.onnx", tmp_path, "--loss=" + LOSS).err
    assert "'%s'" % LOST in said and "'embedding.weight'" in said
    assert "--tie='%s'" % tie in said
    listed = said_about("m.onnx", tmp_path, "--loss=" + LOSS, "--params").out
    assert tie in listed
    assert "warning" not in said_about("m.onnx", tmp_path, "--loss=" + LOSS, "--tie=" + tie).err


@pytest.mark.parametrize("head", ["tied", "other"])
def test_no_notice_without_a_lost_tie(head, tmp_path):
    onnx.save(network(head), tmp_path / "m.onnx")
    assert "--tie" not in said_about("m.onnx", tmp_path, "--loss=" + LOSS).err


def test_nanogpt(corpus, tmp_path):
    flags = ["--bind=batch_size=2", "--loss=cross_entropy(output,labels)"]
    said = said_about(corpus / "ezkl_nanogpt.onnx", tmp_path, *flags).err
    assert "--tie='transformer.wte.weight=onnx::MatMul_543^T'" in said
    assert said.count("--tie=") == 1, "fresh scales are equal, but no tie"
