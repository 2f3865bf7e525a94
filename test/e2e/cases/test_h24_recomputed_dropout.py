"""H24: recomputed activations draw another dropout mask than forward did, and the
gradients are those of another sample.

Each layer squares what its Dropout leaves of its weights, all ones, so the loss is
4 for each element that is kept; and in each row the gradient of a weight is 8 where
forward kept it. Another mask in backward would keep another number. What Dropout
leaves is recomputed, for the gradient of the matrix behind it.
"""

import numpy as np
import onnx
import pytest
from harness.models import model, node, value
from harness.session import session
from harness.tools import compile_model, run

WIDTH, LAYERS, BATCH = 64, 3, 4
FLAGS = ["--loss=sum(y)", "--optimizer=sgd", "--train=w$"]


def squares():
    """y = sum over layers of drop(x w)^2; x and the weights are ones."""
    nodes, sums = [], []
    drawn = {"ratio": np.float32(0.5), "on": np.array(True)}
    for i in range(LAYERS):
        name = "h.%d" % i
        drawn[name + ".w"] = np.ones(WIDTH, np.float32)
        drawn[name + ".eye"] = np.eye(WIDTH, dtype=np.float32)
        nodes += [
            node("Mul", ["x", name + ".w"], [name + "/m"], "/%s/Mul" % name),
            node("Dropout", [name + "/m", "ratio", "on"], [name + "/d"], "/%s/Dropout" % name),
            node("MatMul", [name + "/d", name + ".eye"], [name + "/e"], "/%s/MatMul" % name),
            node("Mul", [name + "/e", name + "/e"], [name + "/s"], "/%s/Square" % name),
        ]
        sums.append(name + "/s")
    nodes.append(node("Sum", sums, ["y"], "/Sum"))
    return model(
        nodes,
        [value("x", onnx.TensorProto.FLOAT, [BATCH, WIDTH])],
        [value("y", onnx.TensorProto.FLOAT, [BATCH, WIDTH])],
        drawn,
    )


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    folder = tmp_path_factory.mktemp("h24")
    onnx.save(squares(), folder / "m.onnx")
    return {
        mode: compile_model(
            folder / "m.onnx", folder / (mode + ".so"), *FLAGS, "--recompute=" + mode
        )
        for mode in ("none", "blocks")
    }


def step(module, micro_batch):
    """Loss, outputs' squares by weight, and gradients by layer."""
    with session(module) as running:
        running.set("dsc.nominal_weight", 1)
        running.set("dsc.seed", 5)
        running.write("dsc.micro_batch", micro_batch)
        running.bind(x=np.ones((BATCH, WIDTH), np.float32))
        running.run("step")
        gradients = [running.read("h.%d.w.grad" % i) for i in range(LAYERS)]
        return running.get("dsc.loss_sum"), gradients


@pytest.mark.parametrize("micro_batch", range(3))
def test_backward_sees_the_mask_of_forward(modules, micro_batch):
    loss, gradients = step(modules["blocks"], micro_batch)
    kept = loss / 4
    assert 0 < kept < LAYERS * BATCH * WIDTH
    assert sum(map(np.sum, gradients)) == 8 * kept


@pytest.mark.parametrize("micro_batch", range(3))
def test_gradients_are_those_without_recomputation(modules, micro_batch):
    loss, gradients = step(modules["blocks"], micro_batch)
    wanted_loss, wanted = step(modules["none"], micro_batch)
    assert loss == wanted_loss
    for got, kept in zip(gradients, wanted, strict=True):
        assert got.tobytes() == kept.tobytes()


def test_the_dropout_is_recomputed(modules):
    """Or the tests above would say nothing."""
    folder = modules["blocks"].parent
    draws = {}
    for mode in modules:
        flags = [*FLAGS, "--recompute=" + mode, "--emit=schedule"]
        result = run("dsc", folder / "m.onnx", *flags)
        assert result.code == 0, str(result)
        step = result.out.split("train.entry @step(")[1].split("train.entry @")[0]
        draws[mode] = step.count("nn.dropout")
    assert draws["blocks"] > draws["none"]
