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
}


@pytest.mark.parametrize("name", CASES)
def test_schedule(name):
    rate, wanted = CASES[name]
    for t, value in enumerate(wanted):
        assert value is None or rate(t) == pytest.approx(value, abs=1e-12), t
