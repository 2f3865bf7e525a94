"""dsrun --shard-weights: who owns how much of the state changes no result.

Sums go over ranks in their order, element by element, wherever an element is summed:
so losses and parameters have the bits of equal shares. Only the sum of squares of a
gradient, of which each rank adds up its own range first, is another one in rounding.
"""

import numpy as np
import onnx
import pytest
from harness import tolerance, zoo
from harness.compare import check_losses
from harness.models import mlp
from harness.ranks import Work, check_equal
from harness.tools import run
from safetensors.numpy import load_file

WEIGHTS = ["3,1", "0,1", "3,1,1", "0,7,0", "1,0,2,5", "4294967295,1,4294967295", "0,5,1,0,9,1,1,2"]
STAGES = range(4)
BATCH, SAMPLES = 2, 21
UPDATES = "--steps=6"
FLAGS = ["--loss=cross_entropy(logits,y)", "--bind=batch=%d" % BATCH]


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Groups of many units, most of which are no multiple of the ranks."""
    folder = tmp_path_factory.mktemp("large")
    onnx.save(mlp([5, 97, 61, 5]), folder / "m.onnx")
    flags = [*FLAGS, "--optimizer=adamw", "--lr=0.01", "--weight-decay=0.1"]
    return Work(folder, folder / "m.onnx", flags, zoo.data(SAMPLES))


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    """Tied, frozen, unused, scalar and empty parameters, in groups of one unit each."""
    folder = tmp_path_factory.mktemp("kinds")
    onnx.save(zoo.zoo(), folder / "m.onnx")
    flags = [*zoo.FLAGS, "--bind=batch=%d" % BATCH]
    return Work(folder, folder / "m.onnx", flags, zoo.data(SAMPLES))


def check_shares(work, stage, weights, accumulate, *flags):
    ranks = weights.count(",") + 1
    lines, parameters = work.trained(
        stage, ranks, accumulate, UPDATES, *flags, "--shard-weights=" + weights
    )
    equal_lines, equal = work.trained(stage, ranks, accumulate, UPDATES, *flags)
    assert len(lines) == 6
    assert [line["loss"] for line in lines] == [line["loss"] for line in equal_lines]
    norms = [[line["grad_norm"] for line in list] for list in (lines, equal_lines)]
    check_losses(*norms, tolerance.RANKS)
    assert parameters.keys() == equal.keys()
    for name, array in equal.items():
        assert parameters[name].tobytes() == array.tobytes(), name


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("stage", STAGES)
def test_shares_change_no_bit(large, stage, weights):
    check_shares(large, stage, weights, 1)


@pytest.mark.parametrize("stage", STAGES)
def test_nor_over_several_micro_batches(large, stage):
    check_shares(large, stage, "3,1,1", 3, "--seed=2")


@pytest.mark.parametrize("weights", ["0,0,1", "5,1,3"])
@pytest.mark.parametrize("stage", STAGES)
def test_nor_for_parameters_of_any_kind(kinds, stage, weights):
    check_shares(kinds, stage, weights, 1)


@pytest.mark.parametrize("stage", STAGES)
def test_clipping_is_by_a_norm_that_is_equal_to_rounding(tmp_path, stage):
    onnx.save(zoo.zoo(), tmp_path / "m.onnx")
    flags = [*zoo.FLAGS, "--bind=batch=%d" % BATCH, "--clip-norm=0.1"]
    work = Work(tmp_path, tmp_path / "m.onnx", flags, zoo.data(SAMPLES))
    got = work.trained(stage, 3, 1, UPDATES, "--shard-weights=2,0,1")
    check_equal(got, work.trained(stage, 3, 1, UPDATES))


@pytest.mark.parametrize("stage", STAGES)
def test_evaluations_and_outputs_too(large, stage, tmp_path):
    def evaluate(folder, *flags):
        wanted = ["--eval", "--write-outputs", tmp_path / folder, "--threads=1"]
        result = run("dsrun", large.compiled(stage), *large.data, *wanted, *flags)
        assert result.code == 0, str(result)
        return result.out, np.load(tmp_path / folder / "logits.npy")

    out, logits = evaluate("weights", "--shard-weights=1,4,0")
    equal_out, equal = evaluate("equal", "-n", 3)
    assert out.replace("weights", "equal") == equal_out
    assert logits.tobytes() == equal.tobytes()


@pytest.mark.parametrize("stage", STAGES)
def test_checkpoints_hold_tensors_and_not_shares(large, stage, tmp_path):
    """A training that goes on with other shares goes on with the same bits."""
    flags = [large.compiled(stage), *large.data, "--threads=1"]
    saved, final = tmp_path / "sets", tmp_path / "final.safetensors"
    for more in (
        ["--steps=2", "--shard-weights=3,0,1", "--save", saved],
        ["--steps=4", "--shard-weights=1,5,5", "--save", saved, "--resume=%s" % saved],
        ["--steps=6", "-n", 3, "--save", final, "--resume=%s" % saved],
    ):
        result = run("dsrun", *flags, *more)
        assert result.code == 0, str(result)
    parameters = load_file(final)
    _, whole = large.trained(stage, 3, 1, UPDATES)
    assert parameters.keys() == whole.keys()
    for name, array in whole.items():
        assert parameters[name].tobytes() == array.tobytes(), name


BAD = {
    "0": "'0': all weights are 0, so no rank would own anything",
    "0,0,0": "'0,0,0': all weights are 0, so no rank would own anything",
    "": "'', the weight of rank 0, is not a whole number from 0 to 4294967295",
    "3,,1": "'', the weight of rank 1, is not a whole number from 0 to 4294967295",
    "3,1,": "'', the weight of rank 2, is not a whole number from 0 to 4294967295",
    "3,-1": "'-1', the weight of rank 1, is not a whole number from 0 to 4294967295",
    "1.5,1": "'1.5', the weight of rank 0, is not a whole number from 0 to 4294967295",
    "a,1": "'a', the weight of rank 0, is not a whole number from 0 to 4294967295",
    "1, 1": "' 1', the weight of rank 1, is not a whole number from 0 to 4294967295",
    "4294967296,1": "'4294967296', the weight of rank 0, is not a whole number from 0 to 4294967295",
}


@pytest.mark.parametrize("given", BAD)
def test_weights_that_are_none(large, given):
    result = run("dsrun", large.compiled(3), *large.data, UPDATES, "--shard-weights=" + given)
    assert result.code == 2, str(result)
    assert result.err == "dsrun: error: --shard-weights: %s; see --help\n" % BAD[given]


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_weights_that_do_not_match_n(large, ranks):
    flags = [UPDATES, "--shard-weights=3,1,1", "-n", ranks]
    result = run("dsrun", large.compiled(3), *large.data, *flags)
    assert result.code == 2, str(result)
    said = "--shard-weights=3,1,1 has 3 weights, one for each rank, and -n is %d" % ranks
    assert result.err == "dsrun: error: %s; see --help\n" % said


def test_more_weights_than_a_host_has_ranks(large):
    flags = [UPDATES, "--shard-weights=" + ",".join(["1"] * 1025)]
    result = run("dsrun", large.compiled(3), *large.data, *flags)
    assert result.code == 2, str(result)
    assert "a host runs 1 to 1024 ranks" in result.err
