#!/usr/bin/env python3
"""Checkpoints of GPT-2 124M with AdamW (1.5 GB), against the disk they lie on.

The module is that of bench_gpt2.py. dsrun saves in the background of
every third of nine updates, so that one save is done before the next, and the last
set is the one that counts; in the same rounds as many bytes are written, synchronised
and read plainly, by calls of 8 MiB. Both write over and over, since the first writes
of a virtual machine pay for its memory and its disk. Files are dropped from the page
cache before they are read; a part is read plainly and by a resume in turn.
Prints a table; --json FILE also writes the numbers.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from bench_gpt2 import BATCH, LENGTH, compile_module
from measure import BIN

CALL_BYTES = 8 << 20
# In a round: shared disks are noisier when they are read than when written.
READS = 5
MIB = 2**20


def plain_write(path, data):
    """Seconds to write and synchronise."""
    start = time.perf_counter()
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for begin in range(0, len(data), CALL_BYTES):
        os.write(file, data[begin : begin + CALL_BYTES])
    os.fsync(file)
    os.close(file)
    return time.perf_counter() - start


def drop(path):
    """Out of the page cache."""
    file = os.open(path, os.O_RDONLY)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(file)


def plain_read(path, buffer):
    """Seconds to read into memory that is there."""
    drop(path)
    start = time.perf_counter()
    file = os.open(path, os.O_RDONLY)
    begin = 0
    while count := os.preadv(file, [buffer[begin : begin + CALL_BYTES]], begin):
        begin += count
    os.close(file)
    return time.perf_counter() - start


def train(module, folder, *flags):
    """What dsrun says, and the lines of --metrics that are of saves."""
    metrics = folder / "metrics.jsonl"
    metrics.unlink(missing_ok=True)
    command = [BIN / "dsrun", module, "--tokens", folder / "tokens.bin", "--metrics", metrics]
    done = subprocess.run(
        list(map(str, [*command, *flags])),
        check=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    lines = [json.loads(line) for line in metrics.read_text().splitlines()]
    return done.stdout, [line for line in lines if "save_stall_seconds" in line]


def seconds_in(text, pattern):
    """A duration as dsrun prints it: `2.10 s`, or `1:02` from a minute on."""
    found = re.search(pattern + r" (?:([\d.]+) s|(\d+):(\d+))", text)
    if found[1]:
        return float(found[1])
    return 60 * int(found[2]) + int(found[3])


def bench(arguments, folder):
    module = compile_module(folder)[0]
    np.zeros(BATCH * LENGTH * 64, np.uint16).tofile(folder / "tokens.bin")
    sets, plain, before = folder / "sets", folder / "plain", folder / "before"
    report = dict(write=[], plain_write=[], stall=[], read=[], plain_read=[], bytes=0)
    for _ in range(arguments.rounds):
        shutil.rmtree(sets, ignore_errors=True)
        said, saves = train(
            module, folder, "--steps=9", "--save", sets, "--save-every=3", "--keep=1"
        )
        report["stall"].append(statistics.median(save["save_stall_seconds"] for save in saves))
        report["write"].append(seconds_in(said, "MiB in"))
        part = next(sets.glob("step-*/part-*"))
        data = memoryview(part.read_bytes())
        report["bytes"] = len(data)
        for path in (before, plain, before, plain):
            path.unlink(missing_ok=True)
            seconds = plain_write(path, data)
        report["plain_write"].append(seconds)
        buffer = memoryview(bytearray(len(data)))
        for _ in range(READS):
            report["plain_read"].append(plain_read(part, buffer))
            drop(part)
            said, _ = train(module, folder, "--steps=9", "--resume=%s" % sets)
            report["read"].append(seconds_in(said, "', in"))
    return report


def table(report):
    size = report["bytes"]
    median = {key: statistics.median(v) for key, v in report.items() if key != "bytes"}
    print("%.0f MiB a checkpoint; medians" % (size / MIB))
    print("%-36s %8s %10s" % ("", "s", "MiB/s"))
    for key, name in (
        ("plain_write", "write and fsync"),
        ("write", "save"),
        ("plain_read", "read"),
        ("read", "resume"),
    ):
        print("%-36s %8.2f %10.0f" % (name, median[key], size / MIB / median[key]))
    print("bandwidth of a save, of plain writing  %6.2f" % (median["plain_write"] / median["write"]))
    print("stall of training, of a save           %6.3f" % (median["stall"] / median["write"]))
    print("time of a resume, of plain reading     %6.2f" % (median["read"] / median["plain_read"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3, help="alternating rounds (3)")
    parser.add_argument("--folder", help="on the disk to measure (that of temporary files)")
    parser.add_argument("--json", help="also write the numbers to this file")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        report = bench(arguments, Path(folder))
    table(report)
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
