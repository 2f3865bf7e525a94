"""Activations with a name of their own, and ONNX Runtime's forms of them."""

import autograd.numpy as np
import autograd.scipy.special as special
import numpy as onp

from .registry import op, plain


@op("LeakyRelu")
def leaky_relu(node, x):
    return np.where(plain(x) > 0, x, node.get("alpha", 0.01) * x)


@op("Elu")
def elu(node, x):
    positive = plain(x) > 0
    return np.where(positive, x, node.get("alpha", 1.0) * (np.exp(np.where(positive, 0.0, x)) - 1))


def gelu_erf(x):
    return 0.5 * x * (1 + special.erf(x / onp.sqrt(2.0)))


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(onp.sqrt(2 / onp.pi) * (x + 0.044715 * x**3)))


@op("Gelu")
def gelu(node, x):
    return gelu_tanh(x) if node.get("approximate", "none") == "tanh" else gelu_erf(x)


@op("com.microsoft::Gelu")
def contrib_gelu(node, x):
    return gelu_erf(x)


@op("com.microsoft::BiasGelu")
def contrib_bias_gelu(node, x, bias):
    return gelu_erf(x + bias)


@op("com.microsoft::FastGelu")
def contrib_fast_gelu(node, x, bias=None):
    return gelu_tanh(x if bias is None else x + bias)


@op("com.microsoft::QuickGelu")
def contrib_quick_gelu(node, x):
    return x * 0.5 * (np.tanh(0.5 * node.get("alpha", 1.702) * x) + 1.0)
