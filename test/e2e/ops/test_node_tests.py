"""The onnx package's node tests of the operators that dsc imports.

A test that is listed in expected_failures.py must fail, and one that is not must
pass: so the number of passing tests is the number of tests less the list.
"""

import numpy as np
import onnx
import pytest
from expected_failures import MINIMUM_PASSING, NODE_TESTS, OPERATORS
from harness.node_tests import node_tests
from harness.session import session
from harness.tools import compile_model
from ops.wrap import wrap

CASES = node_tests(OPERATORS)


def run_case(case, folder):
    for inputs, outputs in case.data_sets:
        model, feeds = wrap(case.model, inputs)
        onnx.save(model, folder / "node.onnx")
        module = compile_model(folder / "node.onnx", folder / "node.so", "--loss=sum(anchor.loss)")
        with session(module, feeds) as run:
            run.run("eval")
            for value, wanted in zip(case.model.graph.output, outputs):
                got = run.output("eval", value.name)
                assert got.dtype == wanted.dtype and got.shape == wanted.shape
                np.testing.assert_allclose(got, wanted, rtol=case.rtol, atol=case.atol)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_node(case, tmp_path):
    if case.name not in NODE_TESTS:
        return run_case(case, tmp_path)
    try:
        run_case(case, tmp_path)
    except Exception:
        pytest.xfail(NODE_TESTS[case.name])
    pytest.fail("%s passes now: take it off the list" % case.name)


def test_counts_only_grow():
    names = {case.name for case in CASES}
    assert not set(NODE_TESTS) - names, "listed, but no such test"
    assert len(names) - len(NODE_TESTS) >= MINIMUM_PASSING
