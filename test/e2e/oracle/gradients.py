"""Loss and gradients of named parameters."""

import numpy as onp
from autograd import value_and_grad

from .graph import to_float64
from .interpreter import evaluate
from .loss import Loss

__all__ = ["Loss", "loss_and_gradients"]


def loss_and_gradients(graph, loss, parameters, micro_batches):
    """The loss over all micro-batches, sum of sums by sum of weights, and its
    gradient for each of `parameters` (name -> value).

    A micro-batch maps input names to arrays, the loss target among them.
    """
    loss = Loss(loss) if isinstance(loss, str) else loss
    if isinstance(micro_batches, dict):
        micro_batches = [micro_batches]

    def mean_loss(values):
        total, weight = 0.0, 0.0
        for batch in micro_batches:
            feeds = {k: v for k, v in batch.items() if k in graph.inputs or k != loss.target}
            output = evaluate(graph, {**feeds, **values}, [loss.output])[loss.output]
            target = None if loss.target is None else to_float64(batch[loss.target])
            part, part_weight = loss.pair(output, target)
            total, weight = total + part, weight + part_weight
        return total / weight if weight else 0.0 * total

    values = {name: onp.array(v, onp.float64) for name, v in parameters.items()}
    return value_and_grad(mean_loss)(values)
