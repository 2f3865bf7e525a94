"""Operators that move elements and compute nothing."""

import math

import autograd.numpy as np
import numpy as onp

from .registry import axes_of, broadcast, op, plain


@op("Constant")
def constant(node):
    for key, kind in (
        ("value", None),
        ("value_float", onp.float64),
        ("value_floats", onp.float64),
        ("value_int", onp.int64),
        ("value_ints", onp.int64),
    ):
        if key in node.attributes:
            value = node.attributes[key]
            return onp.asarray(value) if kind is None else onp.asarray(value, kind)
    raise NotImplementedError("Constant without a numeric value")


@op("ConstantOfShape")
def constant_of_shape(node, shape):
    return onp.full(plain(shape), node.get("value", onp.zeros(1)).reshape(())[()])


@op("Shape")
def shape(node, x):
    dims = onp.array(x.shape, onp.int64)
    return dims[node.get("start", 0) : node.get("end", len(dims))]


@op("Flatten")
def flatten(node, x):
    axis = node.get("axis", 1)
    axis += x.ndim if axis < 0 else 0
    return np.reshape(x, (math.prod(x.shape[:axis]), math.prod(x.shape[axis:])))


@op("Reshape")
def reshape(node, x, target=None):
    target = [int(d) for d in (node.get("shape") if target is None else plain(target))]
    if not node.get("allowzero", 0):
        target = [x.shape[i] if d == 0 else d for i, d in enumerate(target)]
    if -1 in target:  # numpy cannot infer it beside a zero
        rest = math.prod(d for d in target if d != -1)
        target[target.index(-1)] = math.prod(x.shape) // rest if rest else 0
    return np.reshape(x, target)


@op("Transpose")
def transpose(node, x):
    return np.transpose(x, node.get("perm"))


@op("Squeeze")
def squeeze(node, x, axes=None):
    axes = axes_of(node, axes)
    if axes is None:
        axes = [i for i, d in enumerate(x.shape) if d == 1]
    axes = {a % x.ndim for a in axes}
    return np.reshape(x, [d for i, d in enumerate(x.shape) if i not in axes])


@op("Unsqueeze")
def unsqueeze(node, x, axes=None):
    axes = axes_of(node, axes)
    rank = onp.ndim(plain(x)) + len(axes)
    axes, dims = {a % rank for a in axes}, iter(onp.shape(plain(x)))
    return np.reshape(x, [1 if i in axes else next(dims) for i in range(rank)])


@op("Expand")
def expand(node, x, target):
    return broadcast(x, onp.empty(plain(target)))[0]


@op("Concat")
def concat(node, *parts):
    return np.concatenate(parts, axis=node.get("axis", 1))


@op("Gather")
def gather(node, x, indices):
    axis = node.get("axis", 0) % x.ndim
    return x[(slice(None),) * axis + (plain(indices),)]


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
