"""Trainings that save a checkpoint after every update, to be broken off and gone on
with."""

import functools

import onnx

from . import zoo
from .checkpoints import check_same_state, read_set, sets_of
from .ranks import Launched, Work
from .tools import run

BATCH, SAMPLES, UPDATES = 2, 37, 24
FLAGS = ["--loss=cross_entropy(logits,y)", "--freeze=frozen", "--bind=batch=%d" % BATCH]
ADAMW = ["--optimizer=adamw", "--lr=0.02", "--weight-decay=0.1", "--clip-norm=0.5"]
# The rate of an update shows whether the count of updates came back.
ADAMW += ["--lr-schedule=cosine", "--warmup-steps=3", "--total-steps=%d" % UPDATES]


class Trainings:
    """Of the zoo with AdamW, in `folder`; modules by ZeRO stage."""

    def __init__(self, folder, samples=SAMPLES):
        onnx.save(zoo.zoo(), folder / "m.onnx")
        self.folder = folder
        self.work = Work(folder, folder / "m.onnx", [*FLAGS, *ADAMW], zoo.data(samples))
        self.uninterrupted = functools.cache(self.train_uninterrupted)

    def flags(self, stage, folder, *more, updates=UPDATES):
        """What follows `dsrun -n N`."""
        options = ["--save", folder, "--save-every=1", "--seed=3", "--steps=%d" % updates]
        return [self.work.compiled(stage), *self.work.data, *options, *more]

    def run(self, stage, ranks, folder, *more, **options):
        flags = self.flags(stage, folder, *more, **options)
        return run("dsrun", "-n", ranks, "--threads=1", *flags)

    def start(self, stage, ranks, folder, *more, environment=None):
        flags = self.flags(stage, folder, *more)
        return Launched(ranks, *flags, environment=environment)

    def train_uninterrupted(self, stage, ranks):
        """The set after each update, by step."""
        folder = self.folder / ("uninterrupted-%d-%d" % (stage, ranks))
        result = self.run(stage, ranks, folder, "--keep=1000")
        assert result.code == 0, str(result)
        sets = {made.step: made for made in map(read_set, sets_of(folder))}
        assert sorted(sets) == list(range(1, UPDATES + 1))
        return sets

    def check_sets(self, stage, ranks, folder):
        """Whatever happened: each set that is there is whole, and holds what the
        uninterrupted run held after that update."""
        wanted = self.uninterrupted(stage, ranks)
        for path in sets_of(folder):
            made = read_set(path)
            check_same_state(made, wanted[made.step])

    def go_on(self, stage, ranks, folder):
        """Resumes, to the end, which must be that of the uninterrupted run."""
        result = self.run(stage, ranks, folder, "--resume")
        assert result.code == 0, str(result)
        self.check_sets(stage, ranks, folder)
        assert read_set(sets_of(folder)[-1]).step == UPDATES
        # What was being written when the run was lost is cleared away.
        assert not [path for path in folder.iterdir() if path.name.endswith(".tmp")]
        return result
