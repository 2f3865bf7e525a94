"""Comparisons that say by how much they failed."""

import numpy as np

from . import tolerance


def relative_error(got, wanted, floor=0.0):
    """||got - wanted|| / max(||wanted||, floor); 0/0 is 0."""
    got, wanted = np.asarray(got, np.float64), np.asarray(wanted, np.float64)
    assert got.shape == wanted.shape, "shape %s, expected %s" % (got.shape, wanted.shape)
    distance = np.linalg.norm((got - wanted).reshape(-1))
    scale = max(np.linalg.norm(wanted.reshape(-1)), floor)
    return 0.0 if distance == 0 else distance / scale if scale else np.inf


def check_gradients(got, wanted, bound=tolerance.GRADIENT):
    """Every tensor of `wanted` within the bound of DESIGN section 8."""
    largest = max((np.linalg.norm(np.ravel(g)) for g in wanted.values()), default=0.0)
    floor = tolerance.GRADIENT_FLOOR * largest
    errors = {name: relative_error(got[name], w, floor) for name, w in wanted.items()}
    bad = {name: error for name, error in errors.items() if not error <= bound}
    assert not bad, "gradients off by more than %g: %s" % (bound, bad)


def check_losses(got, wanted, bound=tolerance.LOSS):
    got, wanted = np.asarray(got, np.float64), np.asarray(wanted, np.float64)
    assert got.shape == wanted.shape, "%d losses, expected %d" % (len(got), len(wanted))
    error = np.abs(got - wanted) / np.maximum(np.abs(wanted), 1e-3)
    worst = int(np.argmax(error))
    assert error[worst] <= bound, "loss %d is %.9g, expected %.9g" % (
        worst,
        got[worst],
        wanted[worst],
    )
