"""The node tests that the onnx package generates."""

import contextlib
import functools
import io
import warnings

import numpy as np
from onnx.backend.test.loader import load_model_tests

# Types that neither dsc's first version nor the oracle computes in.
_TYPES = {np.dtype(t) for t in ("f4", "f8", "i8", "i4", "?")}


@functools.cache
def _all():
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")  # the cases for overflow overflow
        return load_model_tests(kind="node")


def _plain(arrays):
    return all(getattr(a, "dtype", None) in _TYPES for a in arrays)


def node_tests(ops):
    """Tests of models made of `ops` alone, on tensors of common types."""
    return [
        case
        for case in _all()
        if all(n.op_type in ops and n.domain in ("", "ai.onnx") for n in case.model.graph.node)
        and all(_plain(inputs) and _plain(outputs) for inputs, outputs in case.data_sets)
    ]
