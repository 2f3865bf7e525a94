"""Which samples a training and its evaluations take, at any ranks and accumulation."""

import numpy as np
import pytest
from data.digits import BATCH, SAMPLES, Losses, build
from harness.tools import run

ONCE = np.ones(SAMPLES, int)


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    return build(tmp_path_factory.mktemp("digits"))


@pytest.mark.parametrize("accumulate", [1, 3])
@pytest.mark.parametrize("ranks", [1, 2, 3, 8])
def test_each_sample_once_an_epoch(module, ranks, accumulate):
    flags = ["-n", ranks, "--accumulate", accumulate, "--epochs=2", "--seed=4"]
    updates = Losses(module, *flags).updates
    together = ranks * accumulate * BATCH
    epoch = -(-SAMPLES // together)
    assert len(updates) == 2 * epoch
    for taken in (updates[:epoch], updates[epoch:]):
        assert (np.sum(taken, axis=0) == ONCE).all()
        assert [t.sum() for t in taken[:-1]] == [together] * (epoch - 1)  # the last is short
    first, second = (np.array(u) for u in (updates[:epoch], updates[epoch:]))
    assert epoch == 1 or (first != second).any()
    again = Losses(module, *flags).updates
    assert np.array_equal(updates, again)


def test_the_order_of_the_file_without_a_seed(module):
    updates = Losses(module, "--epochs=1").updates
    assert [list(np.flatnonzero(u)) for u in updates] == [
        list(range(i, min(i + BATCH, SAMPLES))) for i in range(0, SAMPLES, BATCH)
    ]


def test_updates_of_equal_size_take_the_same_samples(module):
    """So that runs on any number of ranks can be compared."""
    flags = ["--epochs=2", "--seed=9"]
    one = Losses(module, "--accumulate=4", *flags).updates
    for ranks, accumulate in ((2, 2), (4, 1)):
        other = Losses(module, "-n", ranks, "--accumulate", accumulate, *flags).updates
        assert np.array_equal(one, other)


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("seed", [None, 1, 2])
def test_held_out_samples_are_never_trained_on(module, seed, ranks):
    seeds = [] if seed is None else ["--seed", seed]
    done = Losses(module, "-n", ranks, "--epochs=3", "--eval-split=0.3", "--eval-every=2", *seeds)
    held_out = done.evaluations[0]
    assert held_out.max() == 1 and held_out.sum() == 6  # 0.3 of 21, rounded
    assert all(np.array_equal(e, held_out) for e in done.evaluations)
    assert np.array_equal(np.sum(done.updates, axis=0), 3 * (ONCE - held_out))
    if seed is None:
        assert list(np.flatnonzero(held_out)) == list(range(15, 21))
    # The same at any number of ranks, and without training.
    only = Losses(module, "--eval-split=0.3", *seeds)
    assert np.array_equal(only.evaluations, [held_out]) and not only.updates


def test_a_seed_draws_what_is_held_out(module):
    drawn = [Losses(module, "--eval-split=0.3", "--seed", s).evaluations[0] for s in range(6)]
    assert len({tuple(d) for d in drawn}) == 6


@pytest.mark.parametrize("split", [[], ["--eval-split=0.3"]])
@pytest.mark.parametrize("before, after", [((2, 1), (3, 2)), ((1, 3), (4, 1)), ((3, 1), (1, 1))])
def test_a_resumed_epoch_goes_on_with_the_next_sample(module, tmp_path, before, after, split):
    """At another number of ranks and another accumulation; the seed is the checkpoint's."""

    def flags(ranks, accumulate):
        return ["-n", ranks, "--accumulate", accumulate, "--save", tmp_path / "run", *split]

    first = Losses(module, *flags(*before), "--steps=2", "--seed=4")
    second = Losses(module, *flags(*after), "--epochs=2", "--resume")
    held_out = first.evaluations[0] if split else 0 * ONCE
    taken = np.cumsum(first.updates + second.updates, axis=0)
    assert (taken[-1] == 2 * (ONCE - held_out)).all()
    # No sample a second time before all have been taken once.
    half = next(t for t in taken if t.sum() >= (ONCE - held_out).sum())
    assert (half == ONCE - held_out).all()
    assert all(np.array_equal(e, held_out) for e in second.evaluations)


@pytest.mark.parametrize(
    "flags, code, message",
    [
        (["--eval-split=0"], 2, "--eval-split: '0' is not a number above 0 and below 1"),
        (["--eval-split=1"], 2, "--eval-split: '1' is not a number above 0 and below 1"),
        (["--eval-split=nan"], 2, "--eval-split: 'nan' is not a number above 0 and below 1"),
        (["--eval-split=.5", "--eval-input=x=x.npy"], 2, "--eval-split contradicts --eval-input"),
        (["--eval-split=.5", "--write-outputs=o"], 2, "--write-outputs writes a row for each"),
    ],
)
def test_bad_splits(module, flags, code, message):
    data = ["--input=x=%s" % (module.parent / "x.npy"), "--input=t=%s" % (module.parent / "t.npy")]
    result = run("dsrun", module, *data, "--epochs=1", *flags)
    assert result.code == code and message in result.first_line(), str(result)
