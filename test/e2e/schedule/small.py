"""Small models with several layers, and data for them."""

import subprocess
import sys

import numpy as np
import onnx
from harness.models import mlp
from harness.ranks import Work
from harness.tools import REPOSITORY

VOCABULARY, LENGTH, BATCH, SAMPLES = 16, 6, 2, 16


def write_decoder(folder, *size):
    """A GPT of two layers without weights; returns the path."""
    script = REPOSITORY / "examples/decoder/make_model.py"
    size = size or ["--width=8", "--heads=2"]
    flags = ["--layers=2", "--vocabulary=%d" % VOCABULARY, "--context=8", *size]
    subprocess.run([sys.executable, script, *flags, "-o", folder / "m.onnx"], check=True)
    return folder / "m.onnx"


DECODER_FLAGS = ["--bind=batch=%d" % BATCH, "--bind=sequence=%d" % LENGTH]
DECODER_FLAGS += ["--loss=cross_entropy(logits,labels)", "--init=normal(0.1)@.*"]


def make_decoder(folder):
    rng = np.random.default_rng(3)
    data = {n: rng.integers(0, VOCABULARY, (SAMPLES, LENGTH)) for n in ("tokens", "labels")}
    flags = [*DECODER_FLAGS, "--optimizer=adamw", "--lr=0.01", "--clip-norm=0.5"]
    return Work(folder, write_decoder(folder), flags, data)


def make_mlp(folder):
    onnx.save(mlp([5, 13, 7, 9, 5]), folder / "m.onnx")
    rng = np.random.default_rng(4)
    data = {"x": rng.standard_normal((SAMPLES, 5)).astype(np.float32)}
    data["y"] = rng.integers(0, 5, SAMPLES)
    flags = ["--loss=cross_entropy(logits,y)", "--optimizer=sgd", "--lr=0.1", "--momentum=0.9"]
    return Work(folder, folder / "m.onnx", [*flags, "--bind=batch=%d" % BATCH], data)
