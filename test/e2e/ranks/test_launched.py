"""Ranks that another program starts, as its environment variables say: they meet
on this host, train as `dsrun -n` does, and end together."""

import os
import re
import resource
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import onnx
import pytest
from harness.models import mlp
from harness.tools import BIN, compile_model, run
from safetensors.numpy import load_file

RANK_LOST = 4
BATCH = 4


def torchrun(rank, ranks, job):
    return {
        "RANK": rank,
        "WORLD_SIZE": ranks,
        "LOCAL_RANK": rank,
        "LOCAL_WORLD_SIZE": ranks,
        "MASTER_ADDR": "localhost",
        "MASTER_PORT": 29500,
        "TORCHELASTIC_RUN_ID": job,
    }


def openmpi(rank, ranks, job):
    return {
        "OMPI_COMM_WORLD_RANK": rank,
        "OMPI_COMM_WORLD_SIZE": ranks,
        "OMPI_COMM_WORLD_LOCAL_SIZE": ranks,
        "PMIX_RANK": rank,
        "PMIX_NAMESPACE": job,
    }


def mpich(rank, ranks, job):
    """The job is the process that starts the ranks."""
    return {"PMI_RANK": rank, "PMI_SIZE": ranks, "MPI_LOCALNRANKS": ranks}


def slurm(rank, ranks, job):
    return {
        "SLURM_PROCID": rank,
        "SLURM_STEP_NUM_TASKS": ranks,
        "SLURM_STEP_NUM_NODES": 1,
        "SLURM_JOB_ID": job,
        "SLURM_STEP_ID": 0,
    }


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("launched")
    onnx.save(mlp([6, 7, 3]), folder / "m.onnx")
    flags = ["--bind=batch=%d" % BATCH, "--loss=cross_entropy(logits,y)", "-zero=3"]
    module = compile_model(folder / "m.onnx", folder / "m.so", *flags)
    compile_model(folder / "m.onnx", folder / "other.so", *flags, "--lr=7", "--optimizer=sgd")
    rng = np.random.default_rng(4)
    np.save(folder / "x.npy", rng.standard_normal((40, 6)).astype(np.float32))
    np.save(folder / "y.npy", rng.integers(0, 3, 40))
    np.save(folder / "few_x.npy", np.zeros((8, 6), np.float32))
    np.save(folder / "few_y.npy", np.zeros(8, np.int64))
    return module


def data(work, prefix=""):
    flags = []
    for name in "xy":
        flags += ["--input", "%s=%s" % (name, work.with_name(prefix + name + ".npy"))]
    return flags


@pytest.fixture
def start(work, tmp_path):
    """Starts one rank; whatever is left at the end is killed."""
    started = []

    def start_one(variables, *flags, module=work, prefix="", limit=None):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PMI")}
        environment.update({name: str(value) for name, value in variables.items()})
        command = [BIN / "dsrun", module, *data(work, prefix), "--threads=1", *flags]
        process = subprocess.Popen(
            list(map(str, command)),
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=limit and (lambda: resource.setrlimit(*limit)),
        )
        started.append(process)
        return process

    before = sorted(os.listdir("/dev/shm"))
    yield start_one
    for process in started:
        process.kill()
        process.wait()
    assert sorted(os.listdir("/dev/shm")) == before


def start_all(start, ranks, job, *flags, launcher=torchrun):
    return [start(launcher(rank, ranks, job), *flags) for rank in range(ranks)]


def results(processes, timeout=60):
    """Exit codes and what each says on standard output and as errors."""
    codes, prints, errors = [], [], []
    for process in processes:
        out, err = process.communicate(timeout=timeout)
        codes.append(process.returncode)
        prints.append(out)
        errors += [line for line in err.splitlines() if ": error: " in line]
    return codes, prints, errors


def training(metrics):
    """Waits until the run has made some updates."""
    end = time.monotonic() + 60
    while not metrics.exists() or len(metrics.read_text().splitlines()) < 3:
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.mark.parametrize("launcher", [torchrun, openmpi, mpich, slurm])
def test_they_train_as_forked_ranks_do(work, start, launcher, tmp_path):
    flags = ["--epochs=3", "--seed=5"]
    wanted, got = tmp_path / "forked.safetensors", tmp_path / "launched.safetensors"
    result = run("dsrun", work, *data(work), "-n", 3, "--threads=1", *flags, "--save", wanted)
    assert result.code == 0, str(result)
    started = start_all(start, 3, tmp_path, *flags, "--save", got, launcher=launcher)
    codes, prints, errors = results(started)
    assert codes == [0, 0, 0] and not errors
    assert "trained" in prints[0] and prints[1:] == ["", ""]
    one, other = load_file(wanted), load_file(got)
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(other[name], one[name])


