"""Learning rates against values worked out by hand."""

import math

import pytest
from oracle import schedule

CASES = {
    "constant": (schedule.constant(1.0, 4), [0, 0.25, 0.5, 0.75, 1, 1]),
    "linear": (schedule.linear(1.0, 6, 2), [0, 0.5, 1, 0.75, 0.5, 0.25, 0, 0]),
    "cosine": (schedule.cosine(1.0, 4, minimum=0.2), [1, None, 0.6, None, 0.2, 0.2]),
    # ln(1) = 0, ln(2) / ln(4) = 1/2, ln(3) / ln(4), one update late
    "WarmupLR": (schedule.warmup_lr(1.0, 4), [0, 0, 0.5, math.log(3) / math.log(4), 1, 1]),
    "WarmupLR-linear": (schedule.warmup_lr(1.0, 4, kind="linear"), [0, 0, 0.25, 0.5, 0.75, 1, 1]),
    "WarmupLR-min": (schedule.warmup_lr(1.0, 4, 0.5), [0.5, 0.5, 0.75, None, 1, 1]),
    "WarmupDecayLR": (schedule.warmup_decay_lr(1.0, 2, 6), [0, 0, 1, 1, 0.75, 0.5, 0.25, 0, 0]),
    # after warm-up progress is (index - 2 + 1) / 4, down to the floor 1e-4
    "WarmupCosineLR": (
        schedule.warmup_cosine_lr(1.0, 2, 6),
        [0, 0, 1, None, 0.5 * (1 + 1e-4), None, 1e-4, 1e-4],
    ),
    "OneCycle": (schedule.one_cycle(1.0, 2.0, 2, 4), [1, 1.5, 2, 1.75, 1.5, 1.25, 1, 1]),
    "OneCycle-stairs": (
        schedule.one_cycle(0.0, 1.0, 4, up_stairs=2),
        [0, 0, 0.5, 0.5, 1, 0.5, 0.5, 0, 0],
    ),
    "OneCycle-decay": (schedule.one_cycle(1.0, 2.0, 1, 1, decay=2, decay_lr=2.0), [1, 2, 1, 0.5]),
    "OneCycle-beta1": (
        schedule.one_cycle_beta1(0.5, 0.9, 2, decay=1, decay_mom=0.1),
        [0.5, 0.7, 0.5, 0.7, 0.9, 0.99],
    ),
    "LRRangeTest": (schedule.lr_range_test(1.0, 4, 2.0), [1, 1.5, 2, 2.5, 3]),
    "LRRangeTest-staircase": (
        schedule.lr_range_test(1.0, 2, 3.0, staircase=True),
        [1, 1, 4, 4, 7],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_schedule(name):
    rate, wanted = CASES[name]
    for t, value in enumerate(wanted):
        assert value is None or rate(t) == pytest.approx(value, abs=1e-12), t
