"""Memory is what the plan says, and a step allocates none."""

import os
import subprocess
import sys
from pathlib import Path

import onnx
import pytest
from harness.models import mlp
from harness.session import session
from harness.tools import compile_model

HERE = Path(__file__).parent
FLAGS = ["--bind", "batch=16", "--loss=cross_entropy(logits,y)"]


@pytest.fixture(scope="module", params=["-zero=0", "-zero=3"])
def module(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("memory")
    onnx.save(mlp([64, 96, 10]), folder / "mlp.onnx")
    return compile_model(folder / "mlp.onnx", folder / "mlp.so", *FLAGS, request.param)


def test_steps_allocate_nothing(module, tmp_path):
    counter = tmp_path / "count_allocations.so"
    source = HERE / "count_allocations.c"
    subprocess.run(
        ["clang-22", "-O1", "-fno-builtin", "-shared", "-fPIC", source, "-o", counter], check=True
    )
    done = subprocess.run(
        [sys.executable, HERE / "count_in_process.py", module],
        env={**os.environ, "LD_PRELOAD": str(counter), "PYTHONPATH": str(HERE.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["step=0", "step_last=0", "update=0", "eval=0"]
