"""--metrics and --monitor: what is written is what was trained, and foreign readers read it."""

import csv
import json
import os
import shutil

import numpy as np
import pytest
from harness.tools import run
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

UPDATE_KEYS = [
    *("step", "loss", "lr", "grad_norm", "weight", "skipped", "samples", "batch_samples"),
    *("step_seconds", "data_seconds", "compute_seconds", "update_seconds"),
]
CURVES = {
    "Train/Samples/train_loss": "loss",
    "Train/Samples/lr": "lr",
    "Train/Samples/grad_norm": "grad_norm",
}


def train(watched, folder, *flags):
    """Trains with all monitors; returns the lines of --metrics."""
    arguments = ["--metrics", folder / "m.jsonl"]
    arguments += ["--monitor", "csv:%s,tensorboard:%s" % (folder / "csv", folder / "tb")]
    result = run("dsrun", watched.module, *watched.data, *arguments, *flags)
    assert result.code == 0, str(result)
    return [json.loads(line) for line in (folder / "m.jsonl").read_text().splitlines()]


def read_csv(folder):
    """The rows of each file, by the name of its curve in DeepSpeed's manner."""
    curves = {}
    for path in folder.glob("*.csv"):
        with open(path, newline="") as file:
            header, *rows = csv.reader(file)
        assert header == ["step", path.stem.split("_", 2)[2]], path
        curves[path.stem.replace("_", "/", 2)] = [(int(x), float(v)) for x, v in rows]
    return curves


def read_tensorboard(folder):
    events = EventAccumulator(str(folder))
    events.Reload()
    return {
        tag: [(event.step, event.value) for event in events.Scalars(tag)]
        for tag in events.Tags()["scalars"]
    }


@pytest.mark.parametrize("ranks", [1, 2])
def test_all_monitors_say_the_same(watched, tmp_path, ranks):
    flags = ["--epochs=2", "--seed=1", "--eval", "--eval-every=2", "-n", ranks, "--threads=1"]
    lines = train(watched, tmp_path, *flags)
    updates = [line for line in lines if "loss" in line]
    evaluations = [line for line in lines if "eval_loss" in line]
    received = ["received_bytes"] if ranks > 1 else []
    assert all(list(line) == UPDATE_KEYS + received for line in updates)

    # 22 samples an epoch, in batches of 4 a rank, of which the last is short.
    samples = np.cumsum([line["batch_samples"] for line in updates])
    assert [line["samples"] for line in updates] == list(samples)
    assert samples[-1] == 44 and updates[-1]["batch_samples"] == (2 if ranks == 1 else 6)
    assert [line["weight"] for line in updates] == [line["batch_samples"] for line in updates]
    for line in updates:
        parts = line["data_seconds"] + line["compute_seconds"] + line["update_seconds"]
        assert 0 < parts <= line["step_seconds"]

    wanted = {
        name: [(line["samples"], line[key]) for line in updates] for name, key in CURVES.items()
    }
    at = {line["step"]: line["samples"] for line in updates}
    for name in ("loss", "accuracy"):
        wanted["Eval/Samples/" + name] = [
            (at[line["step"]], line["eval_" + name]) for line in evaluations
        ]
    assert [line["step"] for line in evaluations] == list(range(2, len(updates) + 1, 2))
    assert read_csv(tmp_path / "csv") == wanted
    got = read_tensorboard(tmp_path / "tb")
    assert set(got) == set(wanted)
    for name, points in wanted.items():  # TensorBoard's values are f32
        assert got[name] == [(x, np.float32(value)) for x, value in points], name


def test_files_are_as_deepspeed_writes_them(watched, tmp_path):
    updates = train(watched, tmp_path, "--steps=2")
    rows = b"".join(b"%d,%s\r\n" % (u["samples"], repr(u["loss"]).encode()) for u in updates)
    got = (tmp_path / "csv/Train_Samples_train_loss.csv").read_bytes()
    assert got == b"step,train_loss\r\n" + rows


def test_another_run_replaces_the_curves(watched, tmp_path):
    train(watched, tmp_path, "--steps=5")
    lines = train(watched, tmp_path, "--steps=2", "--lr=0.5")
    assert [line["step"] for line in lines] == [1, 2]
    wanted = [(4, 0.5), (8, 0.5)]
    assert read_csv(tmp_path / "csv")["Train/Samples/lr"] == wanted
    assert read_tensorboard(tmp_path / "tb")["Train/Samples/lr"] == wanted


