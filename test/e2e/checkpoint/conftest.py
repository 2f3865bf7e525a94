"""One compiled model for all tests of checkpoints."""

import pytest
from checkpoint.work import Work


@pytest.fixture(scope="session")
def work(tmp_path_factory):
    return Work(tmp_path_factory.mktemp("checkpoint"))
