"""Fixtures, and the report of what was skipped for want of the corpus."""

import os
import signal
from pathlib import Path

import pytest
from harness.tools import REPOSITORY

# What a shell starts in the background ignores Ctrl-C, and so would all that tests
# start: a program heeds what it inherits.
for interrupt in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
    if signal.getsignal(interrupt) == signal.SIG_IGN:
        signal.signal(interrupt, signal.SIG_DFL)

CORPUS = Path(os.environ.get("DSC_CORPUS", REPOSITORY.parent / "shared/onnx_corpus"))


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--long"):
        long = [item for item in items if item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]
    for item in items:
        if "corpus" in item.fixturenames and not CORPUS.is_dir():
            item.add_marker(pytest.mark.skip(reason="no corpus at %s" % CORPUS))


def pytest_terminal_summary(terminalreporter):
    skipped = [
        r for r in terminalreporter.stats.get("skipped", []) if "no corpus" in str(r.longrepr)
    ]
    terminalreporter.write_line("corpus tests skipped: %d" % len(skipped))


@pytest.fixture(scope="session")
def corpus():
    """Folder of other people's models: DSC_CORPUS or ../shared/onnx_corpus."""
    return CORPUS


def pytest_configure(config):
    config.addinivalue_line("markers", "long: runs with --long only")


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="also the long runs")
