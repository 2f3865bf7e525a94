"""Operators that pick elements by index."""

import autograd.numpy as np
import numpy as onp

from .registry import axes_of, op, plain


@op("Gather")
def gather(node, x, indices):
    axis = node.get("axis", 0) % x.ndim
    return x[(slice(None),) * axis + (plain(indices),)]


def _grid(shape, rank):
    """Index arrays of the leading dims, as wide as `rank` dims."""
    return tuple(
        onp.arange(n).reshape([-1 if i == d else 1 for i in range(rank)])
        for d, n in enumerate(shape)
    )


@op("GatherElements")
def gather_elements(node, x, indices):
    indices = plain(indices)
    axis = node.get("axis", 0) % x.ndim
    grid = list(_grid(indices.shape, x.ndim))
    grid[axis] = indices
    return x[tuple(grid)]


@op("GatherND")
def gather_nd(node, x, indices):
    indices, batch = plain(indices), node.get("batch_dims", 0)
    picked = tuple(onp.moveaxis(indices, -1, 0))
    return x[_grid(indices.shape[:batch], indices.ndim - 1) + picked]


@op("Slice")
def slice_(node, x, starts=None, ends=None, axes=None, steps=None):
    starts = node.get("starts") if starts is None else plain(starts)
    ends = node.get("ends") if ends is None else plain(ends)
    axes = axes_of(node, axes) or list(range(len(starts)))
    steps = [1] * len(starts) if steps is None else plain(steps)
    index = [slice(None)] * x.ndim
    for axis, start, end, step in zip(axes, starts, ends, steps):
        # An end before the first element means "through it" when going down.
        end = None if step < 0 and end < -x.shape[axis] else int(end)
        index[axis] = slice(int(start), end, int(step))
    return x[tuple(index)]


@op("NonZero")
def non_zero(node, x):
    return onp.array(onp.nonzero(plain(x)), onp.int64)


@op("OneHot")
def one_hot(node, indices, depth, values):
    indices, depth = plain(indices), int(plain(depth).reshape(()))
    axis = node.get("axis", -1) % (indices.ndim + 1)
    classes = onp.arange(depth).reshape([-1 if i == axis else 1 for i in range(indices.ndim + 1)])
    chosen = onp.expand_dims(indices, axis)
    chosen = onp.where(chosen < 0, chosen + depth, chosen)
    return np.where(classes == chosen, values[1], values[0])
