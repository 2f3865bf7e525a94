"""Issues that users of DeepSpeed met and a compiler can rule out: numbers 1, 7, 8, 10,
11, 12 and 14 of a list of twenty-five; number 20 is in test/e2e/memory. Each test says
what is ruled out."""

import json
import os
import re
import signal

import numpy as np
import onnx
import pytest
from harness import zoo
from harness.faults import PLACE
from harness.marks import long
from harness.models import mlp, model, node, value
from harness.ranks import Launched, Work, check_equal, lines_of, wait_for
from harness.tools import build_preloaded, compile_model, run
from onnx import TensorProto

BATCH = 2
STAGES = range(4)


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """The zoo: tied, frozen, unused, scalar, empty parameters."""
    folder = tmp_path_factory.mktemp("zoo")
    onnx.save(zoo.zoo(), folder / "m.onnx")
    flags = [*zoo.FLAGS, "--bind=batch=%d" % BATCH]
    return Work(folder, folder / "m.onnx", flags, zoo.data(14))


# 1. Reduction reads a bucket that another stream still writes (DeepSpeed#7898,
# #8061, #5545): NaN, or results that change.


@pytest.fixture(scope="module", params=["off", "on"])
def lowered(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("lowered")
    onnx.save(mlp([5, 7, 5]), folder / "m.onnx")
    flags = ["--loss=cross_entropy(logits,y)", "--bind=batch=%d" % BATCH]
    flags.append("--schedule-stage=" + request.param)
    result = run("dsc", folder / "m.onnx", *flags, "-zero=3", "--emit=lower")
    assert result.code == 0, str(result)
    return result.out.splitlines()


def needed_waits(lines):
    """Waits of a stream that goes on, for one that did something before."""
    work = re.compile(r" exec\.(launch|contraction|all_\w+|copy|fill_zero) ")
    waits = []
    for i, line in enumerate(lines):
        if " exec.program @" in line:
            begin = i
        if " exec.event_wait " not in line:
            continue
        here, there = ("communication", "compute")[:: 1 if "on(communication)" in line else -1]
        end = next(j for j in range(i, len(lines)) if lines[j] == "  }")

        def works(stream, begin, end):
            on = "on(%s)" % stream
            return any(work.search(one) and on in one for one in lines[begin:end])

        if works(there, begin, i) and works(here, i, end):
            waits.append(i)
    return waits


def test_1_no_stream_reads_what_another_still_writes(lowered, tmp_path):
    """Each wait for an event is taken out in turn: every time, one of the two
    streams that are then not ordered is named."""
    waits = needed_waits(lowered)
    assert len(waits) > 8
    for missing in waits:
        path = tmp_path / "edited.mlir"
        path.write_text("\n".join(lowered[:missing] + lowered[missing + 1 :]))
        result = run("dsc-opt", path, "--lower-verify", "-o", "/dev/null")
        assert result.code == 1, "the wait of line %d is not missed" % missing
        assert re.search(r"error: .* races with work on stream (compute|communication)", result.err)


# 7. Ranks wait in different collectives (DeepSpeed#7844): a deadlock.
# 8. Ranks that skip a module, as those without images or tokens for an expert do,
# hang the others (DeepSpeed#7998, #7170, #1888).


@pytest.fixture(scope="module")
def recorder(tmp_path_factory):
    return build_preloaded("record", tmp_path_factory.mktemp("recorder"))


def calls(recorder, folder, module, ranks, *flags):
    """What each rank asked for, in its order."""
    environment = {**os.environ, "LD_PRELOAD": str(recorder), "DSC_RECORD": str(folder)}
    flags = ["-n", ranks, "--threads=1", *flags]
    result = run("dsrun", module, *flags, environment=environment)
    assert result.code == 0, str(result)
    return [lines_of(folder / ("calls-%d" % rank)) for rank in range(ranks)]


@pytest.mark.parametrize("ranks", [3, *long(2, 8)])
@pytest.mark.parametrize("stage", STAGES)
def test_7_all_ranks_ask_for_the_same_in_one_order(work, recorder, stage, ranks, tmp_path):
    """Also those whose part of the state is empty, and in a round in which only some
    have samples."""
    flags = [*work.data, "--epochs=2", "--accumulate=2"]
    first, *others = calls(recorder, tmp_path, work.compiled(stage), ranks, *flags)
    assert len(first) > 10
    for other in others:
        assert other == first


@pytest.mark.parametrize("seed", range(2))
def test_7_in_any_schedule(work, recorder, seed, tmp_path):
    schedule = "--schedule-stage=random(%d)" % seed
    module = compile_model(work.path, tmp_path / "m.so", *work.flags, "-zero=3", schedule)
    flags = [*work.data, "--epochs=2", "--accumulate=2"]
    first, *others = calls(recorder, tmp_path, module, 3, *flags)
    assert len(first) > 10 and all(other == first for other in others)


# 10. The order in which parameters are fetched is recorded, and fetched ahead only
# as long as each step repeats it (DeepSpeed#6870, #5662, #6985).


@pytest.mark.parametrize("schedule", ["on", "random(1)"])
def test_10_the_first_step_exchanges_as_all_others_do(work, recorder, schedule, tmp_path):
    flag = "--schedule-stage=" + schedule
    module = compile_model(work.path, tmp_path / "m.so", *work.flags, "-zero=3", flag)

    def of_steps(count):
        folder = tmp_path / str(count)
        folder.mkdir()
        return calls(recorder, folder, module, 2, *work.data, "--steps=%d" % count)[0]

    few, many = of_steps(2), of_steps(5)
    period = (len(many) - len(few)) // 3
    assert period > 5
    # All five steps are the same list, wherever the first one begins.
    assert any(
        all(many[i] == many[i + period] for i in range(begin, begin + 4 * period))
        for begin in range(len(many) - 5 * period + 1)
    )


def skipping():
    """Two towers; a sample's flag chooses the one whose result counts."""
    rng = np.random.default_rng(2)
    shapes = {"image.0.weight": (6, 4), "text.0.weight": (6, 4), "head.0.weight": (4, 5)}
    return model(
        [
            node("MatMul", ["x", "image.0.weight"], ["image"], "/image/MatMul"),
            node("MatMul", ["x", "text.0.weight"], ["text"], "/text/MatMul"),
            node("Where", ["is_image", "image", "text"], ["h"], "/Where"),
            node("Tanh", ["h"], ["a"], "/Tanh"),
            node("MatMul", ["a", "head.0.weight"], ["logits"], "/head/MatMul"),
        ],
        [
            value("x", TensorProto.FLOAT, ["batch", 6]),
            value("is_image", TensorProto.BOOL, ["batch", 1]),
        ],
        [value("logits", TensorProto.FLOAT, ["batch", 5])],
        {n: rng.standard_normal(s).astype(np.float32) for n, s in shapes.items()},
    )


@pytest.mark.parametrize("stage", STAGES)
def test_8_a_rank_without_use_for_a_module_takes_part(recorder, stage, tmp_path):
    """Of 2 ranks, rank 0 has images alone and rank 1 texts."""
    onnx.save(skipping(), tmp_path / "m.onnx")
    rng, samples = np.random.default_rng(3), 40
    data = {
        "x": rng.standard_normal((samples, 6)).astype(np.float32),
        "is_image": (np.arange(samples) // BATCH % 2 == 0)[:, None],
        "y": rng.integers(0, 5, samples),
    }
    flags = ["--loss=cross_entropy(logits,y)", "--bind=batch=%d" % BATCH]
    flags += ["--optimizer=sgd", "--lr=0.2"]
    work = Work(tmp_path, tmp_path / "m.onnx", flags, data)
    one = work.trained(0, 1, 2, "--steps=10")
    check_equal(work.trained(stage, 2, 1, "--steps=10"), one)
    first, second = calls(recorder, tmp_path, work.compiled(stage), 2, *work.data, "--epochs=1")
    assert first == second and len(first) > 10


# 11. A time-out of NCCL says nothing of the cause (DeepSpeed#6756, #5030).


@pytest.mark.parametrize("stage", [0, 3])
def test_11_a_timeout_names_the_collective_and_who_is_missing(work, stage, tmp_path):
    metrics = tmp_path / "m.jsonl"
    flags = [*work.data, "--epochs=1000000", "--timeout=0.4", "--metrics", metrics]
    with Launched(4, work.compiled(stage), *flags) as launched:
        launched.find_ranks()
        wait_for(lambda: lines_of(metrics), lambda lines: len(lines) > 2)
        for rank in (1, 3):
            launched.send(rank, signal.SIGSTOP)
        code, err = launched.end()
    message = err.splitlines()[-1]
    assert code == 4, err
    assert message.startswith("dsrun: error: no rank has moved for 0.4 s: in step "), err
    assert message.endswith("rank 1 is stopped, rank 3 is stopped; all ranks were ended"), err
    place = PLACE.search(message)
    assert int(place["step"]) > 2 and int(place["number"]) > 2 and int(place["bytes"]) > 0
    # One may have been stopped behind the collective in which the other is missed.
    assert re.search(r" waits for (ranks 1, 3|rank 1|rank 3), ", message), err


# 12. A compiler that profiles on the device runs out of memory there
# (DeepSpeed#7434, #7770).


def test_12_the_peak_is_known_before_anything_runs(work, tmp_path):
    module, command = tmp_path / "m.so", [work.path, *work.flags, "-zero=3", "--ranks=2"]
    refused = run("dsc", *command, "--memory-limit=1", "-o", module)
    assert refused.code == 1 and not module.exists()
    least = re.search(r"smallest limit that it fits in is (\d+) bytes", refused.err)[1]
    flags = [*command, "--memory-limit=" + least, "--plan", "--json", "-o", module]
    result = run("dsc", *flags)
    assert result.code == 0, str(result)
    assert json.loads(result.out)["total_bytes"] <= int(least)
    lines, _ = work.train_module(module, 2, 1, "--steps=3")
    assert len({line["loss"] for line in lines}) == 3


# 14. Compilation fails on graphs that are odd, as with frozen parameters
# (DeepSpeed#7522, #8214, #8059).


def odd_graphs():
    frozen_output = mlp([5, 7, 5])
    frozen_output.graph.node.append(node("Identity", ["fc1.weight"], ["weight"], "/Identity"))
    frozen_output.graph.output.append(value("weight", TensorProto.FLOAT, [7, 5]))
    return {
        "all frozen but a vector": (mlp([5, 7, 7, 5]), "--freeze=weight$|fc1|fc2"),
        "the first layer": (mlp([5, 7, 5]), "--freeze=^fc1"),
        "the last layer": (mlp([5, 7, 5]), "--freeze=^fc2"),
        "one layer between two": (mlp([5, 7, 7, 5]), "--freeze=^fc2"),
        "a frozen output": (frozen_output, "--freeze=^fc1.weight"),
        "the zoo without its table": (zoo.zoo(), "--freeze=table|frozen"),
    }


@pytest.mark.parametrize("name", odd_graphs())
def test_14_frozen_parameters_compile_and_train(name, tmp_path):
    made, freeze = odd_graphs()[name]
    onnx.save(made, tmp_path / "m.onnx")
    flags = ["--loss=cross_entropy(logits,y)", "--bind=batch=%d" % BATCH, freeze]
    work = Work(tmp_path, tmp_path / "m.onnx", [*flags, "--optimizer=sgd"], zoo.data(21))
    one = work.trained(0, 1, 2, "--steps=10", "--lr=0.1")
    assert len({line["loss"] for line in one[0]}) == 10
    check_equal(work.trained(3, 2, 1, "--steps=10", "--lr=0.1"), one)
