"""The f32 functions of compiled kernels against float64, over all magnitudes.

The bounds are those of docs/numerics.md, so the document cannot promise more
than is measured here, nor go stale on the generous side.
"""

import re

import numpy as np
import onnx
import pytest
from harness.models import model, node, value
from harness.session import session
from harness.tools import REPOSITORY, compile_model
from onnx import TensorProto
from scipy import special

REFERENCES = {
    "Exp": np.exp,
    "Log": np.log,
    "Tanh": np.tanh,
    "Erf": special.erf,
    "Sigmoid": special.expit,
    "Sin": np.sin,
    "Cos": np.cos,
}

# operand -> result, bit for bit; the sign of zero counts
INF, NAN = np.inf, np.nan
SPECIAL = {
    "Exp": [(0.0, 1), (-0.0, 1), (INF, INF), (-INF, 0.0), (NAN, NAN), (89, INF), (-104, 0.0)],
    "Log": [(0.0, -INF), (-0.0, -INF), (1, 0.0), (INF, INF), (-INF, NAN), (-1, NAN), (NAN, NAN)],
    "Tanh": [(0.0, 0.0), (-0.0, -0.0), (INF, 1), (-INF, -1), (NAN, NAN), (1e-40, 1e-40), (20, 1)],
    "Erf": [(0.0, 0.0), (-0.0, -0.0), (INF, 1), (-INF, -1), (NAN, NAN), (5, 1)],
    "Sigmoid": [(0.0, 0.5), (-0.0, 0.5), (INF, 1), (-INF, 0.0), (NAN, NAN), (200, 1)],
    "Sin": [(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN), (NAN, NAN)],
    "Cos": [(0.0, 1), (-0.0, 1), (INF, NAN), (-INF, NAN), (NAN, NAN)],
}


def stated():
    """Function -> (largest |x|, error in ulp) from the table of the document."""
    text = (REPOSITORY / "docs/numerics.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([\d.]+) \|", text, re.M)
    return {
        name: (INF if "all" in range_ else float(range_.split()[-1]), float(error))
        for name, range_, error in rows
    }


def samples():
    """Every 2039th float, which is a prime, and a grid where functions bend."""
    bits = np.arange(0, 0x7F800000, 2039, np.uint32).view(np.float32)
    grid = np.linspace(0, 12, 200_001, dtype=np.float32)
    positive = np.concatenate([bits, grid])
    return np.concatenate([positive, -positive])


def ulps(got, wanted):
    """The distance in units of the last place of an f32 result."""
    _, exponent = np.frexp(wanted)
    unit = np.ldexp(1.0, np.maximum(exponent - 24, -149))
    return np.abs(got.astype(np.float64) - wanted) / unit


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """(operands, function -> results), with the special operands in front."""
    special_operands = sorted({x for row in SPECIAL.values() for x, _ in row if x and x == x})
    x = np.concatenate([[0.0, -0.0, NAN], special_operands, samples()]).astype(np.float32)
    nodes = [node(op, ["x"], [op]) for op in REFERENCES]
    nodes.append(node("Mul", ["anchor", "anchor"], ["loss"]))
    made = model(
        nodes,
        [value("x", x)],
        [value(op, x) for op in REFERENCES] + [value("loss", TensorProto.FLOAT, [1])],
        {"anchor": np.ones(1, np.float32)},
    )
    folder = tmp_path_factory.mktemp("approximations")
    onnx.save(made, folder / "f.onnx")
    module = compile_model(folder / "f.onnx", folder / "f.so", "--loss=loss")
    with session(module, {"x": x}) as run:
        run.run("eval")
        return x, {op: run.output("eval", op) for op in REFERENCES}


@pytest.mark.parametrize("op", REFERENCES)
def test_error_is_as_documented(op, results):
    x, results = results
    reach, bound = stated()[op]
    with np.errstate(all="ignore"):
        wanted = REFERENCES[op](x.astype(np.float64))
        finite = np.isfinite(wanted.astype(np.float32)) & (np.abs(x) <= reach)
    errors = ulps(results[op][finite], wanted[finite])
    worst = int(np.argmax(np.nan_to_num(errors, nan=INF)))
    assert errors[worst] <= bound, "%s(%r) is off by %g ulp" % (
        op,
        x[finite][worst],
        errors[worst],
    )
    assert errors[worst] > 0.8 * bound, "the document says %g, measured are %g ulp" % (
        bound,
        errors[worst],
    )


@pytest.mark.parametrize("op", REFERENCES)
def test_overflow_is_infinite(op, results):
    x, results = results
    with np.errstate(all="ignore"):
        wanted = REFERENCES[op](x.astype(np.float64)).astype(np.float32)
    infinite = np.isinf(wanted)
    np.testing.assert_array_equal(results[op][infinite], wanted[infinite])


@pytest.mark.parametrize("op", SPECIAL)
def test_special_operands(op, results):
    x, results = results
    for operand, wanted in SPECIAL[op]:
        same = x.view(np.uint32) == np.float32(operand).view(np.uint32)
        got = results[op][np.isnan(x) if np.isnan(operand) else same]
        assert got.size, operand
        want = np.full_like(got, wanted)
        np.testing.assert_array_equal(got, want, err_msg="%s(%r)" % (op, operand))
        if not np.isnan(wanted):
            np.testing.assert_array_equal(np.signbit(got), np.signbit(want))
