"""ONNX operators on autograd's numpy: name -> function(node, *operands)."""

from . import contraction, elementwise, normalization, reduction, shape, softmax
from .registry import OPS

__all__ = ["OPS", "contraction", "elementwise", "normalization", "reduction", "shape", "softmax"]
