"""H20 and H15 over ranks: a mean of the means of ranks is wrong when they count
unequally, and 0/0 on one rank spoils the sum of all.

One update of plain gradient descent at rate 1 shows the gradient that dsrun found:
it is held against the oracle's for the whole batch, however that is cut.
"""

import numpy as np
import onnx
import pytest
from harness import tolerance
from harness.compare import check_gradients
from harness.marks import long
from harness.ranks import Work
from harness.tools import run
from oracle import Graph, loss_and_gradients

from .test_h20_unequal_micro_batches import CLASSES, LENGTH, LOSS, TOKENS, VALID, language_model

IGNORED = -100
FLAGS = ["--loss=" + LOSS, "--optimizer=sgd", "--lr=1"]


def samples(valid):
    """As many samples, in each of which so many labels count."""
    rng = np.random.default_rng(1)
    labels = rng.integers(0, CLASSES, (len(valid), LENGTH))
    for row, count in zip(labels, valid):
        row[count:] = IGNORED
    return {"ids": rng.integers(0, TOKENS, (len(valid), LENGTH)), "y": labels}


class Models:
    def __init__(self, folder):
        self.folder = folder
        self.graph = Graph.load(language_model())
        names = self.graph.float_initializers()
        self.parameters = {name: self.graph.initializers[name] for name in names}
        self.works = {}

    def of(self, batch, valid):
        if (batch, valid) not in self.works:
            folder = self.folder / str(len(self.works))
            folder.mkdir()
            onnx.save(language_model(), folder / "m.onnx")
            flags = [*FLAGS, "--bind=batch=%d" % batch]
            self.works[batch, valid] = Work(folder, folder / "m.onnx", flags, samples(valid))
        return self.works[batch, valid]

    def check(self, valid, batch, ranks, accumulate, stage):
        """One epoch is one update."""
        work = self.of(batch, valid)
        (line,), parameters = work.trained(stage, ranks, accumulate, "--epochs=1")
        loss, wanted = loss_and_gradients(self.graph, LOSS, self.parameters, samples(valid))
        assert line["loss"] == pytest.approx(float(loss), rel=tolerance.RANKS)
        assert line["weight"] == sum(valid)
        check_gradients(
            {n: self.parameters[n] - p for n, p in parameters.items()}, wanted, tolerance.RANKS
        )


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    return Models(tmp_path_factory.mktemp("h20"))


# What holds four samples in one update: micro-batch, ranks, micro-batches. Where
# there is room for more, some are short and some ranks have none.
SPLITS = [
    (4, 1, 1),
    (2, 1, 2),
    (1, 1, 4),
    (3, 1, 2),
    (2, 2, 1),
    (1, 2, 2),
    (1, 4, 1),
    (3, 2, 1),
    (1, 3, 2),
    (2, 3, 1),
    (1, 8, 1),
    (4, 2, 3),
]


@pytest.mark.parametrize("stage", [3, *long(0, 1, 2)])
@pytest.mark.parametrize("split", SPLITS, ids=lambda split: "%dx%dx%d" % split)
def test_any_split_is_the_whole_batch(models, split, stage):
    models.check(VALID, *split, stage)


@pytest.mark.parametrize("stage", [0, 3, *long(1, 2)])
@pytest.mark.parametrize("valid", [(0, 3), (3, 0), (1, 2)], ids=str)
def test_ranks_that_count_unequally(models, valid, stage):
    """H15: two ranks of one sample each."""
    models.check(valid, 1, 2, 1, stage)


@pytest.mark.parametrize("stage", [0, 3, *long(1, 2)])
def test_nothing_counts_on_any_rank(models, stage):
    """H15: the loss is 0, nothing is learnt, and the user hears of it."""
    work = models.of(1, (0, 0))
    (line,), parameters = work.trained(stage, 2, 1, "--epochs=1")
    assert line["loss"] == 0 and line["grad_norm"] == 0 and line["weight"] == 0
    for name, first in models.parameters.items():
        np.testing.assert_array_equal(parameters[name], first)
    flags = [*work.data, "--epochs=1", "-n", 2, "--threads=1"]
    said = run("dsrun", work.compiled(stage), *flags).err
    assert said.count("no sample counts") == 1, said
