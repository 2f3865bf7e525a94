"""H21: resuming refuses another number of ranks, or the loss restarts near its first
value.

Saved by N ranks at one stage, gone on with by M at another: what is loaded is what
was saved, to the bit, and the training goes on with its counters, its schedule, and
its place in the data.
"""

import itertools
import json

import pytest
from harness import tolerance
from harness.checkpoints import newest
from harness.compare import check_gradients, check_losses
from harness.marks import long
from harness.tools import run
from harness.trainings import Trainings

RANKS = [1, 2, 3, 4, 8]
# Who saves, and who goes on.
QUICK = [(4, 1), (4, 2), (4, 3), (4, 8), (1, 3), (8, 2)]
PAIRS = QUICK + long(*(pair for pair in itertools.product(RANKS, RANKS) if pair not in QUICK))
# Each saves with 6 updates of 48 samples made, of 12 in all.
HALF, UPDATES, GLOBAL_BATCH, BATCH = 6, 12, 48, 2
SAMPLES = 181  # Of an epoch: updates cross its end, at another place each time.

# What a run sets anew: the weight of a full update of its micro-batches.
OF_THE_RUN = {"dsc.nominal_weight"}


def other_stage(stage, ranks):
    return (stage + ranks) % 4


@pytest.fixture(scope="module")
def trainings(tmp_path_factory):
    return Trainings(tmp_path_factory.mktemp("h21"), samples=SAMPLES)


class Runs:
    """Each number of ranks trains once to the half and once to the end."""

    def __init__(self, trainings, folder):
        self.trainings, self.folder, self.saved = trainings, folder, {}

    def train(self, stage, ranks, updates, name, *more):
        folder, metrics = self.folder / name, self.folder / (name + ".jsonl")
        flags = [self.trainings.work.compiled(stage), *self.trainings.work.data]
        flags += ["-n", ranks, "--threads=1", "--global-batch=%d" % GLOBAL_BATCH]
        flags += ["--steps=%d" % updates, "--save", folder, "--metrics", metrics, *more]
        result = run("dsrun", *flags)
        assert result.code == 0, str(result)
        lines = [json.loads(line) for line in metrics.read_text().splitlines()]
        return lines, newest(folder)

    def half(self, ranks):
        if ranks not in self.saved:
            name = "half-%d" % ranks
            self.saved[ranks] = self.train(other_stage(0, ranks), ranks, HALF, name, "--seed=3")
        return self.saved[ranks]

    def straight(self):
        if 0 not in self.saved:
            self.saved[0] = self.train(0, 1, UPDATES, "straight", "--seed=3")
        return self.saved[0]

    def resume(self, saved_by, ranks, updates):
        folder = self.folder / ("half-%d" % saved_by)
        name = "from-%d-to-%d-%d" % (saved_by, ranks, updates)
        return self.train(other_stage(1, ranks), ranks, updates, name, "--resume=%s" % folder)


@pytest.fixture(scope="module")
def runs(trainings, tmp_path_factory):
    return Runs(trainings, tmp_path_factory.mktemp("runs"))


@pytest.mark.parametrize("saved_by, ranks", PAIRS)
def test_what_is_loaded_is_what_was_saved(runs, saved_by, ranks):
    """No update is left to be made, so what is saved again is what was loaded."""
    _, saved = runs.half(saved_by)
    _, again = runs.resume(saved_by, ranks, HALF)
    assert (saved.manifest["ranks"], again.manifest["ranks"]) == (saved_by, ranks)
    for key in ("step", "seed", "position", "model"):
        assert again.manifest[key] == saved.manifest[key], key
    assert again.tensors.keys() == saved.tensors.keys()
    for name in saved.tensors.keys() - OF_THE_RUN:
        assert again.tensors[name].shape == saved.tensors[name].shape, name
        assert again.tensors[name].tobytes() == saved.tensors[name].tobytes(), name


@pytest.mark.parametrize("saved_by, ranks", PAIRS)
def test_six_and_six_updates_are_twelve(runs, saved_by, ranks):
    lines, made = runs.straight()
    runs.half(saved_by)
    resumed, got = runs.resume(saved_by, ranks, UPDATES)
    assert [line["step"] for line in resumed] == list(range(HALF + 1, UPDATES + 1))
    # Nothing but rounding is new in the first loss.
    check_losses([resumed[0]["loss"]], [lines[HALF]["loss"]], tolerance.RESUMED)
    for key in ("loss", "lr"):
        wanted = [line[key] for line in lines[HALF:]]
        check_losses([line[key] for line in resumed], wanted, tolerance.RESUMED)
    assert len({line["lr"] for line in lines}) > HALF
    # The samples that each update took, of which some do not count.
    assert [line["weight"] for line in resumed] == [line["weight"] for line in lines[HALF:]]
    for key in ("step", "seed", "position"):
        assert got.manifest[key] == made.manifest[key], key
    for name in ("dsc.applied_steps", "dsc.report.skipped"):
        assert got.tensors[name] == made.tensors[name]
    assert got.tensors["dsc.applied_steps"] == UPDATES


@pytest.mark.parametrize("saved_by", [8, *long(2, 3, 4)])
def test_the_half_is_the_half_of_one_rank(runs, saved_by):
    """To rounding: else the tests above could agree on what is wrong."""
    lines, made = runs.half(saved_by)
    straight, _ = runs.straight()
    check_losses(
        [line["loss"] for line in lines], [l["loss"] for l in straight[:HALF]], tolerance.RESUMED
    )
    one = runs.half(1)[1]
    names = [n for n in one.tensors if n.endswith(".exp_avg")]
    check_gradients(
        {n: made.tensors[n] for n in names},
        {n: one.tensors[n] for n in names},
        10 * tolerance.RESUMED,
    )


@pytest.mark.parametrize("weights", ["3,1,1", "0,1,1", "1,0,0"])
def test_unequal_shards_are_saved_and_loaded(runs, weights):
    """By three ranks of which each holds another share, or nothing."""
    _, saved = runs.half(3)
    name = "weights-" + weights
    shares = "--shard-weights=" + weights
    folder = runs.folder / "half-3"
    _, unequal = runs.train(3, 3, HALF, name, shares, "--resume=%s" % folder)
    _, equal = runs.train(1, 2, HALF, name + "-equal", "--resume=%s" % (runs.folder / name))
    for made in (unequal, equal):
        for tensor in saved.tensors.keys() - OF_THE_RUN:
            assert made.tensors[tensor].tobytes() == saved.tensors[tensor].tobytes(), tensor
