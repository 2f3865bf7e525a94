"""Every exchange that partition puts into a real model is needed: the stage's verifier
sees each one that is left out, done twice, or done in another order.

test/lit/passes/partition/verify-invalid.mlir plants faults by hand, at least two for
each property; here they are planted at every place.
"""

import re

import onnx
import pytest
from harness.models import mlp
from harness.tools import run

FLAGS = ["--loss=cross_entropy(logits,y)", "--bind=batch=2", "--optimizer=adamw"]
STAGES = range(4)
EXCHANGE = re.compile(
    r"^ +(?:%[\w:]+ = )?zero\.(gather|release|reduce_scatter|all_reduce_gradients"
    r"|reduce_gradients|refresh|all_reduce)\b"
)


@pytest.fixture(scope="module")
def partitioned(tmp_path_factory):
    folder = tmp_path_factory.mktemp("partitioned")
    onnx.save(mlp([5, 7, 5]), folder / "m.onnx")

    def lines(stage):
        flags = [*FLAGS, "-zero=%d" % stage, "--emit=partition"]
        result = run("dsc", folder / "m.onnx", *flags)
        assert result.code == 0, str(result)
        return result.out.splitlines()

    return {stage: lines(stage) for stage in STAGES}


def exchanges(lines):
    """(line, op, entry) of each."""
    found, entry = [], None
    for i, line in enumerate(lines):
        if begun := re.search(r"train\.entry @(\w+)", line):
            entry = begun[1]
        if exchange := EXCHANGE.match(line):
            found.append((i, exchange[1], entry))
    return found


def check_caught(folder, lines, what):
    path = folder / "mutant.mlir"
    path.write_text("\n".join(lines))
    result = run("dsc-opt", path, "--partition-verify", "-o", "/dev/null")
    assert result.code == 1 and "error: " in result.err, what


@pytest.mark.parametrize("stage", STAGES)
def test_each_stage_exchanges_something(partitioned, stage, tmp_path):
    found = exchanges(partitioned[stage])
    assert {op for _, op, _ in found} - {"all_reduce"} == [
        {"all_reduce_gradients"},
        {"reduce_gradients", "refresh"},
        {"reduce_scatter", "refresh"},
        {"gather", "release", "reduce_scatter"},
    ][stage]
    path = tmp_path / "m.mlir"
    path.write_text("\n".join(partitioned[stage]))
    assert run("dsc-opt", path, "--partition-verify", "-o", "/dev/null").code == 0


@pytest.mark.parametrize("stage", STAGES)
def test_none_may_be_left_out(partitioned, stage, tmp_path):
    lines = partitioned[stage]
    for i, op, entry in exchanges(lines):
        check_caught(tmp_path, lines[:i] + lines[i + 1 :], "%s left out of %s" % (op, entry))


@pytest.mark.parametrize("stage", STAGES)
def test_none_may_be_done_twice(partitioned, stage, tmp_path):
    """A value that is made twice is caught by its name."""
    lines = partitioned[stage]
    for i, op, entry in exchanges(lines):
        check_caught(tmp_path, lines[: i + 1] + lines[i:], "%s twice in %s" % (op, entry))


@pytest.mark.parametrize("stage", STAGES)
def test_none_may_come_first(partitioned, stage, tmp_path):
    """Ahead of what makes its operands, its gradients or its parts; a gather is only
    earlier than in the other kind of step, if another one was before it."""
    lines = partitioned[stage]
    begin = None
    before = []
    for i, line in enumerate(lines):
        if "train.entry @" in line:
            begin, before = i + 1, []
        if not (exchange := EXCHANGE.match(line)):
            continue
        entry = re.search(r"@(\w+)", lines[begin - 1])[1]
        moved = lines[:begin] + [line] + lines[begin:i] + lines[i + 1 :]
        # The entries for evaluation gather in any order: each has a list of its own.
        if exchange[1] != "gather" or (before and entry in ("step", "step_last")):
            check_caught(tmp_path, moved, "%s first in %s" % (exchange[1], entry))
        before.append(exchange[1])


def test_steps_may_not_differ_in_order(partitioned, tmp_path):
    """The two groups change places in the last micro-batch alone."""
    lines = list(partitioned[2])
    places = [i for i, op, entry in exchanges(lines) if entry == "step_last"]
    first, second = places
    lines[second + 1 : second + 1] = [lines[first]]
    del lines[first]
    check_caught(tmp_path, lines, "reductions in another order")
