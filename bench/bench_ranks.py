#!/usr/bin/env python3
"""What ranks cost on one host.

The channel: bytes a second that a rank receives from the others, against memcpy
of as many bytes by the same processes in the same rounds. The step: GPT of 6
layers, width 384, batch 4 of 256 tokens, AdamW, over ranks of one thread: each
ZeRO stage against stage 0 at equal ranks. Runs alternate, and medians count.
Prints tables; --json FILE also writes the numbers.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from measure import BIN, ROOT, cost_of_dsc
from models import GPT_BATCH, GPT_FLAGS, GPT_LENGTH, gpt_6x384

# The first steps meet cold caches and sleeping threads.
WARM_UP = 2


def measure_channel(ranks):
    """A row for each collective and message size."""
    program = ROOT / "build/release/bench/channel-bench"
    output = subprocess.run([program, str(ranks)], check=True, text=True, stdout=subprocess.PIPE)
    return [json.loads(line) for line in output.stdout.splitlines()]


def print_channel(rows):
    print("%-11s %9s %15s %13s" % ("", "KiB", "received GB/s", "memcpy GB/s"))
    for row in rows:
        if "messages" in row:
            continue
        received, copied = row["received"] / 1e9, row["copied"] / 1e9
        print(
            "%-11s %9d %9.2f %4.2fx %13.2f"
            % (row["collective"], row["bytes"] >> 10, received, received / copied, copied)
        )
    for row in rows:
        if "messages" in row:
            print(
                "%-11s %d messages of %d KiB: %.0f us apart, %.0f us joined"
                % (
                    row["collective"],
                    row["messages"],
                    row["bytes"] >> 10,
                    row["apart"] * 1e6,
                    row["joined"] * 1e6,
                )
            )


def step_times(module, folder, ranks, steps):
    """Seconds of each step after the first few, and bytes received in one."""
    metrics = folder / "metrics.jsonl"
    command = [BIN / "dsrun", module, "-n", ranks, "--threads=1", "--metrics", metrics]
    command += ["--tokens", folder / "tokens.bin", "--steps=%d" % (WARM_UP + steps)]
    # The weights of a benchmark are for nobody.
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    lines = [json.loads(line) for line in metrics.read_text().splitlines()]
    return [line["step_seconds"] for line in lines[WARM_UP:]], lines[-1]["received_bytes"]


def measure_steps(folder, ranks, stages, schedule, rounds, steps):
    """Median seconds of a step and bytes that a rank receives in it, by stage."""
    gpt_6x384(folder / "gpt.onnx")
    tokens = np.random.default_rng(0).integers(0, 256, 64 * GPT_BATCH * GPT_LENGTH)
    tokens.astype(np.uint16).tofile(folder / "tokens.bin")
    modules = {stage: folder / ("gpt%d.so" % stage) for stage in stages}
    for stage, module in modules.items():
        flags = ["-target=native", "-zero=%d" % stage, "--schedule-stage=" + schedule]
        cost_of_dsc(folder / "gpt.onnx", *GPT_FLAGS, *flags, "-o", module)
    times, received = {stage: [] for stage in stages}, {}
    for _ in range(rounds):
        for stage, module in modules.items():
            seconds, received[stage] = step_times(module, folder, ranks, steps)
            times[stage] += seconds
    return {
        stage: {"seconds": statistics.median(times[stage]), "received_bytes": received[stage]}
        for stage in stages
    }


def print_steps(ranks, measured):
    base = measured[0]["seconds"]
    print("%d ranks of 1 thread" % ranks)
    print("%5s %12s %12s %14s" % ("ZeRO", "ms a step", "of stage 0", "MiB received"))
    for stage, row in measured.items():
        seconds, received = row["seconds"], row["received_bytes"]
        print(
            "%5d %12.1f %11.3fx %14.1f" % (stage, seconds * 1e3, seconds / base, received / 2**20)
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", type=int, default=2, help="ranks (2)")
    parser.add_argument("--stages", default="0,3", help="ZeRO stages, 0 among them (0,3)")
    parser.add_argument(
        "--schedule",
        default="on",
        choices=("on", "off"),
        help="off: nothing is prefetched or kept gathered (on)",
    )
    parser.add_argument("--rounds", type=int, default=5, help="alternating runs of a stage (5)")
    parser.add_argument("--steps", type=int, default=8, help="steps of a run that count (8)")
    parser.add_argument("--json", help="also write the numbers to this file")
    arguments = parser.parse_args()

    report = {"cores": os.cpu_count(), "ranks": arguments.ranks}
    report["channel"] = measure_channel(arguments.ranks)
    print_channel(report["channel"])
    stages = [int(stage) for stage in arguments.stages.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        report["step"] = measure_steps(
            Path(folder),
            arguments.ranks,
            stages,
            arguments.schedule,
            arguments.rounds,
            arguments.steps,
        )
    print_steps(arguments.ranks, report["step"])
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
