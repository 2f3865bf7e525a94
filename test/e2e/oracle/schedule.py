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


# OneCycle and LRRangeTest count from -1, so that update u is their iteration u.


def _cycle_height(t, up, down, up_stairs, down_stairs):
    """0 at the ends of the cycle, 1 at its peak"""
    if t <= up:
        position, length, stairs = t, up, up_stairs
    else:
        position, length, stairs = up + down - t, down, down_stairs
    return math.floor(position * stairs / length) / stairs if stairs else position / length


def one_cycle(low, high, up=2000, down=None, up_stairs=0, down_stairs=None, decay=0, decay_lr=0.0):
    """DeepSpeed OneCycle: the learning rate"""
    down = up if down is None else down
    down_stairs = up_stairs if down_stairs is None else down_stairs

    def rate(t):
        if t <= up + down:
            return low + (high - low) * _cycle_height(t, up, down, up_stairs, down_stairs)
        return low / (1 + decay_lr * (t - up - down) / decay) if decay else low

    return rate


def one_cycle_beta1(low=0.8, high=0.9, up=2000, down=None, decay=0, decay_mom=0.0):
    """DeepSpeed OneCycle: Adam's first beta, which starts at its least"""
    down = up if down is None else down

    def beta(t):
        if t == 0:
            return low
        if t <= up + down:
            return high - (high - low) * _cycle_height(t, up, down, 0, 0)
        return high * (1 + decay_mom * (t - up - down) / decay) if decay else high

    return beta


def lr_range_test(lr, size=2000, step_rate=1.0, staircase=False):
    """DeepSpeed LRRangeTest"""

    def rate(t):
        interval = t // size if staircase else t / size
        return lr * (1 + step_rate * interval)

    return rate
