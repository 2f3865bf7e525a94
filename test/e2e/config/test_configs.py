"""Configurations as public repositories have them, each with the answer to every key.

configs/NAME.json holds a combination of keys that people use, NAME.expected a line a key:
its place, pointer and answer, and behind | the options of dsc and behind another of dsrun.
"""

import json
from pathlib import Path

import pytest
from harness.tools import run

CONFIGS = sorted((Path(__file__).parent / "configs").glob("*.json"))


def answers(path):
    """The lines of NAME.expected, as dsc answers."""
    result = run("dsc", "config", "check", path.name, "--json", cwd=path.parent)
    report = json.loads(result.out)
    assert result.code == (0 if report["honoured"] else 1)
    for key in report["keys"]:
        line = "%(line)d:%(column)d %(pointer)s %(answer)s" % key
        options = [" ".join(key[tool]) for tool in ("dsc", "dsrun")]
        yield " | ".join([line, *options]).rstrip(" |")


def test_there_are_thirty():
    assert len(CONFIGS) == 30


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_config(path):
    assert list(answers(path)) == path.with_suffix(".expected").read_text().splitlines()


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_text(path):
    """What a person reads: the same places and answers, a reason for each key without effect."""
    result = run("dsc", "config", "check", path.name, cwd=path.parent)
    lines = [line for line in result.out.splitlines() if not line.startswith("notice: ")]
    expected = path.with_suffix(".expected").read_text().splitlines()
    for line, wanted in zip(lines, expected, strict=False):
        place, pointer, answer = wanted.split(" | ")[0].split(" ")
        assert line.startswith("%s:%s: %s: %s" % (path.name, place, pointer, answer))
        if answer != "honoured":
            assert len(line.split(answer + ": ")[1]) > 10, "no reason"
    assert lines[-1].startswith("%s: %d keys" % (path.name, len(expected)))