def test_a_resumed_run_goes_on_in_the_files(watched, tmp_path):
    """The run before went on beyond its last checkpoint; that is not kept twice."""
    whole = tmp_path / "whole"
    whole.mkdir()
    train(watched, whole, "--steps=9", "--seed=1")
    kept = ["--seed=1", "--save", tmp_path / "saved", "--save-every=4"]
    train(watched, tmp_path, "--steps=7", *kept)
    shutil.rmtree(tmp_path / "saved/step-00000007")
    lines = train(watched, tmp_path, "--steps=9", *kept, "--resume")
    updates = [line for line in lines if "loss" in line]
    saves = [line["step"] for line in lines if "save_stall_seconds" in line]
    assert [line["step"] for line in updates] == list(range(1, 10)) and saves == [4, 8]
    samples = [line["samples"] for line in updates]

    for read, name in ((read_csv, "csv"), (read_tensorboard, "tb")):
        curves, wanted = read(tmp_path / name), read(whole / name)
        stalls = curves.pop("Train/Samples/save_stall_seconds")
        assert [x for x, _ in stalls] == [samples[3], samples[7]]
        assert curves == wanted, name


def test_a_clock_that_goes_back(watched, tmp_path):
    """TensorBoard reads files in the order of their names, which hold a time."""
    train(watched, tmp_path, "--steps=5")
    (first,) = (tmp_path / "tb").iterdir()
    os.rename(first, first.with_name("events.out.tfevents.4000000000.host.1.0"))
    train(watched, tmp_path, "--steps=2", "--lr=0.5")
    assert read_tensorboard(tmp_path / "tb")["Train/Samples/lr"] == [(4, 0.5), (8, 0.5)]


def test_folders_are_named_as_the_monitors(watched, tmp_path):
    flags = ["--steps=1", "--monitor=csv,tensorboard"]
    result = run("dsrun", watched.module, *watched.data, *flags, cwd=tmp_path)
    assert result.code == 0, str(result)
    assert (tmp_path / "csv/Train_Samples_lr.csv").exists()
    assert list((tmp_path / "tensorboard").glob("events.out.tfevents.*"))


def test_metrics_go_into_a_pipe(watched):
    result = run("dsrun", watched.module, *watched.data, "--steps=2", "--metrics=/dev/stderr")
    assert result.code == 0, str(result)
    assert [json.loads(t)["step"] for t in result.err.splitlines() if t[0] == "{"] == [1, 2]


@pytest.mark.parametrize(
    "flag, message",
    [
        ("--metrics=/dev/full", "cannot write '/dev/full': No space left on device"),
        ("--metrics=/no/m.jsonl", "cannot write '/no/m.jsonl': No such file or directory"),
        ("--monitor=csv:/proc/no", "cannot write into '/proc/no': No such file or directory"),
        ("--monitor=tensorboard:/proc/no", "cannot write into '/proc/no'"),
        ("--monitor=csv:m.so", "cannot write into 'm.so': "),
        ("--monitor=wandb", "--monitor: 'wandb' is neither csv:DIR nor tensorboard:DIR"),
        ("--monitor=csv:", "--monitor: 'csv:' is neither csv:DIR nor tensorboard:DIR"),
        ("--monitor=csv:a,", "--monitor: '' is neither csv:DIR nor tensorboard:DIR"),
        ("--steps-per-print=0", "--steps-per-print: '0' is not a number from 1 on"),
    ],
)
def test_bad_places(watched, flag, message):
    result = run("dsrun", watched.module, *watched.data, "--steps=2", flag, cwd=watched.folder)
    assert result.code == (2 if message.startswith("--") else 1), str(result)
    assert result.err.splitlines()[-1].startswith("dsrun: error: " + message), str(result)


@pytest.mark.parametrize("kind", ["csv", "tensorboard"])
def test_a_full_disk_ends_the_run_at_the_step(watched, tmp_path, kind):
    target = "--monitor=%s:%s" % (kind, tmp_path / "curves")
    flags = ["--steps=500", "--steps-per-print=1", target]
    result = run("dsrun", watched.module, *watched.data, *flags, limit_bytes=1000)
    assert result.code == 1, str(result)
    assert "cannot write '%s/" % (tmp_path / "curves") in result.err
    steps = sum(line.startswith("step ") for line in result.out.splitlines())
    assert 5 < steps < 100
