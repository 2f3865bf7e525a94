"""Any legal schedule gives the same bits as none.

Schedules are drawn: where each exchange begins and ends, what stays gathered, what
is recomputed, what is offloaded (`dsc --schedule-stage=random(SEED)`).
"""

import re

import pytest
from harness.marks import seeds
from harness.ranks import check_same_bits
from harness.tools import compile_model, run

from schedule.small import make_decoder, make_mlp

RANKS = 2
# Most is to be decided where parameters are cut.
STAGES = [3, 3, 1, 3, 2, 3, 0]
MODELS = [make_decoder, make_mlp]


@pytest.fixture(scope="module")
def works(tmp_path_factory):
    kept = {}

    def of(make):
        if make not in kept:
            kept[make] = make(tmp_path_factory.mktemp(make.__name__))
            kept[make].flags.append("--schedule-stage=off")
        return kept[make]

    return of


@pytest.mark.parametrize("make, seed", [(make, seed) for seed in range(5) for make in MODELS])
def test_same_bits(works, make, seed):
    check(works(make), seed)


@pytest.mark.long
@pytest.mark.parametrize("make", MODELS)
@pytest.mark.parametrize("seed", range(5, 50))
def test_same_bits_of_many(works, make, seed):
    check(works(make), seed)


def check(work, seed):
    stage, accumulate = STAGES[seed % len(STAGES)], 1 + seed % 2
    wanted = work.trained(stage, RANKS, accumulate, "--steps=4")
    assert len({line["loss"] for line in wanted[0]}) == 4, "nothing was trained"
    flags = [*work.flags[:-1], "-zero=%d" % stage, "--schedule-stage=random(%d)" % seed]
    module = compile_model(work.path, work.folder / ("random%d.so" % seed), *flags)
    check_same_bits(work.train_module(module, RANKS, accumulate, "--steps=4"), wanted)
    module.unlink()


def test_schedules_differ(works):
    """From one another, and from the one without decisions: the test above is about
    something."""
    work = works(make_decoder)

    def exchanges(schedule):
        flags = [*work.flags[:-1], "-zero=3", "--schedule-stage=" + schedule]
        result = run("dsc", work.path, *flags, "--emit=schedule", "-o", "-")
        assert result.code == 0, str(result)
        kinds = re.findall(r" (zero\.\w+_(?:start|await)|nn\.fusion) ?(@\S+)?", result.out)
        return tuple(kinds)

    drawn = [exchanges("random(%d)" % seed) for seed in range(10)]
    assert exchanges("random(3)") == drawn[3]
    assert len({exchanges("off"), *drawn}) == 11
    gathers = [sum(kind == "zero.gather_start" for kind, _ in made) for made in drawn]
    regions = [sum(kind == "nn.fusion" for kind, _ in made) for made in drawn]
    assert len(set(gathers)) > 3 and len(set(regions)) > 3
