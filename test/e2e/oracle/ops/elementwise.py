"""Elementwise operators with numpy broadcasting."""

import autograd.numpy as np
import autograd.scipy.special as special
import numpy as onp

from .registry import OPS, broadcast, op, plain

_FLOAT_TYPES = {1, 10, 11, 16}
_INTEGER_TYPES = {2: onp.uint8, 3: onp.int8, 6: onp.int32, 7: onp.int64}

_UNARY = {
    "Neg": lambda x: -x,
    "Exp": np.exp,
    "Log": np.log,
    "Sqrt": np.sqrt,
    "Tanh": np.tanh,
    "Sin": np.sin,
    "Cos": np.cos,
    "Reciprocal": lambda x: 1.0 / x,
    "Abs": np.abs,
    "Erf": special.erf,
    "Identity": lambda x: x,
    "Softplus": lambda x: np.logaddexp(x, 0.0),
    "Sigmoid": lambda x: 0.5 * (np.tanh(0.5 * x) + 1.0),
    # By select and not by maximum: the gradient at 0 is 0, as PyTorch has it.
    "Relu": lambda x: np.where(plain(x) > 0, x, np.zeros_like(plain(x))),
    "Sign": lambda x: onp.sign(plain(x)),
    "Floor": lambda x: onp.floor(plain(x)),
    "Ceil": lambda x: onp.ceil(plain(x)),
    "Not": lambda x: ~plain(x),
    "IsNaN": lambda x: onp.isnan(plain(x)),
}
_BINARY = {
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b,
    "Equal": lambda a, b: plain(a) == plain(b),
    "Less": lambda a, b: plain(a) < plain(b),
    "LessOrEqual": lambda a, b: plain(a) <= plain(b),
    "Greater": lambda a, b: plain(a) > plain(b),
    "GreaterOrEqual": lambda a, b: plain(a) >= plain(b),
    "And": lambda a, b: plain(a) & plain(b),
    "Or": lambda a, b: plain(a) | plain(b),
    "Xor": lambda a, b: plain(a) ^ plain(b),
}
OPS.update({name: lambda node, x, f=f: f(x) for name, f in _UNARY.items()})
OPS.update({name: lambda node, a, b, f=f: f(a, b) for name, f in _BINARY.items()})


@op("Div")
def div(node, a, b):
    if plain(a).dtype.kind in "iu":  # index arithmetic truncates, as C does
        return onp.trunc(plain(a) / plain(b)).astype(plain(a).dtype)
    return a / b


@op("Pow")
def power(node, a, b):
    exponent = plain(b)
    # x^b with a whole constant exponent is defined for x <= 0 as well, where
    # the derivative by b (with log x) is not, so it must not be formed.
    return a**exponent if exponent.size == 1 and exponent == onp.round(exponent) else a**b


@op("Max")
def maximum(node, first, *rest):
    for x in rest:
        first = np.maximum(*broadcast(first, x))
    return first


@op("Min")
def minimum(node, first, *rest):
    for x in rest:
        first = np.minimum(*broadcast(first, x))
    return first


@op("Sum")
def total(node, first, *rest):
    for x in rest:
        first = first + x
    return first


@op("Mean")
def mean(node, *operands):
    return total(node, *operands) / len(operands)


@op("Where")
def where(node, condition, a, b):
    condition, a, b = broadcast(condition, a, b)
    return np.where(plain(condition), a, b)


@op("Clip")
def clip(node, x, low=None, high=None):
    low = node.get("min", -onp.inf) if low is None else plain(low)
    high = node.get("max", onp.inf) if high is None else plain(high)
    value = plain(x)
    inside = (value >= low) & (value <= high)
    return np.where(inside, x, onp.clip(value, low, high))


@op("Cast")
def cast(node, x):
    to = node.get("to")
    if to in _FLOAT_TYPES:  # every float is float64 here
        return x if plain(x).dtype.kind == "f" else plain(x).astype(onp.float64)
    if to == 9:
        return plain(x) != 0
    return onp.trunc(plain(x)).astype(_INTEGER_TYPES[to])


@op("CastLike")
def cast_like(node, x, target):
    wanted = plain(target).dtype
    if wanted.kind == "f":
        return x if plain(x).dtype.kind == "f" else plain(x).astype(onp.float64)
    return plain(x) != 0 if wanted.kind == "b" else onp.trunc(plain(x)).astype(wanted)


@op("IsInf")
def is_inf(node, x):
    value = plain(x)
    positive = (value == onp.inf) & bool(node.get("detect_positive", 1))
    return positive | ((value == -onp.inf) & bool(node.get("detect_negative", 1)))


@op("Mod")
def mod(node, a, b):
    return (onp.fmod if node.get("fmod", 0) else onp.mod)(plain(a), plain(b))


@op("Dropout")
def dropout(node, x, ratio=None, training_mode=False):
    ratio = 0.5 if ratio is None else float(plain(ratio))
    if training_mode is not None and plain(training_mode).any() and ratio:
        raise NotImplementedError("the oracle draws no random numbers")
    return x, onp.ones(onp.shape(plain(x)), bool)
