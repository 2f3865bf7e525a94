"""Dropout: whose mask is a function of seed, micro-batch, node and element."""

import re

import numpy as np
import onnx
import pytest
from harness.compare import check_gradients
from harness.differences import central_differences
from harness.models import model, node, value
from harness.session import session
from harness.tolerance import DIFFERENCE
from harness.tools import compile_model, run
from onnx import TensorProto
from ops.philox import keep_mask, philox4x32_10

SHAPE, RATIO, SEED = (37, 53), 0.25, 12345678901
LOSS = ["--loss=sum(y)", "--precision=f64"]


def dropped(nodes=1, ratio=RATIO, training=True, opset=17, shape=SHAPE):
    """y = w, through Dropout nodes side by side; each has its own parameter."""
    rng = np.random.default_rng(0)
    made, initializers, outputs = [], {}, []
    for i in range(nodes):
        name = "w%d" % i
        initializers[name] = rng.uniform(0.5, 1.5, shape).astype(np.float32)
        operands, attributes = [name], {}
        if opset >= 12:
            initializers["ratio%d" % i] = np.float32(ratio)
            initializers["training%d" % i] = np.bool_(training)
            operands += ["ratio%d" % i, "training%d" % i]
        else:
            attributes["ratio"] = ratio
        made.append(node("Dropout", operands, ["d%d" % i], "/drop%d" % i, **attributes))
        outputs.append("d%d" % i)
    made.append(node("Sum", [*outputs, "x"], ["y"], "/sum"))
    x, y = (value(name, TensorProto.FLOAT, shape) for name in "xy")
    return model(made, [x], [y], initializers, opset)


def compiled(made, folder, *flags):
    onnx.save(made, folder / "m.onnx")
    return compile_model(folder / "m.onnx", folder / "m.so", *LOSS, *flags)


def opened(module, shape=SHAPE, **options):
    return session(module, {"x": np.zeros(shape)}, **options)


def sites(folder):
    result = run("dsc", folder / "m.onnx", "--emit=normalize", *LOSS, "--training-mode=train")
    assert result.code == 0, str(result)
    return [int(site) for site in re.findall(r"site = (-?\d+)", result.out)]


def masked_gradients(opened_session, entry="step"):
    """What the next micro-batch adds to the gradients: mask / (1 - ratio)."""
    opened_session.clear_accumulators()
    opened_session.run(entry)
    scale = opened_session.get("dsc.nominal_weight")
    return {name: scale * opened_session.read(name + ".grad") for name in opened_session.trained()}


def test_generator_is_philox():
    """The known answers that come with Random123."""
    ones = 0xFFFFFFFF
    answers = {
        ((0, 0, 0, 0), (0, 0)): [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8],
        ((ones,) * 4, (ones,) * 2): [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD],
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
        ): [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    }
    for (counter, key), wanted in answers.items():
        assert [int(word) for word in philox4x32_10(counter, key)] == wanted


def test_mask_is_the_documented_one(tmp_path):
    """Forward and backward, over micro-batches, for two nodes and large numbers."""
    module = compiled(dropped(nodes=2), tmp_path)
    first, second = sites(tmp_path)
    assert first != second
    with opened(module) as run:
        run.write("dsc.seed", SEED)
        weights = {name: run.read(name) for name in ("w0", "w1")}
        for micro_batch, entry in [(0, "step"), (1, "step"), (2, "step_last"), (1 << 40, "step")]:
            run.write("dsc.micro_batch", micro_batch)
            gradients = masked_gradients(run, entry)
            loss = 0.0
            for name, site in (("w0", first), ("w1", second)):
                kept = keep_mask(SHAPE, RATIO, SEED, micro_batch, site)
                np.testing.assert_allclose(gradients[name], kept / (1 - RATIO), rtol=1e-12)
                loss += np.sum(weights[name] * kept) / (1 - RATIO)
            assert run.get("dsc.loss_sum") == pytest.approx(loss, rel=1e-12)
            assert run.read("dsc.micro_batch") == micro_batch + 1


def test_masks_are_fresh_and_keep_the_right_share(tmp_path):
    module = compiled(dropped(), tmp_path)
    with opened(module) as run:
        masks = [masked_gradients(run)["w0"] > 0 for _ in range(8)]
    assert len({mask.tobytes() for mask in masks}) == 8
    # A mean of n draws has standard deviation sqrt(p (1 - p) / n): five of them.
    draws = np.concatenate([mask.ravel() for mask in masks])
    assert abs(draws.mean() - (1 - RATIO)) < 5 * np.sqrt(RATIO * (1 - RATIO) / draws.size)


