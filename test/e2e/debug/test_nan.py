"""H25: what is not finite is planted, and the report must name the place where it was."""

import functools
import json
import re

import numpy as np
import onnx
import pytest
from harness.models import model, node, value
from harness.session import session, without_kernel_numbers
from harness.tools import compile_model, run
from safetensors.numpy import load_file, save_file

BATCH, WIDTH = 4, 3
FLOAT = onnx.TensorProto.FLOAT


class Work:
    """A model, its module, and data of ones to plant in: sample [s] of a run of
    N ranks is on rank s // BATCH % N."""

    def __init__(self, folder, made, loss, *flags, samples=60, **shapes):
        self.folder, self.path = folder, folder / "m.onnx"
        onnx.save(made, self.path)
        self.loss, self.flags = loss, flags
        self.data = {n: np.ones((samples, *shape), np.float32) for n, shape in shapes.items()}
        self.compiled = functools.cache(self.compile)

    def compile(self, stage=0, debug=True):
        flags = ["--loss=" + self.loss, "-zero=%d" % stage, *self.flags]
        name = "m%d%s.so" % (stage, "debug" if debug else "")
        flags += ["--debug-nan"] * debug
        return compile_model(self.path, self.folder / name, *flags)

    def run(self, module, *flags):
        inputs = []
        for name, array in self.data.items():
            np.save(self.folder / (name + ".npy"), array)
            inputs += ["--input", "%s=%s" % (name, self.folder / (name + ".npy"))]
        return run("dsrun", module, *inputs, "--threads=1", *flags)

    def fails(self, module, *flags):
        """The one error of a run that must end with code 1."""
        result = self.run(module, *flags)
        assert result.code == 1, str(result)
        errors = [line for line in result.err.splitlines() if "error:" in line]
        assert len(errors) == 1, str(result)
        return errors[0]


def quotient(folder, *flags):
    """y = x w / d + b."""
    rng = np.random.default_rng(1)
    made = model(
        [
            node("MatMul", ["x", "w"], ["m"], name="/mul"),
            node("Div", ["m", "d"], ["q"], name="/quotient"),
            node("Add", ["q", "b"], ["y"], name="/shift"),
        ],
        [value("x", FLOAT, [BATCH, WIDTH]), value("d", FLOAT, [BATCH, WIDTH])],
        [value("y", FLOAT, [BATCH, WIDTH])],
        {
            "w": rng.uniform(0.5, 1, (WIDTH, WIDTH)).astype(np.float32),
            "b": rng.standard_normal(WIDTH).astype(np.float32),
        },
    )
    shapes = {"x": (WIDTH,), "d": (WIDTH,), "t": (WIDTH,)}
    return Work(folder, made, "mse(y,t)", "--optimizer=adamw", *flags, **shapes)


def sample(step, rank, ranks, row, micro_batch=0, micro_batches=1):
    """The sample in `row` of the micro-batch that `rank` runs in `step`, from 1."""
    batch = ((step - 1) * micro_batches + micro_batch) * ranks + rank
    return batch * BATCH + row


@pytest.fixture(scope="module")
def divided(tmp_path_factory):
    return quotient(tmp_path_factory.mktemp("divided"))


@pytest.mark.parametrize("stage, ranks", [(0, 1), (0, 2), (1, 2), (2, 3), (3, 2)])
def test_a_row_of_zeros_divides_at_step_3(divided, stage, ranks):
    """H25 itself."""
    bad = ranks - 1
    divided.data["d"][:] = 1
    divided.data["d"][sample(3, bad, ranks, row=2)] = 0
    good, after = divided.folder / "good.safetensors", divided.folder / "after.safetensors"
    module = divided.compiled(stage)
    result = divided.run(module, "-n", ranks, "--steps=2", "--save", good)
    assert result.code == 0, str(result)
    error = divided.fails(module, "-n", ranks, "--epochs=1", "--save", after)
    divided.data["d"][:] = 1
    assert "step 3, rank %d, forward: element [2, 0] of the result of " % bad in error
    assert re.search(r"of the result of .*/quotient.* is inf, made by div; of its operands", error)
    assert "input 'd': min 0, max 1, mean 0.75, 0 of 12 not finite" in error
    assert re.search(r"the result of .*/mul.*: min [\d.]+, max [\d.]+, mean [\d.]+, 0 of 12", error)
    assert "the parameters are those after step 2" in error
    wanted, got = load_file(good), load_file(after)
    assert all(wanted[name].tobytes() == got[name].tobytes() for name in wanted)


