"""Learning rates over t, the number of updates applied so far (from 0).

The first group follows Transformers' `get_*_schedule_with_warmup`, the second
DeepSpeed's `runtime/lr_schedules.py`; each docstring has the name there.
"""

import math


def constant(lr, warmup=0):
    """get_constant_schedule_with_warmup"""
    return lambda t: lr * (t / max(1, warmup) if t < warmup else 1.0)


def linear(lr, total, warmup=0):
    """get_linear_schedule_with_warmup"""

    def rate(t):
        if t < warmup:
            return lr * t / max(1, warmup)
        return lr * max(0.0, (total - t) / max(1, total - warmup))

    return rate


def cosine(lr, total, warmup=0, minimum=0.0):
    """get_cosine_schedule_with_warmup, down to `minimum` and staying there"""

    def rate(t):
        if t < warmup:
            return lr * t / max(1, warmup)
        progress = min(1.0, (t - warmup) / max(1, total - warmup))
        return minimum + (lr - minimum) * 0.5 * (1 + math.cos(math.pi * progress))

    return rate


# DeepSpeed steps its scheduler after the optimizer: update u runs at the rate of
# scheduler index u - 1, and update 0 at the rate before the scheduler's start.


def _warmup_gamma(index, steps, kind):
    return math.log(index + 1) / math.log(steps) if kind == "log" else index / steps


def warmup_lr(lr, warmup, minimum=0.0, kind="log"):
    """DeepSpeed WarmupLR"""
    steps = max(2, warmup)

    def rate(t):
        if t == 0:
            return minimum
        gamma = _warmup_gamma(t - 1, steps, kind) if t - 1 < steps else 1.0
        return minimum + (lr - minimum) * gamma

    return rate


def warmup_decay_lr(lr, warmup, total, minimum=0.0, kind="log"):
    """DeepSpeed WarmupDecayLR"""
    steps, rising = max(2, warmup), warmup_lr(lr, warmup, minimum, kind)

    def rate(t):
        if t - 1 < steps:
            return rising(t)
        gamma = max(0.0, (total - (t - 1)) / max(1.0, total - steps))
        return minimum + (lr - minimum) * gamma

    return rate


def warmup_cosine_lr(lr, warmup, total, warmup_min_ratio=0.0, cos_min_ratio=1e-4, kind="log"):
    """DeepSpeed WarmupCosineLR: ratios of the optimizer's own rate"""
    steps = max(2, warmup)

    def rate(t):
        if t == 0:
            return 0.0
        if t - 1 < steps:
            gamma = _warmup_gamma(t - 1, steps, kind)
            return lr * (warmup_min_ratio + (1 - warmup_min_ratio) * gamma)
        progress = min(1.0, (t - steps) / max(1, total - steps))
        return lr * (cos_min_ratio + (1 - cos_min_ratio) * (1 + math.cos(math.pi * progress)) / 2)

    return rate
