"""Optimizers from PyTorch's published formulas, in float64."""

import re
from dataclasses import dataclass, field

import numpy as np


def clip_coefficient(gradients, limit):
    """torch.nn.utils.clip_grad_norm_: min(1, limit / (norm + 1e-6))."""
    norm = np.sqrt(sum(float(np.sum(g * g)) for g in gradients.values()))
    return min(1.0, limit / (norm + 1e-6))


@dataclass
class Optimizer:
    lr: float
    weight_decay: float = 0.0
    no_decay: str = None  # regular expression of names without weight decay
    state: dict = field(default_factory=dict, init=False)
    steps: int = field(default=0, init=False)

    def decay_of(self, name):
        spared = self.no_decay is not None and re.search(self.no_decay, name)
        return 0.0 if spared else self.weight_decay

    def update(self, parameters, gradients, lr=None):
        """New parameters after one step at `lr`."""
        self.steps += 1
        lr = self.lr if lr is None else lr
        return {
            name: self.step(name, value, gradients[name], lr) for name, value in parameters.items()
        }


@dataclass
class Sgd(Optimizer):
    """torch.optim.SGD without dampening."""

    momentum: float = 0.0
    nesterov: bool = False

    def step(self, name, p, g, lr):
        g = g + self.decay_of(name) * p
        if self.momentum:
            buffer = self.state.get(name, 0.0) * self.momentum + g
            self.state[name] = buffer
            g = g + self.momentum * buffer if self.nesterov else buffer
        return p - lr * g


@dataclass
class Adam(Optimizer):
    """torch.optim.Adam, and AdamW with `decoupled`.

    `epsilon_placement` says to which root epsilon is added: "corrected" is
    PyTorch's sqrt(v / (1 - beta2^t)) + eps, "uncorrected" the older sqrt(v) + eps
    of the first paper's footnote and of ONNX Runtime, where the correction
    goes into the learning rate.
    """

    betas: tuple = (0.9, 0.999)
    eps: float = 1e-8
    decoupled: bool = False
    epsilon_placement: str = "corrected"

    def step(self, name, p, g, lr):
        beta1, beta2 = self.betas
        decay = self.decay_of(name)
        if self.decoupled:
            p = p * (1 - lr * decay)
        else:
            g = g + decay * p
        m, v = self.state.get(name, (0.0, 0.0))
        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * g * g
        self.state[name] = m, v
        correction1 = 1 - beta1**self.steps
        correction2 = np.sqrt(1 - beta2**self.steps)
        if self.epsilon_placement == "corrected":
            return p - lr / correction1 * m / (np.sqrt(v) / correction2 + self.eps)
        return p - lr * correction2 / correction1 * m / (np.sqrt(v) + self.eps)
