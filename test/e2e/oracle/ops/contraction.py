"""Matrix products."""

import autograd.numpy as np

from .registry import op


@op("MatMul")
def matmul(node, a, b):
    return np.matmul(a, b)


@op("Gemm")
def gemm(node, a, b, c=None):
    a = a.T if node.get("transA", 0) else a
    b = b.T if node.get("transB", 0) else b
    product = node.get("alpha", 1.0) * np.matmul(a, b)
    return product if c is None else product + node.get("beta", 1.0) * c
