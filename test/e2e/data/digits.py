"""A training whose losses tell which samples made them.

The model is out = x * w with w = 1, in float64, and the loss is the mean of
out ** 2. Sample i is 2 ** i, so an update that takes a set of samples has the
sum of their 4 ** i as its loss times its number of samples: the digits of that
number in base 4 count how often each sample was taken. With a learning rate of
0 it stays so.
"""

import json

import numpy as np
import onnx
from harness.models import model, node, value
from harness.tools import compile_model, run

SAMPLES, BATCH = 21, 2  # 4 ** 20 and all sums are exact, and their means nearly


def build(folder):
    x = value("x", onnx.TensorProto.FLOAT, [BATCH, 1])
    out = value("out", onnx.TensorProto.FLOAT, [BATCH, 1])
    weights = {"w": np.ones(1, np.float32)}
    onnx.save(model([node("Mul", ["x", "w"], ["out"])], [x], [out], weights), folder / "m.onnx")
    np.save(folder / "x.npy", samples())
    np.save(folder / "t.npy", np.zeros((SAMPLES, 1)))
    flags = ["--loss=mse(out,t)", "--precision=f64", "--optimizer=sgd", "--lr=0"]
    return compile_model(folder / "m.onnx", folder / "m.so", *flags)


def samples():
    return 2.0 ** np.arange(SAMPLES).reshape(-1, 1)


def counts(loss, weight):
    """How often each sample is in a mean over `weight` samples."""
    total = round(loss * weight)
    return np.array([total >> 2 * i & 3 for i in range(SAMPLES)])


class Losses:
    """What a run took: for each update, and for each evaluation, the counts."""

    def __init__(self, module, *flags, data=None):
        folder = module.parent
        metrics = folder / "metrics.jsonl"
        metrics.unlink(missing_ok=True)
        data = data or ["--input=x=%s" % (folder / "x.npy"), "--input=t=%s" % (folder / "t.npy")]
        self.result = run("dsrun", module, *data, "--threads=1", "--metrics", metrics, *flags)
        assert self.result.code == 0, str(self.result)
        lines = [json.loads(line) for line in metrics.read_text().splitlines()]
        self.updates, self.evaluations = [], []
        for line in lines:
            if "loss" in line:
                self.updates.append(counts(line["loss"], line["batch_samples"]))
            elif "eval_loss" in line:
                self.evaluations.append(counts(line["eval_loss"], line["eval_samples"]))
