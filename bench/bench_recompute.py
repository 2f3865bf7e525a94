#!/usr/bin/env python3
"""What recomputing activations costs, and what it saves.

GPT of 6 layers, width 384, batch 8 of 512 tokens, AdamW in float32, on one rank:
activations exceed the state by far. dsc keeps all of them, recomputes layers
(--recompute=blocks), or what a limit asks for that leaves half of their bytes
(--recompute=auto --memory-limit). PyTorch eager keeps all, or wraps each layer
in torch.utils.checkpoint. Each runs in a process of its own; rounds alternate, and
medians count. Prints a table; --json FILE also writes the numbers.
"""

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from measure import BIN, Worker, cost_of_dsc, serve
from models import GPT_FLAGS, gpt

LAYERS, WIDTH = 6, 384
BATCH, LENGTH, BATCHES = 8, 512, 4
FLAGS = [
    "--bind=batch=%d" % BATCH,
    "--bind=sequence=%d" % LENGTH,
    *(flag for flag in GPT_FLAGS if not flag.startswith("--bind")),
]

# Threads of the one that waits may spin a while after a step.
PAUSE_SECONDS = 0.5


def batches():
    rng = np.random.default_rng(0)
    return [rng.integers(0, 256, (BATCH, LENGTH)) for _ in range(BATCHES)]


class Dsc:
    """The compiled module, driven through the C interface of the runtime."""

    def __init__(self, module, threads):
        from harness.session import session

        self._context = session(Path(module), threads=threads)
        self._session = self._context.__enter__()
        self._batches = itertools.cycle(batches())

    def step(self):
        tokens = next(self._batches)
        self._session.bind(tokens=tokens, labels=tokens)
        self._session.run("step_last", "update")

    def loss(self):
        return self._session.get("dsc.report.loss")


class Torch:
    """The same model in eager PyTorch, with its layers checkpointed or not."""

    def __init__(self, threads, checkpointed):
        import make_model
        import torch
        from torch.utils.checkpoint import checkpoint

        torch.set_num_threads(threads)
        torch.manual_seed(0)
        make_model.CONTEXT, make_model.WIDTH = LENGTH, WIDTH
        make_model.HEADS, make_model.LAYERS = WIDTH // 64, LAYERS
        self._model = make_model.Gpt()
        for name, parameter in self._model.named_parameters():
            if parameter.dim() > 1:
                torch.nn.init.normal_(parameter, std=0.02)
            else:
                torch.nn.init.constant_(parameter, "ln_" in name and "weight" in name)
        if checkpointed:
            for block in self._model.h:
                block.forward = self._again(checkpoint, block.forward)
        self._optimizer = torch.optim.AdamW(
            self._model.parameters(), lr=1e-3, weight_decay=0.01, fused=True
        )
        self._batches = itertools.cycle([torch.tensor(tokens) for tokens in batches()])

    @staticmethod
    def _again(checkpoint, forward):
        return lambda x: checkpoint(forward, x, use_reentrant=False)

    def step(self):
        from torch.nn.functional import cross_entropy

        tokens = next(self._batches)
        self._optimizer.zero_grad(set_to_none=True)
        logits = self._model(tokens)
        self._last = cross_entropy(logits.flatten(0, 1), tokens.flatten())
        self._last.backward()
        self._optimizer.step()

    def loss(self):
        return self._last.item()


def work(kind, threads, module=None):
    serve(Dsc(module, threads) if kind == "dsc" else Torch(threads, kind == "checkpointed"))


def plan_of(model, *flags):
    command = [BIN / "dsc", model, *FLAGS, *flags, "--plan", "--json"]
    output = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE).stdout
    return json.loads(output)


def compile_modules(folder):
    """(flags, plan, module) by name. Memory is checked to be as planned."""
    from harness.session import session

    model = folder / "gpt.onnx"
    gpt(model, LAYERS, WIDTH, LENGTH)
    kept = plan_of(model)
    activations = kept["bytes"]["activations"]
    limit = kept["total_bytes"] - activations // 2
    modes = {
        "all kept": [],
        "blocks": ["--recompute=blocks"],
        "auto, half of it": ["--recompute=auto", "--memory-limit=%d" % limit, "--ranks=1"],
    }
    modules = {}
    for i, (name, flags) in enumerate(modes.items()):
        module, plan = folder / ("gpt%d.so" % i), plan_of(model, *flags)
        cost_of_dsc(model, *FLAGS, *flags, "-target=native", "-o", module)
        with session(module) as running:
            if running.allocated_bytes() != plan["total_bytes"]:
                sys.exit("%s: %d bytes are planned" % (name, plan["total_bytes"]))
        if flags and plan["total_bytes"] > limit:
            sys.exit("%s: %d bytes are above %d" % (name, plan["total_bytes"], limit))
        modules[name] = module, plan
    return modules, limit


def measure(workers, rounds, steps):
    """Median seconds a step by name."""
    for worker in workers:
        worker.steps(BATCHES)
    losses = {worker.name: worker.loss() for worker in workers}
    for names in ({n for n in losses if "torch" in n}, {n for n in losses if "torch" not in n}):
        if len({losses[name] for name in names}) > 1:
            sys.exit("recomputation changes the losses: %s" % losses)
    times = {worker.name: [] for worker in workers}
    for _ in range(rounds):
        for worker in workers:
            time.sleep(PAUSE_SECONDS)
            times[worker.name].append(worker.steps(steps))
    return {name: statistics.median(values) for name, values in times.items()}


def print_table(report):
    print("%-18s %11s %9s %13s %9s" % ("", "ms a step", "ratio", "planned MiB", "peak MiB"))
    for name, row in report.items():
        planned = "%.0f" % (row["planned_bytes"] / 2**20) if "planned_bytes" in row else ""
        print(
            "%-18s %11.1f %8.2fx %13s %9.0f"
            % (name, row["seconds"] * 1e3, row["ratio"], planned, row["peak_bytes"] / 2**20)
        )


def bench(arguments, folder):
    modules, limit = compile_modules(folder)
    print("limit of auto: %.0f MiB" % (limit / 2**20))
    kinds = {name: ["dsc", arguments.threads, row[0]] for name, row in modules.items()}
    if not arguments.no_torch:
        kinds["torch"] = ["eager", arguments.threads]
        kinds["torch checkpoint"] = ["checkpointed", arguments.threads]
    workers = [Worker(name, __file__, *kind) for name, kind in kinds.items()]
    medians = measure(workers, arguments.rounds, arguments.steps)
    report = {}
    for worker in workers:
        base = medians["torch" if "torch" in worker.name else "all kept"]
        seconds = medians[worker.name]
        report[worker.name] = dict(
            seconds=seconds, ratio=seconds / base, peak_bytes=worker.close()
        )
    for name, (_, plan) in modules.items():
        report[name]["planned_bytes"] = plan["total_bytes"]
    print_table(report)
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="alternating rounds (5)")
    parser.add_argument("--steps", type=int, default=3, help="steps a round (3)")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of each (all cores)")
    parser.add_argument("--no-torch", action="store_true", help="leave PyTorch out")
    parser.add_argument("--json", help="also write the numbers to this file")
    parser.add_argument("--worker", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        kind, threads, *module = arguments.worker
        return work(kind, int(threads), *module)
    with tempfile.TemporaryDirectory() as folder:
        report = bench(arguments, Path(folder))
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
