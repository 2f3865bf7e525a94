"""Real ranks against one: the same global batches give the same training."""

import numpy as np
import onnx
import pytest
from harness.marks import long
from harness.models import mlp, model, node, value
from harness.ranks import Work, check_equal, check_same_bits
from harness.tools import run
from models.gpt2 import BATCH as GPT_BATCH
from models.gpt2 import EXPORTS, LENGTH, LOSS, batches, recorded

BATCH, SAMPLES = 4, 42  # 10 batches and a half: rounds in which ranks have none


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    onnx.save(mlp([6, 7, 3]), folder / "m.onnx")
    flags = ["--bind=batch=%d" % BATCH, "--loss=cross_entropy(logits,y)"]
    rng = np.random.default_rng(4)
    x = rng.standard_normal((SAMPLES, 6)).astype(np.float32)
    y = rng.integers(0, 3, SAMPLES)
    y[::5] = -100  # ranks whose batches weigh differently
    y[BATCH : 2 * BATCH] = -100  # H15: in the order of the file, one has none at all
    return Work(
        folder,
        folder / "m.onnx",
        [*flags, "--optimizer=sgd", "--lr=0.3", "--clip-norm=0.4"],
        {"x": x, "y": y},
    )


@pytest.mark.parametrize("accumulate", [1, 2])
@pytest.mark.parametrize("ranks", [3, *long(2, 4, 8)])
@pytest.mark.parametrize("stage", range(4))
def test_mlp(small, stage, ranks, accumulate):
    """Two epochs, whose last updates and batches are short."""
    more = ["--epochs=2", "--seed=5"]
    one = small.trained(stage, 1, ranks * accumulate, *more)
    check_equal(small.trained(stage, ranks, accumulate, *more), one)


@pytest.mark.parametrize("stage", range(4))
def test_a_rank_of_which_nothing_counts(small, stage):
    check_equal(small.trained(stage, 2, 1, "--epochs=1"), small.trained(stage, 1, 2, "--epochs=1"))


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """Parameters that no number of ranks divides: of 35, 7 and 1 elements and of
    none, a scalar, and a frozen one."""
    folder, rng = tmp_path_factory.mktemp("odd"), np.random.default_rng(9)
    shapes = {"w": (5, 7), "b": (7,), "frozen": (7,), "scale": (), "shift": (1,), "none": (0, 7)}
    made = model(
        [
            node("MatMul", ["x", "w"], ["m"]),
            node("Add", ["m", "b"], ["n"]),
            node("Mul", ["n", "frozen"], ["o"]),
            node("Mul", ["o", "scale"], ["p"]),
            node("Add", ["p", "shift"], ["q"]),
            node("Concat", ["q", "none"], ["logits"], axis=0),
        ],
        [value("x", onnx.TensorProto.FLOAT, [BATCH, 5])],
        [value("logits", onnx.TensorProto.FLOAT, [BATCH, 7])],
        {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()},
    )
    onnx.save(made, folder / "m.onnx")
    flags = ["--loss=mse(logits,t)", "--optimizer=sgd", "--lr=0.02", "--freeze=^frozen$"]
    x = rng.standard_normal((SAMPLES, 5)).astype(np.float32)
    t = rng.standard_normal((SAMPLES, 7)).astype(np.float32)
    return Work(folder, folder / "m.onnx", flags, {"x": x, "t": t})


@pytest.mark.parametrize("ranks", [5, *long(2, 3)])
@pytest.mark.parametrize("stage", range(4))
def test_odd_parameters(odd, stage, ranks):
    one = odd.trained(stage, 1, ranks, "--epochs=1")
    check_equal(odd.trained(stage, ranks, 1, "--epochs=1"), one)


