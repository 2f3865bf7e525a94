"""dsrun --calibrate: the file is one that dsc predicts by, in SI units."""

import json

import onnx
import pytest
from harness.models import mlp
from harness.tools import run

RANKS = 2


@pytest.fixture(scope="module")
def calibrated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("calibrate")
    (folder / "offload").mkdir()
    path = folder / "host.json"
    flags = ["-n", RANKS, "--threads=1", "--offload-dir", folder / "offload"]
    result = run("dsrun", "--calibrate", path, *flags)
    assert result.code == 0, str(result)
    assert "wrote %s" % path in result.out
    assert not list((folder / "offload").iterdir())
    return path


def test_figures_are_in_si_units(calibrated):
    """No bound is of a speed: outside of them lies no machine, or another unit."""
    machine = json.loads(calibrated.read_text())
    device, (level,) = machine["device"], machine["levels"]
    assert device["shared"] and "2 ranks of 1 thread" in machine["source"]
    for figure in (*device["flops"].values(), device["vector_flops"]):
        assert 1e8 < figure < 1e14
    for figure in (device["memory_bandwidth"], level["bandwidth"], machine["storage"]["bandwidth"]):
        assert 1e6 < figure < 1e13
    for figure in (device["launch_latency"], level["latency"], machine["storage"]["latency"]):
        assert 0 < figure < 1
    assert device["flops"]["f32"] > device["flops"]["f64"] / 2
    assert 0 <= device["compute_share"] <= 1
    assert level["ranks"] == RANKS and 1e8 < device["memory_bytes"] < 1e15


def test_dsc_predicts_by_it(calibrated, tmp_path):
    onnx.save(mlp([64, 96, 10]), tmp_path / "m.onnx")
    flags = ["--bind=batch=16", "--loss=cross_entropy(logits,y)", "-zero=3", "--simulate", "--json"]
    # Apart, each of more than four exchanges has a latency of its own.
    flags += ["--allgather-bucket-size=0", "--reduce-bucket-size=0"]
    predict = ["dsc", tmp_path / "m.onnx", *flags, "--topology=%s" % calibrated]
    result = run(*predict, "--ranks=%d" % RANKS)
    assert result.code == 0, str(result)
    simulated = json.loads(result.out)
    machine = json.loads(calibrated.read_text())
    assert simulated["machine"] == machine["name"]
    step = next(e for e in simulated["entries"] if e["name"] == "step_last")
    assert step["exchange_seconds"] > 4 * machine["levels"][0]["latency"]
    result = run(*predict, "--ranks=%d" % (RANKS + 1))
    assert result.code == 1 and "%s:" % calibrated in result.err


@pytest.mark.parametrize(
    "flags, said",
    [
        (["-n", "1"], "--calibrate measures what ranks exchange, too; -n is 2 or more"),
        (["-n", "0"], "-n 0: a host runs 1 to"),
        (["m.so"], "--calibrate measures the host, and runs no module; leave out 'm.so'"),
        (["--offload-dir=none"], "--offload-dir: cannot measure 'none': No such file"),
    ],
)
def test_what_cannot_be_measured_is_refused(flags, said, tmp_path):
    result = run("dsrun", "--calibrate=host.json", *flags, cwd=tmp_path)
    assert result.code in (1, 2) and said in result.err, str(result)
    assert not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_written_is_found_first(tmp_path):
    result = run("dsrun", "--calibrate=none/host.json", "-n", "2", cwd=tmp_path)
    assert result.code == 1 and "cannot write 'none/host.json" in result.err
