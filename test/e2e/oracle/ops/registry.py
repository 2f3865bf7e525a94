"""The operator table and what several operators share."""

import autograd.numpy as np
import numpy as onp
from autograd.tracer import getval

OPS = {}


def op(*names):
    """Registers a function(node, *operands) under ONNX operator names."""

    def register(function):
        OPS.update({name: function for name in names})
        return function

    return register


def broadcast(*operands):
    """All operands at their common numpy shape; autograd's where and maximum
    do not sum a gradient over broadcast dimensions themselves, and its
    broadcast_to only over those that the operand has."""
    shape = onp.broadcast_shapes(*[onp.shape(getval(x)) for x in operands])

    def at_shape(x):
        dims = onp.shape(getval(x))
        x = np.reshape(x, (1,) * (len(shape) - len(dims)) + dims)
        return np.broadcast_to(x, shape)

    return [at_shape(x) for x in operands]


def plain(x):
    """The value without its gradient, for integers, shapes and conditions."""
    return onp.asarray(getval(x))


def axes_of(node, operand=None):
    """Axes as an attribute (old opsets) or as an input (new ones), or None."""
    if operand is not None:
        return [int(a) for a in plain(operand).reshape(-1)]
    axes = node.get("axes")
    return None if axes is None else list(axes)
