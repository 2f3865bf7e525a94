"""The long run of compiler/SmallSteps_test.cpp: 180 more graphs."""

import subprocess

import pytest
from harness.tools import BIN


@pytest.mark.long
def test_as_good_as_the_best_of_all():
    binary = BIN.parent / "test/unit/SmallStepsTest"
    flags = ["--gtest_also_run_disabled_tests", "--gtest_filter=*Long*", "--gtest_brief=1"]
    done = subprocess.run([binary, *flags], capture_output=True, text=True)
    assert done.returncode == 0 and "180 tests" in done.stdout, done.stdout[-4000:]
