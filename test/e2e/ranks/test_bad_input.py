"""What dsrun says to a number of ranks that it cannot run."""

import os
import resource
import subprocess

import numpy as np
import onnx
import pytest
from harness.models import mlp
from harness.tools import BIN, compile_model, run


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bad")
    onnx.save(mlp([6, 7, 3]), folder / "m.onnx")
    flags = ["--bind=batch=4", "--loss=cross_entropy(logits,y)", "-max-world=3", "-zero=3"]
    module = compile_model(folder / "m.onnx", folder / "m.so", *flags)
    np.save(folder / "x.npy", np.zeros((10, 6), np.float32))
    np.save(folder / "y.npy", np.zeros(10, np.int64))
    data = ["--input", "x=%s" % (folder / "x.npy"), "--input", "y=%s" % (folder / "y.npy")]
    return module, data


def errors(work, *flags):
    result = run("dsrun", work[0], *work[1], "--threads=1", *flags)
    lines = [line for line in result.err.splitlines() if ": error: " in line]
    return result.code, lines


@pytest.mark.parametrize("flags", [[], ["--dry-run"]], ids=["run", "dry-run"])
def test_more_ranks_than_the_module_has_room_for(work, flags):
    said = "dsrun: error: '%s': it was compiled for at most 3 ranks, not 4; compile it with a "
    said = said % work[0] + "larger -max-world; see --help"
    assert errors(work, "--epochs=1", "-n", 4, *flags) == (2, [said])


@pytest.mark.parametrize("ranks", [0, 5000])
def test_numbers_that_are_none_of_ranks(work, ranks):
    said = "dsrun: error: -n %d: a host runs 1 to 1024 ranks; see --help" % ranks
    assert errors(work, "--epochs=1", "-n", ranks) == (2, [said])


def test_what_is_wrong_for_all_ranks_is_said_once(work, tmp_path):
    code, lines = errors(work, "--epochs=1", "-n", 3, "--lr=1", "--momentum=2")
    assert code == 2 and len(lines) == 1 and "has no such number" in lines[0]
    missing = tmp_path / "none.safetensors"
    code, lines = errors(work, "--epochs=1", "-n", 3, "--weights", missing)
    assert code == 1
    assert lines == ["dsrun: error: cannot open '%s': No such file or directory" % missing]


def test_a_result_that_rank_0_cannot_write_ends_all(work, tmp_path):
    path = tmp_path / "none" / "m.jsonl"
    code, lines = errors(work, "--epochs=1", "-n", 2, "--metrics", path)
    assert code == 1 and len(lines) == 1 and str(path) in lines[0]


def test_fewer_cores_than_threads_is_a_notice(work):
    cores = len(os.sched_getaffinity(0))
    result = run("dsrun", work[0], *work[1], "--epochs=1", "-n", 2, "--threads=%d" % cores)
    shared = "%d core%s" % (cores, "" if cores == 1 else "s")
    threads = "%d thread%s" % (cores, "" if cores == 1 else "s")
    assert result.code == 0, str(result)
    assert "dsrun: notice: 2 ranks of %s share %s" % (threads, shared) in result.err


def test_too_little_memory_to_share(work):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 26, 1 << 26))

    command = [BIN / "dsrun", work[0], *work[1], "--epochs=1", "-n", "300", "--threads=1"]
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=60, preexec_fn=limit
    )
    assert done.returncode == 1
    assert "error: cannot share 225 MiB of memory among 300 ranks" in done.stderr


def test_timeouts_are_positive(work):
    for value in ("0", "-1", "inf", "soon"):
        code, lines = errors(work, "--epochs=1", "-n", 2, "--timeout=" + value)
        assert code == 2 and len(lines) == 1 and "--timeout" in lines[0]
