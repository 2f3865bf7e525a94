"""Every number of ranks, ZeRO stage and accumulation trains as one rank does with
the same global batches.

One model has parameters of every kind, and one training in which updates, batches
and rounds are short. All stages give the same bits where each rank computes one
micro-batch an update. Over more, stages 2 and 3 add up sums of ranks, stages 0 and
1 sum what ranks added up; within each pair bits agree.
"""

import numpy as np
import onnx
import pytest
from harness import zoo
from harness.check import gradients_as_oracle
from harness.marks import long
from harness.models import mlp
from harness.ranks import Work, check_equal, check_same_bits
from harness.tools import compile_model
from models.gpt2 import BATCH as GPT_BATCH
from models.gpt2 import EXPORTS, LENGTH, LOSS, batches, recorded

RANKS = [2, 3, 4, 8]
STAGES = range(4)
ACCUMULATED = [1, 3]
BATCH = 2
# 10 batches of two and half a one: every number of ranks has short rounds.
SAMPLES = 21
UPDATES = "--steps=10"


def make_zoo(folder):
    onnx.save(zoo.zoo(), folder / "m.onnx")
    flags = [*zoo.FLAGS, "--bind=batch=%d" % BATCH, "--clip-norm=0.5"]
    return Work(folder, folder / "m.onnx", flags, zoo.data(SAMPLES))


def make_adamw(folder):
    """Each rank has the moments of its part alone."""
    onnx.save(zoo.zoo(), folder / "m.onnx")
    flags = ["--loss=cross_entropy(logits,y)", "--freeze=frozen", "--optimizer=adamw"]
    flags += ["--bind=batch=%d" % BATCH, "--weight-decay=0.1", "--lr=0.01", "--clip-norm=0.5"]
    return Work(folder, folder / "m.onnx", flags, zoo.data(SAMPLES))


def make_mlp(folder):
    """Groups of many units, of which every rank has some."""
    onnx.save(mlp([5, 97, 61, 5]), folder / "m.onnx")
    flags = ["--loss=cross_entropy(logits,y)", "--optimizer=sgd", "--lr=0.2", "--momentum=0.9"]
    return Work(folder, folder / "m.onnx", [*flags, "--bind=batch=%d" % BATCH], zoo.data(SAMPLES))


def make_gpt2(folder):
    export = next(e for e in EXPORTS if e.name == "gpt2_torchscript")  # tied
    made = list(batches(export))[:7]
    data = {name: np.concatenate([batch[name] for batch in made]) for name in made[0]}
    flags = ["--bind=batch=%d" % GPT_BATCH, "--bind=seq=%d" % LENGTH, "--loss=" + LOSS]
    flags += ["--tie=" + tie for tie in recorded(export).ties]
    return Work(folder, export.path, [*flags, "--optimizer=sgd", "--lr=0.05"], data)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    kept = {}

    def of(make):
        if make not in kept:
            kept[make] = make(tmp_path_factory.mktemp(make.__name__))
        return kept[make]

    return of


MODELS = [make_zoo, *long(make_mlp, make_gpt2)]


def test_gradients_of_one_rank_are_those_of_the_oracle(tmp_path):
    """Below, everything is held against one rank."""
    flags = ["--freeze=frozen", "--bind=batch=6", "--precision=f64"]
    loss = "cross_entropy(logits,y)"
    found = gradients_as_oracle(zoo.zoo(), tmp_path, loss, zoo.data(6), *flags)
    assert found.keys() == zoo.SHAPES.keys() - zoo.NOT_TRAINED


@pytest.mark.parametrize("accumulate", ACCUMULATED)
@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("make", MODELS)
def test_as_one_rank(models, make, ranks, accumulate):
    work = models(make)
    one = work.trained(0, 1, ranks * accumulate, UPDATES)
    assert len({line["loss"] for line in one[0]}) == 10, "nothing was trained"
    of_stage = [work.trained(stage, ranks, accumulate, UPDATES) for stage in STAGES]
    for got in of_stage:
        check_equal(got, one)
    # Within a pair of stages sums are made in the same order.
    check_same_bits(of_stage[1], of_stage[0])
    check_same_bits(of_stage[3], of_stage[2])
    if accumulate == 1:
        check_same_bits(of_stage[2], of_stage[0])


@pytest.fixture(scope="module")
def unscheduled(tmp_path_factory):
    kept = {}

    def of(make):
        if make not in kept:
            kept[make] = make(tmp_path_factory.mktemp(make.__name__))
            kept[make].flags.append("--schedule-stage=off")
        return kept[make]

    return of


@pytest.mark.parametrize("accumulate", ACCUMULATED)
@pytest.mark.parametrize("ranks", [1, *RANKS])
@pytest.mark.parametrize("make", MODELS)
def test_as_without_schedule(models, unscheduled, make, ranks, accumulate):
    for stage in STAGES:
        on = models(make).trained(stage, ranks, accumulate, UPDATES)
        check_same_bits(on, unscheduled(make).trained(stage, ranks, accumulate, UPDATES))


@pytest.mark.parametrize("accumulate", ACCUMULATED)
@pytest.mark.parametrize("make", MODELS)
def test_stages_of_one_rank(models, make, accumulate):
    work = models(make)
    for stage in STAGES[1:]:
        one = work.trained(0, 1, accumulate, UPDATES)
        check = check_same_bits if accumulate == 1 else check_equal
        check(work.trained(stage, 1, accumulate, UPDATES), one)


@pytest.mark.parametrize("ranks", [2, 3])
def test_moments_in_shards(models, ranks):
    """Adam divides by roots of moments, so between numbers of ranks its rounding
    grows; between stages there is none."""
    work = models(make_adamw)
    whole = work.trained(0, ranks, 1, UPDATES)
    for stage in STAGES[1:]:
        check_same_bits(work.trained(stage, ranks, 1, UPDATES), whole)
    # Parameters of at most 7 elements are whole and the others gathered.
    persistent = compile_model(
        work.path, work.folder / "p.so", *work.flags, "-zero=3", "--persistence-threshold=7"
    )
    check_same_bits(work.train_module(persistent, ranks, 1, UPDATES), whole)
