"""Memory is what the plan says, and a step allocates none."""

import math
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import onnx
import pytest
from harness.models import mlp
from harness.session import session
from harness.tools import compile_model

HERE = Path(__file__).parent
FLAGS = ["--bind", "batch=16", "--loss=cross_entropy(logits,y)"]


@pytest.fixture(scope="module", params=["-zero=%d" % stage for stage in range(4)])
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


def aligned(size):
    return (size + 127) // 128 * 128


BYTES = {"f32": 4, "f64": 8, "i64": 8, "i32": 4, "i1": 1}


def planned_bytes(manifest):
    """The layout of runtime/abi/dsrt_layout.h for one rank, worked out again."""
    total = aligned(manifest["arena_bytes"])
    copies = Counter()
    for state in manifest["states"]:
        if state["group"] < 0:
            total += aligned(state["elements"] * BYTES[state["type"]])
        else:
            copies[state["group"], state["class"], state["offset"]] += 1
    unit, groups = manifest["unit"], manifest["groups"]
    for group, kind in {key[:2] for key in copies}:
        times = max(n for key, n in copies.items() if key[:2] == (group, kind))
        elements = -(-groups[group]["elements"] // unit) * unit
        total += times * aligned(elements * BYTES[groups[group]["type"]])
    # Entries share the buffer of an input of one name, type and shape.
    inputs = {
        (i["name"], i["type"], tuple(i["shape"])): i
        for e in manifest["entries"]
        for i in e["inputs"]
    }
    for row in inputs.values():
        total += aligned(math.prod(row["shape"]) * BYTES[row["type"]])
    return total


def test_planned_bytes_are_allocated_bytes(module):
    with session(module) as running:
        assert running.allocated_bytes() == planned_bytes(running.manifest)
        # The step region is the largest entry's; the states are what they are.
        entries = running.manifest["entries"]
        assert running.manifest["arena_bytes"] == max(e["arena_bytes"] for e in entries)
