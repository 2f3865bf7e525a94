#!/usr/bin/env python3
"""GPT-2 124M, AdamW in float32: dsc against PyTorch eager on the same machine.

The model is Hugging Face's with random weights, exported with its weights in a
file beside it. Both start from the same weights and see the same batches with
the same number of threads, each in a process of its own; rounds alternate.
PyTorch runs at its best settings: fused AdamW, scaled_dot_product_attention,
GELU as one operator. torch.compile is measured for information.
Prints a table; --json FILE also writes the numbers.
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
from measure import Worker, WorkerEnded, cost_of_dsc, serve

BATCH, LENGTH, BATCHES = 4, 64, 4
SIZES = dict(vocab_size=50257, n_positions=1024, n_embd=768, n_layer=12, n_head=12)
LR, WEIGHT_DECAY = 1e-4, 0.01

# Float32 losses after the warm-up; a larger difference is other work.
LOSS_TOLERANCE = 1e-3

# Measured for information, where it runs.
COMPILED = "torch.compile"

# Threads of the one that waits may spin a while after a step.
PAUSE_SECONDS = 0.5


def batches():
    rng = np.random.default_rng(0)
    return [rng.integers(0, SIZES["vocab_size"], (BATCH, LENGTH)) for _ in range(BATCHES)]


def build(**more):
    """The model, with the same random weights each time."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    config = GPT2Config(
        **SIZES,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        resid_pdrop=0.0,
        use_cache=False,
        attn_implementation="sdpa",
        **more,
    )
    return GPT2LMHeadModel(config)


def export(path):
    """Writes the ONNX file and its weights; returns the --tie that undoes what
    the exporter does to the tied head."""
    import onnx
    import torch

    sample = {"input_ids": torch.tensor(batches()[0])}
    axes = {0: "batch", 1: "seq"}
    torch.onnx.export(
        build().eval(),
        (),
        path,
        kwargs=sample,
        dynamo=False,
        opset_version=17,
        input_names=["input_ids"],
        output_names=["logits"],
        dynamic_axes={"input_ids": axes, "logits": axes},
    )
    made = onnx.load(path)
    head = [SIZES["n_embd"], SIZES["vocab_size"]]
    copies = [t.name for t in made.graph.initializer if list(t.dims) == head]
    path.unlink()
    onnx.save(made, path, save_as_external_data=True, location=path.stem + ".weights")
    return ["--tie=transformer.wte.weight=%s^T" % copy for copy in copies]


class Dsc:
    """The compiled module, driven through the C interface of the runtime."""

    def __init__(self, module, threads):
        from harness.session import session

        self._context = session(Path(module), threads=threads)
        self._session = self._context.__enter__()
        self._batches = itertools.cycle(batches())

    def step(self):
        tokens = next(self._batches)
        self._session.bind(input_ids=tokens, labels=tokens)
        self._session.run("step_last", "update")

    def loss(self):
        return self._session.get("dsc.report.loss")


class Torch:
    """Eager or compiled PyTorch."""

    def __init__(self, threads, compiled):
        import torch

        torch.set_num_threads(threads)
        self._model = build(activation_function="gelu_pytorch_tanh").train()
        self._optimizer = torch.optim.AdamW(
            self._model.parameters(), lr=LR, weight_decay=WEIGHT_DECAY, fused=True
        )
        self._forward = torch.compile(self._loss_of) if compiled else self._loss_of
        self._batches = itertools.cycle([torch.tensor(tokens) for tokens in batches()])

    def _loss_of(self, tokens):
        from torch.nn.functional import cross_entropy

        logits = self._model(input_ids=tokens).logits[:, :-1]
        return cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())

    def step(self):
        self._optimizer.zero_grad(set_to_none=True)
        self._last = self._forward(next(self._batches))
        self._last.backward()
        self._optimizer.step()

    def loss(self):
        return self._last.item()


def work(kind, threads, module=None):
    serve(Dsc(module, threads) if kind == "dsc" else Torch(threads, kind == "compiled"))