@pytest.mark.parametrize("lost", [0, 2])
def test_a_killed_rank_ends_the_others(start, lost, tmp_path):
    metrics = tmp_path / "m.jsonl"
    ranks = start_all(start, 3, tmp_path, "--epochs=1000000", "--metrics", metrics)
    training(metrics)
    begin = time.monotonic()
    ranks[lost].kill()
    codes, _, errors = results(ranks)
    assert time.monotonic() - begin < 2
    assert [code for rank, code in enumerate(codes) if rank != lost] == [RANK_LOST] * 2
    pattern = r"dsrun: error: rank %d is gone; in step \d+, collective \d+ \(.* bytes\) "
    pattern += r"waits for rank %d; the other ranks were ended"
    assert len(errors) == 1 and re.fullmatch(pattern % (lost, lost), errors[0]), errors


@pytest.mark.parametrize("stopped", [0, 1])
def test_a_stopped_rank_ends_the_run_after_the_timeout(start, stopped, tmp_path):
    metrics = tmp_path / "m.jsonl"
    flags = ["--epochs=1000000", "--timeout=0.7", "--metrics", metrics]
    ranks = start_all(start, 2, tmp_path, *flags)
    training(metrics)
    ranks[stopped].send_signal(signal.SIGSTOP)
    codes, _, errors = results(ranks)
    assert codes[1 - stopped] == RANK_LOST and codes[stopped] == -signal.SIGKILL
    assert len(errors) == 1, errors
    assert errors[0].startswith("dsrun: error: no rank has moved for 0.7 s: in step ")
    assert "rank %d is stopped; all ranks were ended" % stopped in errors[0]


def test_an_interrupt_ends_the_training_and_saves(start, tmp_path):
    metrics, saved = tmp_path / "m.jsonl", tmp_path / "w.safetensors"
    flags = ["--epochs=1000000", "--metrics", metrics, "--save", saved]
    ranks = start_all(start, 2, tmp_path, *flags)
    training(metrics)
    for rank in ranks:
        rank.send_signal(signal.SIGTERM)
    codes, _, errors = results(ranks)
    assert codes == [0, 0] and not errors and saved.exists()


