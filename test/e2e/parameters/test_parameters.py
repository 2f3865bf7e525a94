"""Which tensors are trained, under which names, from which values."""

import numpy as np
import onnx
import pytest
from harness.compare import check_gradients, check_losses
from harness.models import mlp, model, node, save, value
from harness.session import session
from harness.tools import compile_model, run
from onnx import TensorProto
from oracle import Graph, Sgd, train
from safetensors.numpy import load_file, save_file

LOSS = "mse(y,target)"
SGD = ["--optimizer=sgd", "--lr=0.1"]
X = value("x", TensorProto.FLOAT, [3, 4])
Y = value("y", TensorProto.FLOAT, [3, 4])


def compiled(made, folder, *flags):
    save(made, folder / "m.onnx")
    return compile_model(folder / "m.onnx", folder / "m.so", "--loss=" + LOSS, *SGD, *flags)


def data(steps=3):
    rng = np.random.default_rng(1)
    return [{"x": rng.standard_normal((3, 4)), "target": rng.standard_normal((3, 4))}] * steps


def trained(module, steps=3):
    """(losses, parameters)"""
    with session(module) as running:
        losses = [running.train_step(**b) for b in data(steps)]
        return losses, {name: running.read(name) for name in running.trained()}


def weights(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def test_an_identity_with_a_name_is_a_parameter_of_its_own(tmp_path):
    """Exports merge equal tensors; under their own names they must train apart."""
    nodes = [
        node("Identity", ["scale"], ["first.scale"]),
        node("Identity", ["scale"], ["second.scale"]),
        node("MatMul", ["x", "w"], ["h"]),
        node("Mul", ["h", "first.scale"], ["m"]),
        node("Tanh", ["m"], ["t"]),
        node("Mul", ["t", "second.scale"], ["y"]),
    ]
    initializers = {"w": weights(4, 4), "scale": np.ones(4, np.float32)}
    _, parameters = trained(compiled(model(nodes, [X], [Y], initializers), tmp_path))
    assert sorted(parameters) == ["first.scale", "second.scale", "w"]
    assert not np.allclose(parameters["first.scale"], parameters["second.scale"])


def tied_models():
    """The same network with a lost tie, and with the transpose spelled out."""
    w = weights(4, 4)
    apart = [
        node("MatMul", ["x", "embed"], ["h"]),
        node("Tanh", ["h"], ["t"]),
        node("MatMul", ["t", "head"], ["y"]),
    ]
    together = [
        node("Transpose", ["embed"], ["head"], perm=[1, 0]),
        *apart,
    ]
    return (
        model(apart, [X], [Y], {"embed": w, "head": np.ascontiguousarray(w.T)}),
        model(together, [X], [Y], {"embed": w}),
    )


def test_a_lost_tie_is_made_again(tmp_path):
    lost, spelled_out = tied_models()
    module = compiled(lost, tmp_path, "--tie=embed=head^T")
    losses, parameters = trained(module)
    graph = Graph.load(spelled_out)
    wanted = train(graph, LOSS, {"embed": graph.initializers["embed"]}, data(), Sgd(0.1))
    check_losses(losses, wanted.losses)
    check_gradients(parameters, wanted.parameters)


def test_a_tie_is_exported_under_both_names(tmp_path):
    module = compiled(tied_models()[0], tmp_path, "--tie=embed=head^T")
    with session(module) as running:
        running.train_step(**data()[0])
        running.save(tmp_path / "w.safetensors")
        embed = running.read("embed")
    out = tmp_path / "out.onnx"
    result = run("dsc", "export", module, "--weights=%s" % (tmp_path / "w.safetensors"), "-o", out)
    assert result.code == 0, str(result)
    exported = Graph.load(out).initializers
    np.testing.assert_array_equal(exported["embed"], embed)
    np.testing.assert_array_equal(exported["head"], embed.T)


@pytest.mark.parametrize(
    "flags, wanted",
    [
        ([], {"fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"}),
        (["--freeze=bias"], {"fc1.weight", "fc2.weight"}),
        (["--freeze=.*", "--train=fc2.*"], {"fc2.weight", "fc2.bias"}),
        (["--train=fc2.*", "--freeze=.*weight"], {"fc1.bias", "fc2.bias"}),
    ],
)
def test_the_last_matching_rule_wins(flags, wanted, tmp_path):
    made = mlp([4, 5, 4], batch=3)
    made.graph.output[0].name = made.graph.node[-1].output[0] = "y"
    module = compiled(made, tmp_path, *flags)
    with session(module, data()[0]) as running:
        assert set(running.trained()) == wanted
        before = {n: running.read(n) for n in ("fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias")}
        running.train_step()
        for name, old in before.items():
            assert np.array_equal(running.read(name), old) == (name not in wanted), name
            assert (name + ".grad" in running.states) == (name in wanted)


def test_what_is_not_trained(tmp_path):
    """Constants, integer tensors and what no gradient reaches stay as they are."""
    nodes = [
        node("Constant", [], ["c"], value=onnx.numpy_helper.from_array(weights(4))),
        node("MatMul", ["x", "w"], ["h"]),
        node("Add", ["h", "c"], ["a"]),
        node("Cast", ["count"], ["n"], to=1),
        node("Mul", ["a", "n"], ["y"]),
    ]
    initializers = {"w": weights(4, 4), "count": np.array(2), "unused": weights(3)}
    module = compiled(model(nodes, [X], [Y], initializers), tmp_path)
    assert sorted(trained(module)[1]) == ["w"]


def test_params_lists_every_tensor_and_writes_nothing(tmp_path):
    save(mlp([4, 5, 4], batch=3), tmp_path / "m.onnx")
    flags = ["--loss=sum(logits)", "--params", "--freeze=fc1.bias"]
    result = run("dsc", tmp_path / "m.onnx", "-o", tmp_path / "m.so", *flags)
    assert result.code == 0, str(result)
    rows = {line.split()[0]: line for line in result.out.splitlines() if line.startswith("fc")}
    assert sorted(rows) == ["fc1.bias", "fc1.weight", "fc2.bias", "fc2.weight"]
    assert "frozen" in rows["fc1.bias"] and "--freeze" in rows["fc1.bias"]
    assert "trainable" in rows["fc2.bias"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.onnx"]


def headless():
    """A network whose parameters are graph inputs without data."""
    made = mlp([4, 50, 4], batch=3)
    made.graph.output[0].name = made.graph.node[-1].output[0] = "y"
    for tensor in made.graph.initializer:
        made.graph.input.append(value(tensor.name, TensorProto.FLOAT, tensor.dims))
    del made.graph.initializer[:]
    return made


def initial_values(module):
    return load_file(module.with_suffix("").with_suffix(".weights.safetensors"))


def test_rules_fill_parameters_without_data(tmp_path):
    flags = ["--train=fc.*", "--init=kaiming@.*weight", "--init=zeros@bias", "--init=ones@fc2.bias"]
    values = initial_values(compiled(headless(), tmp_path, *flags))
    assert not values["fc1.bias"].any() and (values["fc2.bias"] == 1).all()
    bound = np.sqrt(3) * np.sqrt(2 / 4)  # the widest that a uniform or normal rule would give
    assert 0.1 * bound < values["fc1.weight"].std() < bound
    again = initial_values(compiled(headless(), tmp_path, *flags))
    np.testing.assert_array_equal(again["fc1.weight"], values["fc1.weight"])
    other = initial_values(compiled(headless(), tmp_path, *flags, "--init-seed=1"))
    assert not np.array_equal(other["fc1.weight"], values["fc1.weight"])


@pytest.mark.parametrize(
    "rule, mean, deviation",
    [("normal(0.5)", 0.0, 0.5), ("uniform(-1,3)", 1.0, 4 / np.sqrt(12))],
)
def test_rules_have_their_moments(rule, mean, deviation, tmp_path):
    """200 draws: five standard errors."""
    flags = ["--train=fc.*", "--init=zeros@.*", "--init=%s@fc1.weight" % rule]
    drawn = initial_values(compiled(headless(), tmp_path, *flags))["fc1.weight"]
    error = deviation / np.sqrt(drawn.size)
    assert abs(drawn.mean() - mean) < 5 * error
    assert abs(drawn.std() - deviation) < 5 * error


def test_weights_from_a_file(tmp_path):
    made = mlp([4, 50, 4], batch=3)
    arrays = {t.name: onnx.numpy_helper.to_array(t) for t in made.graph.initializer}
    save_file(arrays, tmp_path / "w.safetensors")
    flags = ["--train=fc.*", "--weights=%s" % (tmp_path / "w.safetensors")]
    values = initial_values(compiled(headless(), tmp_path, *flags))
    for name, array in arrays.items():
        np.testing.assert_array_equal(values[name], array)


def test_a_reserved_name_stays_the_users(tmp_path):
    """`step` is what dsc calls an entry point; the user's weight keeps its name."""
    names = ["step", "forward", "dsc_manifest"]
    nodes = [
        node("MatMul", ["x", "step"], ["h"]),
        node("MatMul", ["h", "forward"], ["i"]),
        node("Mul", ["i", "dsc_manifest"], ["y"]),
    ]
    initializers = {"step": weights(4, 4), "forward": weights(4, 4, seed=1)}
    initializers["dsc_manifest"] = weights(4, seed=2)
    module = compiled(model(nodes, [X], [Y], initializers), tmp_path)
    assert sorted(initial_values(module)) == sorted(names)
    with session(module) as running:
        running.train_step(**data()[0])
        running.save(tmp_path / "w.safetensors")
    trained = load_file(tmp_path / "w.safetensors")
    assert sorted(trained) == sorted(names)
    out = tmp_path / "out.onnx"
    result = run("dsc", "export", module, "--weights=%s" % (tmp_path / "w.safetensors"), "-o", out)
    assert result.code == 0, str(result)
    exported = Graph.load(out).initializers
    for name in names:
        assert not np.array_equal(trained[name], initializers[name])
        np.testing.assert_array_equal(exported[name], trained[name])


def test_other_data_may_have_another_shape_than_a_default(tmp_path):
    """LoRA exports give their factors a default of rank 0 and leave the rank open."""
    nodes = [
        node("MatMul", ["x", "w"], ["a"]),
        node("MatMul", ["x", "down"], ["h"]),
        node("MatMul", ["h", "up"], ["b"]),
        node("Add", ["a", "b"], ["y"]),
    ]
    initializers = {
        "w": weights(4, 4),
        "down": np.zeros((4, 0), np.float32),
        "up": np.zeros((0, 4), np.float32),
    }
    inputs = [
        X,
        value("down", TensorProto.FLOAT, [4, "rank"]),
        value("up", TensorProto.FLOAT, ["rank", 4]),
    ]
    made = model(nodes, inputs, [Y], initializers)
    factors = {"down": weights(4, 2, seed=1), "up": weights(2, 4, seed=2)}
    save_file(factors, tmp_path / "lora.safetensors")
    flags = ["--freeze=^w$", "--weights=%s" % (tmp_path / "lora.safetensors")]
    losses, parameters = trained(compiled(made, tmp_path, *flags))
    grown = model(nodes, [X], [Y], {**initializers, **factors})
    wanted = train(Graph.load(grown), LOSS, factors, data(), Sgd(0.1))
    check_losses(losses, wanted.losses)
    check_gradients(parameters, wanted.parameters)


def test_numbers_that_set_operators_are_not_trained(tmp_path):
    """A normalisation whose exponent and epsilon are initializers, beside a weight
    of one element."""
    nodes = [
        node("MatMul", ["x", "w"], ["h"]),
        node("ReduceMean", ["h"], ["mean"], axes=[-1]),
        node("Sub", ["h", "mean"], ["centred"]),
        node("Pow", ["centred", "two"], ["squares"]),
        node("ReduceMean", ["squares"], ["variance"], axes=[-1]),
        node("Add", ["variance", "small"], ["safe"]),
        node("Sqrt", ["safe"], ["deviation"]),
        node("Div", ["centred", "deviation"], ["normal"]),
        node("Mul", ["normal", "gain"], ["y"]),
    ]
    initializers = {
        "w": weights(4, 4),
        "two": np.array([2], np.float32),
        "small": np.array([1e-3], np.float32),
        "gain": np.array([1.5], np.float32),
    }
    made = model(nodes, [X], [Y], initializers)
    losses, parameters = trained(compiled(made, tmp_path))
    assert sorted(parameters) == ["gain", "w"]
    start = {name: initializers[name] for name in parameters}
    wanted = train(Graph.load(made), LOSS, start, data(), Sgd(0.1))
    check_losses(losses, wanted.losses)
    check_gradients(parameters, wanted.parameters)


def test_all_parameters_without_data_are_listed(tmp_path):
    save(headless(), tmp_path / "m.onnx")
    flags = ["--loss=" + LOSS, "--train=fc.*", "--init=zeros@bias"]
    result = run("dsc", "m.onnx", "-o", "m.so", *flags, cwd=tmp_path)
    assert result.code == 1
    assert result.first_line() == "m.onnx: error: 2 parameters have no data"
    for name in ("fc1.weight", "fc2.weight"):
        assert "input '%s': note: '%s' (" % (name, name) in result.err
    assert "bias" not in result.err.replace("--init=zeros@bias", "")
    assert "--weights" in result.err and "--init=" in result.err
