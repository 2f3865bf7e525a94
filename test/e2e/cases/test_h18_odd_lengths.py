"""H18: lengths that the number of ranks does not divide are an error, or a global
size is guessed from one shard.

A weight with 5 rows on 2, 3 and 8 ranks. A row is one unit, in which groups are cut,
so that ranks have 3 and 2 of them, or 2, 2 and 1, or some none. Numbers are small
integers times powers of two, so sums have no rounding, and where the number of
ranks is a power of two every bit is known beforehand.
"""

import json
import os

import numpy as np
import onnx
import pytest
from harness import tolerance
from harness.checkpoints import newest
from harness.compare import check_gradients
from harness.models import model, node, value
from harness.ranks import Work
from harness.tools import build_preloaded, run
from onnx import TensorProto
from safetensors.numpy import load_file

ROWS, WIDTH, BATCH, RATE, DECAY = 5, 64, 2, 0.125, 0.5
SHAPES = {"h.0.weight": (ROWS, WIDTH), "h.1.weight": (WIDTH, ROWS), "h.1.bias": (ROWS,)}
FLAGS = ["--loss=sum(y)", "--optimizer=sgd", "--lr=%g" % RATE, "--weight-decay=%g" % DECAY]
UPDATES, MOST_RANKS = 2, 8


def drawn(shape, seed):
    return np.random.default_rng(seed).integers(-1, 2, shape).astype(np.float32)


def linear():
    return model(
        [
            node("MatMul", ["x", "h.0.weight"], ["a"], "/h.0/MatMul"),
            node("MatMul", ["a", "h.1.weight"], ["b"], "/h.1/MatMul"),
            node("Add", ["b", "h.1.bias"], ["y"], "/h.1/Add"),
        ],
        [value("x", TensorProto.FLOAT, [BATCH, ROWS])],
        [value("y", TensorProto.FLOAT, [BATCH, ROWS])],
        {name: drawn(shape, i) for i, (name, shape) in enumerate(SHAPES.items())},
    )


def inputs():
    return drawn((UPDATES * MOST_RANKS * BATCH, ROWS), 9)


def by_hand(ranks):
    """Norms and final parameters: a micro-batch counts 1."""
    w, v, b = (drawn(shape, i).astype(np.float64) for i, shape in enumerate(SHAPES.values()))
    norms = []
    used = inputs()[: UPDATES * ranks * BATCH].astype(np.float64)
    for x in used.reshape(UPDATES, ranks * BATCH, ROWS):
        ones = np.ones((len(x), ROWS)) / ranks
        gradients = x.T @ ones @ v.T, (x @ w).T @ ones, ones.sum(0)
        norms.append(np.sqrt(sum((g**2).sum() for g in gradients)))
        w, v, b = (p - RATE * (g + DECAY * p) for p, g in zip((w, v, b), gradients))
    return norms, dict(zip(SHAPES, (w, v, b)))


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("h18")
    onnx.save(linear(), folder / "m.onnx")
    return Work(folder, folder / "m.onnx", FLAGS, {"x": inputs()})


@pytest.mark.parametrize("ranks", [1, 2, 3, 8])
@pytest.mark.parametrize("stage", range(4))
def test_norms_and_weights_are_those_of_one_process(work, stage, ranks):
    lines, parameters = work.trained(stage, ranks, 1, "--steps=%d" % UPDATES)
    norms, wanted = by_hand(ranks)
    assert {name: p.shape for name, p in parameters.items()} == SHAPES
    assert [line["grad_norm"] for line in lines] == pytest.approx(norms, rel=1e-7)
    check_gradients(parameters, wanted, tolerance.RANKS)
    if ranks != 3:  # 1/3 is rounded.
        assert [line["grad_norm"] for line in lines] == norms
        for name, array in wanted.items():
            np.testing.assert_array_equal(parameters[name], array)


def test_the_saved_file_does_not_know_how_many_ranks_there_were(work, tmp_path):
    files = []
    for ranks in (1, 2, 8):
        path = tmp_path / ("%d.safetensors" % ranks)
        flags = ["-n", ranks, "--threads=1", "--accumulate=%d" % (MOST_RANKS // ranks)]
        result = run("dsrun", work.compiled(3), *work.data, *flags, "--steps=2", "--save", path)
        assert result.code == 0, str(result)
        files.append(path.read_bytes())
    assert files[0] == files[1] == files[2]
    assert {n: a.shape for n, a in load_file(path).items()} == SHAPES


def test_a_checkpoint_holds_no_padding(work, tmp_path):
    """Logical tensors, of the same bits whoever saved them, and the bytes of the
    parts are those of the tensors."""
    sets = []
    for ranks in (1, 2, 8):
        folder = tmp_path / str(ranks)
        flags = ["-n", ranks, "--threads=1", "--accumulate=%d" % (MOST_RANKS // ranks)]
        result = run("dsrun", work.compiled(3), *work.data, *flags, "--steps=2", "--save", folder)
        assert result.code == 0, str(result)
        sets.append(newest(folder))
    for made in sets:
        files = made.manifest["files"]
        held = sum(row["bytes"] - row["header_bytes"] for row in files)
        assert held == sum(array.nbytes for array in made.tensors.values())
        for name, shape in SHAPES.items():
            assert made.tensors[name].shape == shape
            assert made.tensors[name].tobytes() == sets[0].tensors[name].tobytes()


@pytest.fixture(scope="module")
def recorder(tmp_path_factory):
    return build_preloaded("record", tmp_path_factory.mktemp("recorder"))


@pytest.mark.parametrize("ranks", [1, 2, 3, 8])
def test_padding_stays_zero(work, recorder, ranks, tmp_path):
    """Also under a decay of weights and Adam's division by the root of zero."""
    flags = ["--loss=sum(y)", "--optimizer=adamw", "--weight-decay=0.1"]
    adamw = Work(tmp_path, work.path, flags, {"x": inputs()})
    module = adamw.compiled(3)
    result = run("dsc", work.path, *flags, "-zero=3", "--plan", "--json", "--ranks=%d" % ranks)
    groups = json.loads(result.out)["groups"]
    assert sum(g["padding_bytes"] for g in groups) > 0
    environment = {
        "LD_PRELOAD": str(recorder),
        "DSC_RECORD": str(tmp_path),
        "DSC_SHARD_BYTES": ",".join(str(4 * g["shard_elements"]) for g in groups),
    }
    flags = ["-n", ranks, "--threads=1", "--steps=4"]
    result = run("dsrun", module, *adamw.data, *flags, environment={**os.environ, **environment})
    assert result.code == 0, str(result)

    # h.0 is its weight; h.1 begins with its weight, and its bias follows on the
    # next 128 bytes, which is where the weight ends.
    sizes = {"h.0": ROWS * WIDTH, "h.1": ROWS * WIDTH + ROWS}
    for index, group in enumerate(groups):
        shards = [
            np.fromfile(tmp_path / ("shard-%d-%d" % (index, rank)), np.float32)
            for rank in range(ranks)
        ]
        whole, size = np.concatenate(shards), sizes[group["name"]]
        assert len(whole) == ranks * group["shard_elements"]
        assert np.isfinite(whole).all() and not whole[size:].any()
        assert np.count_nonzero(whole[:size]) > size // 2
