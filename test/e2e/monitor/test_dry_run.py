"""dsrun --dry-run: a step on real ranks, and nothing is written."""

import re
import shutil

import numpy as np
import pytest
from harness.tools import run, train_module

OUTPUTS = [
    *("--save=saved", "--export=o.onnx", "--metrics=m.jsonl", "--monitor=csv:c,tensorboard:t"),
    *("--eval", "--write-outputs=outputs"),
]


def listing(folder):
    """All that is below; the times of folders tell what was there in between."""
    paths = [folder, *folder.rglob("*")]
    return {path: path.stat().st_mtime_ns for path in paths}


@pytest.mark.parametrize("ranks", [1, 3])
def test_it_trains_a_step_and_writes_nothing(watched, tmp_path, ranks):
    copy = shutil.copytree(watched.folder, tmp_path / "work")
    flags = ["--epochs=3", "-n", ranks, "--threads=1", "--seed=1"]
    first = train_module(watched.module, *watched.data, *flags)[0]
    data = [word.replace(str(watched.folder), str(copy)) for word in watched.data]
    before = listing(copy)
    result = run("dsrun", copy / "m.so", *data, *flags, *OUTPUTS, "--dry-run", cwd=copy)
    assert result.code == 0, str(result)
    assert listing(copy) == before

    assert "written    nothing\n" in result.out
    ((loss, norm),) = re.findall(r"tried      step 1/\d+  loss (\S+) .* norm (\S+)", result.out)
    assert (loss, norm) == ("%.6g" % first["loss"], "%.4g" % first["grad_norm"])
    assert re.search(r"allocated  \d+ bytes( a rank)?, as planned\n", result.out)
    assert ("agreement  all ranks have the same module" in result.out) == (ranks > 1)


def test_a_step_that_goes_wrong_is_told(watched, tmp_path):
    np.save(tmp_path / "x.npy", np.full((22, 6), np.inf, np.float32))
    data = ["--input", "x=%s" % (tmp_path / "x.npy"), *watched.data[2:]]
    result = run("dsrun", watched.module, *data, "--epochs=1", "-n", 2, "--dry-run")
    assert result.code == 0, str(result)
    assert "the loss or a gradient is not finite: the update was skipped" in result.out
    result = run("dsrun", watched.module, *data, "--epochs=1", "--dry-run", "--weights=no")
    assert result.code == 1 and "cannot open 'no'" in result.err, str(result)


@pytest.mark.parametrize(
    "flag, said",
    [
        ("--metrics=no/m.jsonl", "'no/m.jsonl': No such file or directory"),
        ("--export=no/o.onnx", "'no/o.onnx': No such file or directory"),
        ("--save=no/w.safetensors", "'no/w.safetensors': No such file or directory"),
        ("--save=m.so/w", "'m.so/w': '{folder}/m.so' is no folder"),
        ("--monitor=csv:m.so", "'m.so': '{folder}/m.so' is no folder"),
    ],
)
def test_places_that_cannot_be_written(watched, flag, said):
    flags = ["--epochs=1", "--dry-run", flag]
    result = run("dsrun", watched.module, *watched.data, *flags, cwd=watched.folder)
    assert result.code == 1, str(result)
    option = flag.split("=")[0]
    assert "dsrun: error: %s: cannot write %s" % (
        option,
        said.format(folder=watched.folder),
    ) in result.err
