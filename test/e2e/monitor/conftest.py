"""A small classifier and its data, for runs that are watched."""

from types import SimpleNamespace

import numpy as np
import onnx
import pytest
from harness.models import mlp
from harness.tools import compile_model

BATCH, SAMPLES = 4, 22


@pytest.fixture(scope="session")
def watched(tmp_path_factory):
    folder = tmp_path_factory.mktemp("watched")
    onnx.save(mlp([6, 5, 3]), folder / "m.onnx")
    flags = ["--bind", "batch=%d" % BATCH, "--loss=cross_entropy(logits,y)", "--lr=0.01"]
    module = compile_model(folder / "m.onnx", folder / "m.so", *flags, "-zero=3")
    rng = np.random.default_rng(4)
    np.save(folder / "x.npy", rng.standard_normal((SAMPLES, 6)).astype(np.float32))
    np.save(folder / "y.npy", rng.integers(0, 3, SAMPLES))
    data = ["--input", "x=%s" % (folder / "x.npy"), "--input", "y=%s" % (folder / "y.npy")]
    return SimpleNamespace(folder=folder, module=module, data=data)
