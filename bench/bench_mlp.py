#!/usr/bin/env python3
"""Step time of an MLP 784-512-512-10, batch 64, AdamW: dsc against PyTorch eager.

Both start from the same weights and see the same batches with the same number
of threads; rounds alternate in one process, so that both meet the same machine.
PyTorch runs with each of its AdamW implementations, and the fastest counts.
Prints a table; --json FILE also writes the numbers.
"""

import argparse
import itertools
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnx
import torch
from measure import cost_of_dsc

from harness.models import mlp  # measure found the tests' folder
from harness.session import session

SIZES, BATCH, BATCHES, LR = [784, 512, 512, 10], 64, 8, 1e-3
IMPLEMENTATIONS = {"for-loop": {}, "foreach": {"foreach": True}, "fused": {"fused": True}}

# Float32 losses of the two after the warm-up; a larger difference is other work.
LOSS_TOLERANCE = 1e-3


def batches():
    rng = np.random.default_rng(0)
    return [
        (
            rng.standard_normal((BATCH, SIZES[0])).astype(np.float32),
            rng.integers(0, SIZES[-1], BATCH),
        )
        for _ in range(BATCHES)
    ]


class Dsc:
    """The compiled module, driven through the C interface of the runtime."""

    name = "dsc"

    def __init__(self, module, threads):
        self._context = session(module, threads=threads)
        self._session = self._context.__enter__()
        self._batches = itertools.cycle(batches())

    def step(self):
        x, y = next(self._batches)
        self._session.bind(x=x, y=y)
        self._session.run("step_last", "update")

    def loss(self):
        return self._session.get("dsc.report.loss")

    def close(self):
        self._context.__exit__(None, None, None)


class Torch:
    """The same network as eager PyTorch modules."""

    def __init__(self, model, implementation):
        self.name = "PyTorch " + implementation
        layers = []
        for fan_in, fan_out in zip(SIZES, SIZES[1:]):
            layers += [torch.nn.Linear(fan_in, fan_out), torch.nn.ReLU()]
        self._net = torch.nn.Sequential(*layers[:-1])
        arrays = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}
        for i, layer in enumerate(self._net[::2], 1):
            layer.weight.data = torch.tensor(arrays["fc%d.weight" % i])
            layer.bias.data = torch.tensor(arrays["fc%d.bias" % i])
        self._optimizer = torch.optim.AdamW(
            self._net.parameters(), lr=LR, **IMPLEMENTATIONS[implementation]
        )
        tensors = [(torch.tensor(x), torch.tensor(y)) for x, y in batches()]
        self._batches = itertools.cycle(tensors)

    def step(self):
        x, y = next(self._batches)
        self._optimizer.zero_grad(set_to_none=True)
        self._loss = torch.nn.functional.cross_entropy(self._net(x), y)
        self._loss.backward()
        self._optimizer.step()

    def loss(self):
        return self._loss.item()

    def close(self):
        pass


def compile_module(model, folder):
    """(module, seconds, peak bytes) of one run of dsc."""
    onnx.save(model, folder / "mlp.onnx")
    seconds, peak, _ = cost_of_dsc(
        folder / "mlp.onnx",
        "-target=native",
        "--bind=batch=%d" % BATCH,
        "--loss=cross_entropy(logits,y)",
        "--lr=%g" % LR,
        "-o",
        folder / "mlp.so",
    )
    return folder / "mlp.so", seconds, peak


def measure(runners, rounds, steps):
    """Median seconds a step by name, after checking that all do the same work."""
    for runner in runners:
        for _ in range(steps):
            runner.step()
    losses = {r.name: r.loss() for r in runners}
    spread = max(losses.values()) - min(losses.values())
    if spread > LOSS_TOLERANCE * max(losses.values()):
        sys.exit("the losses differ, so the runs do not do the same work: %s" % losses)
    times = {r.name: [] for r in runners}
    for _ in range(rounds):
        for runner in runners:
            start = time.perf_counter()
            for _ in range(steps):
                runner.step()
            times[runner.name].append((time.perf_counter() - start) / steps)
    return {name: statistics.median(values) for name, values in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15, help="alternating rounds (15)")
    parser.add_argument("--steps", type=int, default=40, help="steps a round (40)")
    parser.add_argument("--threads", default="1,2", help="thread counts, by comma (1,2)")
    parser.add_argument("--json", help="also write the numbers to this file")
    arguments = parser.parse_args()

    report = {"torch": torch.__version__, "cores": os.cpu_count(), "threads": {}}
    model = mlp(SIZES)
    with tempfile.TemporaryDirectory() as folder:
        module, report["compile_seconds"], report["compile_peak_bytes"] = compile_module(
            model, Path(folder)
        )
        print(
            "dsc compiled in %.2f s with a peak of %.0f MiB"
            % (report["compile_seconds"], report["compile_peak_bytes"] / 2**20)
        )
        print("threads  %-18s %12s %10s" % ("", "us a step", "dsc is"))
        for threads in map(int, arguments.threads.split(",")):
            torch.set_num_threads(threads)
            runners = [Dsc(module, threads), *(Torch(model, i) for i in IMPLEMENTATIONS)]
            medians = measure(runners, arguments.rounds, arguments.steps)
            for runner in runners:
                runner.close()
            peers = {n: t for n, t in medians.items() if n != "dsc"}
            best = min(peers, key=peers.get)
            ratio = peers[best] / medians["dsc"]
            for name, seconds in medians.items():
                factor = "" if name == "dsc" else "%8.2fx" % (seconds / medians["dsc"])
                mark = " (best)" if name == best else ""
                print("%7d  %-18s %12.1f %10s%s" % (threads, name, seconds * 1e6, factor, mark))
            report["threads"][threads] = dict(
                step_seconds=medians, best_peer=best, times_as_fast=ratio
            )
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
