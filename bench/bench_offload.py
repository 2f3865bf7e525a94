#!/usr/bin/env python3
"""What an update costs whose optimizer state lies outside of memory.

A decoder of 6 layers of width 512 (AdamW in float32), on one rank: its moments stay in
memory, are offloaded to host memory, or to a file. Beside it, as the bound of the
disk, what it takes to read and write as many bytes of a file, synchronised. Each runs
in a process of its own; rounds alternate, and medians count. Losses must agree.
Prints a table; --json FILE also writes the numbers.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from measure import BIN, ROOT, Worker, serve

LAYERS, WIDTH, VOCABULARY = 6, 512, 4096
BATCH, LENGTH = 1, 64
FLAGS = [
    "--bind=batch=%d" % BATCH,
    "--bind=sequence=%d" % LENGTH,
    "--loss=cross_entropy(logits,labels)",
    "--init=normal(0.02)@.*",
    "--optimizer=adamw",
    "--target=native",
]


class Dsc:
    """One update of the compiled module, driven through the C interface."""

    def __init__(self, module, threads, folder):
        from harness.session import session

        rng = np.random.default_rng(0)
        self._context = session(
            Path(module), threads=threads, offload_directory=None if folder == "-" else folder
        )
        self._session = self._context.__enter__()
        tokens = rng.integers(0, VOCABULARY, (BATCH, LENGTH))
        self._session.bind(tokens=tokens, labels=tokens)
        self._session.run("step_last")

    def step(self):
        self._session.run("update")

    def loss(self):
        self._session.run("step_last", "update")
        return self._session.get("dsc.report.loss")


class Disk:
    """Reading and writing as many bytes, with the disk waited for."""

    def __init__(self, folder, count):
        self._file = tempfile.TemporaryFile(dir=folder)
        self._data = np.random.default_rng(0).bytes(int(count))
        os.posix_fallocate(self._file.fileno(), 0, len(self._data))

    def step(self):
        number = self._file.fileno()
        os.pread(number, len(self._data), 0)
        os.posix_fadvise(number, 0, 0, os.POSIX_FADV_DONTNEED)
        os.pwrite(number, self._data, 0)
        os.fdatasync(number)
        os.posix_fadvise(number, 0, 0, os.POSIX_FADV_DONTNEED)

    def loss(self):
        return 0


def work(kind, *arguments):
    serve(Disk(*arguments) if kind == "disk" else Dsc(arguments[0], int(arguments[1]), arguments[2]))


def compile_module(model, module, *flags):
    """The plan of the module."""
    command = [BIN / "dsc", model, *FLAGS, *flags]
    subprocess.run(list(map(str, [*command, "-o", module])), check=True)
    output = subprocess.run(
        list(map(str, [*command, "--plan", "--json", "--ranks=1"])),
        check=True,
        stdout=subprocess.PIPE,
    ).stdout
    return json.loads(output)


def bench(arguments, folder):
    model, kept, offloaded = (folder / name for name in ("m.onnx", "kept.so", "offloaded.so"))
    sizes = ["--layers=%d" % LAYERS, "--width=%d" % WIDTH, "--vocabulary=%d" % VOCABULARY]
    sizes += ["--heads=%d" % (WIDTH // 64), "--context=%d" % LENGTH]
    make = [sys.executable, ROOT / "examples/decoder/make_model.py", "-o", model, *sizes]
    subprocess.run(list(map(str, make)), check=True)
    plans = {
        "in memory": compile_module(model, kept),
        "offloaded": compile_module(model, offloaded, "--offload-optimizer=all"),
    }
    count = plans["offloaded"]["offloaded_bytes"]
    disk = arguments.folder or folder
    workers = [
        Worker("in memory", __file__, "dsc", kept, arguments.threads, "-"),
        Worker("to host memory", __file__, "dsc", offloaded, arguments.threads, "-"),
        Worker("to a file", __file__, "dsc", offloaded, arguments.threads, disk),
        Worker("the disk alone", __file__, "disk", disk, count),
    ]
    times = {worker.name: [] for worker in workers}
    for worker in workers:
        worker.steps(1)
    if len({worker.loss() for worker in workers[:-1]}) > 1:
        sys.exit("offloading changes the losses")
    for _ in range(arguments.rounds):
        for worker in workers:
            times[worker.name].append(worker.steps(arguments.steps))
    print("%.0f MiB of moments, on %s" % (count / 2**20, disk))
    print("%-16s %14s %8s %9s %9s" % ("", "ms an update", "ratio", "GB/s", "peak MiB"))
    report = {}
    for worker in workers:
        seconds = statistics.median(times[worker.name])
        base = statistics.median(times["in memory"])
        rate = 0 if worker.name == "in memory" else 2 * count / seconds
        row = dict(seconds=seconds, ratio=seconds / base, bytes_per_second=rate)
        row["peak_bytes"] = worker.close()
        report[worker.name] = row
        print(
            "%-16s %14.1f %7.2fx %9.2f %9.0f"
            % (worker.name, seconds * 1e3, row["ratio"], rate / 1e9, row["peak_bytes"] / 2**20)
        )
    return report


def main():
    if sys.argv[1:2] == ["--worker"]:
        return work(*sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", help="where the file lies; default: that of temporary files")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=3, help="updates of a round")
    parser.add_argument("--threads", type=int, default=max(len(os.sched_getaffinity(0)) - 1, 1))
    parser.add_argument("--json", help="also write the numbers to this file")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = bench(arguments, Path(folder))
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
