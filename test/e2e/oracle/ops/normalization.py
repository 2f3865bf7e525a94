"""Normalisation over trailing axes."""

import autograd.numpy as np

from .registry import op


@op("LayerNormalization")
def layer_normalization(node, x, scale, bias=None):
    axes = tuple(range(node.get("axis", -1) % x.ndim, x.ndim))
    mean = np.mean(x, axis=axes, keepdims=True)
    centred = x - mean
    inverse = 1 / np.sqrt(np.mean(centred**2, axis=axes, keepdims=True) + node.get("epsilon", 1e-5))
    y = centred * inverse * scale
    return (y if bias is None else y + bias), mean, inverse