@pytest.mark.parametrize("stage, ranks", [(0, 1), (2, 2)])
def test_training_goes_on_from_the_last_good_step(tmp_path, stage, ranks):
    """The checkpoint of the failed run, with the data mended, gives the bits of a
    run that never failed."""
    work = quotient(tmp_path)
    module, sets = work.compiled(stage), tmp_path / "sets"
    whole, resumed = tmp_path / "whole.safetensors", tmp_path / "resumed.safetensors"
    flags = ["-n", ranks, "--steps=5"]
    assert work.run(module, *flags, "--save", whole).code == 0
    work.data["d"][sample(3, ranks - 1, ranks, row=2)] = 0
    work.fails(module, *flags, "--save", sets)
    assert [p.name for p in sets.glob("step-*")] == ["step-00000002"]
    work.data["d"][:] = 1
    result = work.run(module, *flags, "--resume=%s" % sets, "--save", resumed)
    assert result.code == 0, str(result)
    wanted, got = load_file(whole), load_file(resumed)
    assert all(wanted[name].tobytes() == got[name].tobytes() for name in wanted)


@pytest.mark.parametrize("planted", ["nan", "inf", "-inf"])
@pytest.mark.parametrize("stage, ranks, bad", [(0, 1, 0), (1, 3, 1), (3, 2, 0)])
def test_in_an_input(divided, stage, ranks, bad, planted):
    divided.data["x"][sample(2, bad, ranks, row=1), 2] = float(planted)
    error = divided.fails(divided.compiled(stage), "-n", ranks, "--steps=3")
    divided.data["x"][:] = 1
    place = "step 2, rank %d, forward: element [1, 2] of input 'x' is %s" % (bad, planted)
    assert place in error
    assert "min 1, max 1, mean 1, 1 of 12 not finite" in error


def test_in_one_micro_batch_of_several(divided):
    divided.data["x"][sample(2, 1, 2, row=0, micro_batch=2, micro_batches=3), 1] = np.nan
    error = divided.fails(divided.compiled(1), "-n", 2, "--accumulate=3", "--steps=2")
    divided.data["x"][:] = 1
    assert "step 2, micro-batch 3 of 3, rank 1, forward: element [0, 1] of input 'x'" in error


@pytest.mark.parametrize("planted", ["nan", "inf", "-inf"])
@pytest.mark.parametrize("stage, ranks", [(0, 1), (2, 2), (3, 2)])
def test_in_the_weights(divided, tmp_path, stage, ranks, planted):
    """The state is found before it does any harm, by the rank that has it."""
    module = divided.compiled(stage)
    weights = load_file(module.with_suffix(".weights.safetensors"))
    weights["w"][2, 1] = float(planted)
    save_file(weights, tmp_path / "w.safetensors")
    flags = ["-n", ranks, "--steps=2", "--weights", tmp_path / "w.safetensors"]
    error = divided.fails(module, *flags)
    assert re.search(
        r"before step 1, rank \d, update: element \[2, 1\] of parameter 'w' is %s;" % planted, error
    )


@pytest.mark.parametrize("stage", range(4))
@pytest.mark.parametrize("kind", ["exp_avg", "exp_avg_sq"])
@pytest.mark.parametrize("planted", [np.nan, np.inf, -np.inf])
def test_in_an_optimizer_state(divided, stage, kind, planted):
    """The rows that dsrun reads before the first update."""
    with session(divided.compiled(stage)) as one:
        state = one.read("w." + kind)
        state[1, 2] = planted
        one.write("w." + kind, state)
        one.run("update.debug")
        rows = one.entries["update.debug"]["outputs"]
        bad = [r for r in rows if one.output("update.debug", r["name"])[0]]
        assert [r["check"]["state"] for r in bad] == ["w." + kind]
        count, first, found, least, greatest, total = one.output("update.debug", bad[0]["name"])
        assert (count, first) == (1, 1 * WIDTH + 2)
        assert np.array_equal(found, planted, equal_nan=True)
        assert (least, greatest, total) == (0, 0, 0)


def test_an_optimizer_state_that_overflowed(tmp_path):
    """Its square is no f32, but the update was fine: the parameter only stands
    still. It is found when something else fails, as what went wrong first."""
    made = model(
        [node("MatMul", ["x", "w"], ["y"], name="/mul")],
        [value("x", FLOAT, [BATCH, WIDTH])],
        [value("y", FLOAT, [BATCH, 2])],
        {"w": np.full((WIDTH, 2), 0.5, np.float32)},
    )
    work = Work(tmp_path, made, "sum(y)", "--optimizer=adamw", x=(WIDTH,))
    work.data["x"][sample(2, 0, 1, row=0), 1] = 1e25
    work.data["x"][sample(4, 0, 1, row=3), 0] = np.nan
    error = work.fails(work.compiled(0), "--steps=5")
    place = "update: element [1, 0] of optimizer state 'exp_avg_sq' of parameter 'w' is inf"
    assert "before step 4, rank 0, " + place in error


