"""H17: scalars and parameters without elements cannot be sharded: an error at the
start, or their shape is lost.

Beside a normal layer stands one parameter of 0, 1, 2 or 7 elements. Ranks whose
range holds nothing take part in all collectives.
"""

import json

import numpy as np
import onnx
import pytest
from harness.checkpoints import check_same_state, newest
from harness.marks import long
from harness.models import model, node, value
from harness.ranks import Work, check_equal
from harness.tools import run
from onnx import TensorProto

BATCH, WIDTH, CLASSES = 2, 6, 7

# Shape of the parameter, and how it is used: its layer takes `a` and gives `b`.
SHAPES = {
    "scalar": ((), "Mul"),
    "one": ((1,), "Mul"),
    "one_by_one": ((1, 1), "Mul"),
    "two": ((2, 1), "halves"),
    "seven": ((CLASSES,), "Add"),
    "no_rows": ((0, CLASSES), "rows"),
    "none": ((0,), "columns"),
}


def build(name):
    shape, use = SHAPES[name]
    nodes = [
        node("MatMul", ["x", "h.0.weight"], ["a0"], "/h.0/MatMul"),
        node("Tanh", ["a0"], ["a"], "/h.0/Tanh"),
    ]
    if use in ("Mul", "Add"):
        nodes.append(node(use, ["a", "h.1.p"], ["b"], "/h.1/" + use))
    elif use == "halves":  # [2, CLASSES] + [2, 1]
        nodes.append(node("Add", ["a", "h.1.p"], ["b"], "/h.1/Add"))
    elif use == "rows":
        nodes.append(node("Concat", ["a", "h.1.p"], ["b"], "/h.1/Concat", axis=0))
    else:
        nodes.append(node("Concat", ["h.1.bias", "h.1.p"], ["c"], "/h.1/Concat", axis=0))
        nodes.append(node("Add", ["a", "c"], ["b"], "/h.1/Add"))
    nodes.append(node("MatMul", ["b", "h.2.weight"], ["logits"], "/h.2/MatMul"))
    shapes = {"h.0.weight": (WIDTH, CLASSES), "h.1.p": shape, "h.2.weight": (CLASSES, CLASSES)}
    if use == "columns":
        shapes["h.1.bias"] = (CLASSES,)
    rng = np.random.default_rng(3)
    parameters = {
        n: rng.standard_normal(s).astype(np.float32).reshape(s) for n, s in shapes.items()
    }
    made = model(
        nodes,
        [value("x", TensorProto.FLOAT, [BATCH, WIDTH])],
        [value("logits", TensorProto.FLOAT, [BATCH, CLASSES])],
        parameters,
    )
    return made, parameters


@pytest.fixture(scope="module", params=SHAPES)
def case(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    made, parameters = build(request.param)
    onnx.save(made, folder / "m.onnx")
    rng = np.random.default_rng(5)
    data = {
        "x": rng.standard_normal((60, WIDTH)).astype(np.float32),
        "y": rng.integers(0, CLASSES, 60),
    }
    flags = ["--loss=cross_entropy(logits,y)", "--optimizer=sgd", "--lr=0.2", "--clip-norm=1"]
    return Work(folder, folder / "m.onnx", flags, data), parameters


@pytest.mark.parametrize("ranks", [3, 8, *long(1, 2)])
@pytest.mark.parametrize("stage", [3, *long(0, 1, 2)])
def test_trains_and_keeps_its_shape(case, stage, ranks):
    work, parameters = case
    got = work.trained(stage, ranks, 1, "--steps=10")
    check_equal(got, work.trained(0, 1, ranks, "--steps=10"))
    for name, first in parameters.items():
        assert got[1][name].shape == first.shape
        assert (got[1][name] != first).any() == (first.size > 0)


def test_most_ranks_own_nothing(case):
    """And are there all the same: above, eight of them trained."""
    work, parameters = case
    flags = [*work.flags, "-zero=3", "--plan", "--json", "--ranks=8"]
    result = run("dsc", work.path, *flags)
    assert result.code == 0, str(result)
    groups = json.loads(result.out)["groups"]
    held = [g["name"] for g in groups]
    assert "h.0" in held and "h.2" in held
    assert all(g["owners"] == 1 for g in groups)
    # What has no elements is in no group; every rank has all of it.
    elements = sum(g["tensor_elements"] for g in groups)
    assert elements == sum(p.size for p in parameters.values())


@pytest.mark.parametrize("ranks", [2, *long(1, 3, 8)])
def test_shapes_survive_a_checkpoint(case, ranks, tmp_path):
    """Ten updates are six, saved and gone on with by as many ranks, and four."""
    work, parameters = case
    flags = [work.compiled(3), *work.data, "-n", ranks, "--threads=1"]
    straight, folder = tmp_path / "straight", tmp_path / "c"
    for more in (
        ["--steps=10", "--save", straight],
        ["--steps=6", "--save", folder],
        ["--steps=10", "--save", folder, "--resume"],
    ):
        result = run("dsrun", *flags, *more)
        assert result.code == 0, str(result)
    made = newest(folder)
    check_same_state(made, newest(straight))
    for name, first in parameters.items():
        assert made.tensors[name].shape == first.shape
