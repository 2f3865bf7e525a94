"""Operators that reshape, permute, join and repeat, and what they need to say shapes."""

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


@op("Split")
def split(node, x, sizes=None):
    axis = node.get("axis", 0) % x.ndim
    sizes = node.get("split") if sizes is None else plain(sizes)
    if sizes is None:  # as many parts as outputs, the last one shorter (opset 18)
        parts = node.get("num_outputs", len(node.outputs))
        size = -(-x.shape[axis] // parts)
        sizes = [min(size, x.shape[axis] - size * i) for i in range(parts)]
    ends = onp.cumsum(sizes)
    return tuple(
        x[(slice(None),) * axis + (slice(int(end - size), int(end)),)]
        for size, end in zip(sizes, ends)
    )


@op("Tile")
def tile(node, x, repeats):
    return np.tile(x, tuple(int(r) for r in plain(repeats)))


@op("Trilu")
def trilu(node, x, k=None):
    k = 0 if k is None else int(plain(k))
    rows, columns = onp.indices(x.shape[-2:])
    kept = columns - rows >= k if node.get("upper", 1) else columns - rows <= k
    return np.where(onp.broadcast_to(kept, x.shape), x, onp.zeros_like(plain(x)))


@op("Size")
def size(node, x):
    return onp.array(plain(x).size, onp.int64)


@op("Range")
def range_(node, start, limit, delta):
    start, limit, delta = (plain(v)[()] for v in (start, limit, delta))
    count = max(math.ceil((limit - start) / delta), 0)
    return start + onp.arange(count).astype(onp.asarray(start).dtype) * delta
