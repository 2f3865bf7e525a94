"""Parameters of tests that only the long run has."""

import pytest


def long(*values):
    """A tuple is a value for each of several names."""
    rows = [value if isinstance(value, tuple) else (value,) for value in values]
    return [pytest.param(*row, marks=pytest.mark.long) for row in rows]


def seeds(quick, all_):
    """0 to all_ - 1, of which the quick run has the first few."""
    return [*range(quick), *long(*range(quick, all_))]
