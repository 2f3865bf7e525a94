"""The table of bad inputs: exit code, exact first line, and no output left behind."""

import pytest
from bad_input.hostile import good_file
from bad_input.table import COMPILER, RUNTIME
from harness.tools import BIN, compile_model, run

GOOD_FLAGS = ["--bind", "batch=4", "--loss=cross_entropy(logits,y)"]


def check(result, row, folder, before):
    assert result.code == row.code, str(result)
    assert result.first_line() == row.message.format(bin=BIN), str(result)
    left = {p.name for p in folder.iterdir()} - before
    assert not left, "left behind: %s" % left


@pytest.mark.parametrize("row", COMPILER, ids=lambda r: r.name)
def test_dsc(row, tmp_path):
    if row.files:
        row.files(tmp_path)
    before = {p.name for p in tmp_path.iterdir()}
    result = run("dsc", *row.arguments, cwd=tmp_path, limit_bytes=row.limit_bytes)
    check(result, row, tmp_path, before)


@pytest.fixture(scope="module")
def good_module(tmp_path_factory):
    folder = tmp_path_factory.mktemp("good")
    good_file(folder)
    return compile_model(folder / "m.onnx", folder / "m.so", *GOOD_FLAGS)


@pytest.mark.parametrize("row", RUNTIME, ids=lambda r: r.name)
def test_dsrun(row, good_module, tmp_path):
    for path in good_module.parent.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    if row.files:
        row.files(tmp_path)
    before = {p.name for p in tmp_path.iterdir()}
    result = run("dsrun", *row.arguments, cwd=tmp_path, limit_bytes=row.limit_bytes)
    check(result, row, tmp_path, before)