def test_in_a_gradient(tmp_path):
    """sqrt is finite at 0, where its derivative is not."""
    made = model(
        [
            node("MatMul", ["x", "w"], ["m"], name="/mul"),
            node("Sqrt", ["m"], ["y"], name="/root"),
        ],
        [value("x", FLOAT, [BATCH, WIDTH])],
        [value("y", FLOAT, [BATCH, 2])],
        {"w": np.full((WIDTH, 2), 0.5, np.float32)},
    )
    work = Work(tmp_path, made, "mse(y,t)", "--optimizer=sgd", "--lr=1e-3", x=(WIDTH,), t=(2,))
    work.data["x"][sample(3, 1, 2, row=1)] = 0
    error = work.fails(work.compiled(0), "-n", 2, "--steps=4")
    assert re.search(r"step 3, rank 1, backward: element \[1, 0\] of the result of .*/root", error)
    assert "the parameters are those after step 2" in error


def test_a_logarithm_of_zero_in_front_of_a_mask(tmp_path):
    """The mask hides the infinity from the loss, but not from the gradient."""
    made = model(
        [
            node("MatMul", ["x", "w"], ["m"], name="/mul"),
            node("Log", ["m"], ["l"], name="/log"),
            node("Where", ["keep", "l", "zero"], ["y"], name="/mask"),
        ],
        [value("x", FLOAT, [BATCH, WIDTH]), value("keep", onnx.TensorProto.BOOL, [BATCH, 1])],
        [value("y", FLOAT, [BATCH, 2])],
        {"w": np.full((WIDTH, 2), 0.5, np.float32), "zero": np.zeros((), np.float32)},
    )
    work = Work(tmp_path, made, "mse(y,t)", "--optimizer=sgd", "--lr=1e-3", x=(WIDTH,), t=(2,))
    work.data["keep"] = np.ones((60, 1), bool)
    row = sample(2, 0, 1, row=3)
    work.data["x"][row] = 0
    work.data["keep"][row] = False
    result = work.run(work.compiled(0), "--steps=3")
    if result.code == 0:  # The gradient of what is masked is 0, too.
        assert "error" not in result.err
    work.data["keep"][row] = True
    error = work.fails(work.compiled(0), "--steps=3")
    assert re.search(r"step 2, rank 0, forward: element \[3, 0\] of the result of .*/log", error)
    assert "is -inf" in error


def test_infinities_that_the_model_means(tmp_path):
    """A mask of -inf in front of a softmax is no mistake; a NaN behind it is."""
    mask = np.where(np.tri(WIDTH, dtype=bool), 0, -np.inf).astype(np.float32)
    made = model(
        [
            node("MatMul", ["x", "w"], ["m"], name="/scores"),
            node("Add", ["m", "mask"], ["s"], name="/mask"),
            node("Softmax", ["s"], ["p"], name="/softmax", axis=-1),
            node("Div", ["p", "d"], ["y"], name="/quotient"),
        ],
        [value("x", FLOAT, [BATCH, WIDTH, 2]), value("d", FLOAT, [BATCH, 1, 1])],
        [value("y", FLOAT, [BATCH, WIDTH, WIDTH])],
        {"w": np.full((2, WIDTH), 0.5, np.float32), "mask": mask},
    )
    shapes = {"x": (WIDTH, 2), "d": (1, 1), "t": (WIDTH, WIDTH)}
    work = Work(tmp_path, made, "mse(y,t)", "--optimizer=sgd", **shapes)
    assert work.run(work.compiled(0), "--steps=3").code == 0
    work.data["d"][sample(2, 0, 1, row=2)] = 0
    error = work.fails(work.compiled(0), "--steps=3")
    assert re.search(r"forward: element \[2, 0, 0\] of the result of .*/quotient", error)


