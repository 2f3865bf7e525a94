"""Norms by layer: those of numpy at every stage and rank count, and nothing else changes."""

import functools
import json

import numpy as np
import onnx
import pytest
from harness.compare import check_losses
from harness.models import mlp, model, node, value
from harness.session import session, without_kernel_numbers
from harness.tools import compile_model, run
from safetensors.numpy import load_file

BATCH, UPDATES = 4, 4
FLAGS = ["--bind=batch=%d" % BATCH, "--loss=cross_entropy(logits,y)", "--lr=0.1"]
# Both sides sum f32 squares in f64; the gradients differ by the order of sums.
EQUAL = 1e-5


def make_data():
    """Of an update, 6 micro-batches, whatever the number of ranks."""
    rng = np.random.default_rng(7)
    samples = 6 * BATCH * UPDATES
    y = rng.integers(0, 3, samples)
    y[::5] = -100  # batches differ in weight
    return rng.standard_normal((samples, 6)).astype(np.float32), y


def layers_of(norms):
    """{layer: ...} of what is by parameter: the name up to its number."""
    layers = {}
    for name, squares in norms.items():
        layers.setdefault(name.split(".")[0], []).append(squares)
    return {layer: np.sqrt(sum(squares)) for layer, squares in layers.items()}


def squares(array):
    return float(np.sum(np.asarray(array, np.float64) ** 2))


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("norms")
    onnx.save(mlp([6, 7, 3]), folder / "m.onnx")
    x, y = make_data()
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", y)
    return folder


@functools.cache
def compiled(folder, name, *flags):
    return compile_model(folder / "m.onnx", folder / (name + ".so"), *FLAGS, *flags)


def train(folder, module, *flags):
    """Lines of the metrics, final parameters and what dsrun said."""
    metrics, saved = module.with_suffix(".jsonl"), module.with_suffix(".st.safetensors")
    metrics.unlink(missing_ok=True)
    inputs = ["--input", "x=%s" % (folder / "x.npy"), "--input", "y=%s" % (folder / "y.npy")]
    result = run(
        "dsrun", module, *inputs, "--metrics", metrics, "--save", saved, "--threads=1", *flags
    )
    assert result.code == 0, str(result)
    return [json.loads(line) for line in metrics.read_text().splitlines()], saved, result


@pytest.fixture(scope="module")
def expected(work):
    """Per update the norms of numpy, from gradients and weights of one rank."""
    x, y = make_data()
    wanted = []
    with session(compiled(work, "one", "--layer-norms")) as one:
        one.set("dsc.nominal_weight", 6.0 * BATCH)
        for update in range(UPDATES):
            places = [np.arange(BATCH) + BATCH * (6 * update + i) for i in range(6)]
            batches = [{"x": x[p], "y": y[p]} for p in places]
            gradients = one.accumulated(batches)[1]
            wanted.append(
                {
                    "grad_norm": layers_of({n: squares(g) for n, g in gradients.items()}),
                    "weight_norm": layers_of({n: squares(one.read(n)) for n in one.trained()}),
                }
            )
            for i, batch in enumerate(batches):
                one.bind_all(batch)
                one.run("step_last" if i == 5 else "step")
            one.run("update")
    return wanted