def test_a_signal_that_is_ignored_stays_so(work, start, tmp_path):
    """As under nohup, whoever started the ranks."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        processes = start_all(start, 2, tmp_path, "--steps=2000", "--metrics", tmp_path / "m.jsonl")
        processes.append(start({}, "-n", 2, "--steps=2000", "--metrics", tmp_path / "n.jsonl"))
    finally:
        signal.signal(signal.SIGHUP, before)
    for name in "mn":
        training(tmp_path / (name + ".jsonl"))
    for process in processes:
        process.send_signal(signal.SIGHUP)
    assert results(processes)[0] == [0, 0, 0]
    for name in "mn":
        assert len((tmp_path / (name + ".jsonl")).read_text().splitlines()) == 2000


def test_nothing_is_left_of_ranks_that_are_all_killed(start, tmp_path):
    metrics = tmp_path / "m.jsonl"
    ranks = start_all(start, 2, tmp_path, "--epochs=1000000", "--metrics", metrics)
    training(metrics)
    sockets = Path("/proc/net/unix").read_text()
    assert "@dsrun-" in sockets
    mine = set(re.findall(r"@dsrun-\S+", sockets))
    for rank in ranks:
        rank.kill()
    results(ranks)
    again = start_all(start, 2, tmp_path, "--epochs=1")  # the same job, at once
    assert results(again)[0] == [0, 0]
    left = set(re.findall(r"@dsrun-\S+", Path("/proc/net/unix").read_text()))
    assert not mine <= left or len(mine) > 1  # those of other tests may run on


@pytest.mark.parametrize("rank", [0, 1])
def test_a_rank_that_is_started_twice(start, rank, tmp_path):
    metrics = tmp_path / "m.jsonl"
    ranks = start_all(start, 2, tmp_path, "--epochs=1000000", "--metrics", metrics)
    training(metrics)
    second = start(torchrun(rank, 2, tmp_path), "--epochs=1")
    codes, _, errors = results([second])
    assert codes == [1] and errors == ["dsrun: error: rank %d is started twice" % rank]
    for process in ranks:
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
    assert results(ranks)[0] == [0, 0]


def test_a_rank_that_does_not_come(start, tmp_path):
    ranks = [start(torchrun(rank, 3, tmp_path), "--epochs=1", "--timeout=1") for rank in (0, 1)]
    codes, _, errors = results(ranks)
    said = "dsrun: error: rank 2 of 3 has not come within 1 s (WORLD_SIZE=3)"
    assert codes == [1, 1] and errors == [said] * 2
    alone = start(torchrun(1, 3, tmp_path), "--epochs=1", "--timeout=0.2")
    codes, _, errors = results([alone])
    said = "dsrun: error: rank 0 of 3 has not come within 0.2 s (WORLD_SIZE=3)"
    assert codes == [1] and errors == [said]


def test_a_rank_that_ends_before_all_are_there(start, tmp_path):
    first = start(torchrun(0, 3, tmp_path), "--epochs=1")
    second = start(torchrun(1, 3, tmp_path), "--epochs=1")
    end = time.monotonic() + 60
    while "socket:" not in " ".join(open_files(second.pid)) and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(0.2)  # for its hello
    second.kill()
    codes, _, errors = results([first])
    assert codes == [1]
    assert errors == ["dsrun: error: rank 1 has ended before all were there"]


def open_files(process):
    folder = Path("/proc/%d/fd" % process)
    return [os.readlink(link) for link in folder.iterdir() if link.is_symlink()]


def test_too_little_memory_to_share(start, tmp_path):
    """What ranks share is a file without a name, so its size has a limit too."""
    limit = (resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
    ranks = [start(torchrun(rank, 2, tmp_path), "--epochs=1", limit=limit) for rank in range(2)]
    codes, _, errors = results(ranks)
    said = "dsrun: error: cannot share 1 MiB of memory among 2 ranks: File too large; "
    said += "run fewer of them"
    assert codes == [1, 1] and errors == [said] * 2


def test_ranks_that_disagree_on_how_many_they_are(start, tmp_path):
    ranks = [
        start(torchrun(0, 2, tmp_path), "--epochs=1"),
        start(torchrun(1, 3, tmp_path), "--epochs=1"),
    ]
    codes, _, errors = results(ranks)
    said = "dsrun: error: rank 1 was started as one of 3 ranks and rank 0 as one of 2"
    assert codes == [1, 1] and errors == [said] * 2


def test_ranks_with_other_modules_or_data(work, start, tmp_path):
    other = work.with_name("other.so")
    ranks = [
        start(torchrun(0, 2, tmp_path), "--epochs=1"),
        start(torchrun(1, 2, tmp_path), "--epochs=1", module=other),
    ]
    codes, _, errors = results(ranks)
    assert codes == [1, 1] and len(errors) == 1
    assert errors[0].startswith("dsrun: error: rank 1 has another module than rank 0; ")
    ranks = [
        start(torchrun(0, 2, tmp_path), "--epochs=1"),
        start(torchrun(1, 2, tmp_path), "--epochs=1", prefix="few_"),
    ]
    codes, _, errors = results(ranks)
    assert codes == [1, 1] and len(errors) == 1
    assert errors[0].startswith("dsrun: error: rank 1 has other data than rank 0: 8 samples")


def test_the_command_line_and_several_hosts(start, tmp_path):
    variables = torchrun(0, 2, tmp_path)
    codes, _, errors = results([start(variables, "--epochs=1", "-n", 3)])
    assert codes == [1] and "-n 3 and WORLD_SIZE=2 contradict each other" in errors[0]
    codes, _, errors = results([start({**variables, "WORLD_SIZE": 4}, "--epochs=1")])
    assert codes == [1] and "WORLD_SIZE=4 and LOCAL_WORLD_SIZE=2" in errors[0]
    conflict = {**variables, **slurm(1, 2, 7)}
    codes, _, errors = results([start(conflict, "--epochs=1")])
    assert codes == [1] and "RANK=0 and SLURM_PROCID=1 contradict each other" in errors[0]
