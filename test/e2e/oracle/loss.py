"""The losses of `dsc --loss`, as a pair (sum, weight) over one micro-batch."""

import re
from dataclasses import dataclass, field

import autograd.numpy as np
import numpy as onp

from .ops.softmax import log_softmax, picked

_CALL = re.compile(r"(cross_entropy|mse|bce_with_logits|sum)\((.*)\)$")


@dataclass
class Loss:
    """`text` is what --loss takes: OUTPUT, cross_entropy(OUT,LABELS[,ignore=N][,shift=1]),
    mse(OUT,TARGET), bce_with_logits(OUT,TARGET) or sum(OUT)."""

    text: str
    kind: str = field(init=False)
    output: str = field(init=False)
    target: str = field(init=False, default=None)
    options: dict = field(init=False, default_factory=dict)

    def __post_init__(self):
        call = _CALL.match(self.text)
        if not call:
            self.kind, self.output = "output", self.text
            return
        self.kind = call[1]
        names = []
        for part in call[2].split(","):
            key, found, value = part.partition("=")
            if found and key.strip() in ("ignore", "shift"):
                self.options[key.strip()] = int(value)
            else:
                names.append(part.strip())
        self.output = names[0]
        self.target = names[1] if len(names) > 1 else None

    def pair(self, value, target):
        """(sum, weight) from the value of the output and the target."""
        return getattr(self, "_" + self.kind)(value, target)

    def _output(self, value, target):
        return np.sum(value), 1.0

    def _sum(self, value, target):
        return np.sum(value), 1.0

    def _mse(self, value, target):
        return np.sum((value - target) ** 2), float(onp.size(target))

    def _bce_with_logits(self, value, target):
        # log(1 + exp(x)) - x t, stable on both sides
        return np.sum(np.logaddexp(0.0, value) - value * target), float(onp.size(target))

    def _cross_entropy(self, value, target):
        if self.options.get("shift"):
            value, target = value[..., :-1, :], target[..., 1:]
        rows = np.reshape(value, (-1, value.shape[-1]))
        ignore = self.options.get("ignore", -100)
        loss, _, valid = picked(log_softmax(rows, 1), onp.reshape(target, -1), ignore)
        return np.sum(loss), float(valid.sum())
