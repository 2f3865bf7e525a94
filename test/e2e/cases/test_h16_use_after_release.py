"""H16: a partitioned parameter stands in as a scalar, and a use outside of its
gather trains on nonsense without any error.

A parameter is added at two places with another layer in between, so it is gathered
twice. Here schedules are edited by hand, each gather and release of each entry in
turn; the verifiers of the stages see every one of them. And where memory is filled
with NaN as it is freed (`dsc --poison-freed`), nothing that is trained has read it:
test/lit/codegen/host/run-poisoned.mlir has one that does.
"""

import re

import numpy as np
import onnx
import pytest
from harness.models import model, node, value
from harness.ranks import Work, check_equal, check_same_bits
from harness.tools import compile_model, run
from onnx import TensorProto
from schedule.small import make_decoder

WIDTH, BATCH = 4, 4
FLAGS = ["--loss=mse(y,t)", "--optimizer=sgd", "--lr=0.05"]
STAGES = ["partition", "schedule"]
# The gather itself, or the wait for it, whose results are read.
GATHER = re.compile(r"^ +(%\w+) = (zero\.gather @|zero\.gather_await )")
RELEASE = re.compile(r"^ +zero\.release @[\w.]+\((%\w+)\)")


def added_twice():
    rng = np.random.default_rng(0)
    drawn = {"w": (WIDTH, WIDTH), "h.1.weight": (WIDTH, WIDTH)}
    return model(
        [
            node("Add", ["x", "w"], ["a"], "/first/Add"),
            node("MatMul", ["a", "h.1.weight"], ["b"], "/h.1/MatMul"),
            node("Tanh", ["b"], ["c"], "/h.1/Tanh"),
            node("Add", ["c", "w"], ["y"], "/second/Add"),
        ],
        [value("x", TensorProto.FLOAT, [BATCH, WIDTH])],
        [value("y", TensorProto.FLOAT, [BATCH, WIDTH])],
        {name: rng.standard_normal(shape).astype(np.float32) for name, shape in drawn.items()},
    )


@pytest.fixture(scope="module")
def schedules(tmp_path_factory):
    """The lines of the module after a stage; a schedule that decides nothing gathers
    twice."""
    folder = tmp_path_factory.mktemp("h16")
    onnx.save(added_twice(), folder / "m.onnx")

    def after(stage):
        flags = [*FLAGS, "-zero=3", "--schedule-stage=off", "--emit=" + stage]
        result = run("dsc", folder / "m.onnx", *flags)
        assert result.code == 0, str(result)
        return result.out.splitlines()

    return {stage: after(stage) for stage in STAGES}


def verify(stage, lines, folder):
    path = folder / "edited.mlir"
    path.write_text("\n".join(lines))
    return run("dsc-opt", path, "--%s-verify" % stage, "-o", "/dev/null")


def find(lines, pattern):
    """Numbers of the lines that match, each with the value that it names."""
    return [(i, m[1]) for i, line in enumerate(lines) if (m := pattern.match(line))]


def pairs(lines):
    """Each gather with its release: values have their names again in each entry."""
    releases = find(lines, RELEASE)
    return [
        (gather, next(r for r, released in releases if r > gather and released == name), name)
        for gather, name in find(lines, GATHER)
    ]


@pytest.mark.parametrize("stage", STAGES)
def test_what_dsc_makes_passes(schedules, stage, tmp_path):
    lines = schedules[stage]
    assert verify(stage, lines, tmp_path).code == 0
    # Four in each kind of step, in eval three; the outer one twice in forward.
    assert len(pairs(lines)) == 4 + 4 + 3


@pytest.mark.parametrize("number", range(11))
@pytest.mark.parametrize("stage", STAGES)
def test_a_use_after_the_release(schedules, stage, number, tmp_path):
    lines = list(schedules[stage])
    gather, release, _ = pairs(lines)[number]
    lines.insert(gather + 1, lines.pop(release))
    result = verify(stage, lines, tmp_path)
    assert result.code == 1, str(result)
    assert re.search(r"reads a gathered tensor of @[\w.]+ after its release", result.err)
    assert "note: released here" in result.err


@pytest.mark.parametrize("number", range(11))
@pytest.mark.parametrize("stage", STAGES)
def test_a_gather_behind_the_use(schedules, stage, number, tmp_path):
    lines = list(schedules[stage])
    gather, release, _ = pairs(lines)[number]
    lines.insert(release - 1, lines.pop(gather))
    result = verify(stage, lines, tmp_path)
    assert result.code == 1, str(result)
    assert "does not dominate this use" in result.err


@pytest.mark.parametrize("stage", STAGES)
def test_a_second_use_that_is_not_gathered(schedules, stage, tmp_path):
    """It reads what was gathered for the first use."""
    lines = list(schedules[stage])
    made = pairs(lines)
    of_w = [pair for pair in made if "@w" in lines[pair[1]]]
    (_, _, first), (gather, release, second) = of_w[:2]
    for i in range(gather + 1, release):
        lines[i] = re.sub(r"%s\b" % second, first, lines[i])
    result = verify(stage, lines, tmp_path)
    assert result.code == 1, str(result)
    assert re.search(r"reads a gathered tensor of @w\.group after its release", result.err)


@pytest.mark.parametrize("stage", STAGES)
def test_a_tensor_that_is_not_released(schedules, stage, tmp_path):
    lines = list(schedules[stage])
    del lines[pairs(lines)[0][1]]
    result = verify(stage, lines, tmp_path)
    assert result.code == 1 and "gathers tensors that nothing releases" in result.err


@pytest.mark.parametrize("ranks", [2, 3])
def test_both_uses_train(tmp_path, ranks):
    rng = np.random.default_rng(1)
    onnx.save(added_twice(), tmp_path / "m.onnx")
    data = {n: rng.standard_normal((24, WIDTH)).astype(np.float32) for n in ("x", "t")}
    work = Work(tmp_path, tmp_path / "m.onnx", FLAGS, data)
    one = work.trained(0, 1, ranks, "--steps=10")
    check_equal(work.trained(3, ranks, 1, "--steps=10"), one)


@pytest.mark.parametrize(
    "stage, schedule", [(0, "on"), (3, "on"), (3, "random(1)"), (2, "random(2)")]
)
def test_nothing_reads_what_is_freed(stage, schedule, tmp_path):
    work = make_decoder(tmp_path)
    flags = [*work.flags, "-zero=%d" % stage, "--schedule-stage=" + schedule]
    plain = compile_model(work.path, tmp_path / "plain.so", *flags)
    poisoned = compile_model(work.path, tmp_path / "poisoned.so", *flags, "--poison-freed")
    wanted = work.train_module(plain, 2, 2, "--steps=3", "--eval-every=1", *eval_data(work))
    check_same_bits(
        work.train_module(poisoned, 2, 2, "--steps=3", "--eval-every=1", *eval_data(work)), wanted
    )


def eval_data(work):
    return [flag.replace("--input", "--eval-input") for flag in work.data]
