"""Small models with several layers, and data for them."""

import numpy as np
import onnx
from harness import decoder
from harness.models import mlp
from harness.ranks import Work

SAMPLES = 16


def write_decoder(folder):
    """A GPT of two layers with Dropout; returns the path."""
    onnx.save(decoder.decoder(layers=2), folder / "m.onnx")
    return folder / "m.onnx"


def make_decoder(folder):
    flags = [*decoder.FLAGS, "--optimizer=adamw", "--lr=0.01", "--clip-norm=0.5"]
    return Work(folder, write_decoder(folder), flags, decoder.data(SAMPLES))


def make_mlp(folder):
    onnx.save(mlp([5, 13, 7, 9, 5]), folder / "m.onnx")
    rng = np.random.default_rng(4)
    data = {"x": rng.standard_normal((SAMPLES, 5)).astype(np.float32)}
    data["y"] = rng.integers(0, 5, SAMPLES)
    flags = ["--loss=cross_entropy(logits,y)", "--optimizer=sgd", "--lr=0.1", "--momentum=0.9"]
    return Work(folder, folder / "m.onnx", [*flags, "--bind=batch=2"], data)