@pytest.mark.parametrize("ranks", [1, 2, 3])
@pytest.mark.parametrize("stage", range(4))
def test_norms_are_those_of_numpy(work, expected, stage, ranks):
    module = compiled(work, "s%d" % stage, "--layer-norms", "-zero=%d" % stage)
    flags = ["-n", ranks, "--accumulate=%d" % (6 // ranks), "--epochs=1", "--layer-norms=1"]
    lines, _, _ = train(work, module, *flags)
    updates = [line for line in lines if "loss" in line]
    norms = [line for line in lines if "layers" in line]
    assert len(updates) == len(norms) == UPDATES
    for update, line, wanted in zip(updates, norms, expected):
        assert line["step"] == update["step"]
        assert list(line["layers"]) == list(wanted["grad_norm"]) == ["fc1", "fc2"]
        for kind, by_layer in wanted.items():
            got = [line["layers"][layer][kind] for layer in by_layer]
            check_losses(got, list(by_layer.values()), EQUAL)
        total = sum(layer["grad_norm"] ** 2 for layer in line["layers"].values())
        # Only the order in which squares are added differs.
        assert total == pytest.approx(update["grad_norm"] ** 2, rel=1e-12)


@pytest.mark.parametrize("stage", [0, 3])
def test_nothing_else_changes(work, stage):
    plain = compiled(work, "plain%d" % stage, "-zero=%d" % stage)
    normed = compiled(work, "s%d" % stage, "--layer-norms", "-zero=%d" % stage)
    with session(plain) as a, session(normed) as b:
        assert set(b.entries) - set(a.entries) == {"layer_norms"}
        # A longer message takes more room to arrive in.
        arriving = "dsc.staging.rows.f64"
        assert {**a.states, arriving: 0} == {**b.states, arriving: 0}
        for name, entry in a.entries.items():
            assert without_kernel_numbers(entry) == without_kernel_numbers(b.entries[name])
    flags = ["-n", 2, "--epochs=1", "--accumulate=3"]
    lines, saved, _ = train(work, plain, *flags)
    every, also, _ = train(work, normed, *flags, "--layer-norms=3")
    before, after = load_file(saved), load_file(also)
    assert all(before[name].tobytes() == after[name].tobytes() for name in before)
    timeless = ("loss", "lr", "grad_norm")
    updates = [line for line in every if "loss" in line]
    assert [[u[k] for k in timeless] for u in updates] == [[u[k] for k in timeless] for u in lines]
    assert [line["step"] for line in every if "layers" in line] == [3]


def test_a_module_without_the_entry_is_refused(work):
    module = compiled(work, "without")
    inputs = ["--input", "x=%s" % (work / "x.npy"), "--input", "y=%s" % (work / "y.npy")]
    result = run("dsrun", module, *inputs, "--steps=1", "--layer-norms=1")
    assert result.code == 2
    assert "compile it with dsc --layer-norms" in result.first_line(), str(result)
    assert run("dsc", work / "m.onnx", "--forward", "--layer-norms").code == 2


def branches(scale):
    """Rows through two layers, of which the first is scaled."""
    rng = np.random.default_rng(3)
    weights = {n: rng.standard_normal((5, 2)).astype(np.float32) for n in ("h.0.w", "h.1.w")}
    return model(
        [
            node("MatMul", ["x", "h.0.w"], ["a"]),
            node("Mul", ["a", "scale"], ["b"]),
            node("MatMul", ["x", "h.1.w"], ["c"]),
            node("Add", ["b", "c"], ["y"]),
        ],
        [value("x", onnx.TensorProto.FLOAT, [BATCH, 5])],
        [value("y", onnx.TensorProto.FLOAT, [BATCH, 2])],
        {**weights, "scale": np.float32(scale).reshape(())},
    )


def troubles(folder, scale, x):
    """What dsrun says of training `branches` towards 0 on `x`."""
    onnx.save(branches(scale), folder / "b.onnx")
    flags = ["--loss=mse(y,t)", "--lr=1e-9", "--freeze=scale", "--layer-norms"]
    module = compile_model(folder / "b.onnx", folder / "b.so", *flags)
    np.save(folder / "x.npy", x)
    np.save(folder / "t.npy", np.zeros((len(x), 2), np.float32))
    inputs = ["--input", "x=%s" % (folder / "x.npy"), "--input", "t=%s" % (folder / "t.npy")]
    result = run("dsrun", module, *inputs, "--epochs=1", "--layer-norms=1")
    assert result.code == 0, str(result)
    return [line for line in result.err.splitlines() if "layer" in line]


@pytest.mark.parametrize("scale, told", [(0.0, True), (1e-10, True), (1e-2, False)])
def test_vanishing_gradients_are_told_of_once(tmp_path, scale, told):
    x = np.random.default_rng(0).standard_normal((5 * BATCH, 5)).astype(np.float32)
    lines = troubles(tmp_path, scale, x)
    assert len(lines) == told, lines
    if told:
        assert "step 1: the gradient of layer 'h.0' vanishes" in lines[0]


def test_exploding_gradients_are_told_of_once(tmp_path):
    x = np.random.default_rng(0).standard_normal((10 * BATCH, 5)).astype(np.float32)
    x[6 * BATCH : 8 * BATCH] *= 1e3  # gradients grow by the square
    lines = troubles(tmp_path, 1.0, x)
    assert len(lines) == 2, lines
    for layer, line in enumerate(lines):
        assert "step 7: the gradient of layer 'h.%d' explodes" % layer in line


def test_batches_without_weight_are_no_trouble(work, tmp_path):
    module = compiled(work, "weightless", "--layer-norms")
    np.save(tmp_path / "y.npy", np.full(len(make_data()[1]), -100))
    inputs = ["--input", "x=%s" % (work / "x.npy"), "--input", "y=%s" % (tmp_path / "y.npy")]
    result = run("dsrun", module, *inputs, "--steps=2", "--layer-norms=1")
    assert result.code == 0, str(result)
    assert "layer '" not in result.err
