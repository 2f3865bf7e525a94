"""The onnx package's node tests of the operators that dsc imports.

A test that is listed in expected_failures.py must fail, and one that is not must
pass: so the number of passing tests is the number of tests less the list.
"""

from itertools import groupby

import numpy as np
import pytest
from expected_failures import MINIMUM_PASSING, NODE_TESTS, OPERATORS, OPSETS
from harness.node_tests import node_tests
from harness.session import session
from harness.tools import compile_model
from ops.wrap import save, wrap

GROUP_SIZE = 12


def opset_of(case):
    """Operators that have not changed since are read at dsc's oldest opset."""
    return max(OPSETS[0], case.model.opset_import[0].version)


CASES = [c for c in node_tests(OPERATORS) if opset_of(c) <= OPSETS[-1]]


def group_key(case):
    return case.model.graph.node[0].op_type, opset_of(case)


def groups():
    passing = sorted((c for c in CASES if c.name not in NODE_TESTS), key=group_key)
    for (op, opset), cases in groupby(passing, group_key):
        cases = list(cases)
        for begin in range(0, len(cases), GROUP_SIZE):
            name = "%s-opset%d-%d" % (op, opset, begin // GROUP_SIZE)
            yield pytest.param(cases[begin : begin + GROUP_SIZE], id=name)


def run_cases(cases, folder):
    wrapped, feeds, wanted = wrap(cases, opset_of(cases[0]))
    path = save(wrapped, folder / "node.onnx")
    module = compile_model(path, folder / "node.so", "--loss=sum(anchor.loss)")
    with session(module, feeds) as run:
        run.run("eval")
        for case, name, array in wanted:
            got = run.output("eval", name)
            assert got.dtype == array.dtype and got.shape == array.shape, case.name
            np.testing.assert_allclose(
                got, array, rtol=case.rtol, atol=case.atol, err_msg=case.name
            )


@pytest.mark.parametrize("cases", list(groups()))
def test_nodes(cases, tmp_path):
    run_cases(cases, tmp_path)


@pytest.mark.parametrize("case", [c for c in CASES if c.name in NODE_TESTS], ids=lambda c: c.name)
def test_known_failures(case, tmp_path):
    try:
        run_cases([case], tmp_path)
    except Exception:
        pytest.xfail(NODE_TESTS[case.name])
    pytest.fail("%s passes now: take it off the list" % case.name)


def test_counts_only_grow():
    names = {case.name for case in CASES}
    assert not set(NODE_TESTS) - names, "listed, but no such test"
    assert len(names) - len(NODE_TESTS) >= MINIMUM_PASSING
