"""A model with every sort of state, data for it, and checkpoints read in Python alone."""

import functools
import json
import zlib

import numpy as np
import onnx
from harness.models import model, node, value
from harness.tools import compile_model, run
from safetensors.numpy import load_file

BATCH, SAMPLES, CLASSES = 4, 50, 7
FLAGS = [
    "--loss=cross_entropy(logits,y)",
    "--optimizer=adamw",
    "--lr-schedule=cosine",
    "--clip-norm=1",
]
# Two micro-batches at one rank, and the same samples at 2, 3, 4 and 8.
GLOBAL_BATCH = 24 * BATCH


def build(width=5):
    """Trained tensors of 35, 7, 1 and 0 elements and a scalar, a frozen one, a mask
    with infinities, and Dropout."""
    rng = np.random.default_rng(9)
    shapes = {"w": (width, 7), "b": (7,), "frozen": (7,), "scale": (), "shift": (1,)}
    weights = {n: rng.standard_normal(s).astype(np.float32) for n, s in shapes.items()}
    mask = np.zeros((1, CLASSES), np.float32)
    mask[0, -1] = -np.inf
    return model(
        [
            node("MatMul", ["x", "w"], ["m"]),
            node("Add", ["m", "b"], ["n"]),
            node("Mul", ["n", "frozen"], ["o"]),
            node("Dropout", ["o", "ratio", "training"], ["d"], "drop"),
            node("Mul", ["d", "scale"], ["p"]),
            node("Add", ["p", "shift"], ["q"]),
            node("Concat", ["q", "none"], ["r"], axis=0),
            node("Add", ["r", "mask"], ["logits"]),
        ],
        [value("x", onnx.TensorProto.FLOAT, [BATCH, width])],
        [value("logits", onnx.TensorProto.FLOAT, [BATCH, CLASSES])],
        {
            **weights,
            "none": np.zeros((0, 7), np.float32),
            "mask": mask,
            "ratio": np.float32(0.25),
            "training": np.array(True),
        },
    )


class Work:
    """The model compiled for each stage, and how to train it."""

    def __init__(self, folder):
        self.folder = folder
        onnx.save(build(), folder / "m.onnx")
        rng = np.random.default_rng(4)
        np.save(folder / "x.npy", rng.standard_normal((SAMPLES, 5)).astype(np.float32))
        np.save(folder / "y.npy", rng.integers(0, CLASSES - 1, SAMPLES))
        self.data = ["--input=x=%s" % (folder / "x.npy"), "--input=y=%s" % (folder / "y.npy")]
        self.compiled = functools.cache(self.compile)

    def compile(self, stage):
        output = self.folder / ("m%d.so" % stage)
        flags = [*FLAGS, "--freeze=^(frozen|mask)$", "-zero=%d" % stage]
        return compile_model(self.folder / "m.onnx", output, *flags)

    def command(self, stage, ranks, *flags):
        more = ["-n", ranks, "--lr=0.01", "--warmup-steps=4", "--total-steps=12", *flags]
        if not any(str(flag).startswith("--threads") for flag in flags):
            more.append("--threads=1")
        return [self.compiled(stage), *self.data, *map(str, more)]

    def run(self, stage, ranks, *flags, **more):
        return run("dsrun", *self.command(stage, ranks, *flags), **more)

    def train(self, stage, ranks, *flags):
        """The metrics lines of the updates."""
        lines = self.folder / "metrics.jsonl"
        lines.unlink(missing_ok=True)
        result = self.run(stage, ranks, *flags, "--metrics", lines)
        assert result.code == 0, str(result)
        read = [json.loads(line) for line in lines.read_text().splitlines()]
        return [line for line in read if "loss" in line]


def sets(folder):
    """Steps of the sets in a folder, newest first."""
    return sorted((int(p.name[5:]) for p in folder.glob("step-*[0-9]")), reverse=True)


def manifest(path):
    """The manifest of a set; checks what docs/checkpoint-format.md says of checksums."""
    text = (path / "manifest.json").read_bytes()
    body = text[: text.rindex(b'"crc32"')]
    read = json.loads(text)
    assert int(read["crc32"], 16) == zlib.crc32(body)
    for file in read["files"]:
        content = (path / file["name"]).read_bytes()
        assert len(content) == file["bytes"]
        assert zlib.crc32(content) == int(file["crc32"], 16)
        assert zlib.crc32(content[: file["header_bytes"]]) == int(file["header_crc32"], 16)
    return read


def tensors(path):
    """All tensors of a set, joined from the parts as safetensors' reader gives them."""
    read = manifest(path)
    parts = [load_file(path / file["name"]) for file in read["files"]]
    joined = {}
    for tensor in read["tensors"]:
        name, pieces = tensor["name"], tensor["pieces"]
        if len(pieces) == 1:
            joined[name] = parts[pieces[0]["file"]][name]
            assert list(joined[name].shape) == tensor["shape"]
            continue
        flat = [parts[p["file"]]["%s[%d:%d]" % (name, p["begin"], p["end"])] for p in pieces]
        joined[name] = np.concatenate(flat).reshape(tensor["shape"])
    return joined


def check_same(got, wanted, names=None):
    """Bit for bit."""
    for name in names or wanted:
        assert got[name].dtype == wanted[name].dtype
        assert got[name].tobytes() == wanted[name].tobytes(), name
