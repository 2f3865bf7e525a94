"""Elementwise operators with numpy broadcasting."""

import autograd.numpy as np
import autograd.scipy.special as special
import numpy as onp

from .registry import OPS, broadcast, op, plain

_FLOAT_TYPES = {1, 10, 11, 16}

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


@op("LeakyRelu")
def leaky_relu(node, x):
    return np.where(plain(x) > 0, x, node.get("alpha", 0.01) * x)


@op("Elu")
def elu(node, x):
    positive = plain(x) > 0
    return np.where(positive, x, node.get("alpha", 1.0) * (np.exp(np.where(positive, 0.0, x)) - 1))


@op("Gelu")
def gelu(node, x):
    if node.get("approximate", "none") == "tanh":
        return 0.5 * x * (1 + np.tanh(onp.sqrt(2 / onp.pi) * (x + 0.044715 * x**3)))
    return 0.5 * x * (1 + special.erf(x / onp.sqrt(2.0)))


@op("Cast")
def cast(node, x):
    to = node.get("to")
    if to in _FLOAT_TYPES:  # every float is float64 here
        return x if plain(x).dtype.kind == "f" else plain(x).astype(onp.float64)
    if to == 9:
        return plain(x) != 0
    return onp.trunc(plain(x)).astype({6: onp.int32, 7: onp.int64}[to])


@op("Dropout")
def dropout(node, x, ratio=None, training_mode=False):
    if training_mode:
        raise NotImplementedError("the oracle draws no random numbers")
    return x, onp.ones(onp.shape(plain(x)), bool)
