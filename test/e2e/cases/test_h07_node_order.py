"""H7: files whose nodes are not topologically sorted."""

import random

import numpy as np
import onnx
import pytest
from harness.models import model, node, value
from harness.tools import compile_model, run
from onnx import TensorProto

FLAGS = ["--loss=mse(y,target)"]


def diamonds():
    """Two branches that meet, twice, so that many orders are right."""
    rng = np.random.default_rng(0)
    nodes, current, initializers = [], "x", {}
    for i in range(2):
        names = ["%s%d" % (part, i) for part in ("left", "right", "a", "b", "sum")]
        left, right, a, b, total = names
        for weight in (left, right):
            initializers[weight] = rng.standard_normal((4, 4)).astype(np.float32)
        nodes += [
            node("MatMul", [current, left], [a], "/%s" % left),
            node("MatMul", [current, right], [b], "/%s" % right),
            node("Tanh", [a], [a + ".t"], "/tanh%d" % i),
            node("Sigmoid", [b], [b + ".s"], "/sigmoid%d" % i),
            node("Mul", [a + ".t", b + ".s"], [total], "/mul%d" % i),
        ]
        current = total
    nodes.append(node("Identity", [current], ["y"], "/y"))
    x, y = (value(name, TensorProto.FLOAT, [3, 4]) for name in "xy")
    return model(nodes, [x], [y], initializers)


def compiled(made, folder):
    """The module's bytes, which hold the model's path."""
    onnx.save(made, folder / "m.onnx")  # not checked: the checker wants it sorted
    return compile_model(folder / "m.onnx", folder / "m.so", *FLAGS).read_bytes()


@pytest.mark.parametrize("seed", range(4))
def test_any_order_gives_the_same_bytes(seed, tmp_path):
    made = diamonds()
    wanted = compiled(made, tmp_path)
    nodes = list(made.graph.node)
    random.Random(seed).shuffle(nodes)
    del made.graph.node[:]
    made.graph.node.extend(nodes)
    assert compiled(made, tmp_path) == wanted


def test_a_cycle_is_named(tmp_path):
    """Three nodes, beside one that is in no cycle."""
    nodes = [
        node("MatMul", ["x", "w"], ["h"], "/h"),
        node("Add", ["h", "c"], ["a"], "/a"),
        node("Tanh", ["a"], ["b"], "/b"),
        node("Neg", ["b"], ["c"], "/c"),
        node("Identity", ["c"], ["y"], "/y"),
    ]
    x, y = (value(name, TensorProto.FLOAT, [3, 4]) for name in "xy")
    made = model(nodes, [x], [y], {"w": np.ones((4, 4), np.float32)})
    onnx.save(made, tmp_path / "m.onnx")
    result = run("dsc", "m.onnx", "-o", "m.so", *FLAGS, cwd=tmp_path)
    assert result.code == 1, str(result)
    assert "cycle" in result.first_line()
    assert all("'/%s'" % name in result.err for name in "abc"), str(result)
    assert "'/h'" not in result.err and "'/y'" not in result.err
