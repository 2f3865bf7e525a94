"""Softmax in its two meanings, and the losses made of it."""

import autograd.numpy as np
import numpy as onp

from .registry import op, plain
from .shape import flatten


def log_softmax(x, axis):
    shifted = x - plain(x).max(axis=axis, keepdims=True, initial=-onp.inf)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


def _one_axis(node, x, function):
    """Before opset 13 the input is flattened to a matrix at `axis` (default 1)."""
    if node.opset >= 13:
        return function(x, node.get("axis", -1))
    return np.reshape(function(flatten(node, x), 1), x.shape)


@op("LogSoftmax")
def log_softmax_op(node, x):
    return _one_axis(node, x, log_softmax)


@op("Softmax")
def softmax_op(node, x):
    return _one_axis(node, x, lambda x, axis: np.exp(log_softmax(x, axis)))


def picked(log_probabilities, labels, ignore_index):
    """-log p of each row's label (0 where ignored) and which rows count."""
    labels = plain(labels).astype(onp.int64)
    valid = onp.ones(labels.shape, bool) if ignore_index is None else labels != ignore_index
    safe = onp.where(valid, labels, 0)
    rows = log_probabilities[onp.arange(len(safe)), safe]
    return -np.where(valid, rows, 0.0), safe, valid


def _reduced_loss(node, logs, labels, class_weights):
    """Of log-probabilities [N, C, d1...] and labels [N, d1...]."""
    rows = np.reshape(np.moveaxis(logs, 1, -1), (-1, logs.shape[1]))
    loss, safe, valid = picked(rows, plain(labels).reshape(-1), node.get("ignore_index"))
    weight = onp.ones(safe.shape) if class_weights is None else plain(class_weights)[safe]
    weight = onp.where(valid, weight, 0.0)
    loss = loss * weight
    reduction = node.get("reduction", "mean")
    if reduction == "none":
        return np.reshape(loss, onp.shape(plain(labels)))
    return np.sum(loss) / onp.sum(weight) if reduction == "mean" else np.sum(loss)


@op("SoftmaxCrossEntropyLoss")
def softmax_cross_entropy_loss(node, scores, labels, class_weights=None):
    logs = log_softmax(scores, 1)
    return _reduced_loss(node, logs, labels, class_weights), logs


@op("NegativeLogLikelihoodLoss")
def negative_log_likelihood_loss(node, logs, labels, class_weights=None):
    return _reduced_loss(node, logs, labels, class_weights)