def test_a_loss_without_weights_leaves_out_what_is_not_one_batch_a_rank(tmp_path):
    made = mlp([6, 3], batch=BATCH)
    made.graph.node.append(node("SoftmaxCrossEntropyLoss", ["logits", "y"], ["loss"]))
    made.graph.input.append(value("y", onnx.TensorProto.INT64, [BATCH]))
    del made.graph.output[:]
    made.graph.output.append(value("loss", onnx.TensorProto.FLOAT, []))
    onnx.save(made, tmp_path / "m.onnx")
    rng = np.random.default_rng(3)
    data = {
        "x": rng.standard_normal((36, 6)).astype(np.float32),
        "y": rng.integers(0, 3, 36),
    }
    flags = ["--loss=loss", "--optimizer=sgd", "--lr=0.3"]
    work = Work(tmp_path, tmp_path / "m.onnx", flags, data)
    one = work.trained(0, 1, 3, "--epochs=2")
    # Six samples more do not make a batch of four for each of three ranks.
    for name in data:
        np.save(tmp_path / (name + ".npy"), np.concatenate([data[name], data[name][:6]]))
    check_equal(work.trained(0, 3, 1, "--epochs=2"), one)
    flags = [*work.data, "--epochs=1", "-n", 3, "--threads=1"]
    notice = "the last 6 of 42 samples do not fill a batch of 4 on each of 3 ranks and are left out"
    assert notice in run("dsrun", work.compiled(0), *flags).err


@pytest.mark.parametrize("ranks", [2, 3])
def test_stages_agree_to_the_bit(small, ranks):
    whole, *shards = [
        small.trained(stage, ranks, 1, "--epochs=2", "--seed=5") for stage in range(4)
    ]
    for got in shards:
        check_same_bits(got, whole)


@pytest.mark.parametrize("stage", range(4))
def test_evaluation_and_outputs(small, stage, tmp_path):
    """Ranks share the batches of an evaluation, and rank 0 writes their outputs."""

    def evaluate(ranks):
        folder = tmp_path / str(ranks)
        flags = ["--eval", "--write-outputs", folder, "-n", ranks, "--threads=1"]
        result = run("dsrun", small.compiled(stage), *small.data, *flags)
        assert result.code == 0, str(result)
        return result.out, np.load(folder / "logits.npy")

    out, logits = evaluate(1)
    assert "accuracy" in out and logits.shape == (SAMPLES, 3)
    for ranks in (2, 3):
        got, rows = evaluate(ranks)
        assert got == out
        assert np.array_equal(rows, logits)


@pytest.fixture(scope="module")
def gpt(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gpt2")
    export = next(e for e in EXPORTS if e.name == "gpt2_torchscript")  # tied
    made = list(batches(export))[:6]
    data = {name: np.concatenate([batch[name] for batch in made]) for name in made[0]}
    flags = ["--bind=batch=%d" % GPT_BATCH, "--bind=seq=%d" % LENGTH, "--loss=" + LOSS]
    flags += ["--tie=" + tie for tie in recorded(export).ties]
    flags += ["--optimizer=sgd", "--lr=0.05"]
    return Work(folder, export.path, flags, data)


@pytest.mark.parametrize("ranks", [3, *long(2)])
@pytest.mark.parametrize("stage", [0, 3, *long(1, 2)])
def test_gpt2(gpt, stage, ranks):
    one = gpt.trained(stage, 1, ranks, "--epochs=3")
    check_equal(gpt.trained(stage, ranks, 1, "--epochs=3"), one)


def test_dropout_draws_by_global_micro_batch(tmp_path):
    """Two ranks drop what one rank drops in the same micro-batches."""
    width = 16
    made = model(
        [
            node("Dropout", ["x", "ratio", "training"], ["kept"], "drop"),
            node("MatMul", ["kept", "w"], ["y"]),
        ],
        [value("x", onnx.TensorProto.FLOAT, ["batch", width])],
        [value("y", onnx.TensorProto.FLOAT, ["batch", 1])],
        {
            "w": np.linspace(1, 2, width, dtype=np.float32)[:, None],
            "ratio": np.float32(0.5),
            "training": np.array(True),
        },
    )
    onnx.save(made, tmp_path / "m.onnx")
    flags = ["--bind=batch=%d" % BATCH, "--loss=sum(y)", "--optimizer=sgd", "--lr=0.001"]
    x = np.ones((4 * BATCH, width), np.float32)
    work = Work(tmp_path, tmp_path / "m.onnx", flags, {"x": x})
    one = work.trained(0, 1, 2, "--epochs=3")
    assert len({line["loss"] for line in one[0]}) == 6
    check_equal(work.trained(0, 2, 1, "--epochs=3"), one)
