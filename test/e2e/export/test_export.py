"""`dsc export`: trained weights back into the user's graph, and nothing else changed."""

import numpy as np
import onnx
import onnxruntime
import pytest
from harness.models import mlp
from harness.session import session
from harness.tolerance import PREDICTION
from harness.tools import compile_model, run
from onnx import numpy_helper
from safetensors.numpy import load_file

BATCH = 4


def inline_raw(model):
    return model


def inline_typed(model):
    """Values in float_data, as other writers put them."""
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor).ravel().tolist()
        tensor.ClearField("raw_data")
        tensor.float_data.extend(values)
    return model


def with_extras(model):
    """What dsc has no use for must come through as it is."""
    model.doc_string, model.producer_name = "kept", "someone"
    model.graph.node[0].doc_string = "kept too"
    model.metadata_props.add(key="a", value="b")
    model.graph.initializer.append(numpy_helper.from_array(np.arange(3), "unused"))
    return model


def train(folder, model):
    """(module, trained parameters) after three steps."""
    onnx.save(model, folder / "m.onnx")
    flags = ["--bind", "batch=%d" % BATCH, "--loss=cross_entropy(logits,y)", "--lr=0.1"]
    module = compile_model(folder / "m.onnx", folder / "m.so", *flags)
    rng = np.random.default_rng(1)
    with session(module) as running:
        for _ in range(3):
            running.train_step(x=rng.standard_normal((BATCH, 6)), y=rng.integers(0, 3, BATCH))
        running.save(folder / "trained.safetensors")
        trained = {name: running.read(name) for name in running.trained()}
    return module, trained


def export(folder, module):
    result = run(
        "dsc",
        "export",
        module,
        "--weights=%s" % (folder / "trained.safetensors"),
        "-o",
        folder / "out.onnx",
    )
    assert result.code == 0, str(result)
    return folder / "out.onnx"


@pytest.mark.parametrize("form", [inline_raw, inline_typed, with_extras])
def test_only_the_weights_change(form, tmp_path):
    original = form(mlp([6, 5, 3]))
    module, trained = train(tmp_path, original)
    before, after = (tmp_path / "m.onnx").read_bytes(), export(tmp_path, module).read_bytes()
    assert len(before) == len(after)
    after = bytearray(after)
    for tensor in original.graph.initializer:
        if tensor.name not in trained:
            continue
        old, new = numpy_helper.to_array(tensor).tobytes(), trained[tensor.name].tobytes()
        at = before.find(old)
        assert after[at : at + len(new)] == new, tensor.name
        assert new != old, tensor.name
        after[at : at + len(old)] = old
    assert bytes(after) == before


def test_saved_file_has_the_users_names(tmp_path):
    module, trained = train(tmp_path, mlp([6, 5, 3]))
    saved = load_file(tmp_path / "trained.safetensors")
    assert sorted(saved) == sorted(trained)
    for name, value in trained.items():
        np.testing.assert_array_equal(saved[name], value)


def test_external_data(tmp_path):
    """Weights in a file of their own: the export is complete without the original."""
    model = mlp([6, 50, 3])
    onnx.save(
        model,
        tmp_path / "m.onnx",
        save_as_external_data=True,
        location="m.data",
        size_threshold=16,
    )
    flags = ["--bind", "batch=%d" % BATCH, "--loss=cross_entropy(logits,y)", "--lr=0.1"]
    module = compile_model(tmp_path / "m.onnx", tmp_path / "m.so", *flags)
    with session(module) as running:
        running.train_step(x=np.ones((BATCH, 6)), y=np.zeros(BATCH))
        running.save(tmp_path / "trained.safetensors")
        trained = {name: running.read(name) for name in running.trained()}
    exported = onnx.load(export(tmp_path, module))
    for tensor in exported.graph.initializer:
        np.testing.assert_array_equal(numpy_helper.to_array(tensor), trained[tensor.name])


def test_onnxruntime_predicts_the_same(tmp_path):
    module, _ = train(tmp_path, mlp([6, 5, 3]))
    x = np.random.default_rng(9).standard_normal((BATCH, 6)).astype(np.float32)
    weights = tmp_path / "trained.safetensors"
    with session(module, {"x": x, "y": np.zeros(BATCH)}, weights=weights) as running:
        running.run("eval")
        ours = running.output("eval", "logits")
    (theirs,) = onnxruntime.InferenceSession(export(tmp_path, module)).run(None, {"x": x})
    np.testing.assert_allclose(ours, theirs, rtol=PREDICTION, atol=PREDICTION)


def without_weights(folder):
    """An export whose data file was not copied along; `frozen` is not trained."""
    made = mlp([6, 50, 3])
    made.graph.node.append(onnx.helper.make_node("Mul", ["logits", "frozen"], ["scaled"]))
    made.graph.output[0].name = "scaled"
    made.graph.initializer.append(numpy_helper.from_array(np.ones(3, np.float32), "frozen"))
    onnx.save(
        made,
        folder / "m.onnx",
        save_as_external_data=True,
        location="m.data",
        size_threshold=0,
    )
    (folder / "m.data").unlink()
    return made


def test_a_graph_without_its_weights(tmp_path):
    """Weights filled by rule, trained and not, are all in the export."""
    without_weights(tmp_path)
    flags = ["--bind", "batch=%d" % BATCH, "--loss=cross_entropy(scaled,y)", "--lr=0.1"]
    flags += ["--init=normal(0.3)@.*", "--init=ones@frozen", "--freeze=frozen"]
    module = compile_model(tmp_path / "m.onnx", tmp_path / "m.so", *flags)
    x = np.random.default_rng(9).standard_normal((BATCH, 6)).astype(np.float32)
    with session(module) as running:
        running.train_step(x=x, y=np.zeros(BATCH))
        running.save(tmp_path / "trained.safetensors")
        running.run("eval")
        ours = running.output("eval", "scaled")
    out = export(tmp_path, module)
    onnx.checker.check_model(out)
    (theirs,) = onnxruntime.InferenceSession(out).run(None, {"x": x})
    np.testing.assert_allclose(ours, theirs, rtol=PREDICTION, atol=PREDICTION)


def test_a_trained_constant_node_becomes_an_initializer(tmp_path):
    """One name has one producer, whatever made the value before."""
    made = mlp([6, 5, 3])
    graph = made.graph
    for name, op in (("fc1.bias", "Constant"), ("fc2.bias", "ConstantOfShape")):
        (tensor,) = (t for t in graph.initializer if t.name == name)
        graph.initializer.remove(tensor)
        if op == "Constant":
            graph.node.insert(0, onnx.helper.make_node(op, [], [name], value=tensor))
            continue
        graph.initializer.append(numpy_helper.from_array(np.array(tensor.dims), "sizes"))
        graph.node.insert(0, onnx.helper.make_node(op, ["sizes"], [name]))
    onnx.save(made, tmp_path / "m.onnx")
    flags = ["--bind", "batch=%d" % BATCH, "--loss=cross_entropy(logits,y)", "--train=fc"]
    module = compile_model(tmp_path / "m.onnx", tmp_path / "m.so", *flags)
    with session(module) as running:
        running.train_step(x=np.ones((BATCH, 6)), y=np.zeros(BATCH))
        running.save(tmp_path / "trained.safetensors")
        trained = {name: running.read(name) for name in running.trained()}
    assert len(trained) == 4
    exported = onnx.load(export(tmp_path, module))
    onnx.checker.check_model(exported)
    values = {t.name: numpy_helper.to_array(t) for t in exported.graph.initializer}
    for name, array in trained.items():
        np.testing.assert_array_equal(values[name], array)
