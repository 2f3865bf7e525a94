"""ONNX operators on autograd's numpy: name -> function(node, *operands)."""

from . import (
    activation,
    contraction,
    elementwise,
    index,
    normalization,
    reduction,
    shape,
    softmax,
)
from .registry import OPS

__all__ = [
    "OPS",
    "activation",
    "contraction",
    "elementwise",
    "index",
    "normalization",
    "reduction",
    "shape",
    "softmax",
]