def test_seed_decides(tmp_path):
    module = compiled(dropped(), tmp_path)

    def mask(seed):
        with opened(module) as run:
            run.write("dsc.seed", seed)
            return masked_gradients(run)["w0"].tobytes()

    assert mask(1) == mask(1)
    assert mask(1) != mask(2)


def test_threads_change_nothing(tmp_path):
    """Of a tensor that is many tiles."""
    shape = (301, 1009)
    module = compiled(dropped(shape=shape), tmp_path)

    def bits(threads):
        with opened(module, shape, threads=threads) as run:
            run.run("step", "step_last", "update")
            return run.read("w0").tobytes()

    assert bits(1) == bits(2) == bits(3)


def test_gradient_through_two_masks(tmp_path):
    """Dropped attention weights and a dropped sum, as GPT-2 trains: the gradient is
    that of the loss with the masks of its own micro-batch, by central differences."""
    rng = np.random.default_rng(4)
    parameters = {
        name: rng.standard_normal(size).astype(np.float32)
        for name, size in {"q": (1, 3, 4), "k": (1, 4, 3), "v": (1, 3, 2)}.items()
    }
    constants = {"ratio": np.float32(0.4), "true": np.bool_(True)}
    nodes = [
        node("MatMul", ["q", "k"], ["scores"]),
        node("Softmax", ["scores"], ["p"], axis=-1),
        node("Dropout", ["p", "ratio", "true"], ["kept"], "/attention/Dropout"),
        node("MatMul", ["kept", "v"], ["mixed"]),
        node("Dropout", ["mixed", "ratio", "true"], ["out"], "/residual/Dropout"),
        node("Mul", ["out", "x"], ["y"]),
    ]
    x, y = (value(name, TensorProto.FLOAT, [1, 3, 2]) for name in "xy")
    module = compiled(model(nodes, [x], [y], {**parameters, **constants}), tmp_path)
    with session(module, {"x": rng.standard_normal((1, 3, 2))}) as run:

        def loss_at(values):
            for name, array in values.items():
                run.write(name, array)
            run.write("dsc.micro_batch", 5)
            run.clear_accumulators()
            run.run("step")
            return run.get("dsc.loss_sum")

        wanted = central_differences(loss_at, parameters)
        loss_at(parameters)
        scale = run.get("dsc.nominal_weight")
        gradients = {name: scale * run.read(name + ".grad") for name in parameters}
    check_gradients(gradients, wanted, DIFFERENCE)
    assert all(np.linalg.norm(gradient) > 0 for gradient in gradients.values())


def test_eval_drops_nothing(tmp_path):
    module = compiled(dropped(), tmp_path)
    with opened(module) as run:
        assert run.eval_loss() == pytest.approx(np.sum(run.read("w0")), rel=1e-12)


@pytest.mark.parametrize("opset", [10, 17])
def test_training_mode_turns_exports_for_inference_on(opset, tmp_path):
    made = dropped(training=False, opset=opset)
    with opened(compiled(made, tmp_path)) as run:
        assert "dsc.seed" not in run.states
        np.testing.assert_allclose(masked_gradients(run)["w0"], 1.0)
    with opened(compiled(made, tmp_path, "--training-mode=train")) as run:
        kept = keep_mask(SHAPE, RATIO, 0, 0, *sites(tmp_path))
        np.testing.assert_allclose(masked_gradients(run)["w0"], kept / (1 - RATIO), rtol=1e-12)


def test_training_mode_eval_turns_dropout_off(tmp_path):
    with opened(compiled(dropped(), tmp_path, "--training-mode=eval")) as run:
        assert "dsc.seed" not in run.states
        np.testing.assert_allclose(masked_gradients(run)["w0"], 1.0)


def test_ratio_zero_keeps_all(tmp_path):
    with opened(compiled(dropped(ratio=0.0), tmp_path)) as run:
        np.testing.assert_array_equal(masked_gradients(run)["w0"], np.ones(SHAPE))


def test_ratio_one_trains_nothing(tmp_path):
    """And divides by nothing."""
    onnx.save(dropped(ratio=1.0), tmp_path / "m.onnx")
    result = run("dsc", tmp_path / "m.onnx", "-o", tmp_path / "m.so", *LOSS)
    assert result.code == 1
    assert "no trained parameter influences the loss" in result.first_line()


def test_infinity_that_is_dropped_is_zero(tmp_path):
    """0 * inf is NaN; a dropped element is selected away."""
    module = compiled(dropped(), tmp_path)
    with opened(module) as run:
        kept = keep_mask(SHAPE, RATIO, 0, 0, *sites(tmp_path))
        run.write("w0", np.where(kept, 1.0, np.inf))
        masked_gradients(run)
        assert run.get("dsc.loss_sum") == pytest.approx(np.sum(kept) / (1 - RATIO), rel=1e-12)
