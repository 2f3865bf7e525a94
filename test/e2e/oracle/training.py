"""Training from the definition: losses, first gradients, final parameters."""

from dataclasses import dataclass

import numpy as np

from .gradients import loss_and_gradients
from .graph import to_float64
from .optimizer import clip_coefficient


@dataclass
class Trace:
    losses: list  # before each update
    learning_rates: list
    first_gradients: dict
    parameters: dict  # after the last update


def train(graph, loss, parameters, batches, optimizer, schedule=None, clip_norm=None):
    """One update a batch; a batch may be a list of micro-batches.

    `schedule(t)` is the learning rate after t applied updates; without one the
    optimizer's own is used throughout.
    """
    parameters = {name: to_float64(value) for name, value in parameters.items()}
    losses, rates, first = [], [], None
    for t, batch in enumerate(batches):
        value, gradients = loss_and_gradients(graph, loss, parameters, batch)
        losses.append(float(value))
        first = gradients if first is None else first
        if clip_norm is not None:
            coefficient = clip_coefficient(gradients, clip_norm)
            gradients = {name: coefficient * g for name, g in gradients.items()}
        rates.append(optimizer.lr if schedule is None else schedule(t))
        parameters = optimizer.update(parameters, gradients, rates[-1])
    return Trace(losses, rates, first, {n: np.asarray(p) for n, p in parameters.items()})