def export_in_a_process(path):
    """Exporting takes memory that would count as this process's for ever."""
    command = [sys.executable, __file__, "--export", str(path)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def compile_module(folder):
    """(module, seconds, peak bytes, peak bytes beside mapped files)"""
    model, module = folder / "gpt2.onnx", folder / "gpt2.so"
    ties = export_in_a_process(model)
    flags = [
        "-target=native",
        "--bind=batch=%d" % BATCH,
        "--bind=seq=%d" % LENGTH,
        "--loss=cross_entropy(logits,labels,shift=1)",
        "--lr=%g" % LR,
        "--weight-decay=%g" % WEIGHT_DECAY,
        *ties,
    ]
    return module, *cost_of_dsc(model, *flags, "-o", module)


def warmed_up(workers):
    """Those that run; torch.compile wants a C++ compiler and Python's headers."""
    running = []
    for worker in workers:
        try:
            worker.steps(BATCHES)
            running.append(worker)
        except WorkerEnded as ended:
            if worker.name != COMPILED:
                raise
            print("left out: %s" % ended)
    return running


def measure(workers, rounds, steps):
    """Median seconds a step by name, after checking that all do the same work."""
    losses = {w.name: w.loss() for w in workers}
    spread = max(losses.values()) - min(losses.values())
    if spread > LOSS_TOLERANCE * max(losses.values()):
        sys.exit("the losses differ, so the runs do not do the same work: %s" % losses)
    times = {w.name: [] for w in workers}
    for _ in range(rounds):
        for worker in workers:
            time.sleep(PAUSE_SECONDS)
            times[worker.name].append(worker.steps(steps))
    return {name: statistics.median(values) for name, values in times.items()}


def table(medians, peaks):
    print("%-18s %12s %10s %12s" % ("", "ms a step", "of dsc's", "peak MiB"))
    for name, seconds in medians.items():
        factor = seconds / medians["dsc"]
        print("%-18s %12.1f %9.2fx %12.0f" % (name, seconds * 1e3, factor, peaks[name] / 2**20))


def arguments_of():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7, help="alternating rounds (7)")
    parser.add_argument("--steps", type=int, default=3, help="steps a round (3)")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of each (all cores)")
    parser.add_argument("--no-compile", action="store_true", help="leave torch.compile out")
    parser.add_argument("--keep", metavar="FOLDER", help="keep the model and module there")
    parser.add_argument("--json", help="also write the numbers to this file")
    parser.add_argument("--worker", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--export", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def bench(arguments, folder):
    module, seconds, peak, anonymous = compile_module(folder)
    mib = 2**20
    print(
        "dsc compiled in %.1f s with a peak of %.0f MiB, %.0f MiB beside mapped files"
        % (seconds, peak / mib, anonymous / mib)
    )
    kinds = {"dsc": ["dsc", arguments.threads, module], "PyTorch": ["eager", arguments.threads]}
    if not arguments.no_compile:
        kinds[COMPILED] = ["compiled", arguments.threads]
    workers = warmed_up([Worker(name, __file__, *kind) for name, kind in kinds.items()])
    medians = measure(workers, arguments.rounds, arguments.steps)
    peaks = {worker.name: worker.close() for worker in workers}
    table(medians, peaks)
    return dict(
        threads=arguments.threads,
        compile_seconds=seconds,
        compile_peak_bytes=peak,
        compile_peak_anonymous_bytes=anonymous,
        step_seconds=medians,
        peak_bytes=peaks,
    )


def main():
    arguments = arguments_of()
    if arguments.worker:
        kind, threads, *module = arguments.worker
        return work(kind, int(threads), *module)
    if arguments.export:
        with os.fdopen(os.dup(1), "w") as answer:  # the exporter prints as well
            os.dup2(2, 1)
            json.dump(export(arguments.export), answer)
        return
    if arguments.keep:
        Path(arguments.keep).mkdir(parents=True, exist_ok=True)
        report = bench(arguments, Path(arguments.keep))
    else:
        with tempfile.TemporaryDirectory() as folder:
            report = bench(arguments, Path(folder))
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
