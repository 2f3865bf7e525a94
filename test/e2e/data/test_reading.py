"""Files that are larger than memory, and files that change while they are read."""

import os
import signal
import subprocess
import time

import numpy as np
import onnx
import pytest
from data.digits import build
from harness.models import mlp, model, node, value
from harness.tools import BIN, compile_model, run, train_module
from safetensors.numpy import save_file

TERABYTE = 10**12


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    return build(tmp_path_factory.mktemp("reading"))


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    folder = tmp_path_factory.mktemp("text")
    tokens = value("tokens", np.zeros(0, np.int64), [4, 8])
    scores = value("logits", onnx.TensorProto.FLOAT, [4, 8, 5])
    table = {"w": np.random.default_rng(1).standard_normal((5, 5)).astype(np.float32)}
    made = model([node("Gather", ["w", "tokens"], ["logits"])], [tokens], [scores], table)
    onnx.save(made, folder / "m.onnx")
    flags = ["--loss=cross_entropy(logits,y)", "--optimizer=sgd", "--lr=0.1"]
    return compile_model(folder / "m.onnx", folder / "m.so", *flags)


def sparse(path, size, header=b""):
    """A file of zeros that takes no room on the disk."""
    path.write_bytes(header)
    os.truncate(path, size)
    return path


@pytest.mark.parametrize("order", [[], ["--seed=3"]])
def test_a_terabyte_of_tokens(text, tmp_path, order):
    """5 * 10^11 tokens: more windows than 32 bits count."""
    file = sparse(tmp_path / "t.bin", TERABYTE)
    lines = train_module(text, "--tokens", file, "--steps=3", "-n", 2, "--threads=1", *order)
    assert len(lines) == 3
    result = run("dsrun", text, "--tokens", file, "--steps=1", "--dry-run")
    assert "out of 62500000000" in result.out, str(result)


def test_a_large_npy(tmp_path):
    """3 * 10^10 rows of labels are not read before the training either."""
    onnx.save(mlp([1, 3]), tmp_path / "m.onnx")
    flags = ["--bind=batch=4", "--loss=cross_entropy(logits,y)"]
    module = compile_model(tmp_path / "m.onnx", tmp_path / "m.so", *flags)
    rows, data = 3 * 10**10, []
    for name, kind, shape in (("x", np.float32, (rows, 1)), ("y", np.int64, (rows,))):
        with open(tmp_path / "head", "wb") as file:
            header = {"descr": np.dtype(kind).str, "fortran_order": False, "shape": shape}
            np.lib.format.write_array_header_1_0(file, header)
        head = (tmp_path / "head").read_bytes()
        path = sparse(
            tmp_path / (name + ".npy"), len(head) + rows * np.dtype(kind).itemsize, head
        )
        data.append("--input=%s=%s" % (name, path))
    for order in ([], ["--seed=1"]):
        lines = train_module(module, *data, "--steps=3", "--threads=1", *order)
        assert [line["step"] for line in lines] == [1, 2, 3]


class Running:
    """dsrun in the background, until its metrics have lines."""

    def __init__(self, module, *flags):
        metrics = module.parent / "running.jsonl"
        metrics.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [str(BIN / "dsrun"), *map(str, [module, "--metrics", metrics, "--threads=1", *flags])],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        while not (metrics.exists() and metrics.stat().st_size):
            assert self.process.poll() is None, self.process.communicate()[1]
            time.sleep(0.01)

    def ends(self):
        """Exit code and what it said."""
        try:
            errors = self.process.communicate(timeout=60)[1]
        finally:
            self.process.kill()
        return self.process.returncode, errors


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("how", ["truncated", "written"])
def test_tokens_that_change(text, tmp_path, ranks, how):
    file = tmp_path / "t.bin"
    file.write_bytes(bytes(1 << 20))
    running = Running(text, "--tokens", file, "--steps=1000000000", "-n", ranks)
    if how == "truncated":
        os.truncate(file, 0)
    else:
        with open(file, "r+b") as handle:
            handle.write(b"\1\1")
    code, errors = running.ends()
    assert code == 1, errors
    said = [line for line in errors.splitlines() if "error" in line]
    assert len(said) >= 1 and str(file) in said[0]
    assert "was written to after it was opened" in said[0] or "was truncated" in said[0]


@pytest.mark.parametrize("kind", ["npy", "npz", "safetensors"])
def test_arrays_that_shrink(digits, tmp_path, kind):
    x, t = np.ones((50000, 1)), tmp_path / "t.npy"
    np.save(t, np.zeros((50000, 1)))
    file = tmp_path / ("x." + kind)
    {"npy": np.save, "npz": lambda f, a: np.savez(f, x=a)}.get(
        kind, lambda f, a: save_file({"x": a}, f)
    )(file, x)
    data = ["--input=x=%s" % file, "--input=t=%s" % t]
    running = Running(digits, *data, "--steps=1000000000", "--seed=1")
    os.truncate(file, 4096)
    code, errors = running.ends()
    assert code == 1 and str(file) in errors, errors


def test_a_replaced_file_is_read_as_it_was(digits, tmp_path):
    file, t = tmp_path / "x.npy", tmp_path / "t.npy"
    np.save(file, np.ones((8, 1)))
    np.save(t, np.zeros((8, 1)))
    np.save(tmp_path / "new.npy", np.zeros((1, 1)))
    data = ["--input=x=%s" % file, "--input=t=%s" % t]
    running = Running(digits, *data, "--steps=1000000000")
    os.replace(tmp_path / "new.npy", file)
    time.sleep(0.2)
    assert running.process.poll() is None
    running.process.send_signal(signal.SIGINT)
    code, errors = running.ends()
    assert code == 0, errors


def test_labels_are_checked_as_they_are_used(tmp_path):
    """More of them than are looked at before the training."""
    onnx.save(mlp([1, 3]), tmp_path / "m.onnx")
    flags = ["--bind=batch=4", "--loss=cross_entropy(logits,y)"]
    module = compile_model(tmp_path / "m.onnx", tmp_path / "m.so", *flags)
    rows = 9 << 20  # 72 MiB
    labels = np.lib.format.open_memmap(tmp_path / "y.npy", "w+", np.int64, (rows,))
    labels[6] = 3
    del labels
    np.lib.format.open_memmap(tmp_path / "x.npy", "w+", np.float32, (rows, 1))
    data = ["--input=x=%s" % (tmp_path / "x.npy"), "--input=y=%s" % (tmp_path / "y.npy")]
    assert run("dsrun", module, *data, "--steps=1").code == 0  # the step before
    result = run("dsrun", module, *data, "--steps=2")
    assert result.code == 1
    said = "'%s': sample 6 has the label 3, and classes are 0 to 2 (or -100 for none)"
    assert "error: --input y: " + said % (tmp_path / "y.npy") in result.err, str(result)
