"""H4: masks, positions and other buffers arrive as float initializers and get
trained."""

import numpy as np
import onnx
import pytest
from harness.models import model, node, value
from harness.session import session
from harness.tools import compile_model, run
from onnx import TensorProto

LOSS = "mse(y,target)"
LENGTH = 4
LOWER = np.tril(np.ones((1, 1, LENGTH, LENGTH), np.float32))


def attention(mask_nodes, mask):
    """y = softmax(masked(x w)) x, with the buffer `mask` in front of the softmax."""
    weight = np.random.default_rng(0).standard_normal((LENGTH, LENGTH)).astype(np.float32)
    nodes = [
        node("MatMul", ["x", "w"], ["scores"]),
        *mask_nodes,
        node("Softmax", ["masked"], ["p"], axis=-1),
        node("MatMul", ["p", "x"], ["y"]),
    ]
    shape = [1, 1, LENGTH, LENGTH]
    constants = {
        "starts": np.array([0, 0]),
        "ends": np.array([LENGTH, LENGTH]),
        "axes": np.array([2, 3]),
        "zero": np.array(0, np.float32),
        "hidden": np.array(-1e4, np.float32),
    }
    return model(
        nodes,
        [value("x", TensorProto.FLOAT, shape)],
        [value("y", TensorProto.FLOAT, shape)],
        {"w": weight, "mask": mask, **constants},
        opset=17,
    )


SLICE = node("Slice", ["mask", "starts", "ends", "axes"], ["window"])
MASKS = {
    # nanoGPT
    "compared": (
        [
            SLICE,
            node("Equal", ["window", "zero"], ["off"]),
            node("Where", ["off", "hidden", "scores"], ["masked"]),
        ],
        LOWER,
    ),
    # old GPT-2
    "cast": (
        [
            SLICE,
            node("Cast", ["window"], ["on"], to=TensorProto.BOOL),
            node("Where", ["on", "scores", "hidden"], ["masked"]),
        ],
        LOWER,
    ),
    # BERT
    "added": ([node("Add", ["scores", "mask"], ["masked"])], (LOWER - 1) * 1e4),
    # older GPT-2: s * m - 1e4 * (1 - m), folded halfway
    "chosen": ([node("Where", ["kept", "scores", "mask"], ["masked"])], (LOWER - 1) * 1e4),
}


def build(name):
    nodes, mask = MASKS[name]
    made = attention(nodes, mask.astype(np.float32))
    if name == "chosen":
        made.graph.initializer.append(onnx.numpy_helper.from_array(LOWER > 0, "kept"))
    return made


@pytest.mark.parametrize("name", MASKS)
def test_a_mask_is_no_parameter(name, tmp_path):
    """Bit for bit the same after three steps, and without optimizer state."""
    onnx.save(build(name), tmp_path / "m.onnx")
    module = compile_model(tmp_path / "m.onnx", tmp_path / "m.so", "--loss=" + LOSS)
    rng = np.random.default_rng(1)
    shape = (1, 1, LENGTH, LENGTH)
    with session(module) as running:
        assert running.trained() == ["w"]
        assert not any(n.startswith("mask.") for n in running.states)
        before = {n: running.read(n) for n in running.states if n in ("mask", "w")}
        for _ in range(3):
            running.train_step(**{n: rng.standard_normal(shape) for n in ("x", "target")})
        assert not np.array_equal(running.read("w"), before["w"])
        if "mask" in before:
            assert running.read("mask").tobytes() == before["mask"].tobytes()


@pytest.mark.parametrize("name", MASKS)
def test_who_wants_to_train_it_says_so(name, tmp_path):
    if name in ("compared", "cast"):
        pytest.skip("no gradient passes a comparison")
    onnx.save(build(name), tmp_path / "m.onnx")
    flags = ["--loss=" + LOSS, "--train=^mask$"]
    module = compile_model(tmp_path / "m.onnx", tmp_path / "m.so", *flags)
    with session(module) as running:
        assert sorted(running.trained()) == ["mask", "w"]


ROLES = {"trainable", "frozen", "buffer"}


def test_the_report_classifies_every_tensor_of_nanogpt(corpus, tmp_path):
    path = corpus / "ezkl_nanogpt.onnx"
    flags = ["--bind=batch_size=2", "--loss=cross_entropy(output,labels)", "--params"]
    result = run("dsc", path, "-o", tmp_path / "m.so", *flags)
    assert result.code == 0, str(result)
    graph = onnx.load(path).graph
    names = {t.name for t in graph.initializer if t.data_type == TensorProto.FLOAT}
    names |= {n.output[0] for n in graph.node if n.op_type == "Identity"}
    words = [line.split(maxsplit=3) for line in result.out.splitlines()]
    roles = {w[0]: w[2] for w in words if len(w) == 4 and w[2] in ROLES}
    assert set(roles) == names
    assert {n for n, role in roles.items() if role == "buffer"} == {
        "transformer.h.%d.attn.bias" % i for i in range(4)
    }
    assert "frozen" not in roles.values()


def test_masks_and_positions_of_nanogpt_stay(corpus, tmp_path):
    """Positions are arithmetic, which folds; the four masks are one table."""
    flags = ["--bind=batch_size=2", "--loss=cross_entropy(output,labels)"]
    module = compile_model(corpus / "ezkl_nanogpt.onnx", tmp_path / "m.so", *flags)
    rng = np.random.default_rng(0)
    with session(module) as running:
        masks = {n: running.read(n) for n in running.states if n.endswith("attn.bias")}
        for _ in range(3):
            batch = {n: rng.integers(0, 65, (2, 64)) for n in ("input", "labels")}
            running.train_step(**batch)
        for name, before in masks.items():
            assert running.read(name).tobytes() == before.tobytes()
