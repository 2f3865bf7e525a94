"""A run that needs more memory than there is says so before it allocates."""

import re
import resource
import subprocess

import numpy as np
import onnx
import pytest
from harness.models import mlp
from harness.tools import BIN, compile_model

GIBIBYTE = 1 << 30


def compiled(folder, batch, width):
    """Most of the memory is for what `width` units give for `batch` samples."""
    onnx.save(mlp([1, width, 2]), folder / "m.onnx")
    np.save(folder / "x.npy", np.zeros((8, 1), np.float32))
    np.save(folder / "y.npy", np.zeros(8, np.int64))
    flags = ["--bind=batch=%d" % batch, "--loss=cross_entropy(logits,y)"]
    return compile_model(folder / "m.onnx", folder / "m.so", *flags)


def run(folder, *flags, limit_bytes=None):
    data = ["--input", "x=%s" % (folder / "x.npy"), "--input", "y=%s" % (folder / "y.npy")]
    command = [BIN / "dsrun", folder / "m.so", *data, "--steps=1", "--threads=1", *flags]

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (limit_bytes, limit_bytes))

    done = subprocess.run(
        list(map(str, command)),
        capture_output=True,
        text=True,
        preexec_fn=limit if limit_bytes else None,
    )
    errors = [line for line in done.stderr.splitlines() if ": error: " in line]
    return done.returncode, errors


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_more_than_the_machine_has(ranks, tmp_path):
    compiled(tmp_path, 1 << 24, 1 << 16)  # 4 TiB and more
    code, errors = run(tmp_path, "-n", ranks)
    assert code == 1 and len(errors) == 1
    on = " on each of %d ranks" % ranks if ranks > 1 else ""
    pattern = r"dsrun: error: the run needs (\d+) MiB of memory%s, and (.+) (\d+) MiB.*; " % on
    found = re.fullmatch(pattern + "compile with a smaller batch", errors[0])
    assert found and int(found[1]) > int(found[3]), errors


@pytest.mark.parametrize("ranks", [1, 2])
def test_more_than_a_process_may_have(ranks, tmp_path):
    compiled(tmp_path, 1 << 17, 1 << 11)  # 1 GiB and more
    code, errors = run(tmp_path, "-n", ranks, limit_bytes=GIBIBYTE)
    assert code == 1 and len(errors) == 1
    pattern = r".*, and the limit of address space \(ulimit -v\) leaves \d+ MiB; compile with .*"
    assert re.fullmatch(pattern, errors[0]), errors
