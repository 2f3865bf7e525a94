"""Reductions."""

import autograd.numpy as np
import numpy as onp

from .registry import OPS, axes_of, op, plain


def _extremum(function, empty):
    """The largest or smallest, and `empty` over no elements at all."""

    def reduce(x, axis, keepdims):
        if plain(x).size == 0:
            initial = empty > 0 if plain(x).dtype == bool else empty
            return function(plain(x), axis=axis, keepdims=keepdims, initial=initial)
        return function(x, axis=axis, keepdims=keepdims)

    return reduce


_REDUCTIONS = {
    "ReduceSum": np.sum,
    "ReduceMean": np.mean,
    "ReduceMax": _extremum(np.max, -onp.inf),
    "ReduceMin": _extremum(np.min, onp.inf),
    "ReduceProd": np.prod,
    "ReduceSumSquare": lambda x, axis, keepdims: np.sum(x * x, axis=axis, keepdims=keepdims),
    "ReduceL1": lambda x, axis, keepdims: np.sum(np.abs(x), axis=axis, keepdims=keepdims),
    "ReduceL2": lambda x, axis, keepdims: np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims)),
}


def _reduce(function, node, x, axes=None):
    axes = axes_of(node, axes)
    if not axes:
        if node.get("noop_with_empty_axes", 0):
            return x
        axes = range(x.ndim)
    axes = tuple(a % x.ndim for a in axes)
    return function(x, axis=axes, keepdims=bool(node.get("keepdims", 1)))


OPS.update(
    {
        name: lambda node, x, axes=None, f=f: _reduce(f, node, x, axes)
        for name, f in _REDUCTIONS.items()
    }
)


@op("CumSum")
def cumulative_sum(node, x, axis):
    axis = int(plain(axis).reshape(())) % x.ndim
    along = (slice(None),) * axis
    x = x[along + (slice(None, None, -1),)] if node.get("reverse", 0) else x
    total = np.cumsum(x, axis=axis)
    total = total - x if node.get("exclusive", 0) else total
    return total[along + (slice(None, None, -1),)] if node.get("reverse", 0) else total