def test_a_sum_of_two_finite_gradients(tmp_path):
    """Each use of w has a finite gradient; only their sum is none."""
    made = model(
        [
            node("MatMul", ["x", "w"], ["a"], name="/first"),
            node("MatMul", ["z", "w"], ["b"], name="/second"),
            node("Sub", ["a", "b"], ["c"]),
            node("MatMul", ["z", "w"], ["d"], name="/third"),
            node("Add", ["c", "d"], ["e"]),
            node("Add", ["e", "d"], ["y"]),
        ],
        [value("x", FLOAT, [1, 2]), value("z", FLOAT, [1, 2])],
        [value("y", FLOAT, [1, 1])],
        {"w": np.array([[1e-3], [1e-3]], np.float32)},
    )
    work = Work(tmp_path, made, "sum(y)", "--optimizer=sgd", "--lr=0", samples=6, x=(2,), z=(2,))
    work.data["x"][3, 1] = work.data["z"][3, 1] = 3e38
    error = work.fails(work.compiled(0), "--steps=6")
    assert "step 4, rank 0, update: element [1, 0] of the gradient of parameter 'w'" in error


def test_random_numbers_are_drawn_again(tmp_path):
    """Only where dropout leaves a zero is the quotient infinite: the replay of
    another micro-batch's random numbers would not find it."""
    made = model(
        [
            node("MatMul", ["x", "w"], ["m"], name="/mul"),
            node("Dropout", ["d", "ratio", "on"], ["k"], name="/dropout"),
            node("Div", ["m", "k"], ["y"], name="/quotient"),
        ],
        [value("x", FLOAT, [BATCH, WIDTH]), value("d", FLOAT, [BATCH, WIDTH])],
        [value("y", FLOAT, [BATCH, WIDTH])],
        {
            "w": np.full((WIDTH, WIDTH), 0.5, np.float32),
            "ratio": np.float32(0.02).reshape(()),
            "on": np.array(True),
        },
    )
    shapes = {"x": (WIDTH,), "d": (WIDTH,), "t": (WIDTH,)}
    work = Work(tmp_path, made, "mse(y,t)", "--optimizer=sgd", samples=400, **shapes)
    for flags in (["-n", 1], ["-n", 2], ["--accumulate=4"]):
        error = work.fails(work.compiled(0), *flags, "--epochs=1", "--seed=3")
        assert re.search(r"of the result of .*/quotient.* is inf", error)


@pytest.mark.parametrize("stage", [0, 3])
def test_a_clean_run_is_the_same_to_the_bit(divided, stage):
    divided.data["t"][:] = np.random.default_rng(2).standard_normal(divided.data["t"].shape)
    plain, debug = divided.compiled(stage, False), divided.compiled(stage)
    with session(plain) as a, session(debug) as b:
        assert set(b.entries) - set(a.entries) == {"step.debug", "update.debug"}
        assert a.states == b.states
        for name, entry in a.entries.items():
            assert without_kernel_numbers(entry) == without_kernel_numbers(b.entries[name])
    saved = []
    for module in (plain, debug):
        path, metrics = divided.folder / "saved.safetensors", divided.folder / "clean.jsonl"
        result = divided.run(
            module, "-n", 2, "--epochs=2", "--seed=1", "--save", path, "--metrics", metrics
        )
        assert result.code == 0, str(result)
        lines = [json.loads(line) for line in metrics.read_text().splitlines()]
        saved.append((load_file(path), [(u["loss"], u["grad_norm"]) for u in lines]))
    divided.data["t"][:] = 1
    (before, losses), (after, also) = saved
    assert losses == also
    assert all(before[name].tobytes() == after[name].tobytes() for name in before)


def test_without_the_flag_the_notice_says_how_to_learn_more(divided):
    divided.data["x"][sample(2, 0, 1, row=1), 2] = np.nan
    result = divided.run(divided.compiled(0, False), "--steps=3")
    divided.data["x"][:] = 1
    assert result.code == 0, str(result)
    assert "step 2: the loss or a gradient is not finite; the update was skipped" in result.err
    assert "dsc --debug-nan" in result.err


def test_every_set_of_sizes_has_its_own(tmp_path):
    made = model(
        [node("MatMul", ["x", "w"], ["m"]), node("Sqrt", ["m"], ["y"], name="/root")],
        [value("x", FLOAT, ["batch", WIDTH])],
        [value("y", FLOAT, ["batch", 2])],
        {"w": np.full((WIDTH, 2), 0.5, np.float32)},
    )
    shapes = {"x": (WIDTH,), "t": (2,)}
    work = Work(tmp_path, made, "mse(y,t)", "--bind=batch=8,4", "--optimizer=sgd", **shapes)
    with session(work.compiled(0)) as one:
        assert {"step.debug", "step.debug.batch4", "update.debug"} <= set(one.entries)
        assert "update.debug.batch4" not in one.entries
    work.data["x"][9] = -1
    error = work.fails(work.compiled(0), "--steps=3")
    assert re.search(r"step 2, rank 0, forward: element \[1, 0\] of .*/root.* is nan", error)
