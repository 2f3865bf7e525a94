#!/usr/bin/env python3
"""What dsc --simulate predicts for this host against what a step takes here.

Calibrates the host (dsrun --calibrate; --topology takes another file), predicts
an update of each configuration below, none of which the calibration runs, and
measures it: the median of steps in alternating runs. Prints a table; fails if a
prediction is further off than --within; --json FILE also writes the numbers.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
from measure import BIN
from models import GPT_BATCH, GPT_FLAGS, GPT_LENGTH, gpt, gpt_6x384

from harness.models import mlp  # measure found the tests' folder

# The first steps meet cold caches and sleeping threads.
WARM_UP = 3
MLP_BATCH = 64


class Configuration(NamedTuple):
    name: str
    model: str
    stage: int
    ranks: int
    steps: int  # that count in a run


CONFIGURATIONS = [
    Configuration("MLP 784-512-10, B=64, 1 rank", "mlp", 0, 1, 200),
    Configuration("GPT 6x384, B=4, T=256, ZeRO 0, 1 rank", "gpt6x384", 0, 1, 8),
    Configuration("GPT 4x256, B=4, T=256, ZeRO 3, 2 ranks", "gpt4x256", 3, 2, 16),
]
WRITERS = {
    "mlp": lambda path: onnx.save(mlp([784, 512, 10]), path),
    "gpt6x384": gpt_6x384,
    "gpt4x256": lambda path: gpt(path, layers=4, width=256),
}
FLAGS = {"mlp": ["--bind=batch=%d" % MLP_BATCH, "--loss=cross_entropy(logits,y)"]}


def check(*command):
    """Standard output of a command that succeeds."""
    done = subprocess.run(list(map(str, command)), text=True, capture_output=True)
    if done.returncode:
        sys.exit("%s\n%s%s" % (" ".join(map(str, command)), done.stdout, done.stderr))
    return done.stdout


def write_data(folder):
    rng = np.random.default_rng(0)
    tokens = rng.integers(0, 256, 64 * GPT_BATCH * GPT_LENGTH)
    tokens.astype(np.uint16).tofile(folder / "tokens.bin")
    np.save(folder / "x.npy", rng.standard_normal((64 * MLP_BATCH, 784)).astype(np.float32))
    np.save(folder / "y.npy", rng.integers(0, 10, 64 * MLP_BATCH))


def compile_and_predict(configuration, folder, topology):
    """The module, and what the simulator says of its update."""
    model, flags = configuration.model, FLAGS.get(configuration.model, GPT_FLAGS)
    graph, module = folder / (model + ".onnx"), folder / (model + ".so")
    WRITERS[model](graph)
    printed = check(
        BIN / "dsc",
        graph,
        *flags,
        "-target=native",
        "-zero=%d" % configuration.stage,
        "--simulate",
        "--json",
        "--ranks=%d" % configuration.ranks,
        "--topology=%s" % topology,
        "-o",
        module,
    )
    return module, json.loads(printed)["updates"][0]


def measure(configuration, module, folder):
    """Seconds of each update behind the first few."""
    metrics = folder / "metrics.jsonl"
    data = ["--tokens", folder / "tokens.bin"]
    if configuration.model == "mlp":
        data = ["--input", "x=%s" % (folder / "x.npy"), "--input", "y=%s" % (folder / "y.npy")]
    steps = "--steps=%d" % (WARM_UP + configuration.steps)
    check(BIN / "dsrun", "-n", configuration.ranks, module, *data, steps, "--metrics", metrics)
    lines = [json.loads(line) for line in metrics.read_text().splitlines()]
    return [line["step_seconds"] for line in lines[WARM_UP:]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--topology", help="description of this host (default: measured now)")
    parser.add_argument("--rounds", type=int, default=5, help="alternating runs (5)")
    parser.add_argument("--within", type=float, default=0.2, help="largest deviation (0.2)")
    parser.add_argument("--json", help="also write the numbers to this file")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        topology = arguments.topology
        if not topology:
            topology = folder / "this-host.json"
            check(BIN / "dsrun", "--calibrate=%s" % topology)
        write_data(folder)
        compiled = [compile_and_predict(c, folder, topology) for c in CONFIGURATIONS]
        seconds = [[] for _ in CONFIGURATIONS]
        for _ in range(arguments.rounds):
            for index, configuration in enumerate(CONFIGURATIONS):
                seconds[index] += measure(configuration, compiled[index][0], folder)

    report = {"cores": os.cpu_count(), "configurations": []}
    print("%-40s %12s %12s %8s" % ("", "simulated ms", "measured ms", "ratio"))
    for configuration, (_, update), samples in zip(CONFIGURATIONS, compiled, seconds):
        measured = statistics.median(samples)
        ratio = update["seconds"] / measured
        row = {"name": configuration.name, "measured_seconds": measured, "ratio": ratio}
        report["configurations"].append(row | {"simulated": update})
        print(
            "%-40s %12.3f %12.3f %8.3f"
            % (configuration.name, update["seconds"] * 1e3, measured * 1e3, ratio)
        )
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(report, indent=2) + "\n")
    worst = max(abs(row["ratio"] - 1) for row in report["configurations"])
    print("furthest off: %.1f%%" % (100 * worst))
    sys.exit(worst > arguments.within)


if __name__ == "__main__":
    main()
