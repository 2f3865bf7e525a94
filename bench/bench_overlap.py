#!/usr/bin/env python3
"""How much of communication a schedule hides behind computation.

GPT of 6 layers, width 384, batch 4 of 256 tokens, AdamW, ZeRO-3 over 2 ranks of
one thread. The link is made as slow as makes communication take a share of the
time of computation, by sleeping (DSC_LINK_LIMIT, docs/contributing.md). The
same model with --schedule-stage=on and off runs in turns; `dsrun --timeline`
tells when each stream worked. Communication is exposed while it runs and the
computation waits for it. Prints a table; --json FILE also writes the numbers.
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

RANKS = 2
# The first steps meet cold caches and sleeping threads.
WARM_UP = 2
STREAMS = ("compute", "communication")


def run(module, folder, steps, limit=None):
    """The step times of a training in seconds, and the timeline of one update."""
    metrics, timeline = folder / "metrics.jsonl", folder / "timeline.json"
    command = [BIN / "dsrun", module, "-n", RANKS, "--threads=1", "--metrics", metrics]
    command += ["--tokens", folder / "tokens.bin", "--steps=%d" % (WARM_UP + steps)]
    command += ["--timeline", timeline]
    environment = dict(os.environ)
    if limit:
        environment["DSC_LINK_LIMIT"] = "%.6g" % limit
    subprocess.run(list(map(str, command)), check=True, capture_output=True, env=environment)
    lines = [json.loads(line) for line in metrics.read_text().splitlines()][WARM_UP:]
    events = json.loads(timeline.read_text())["traceEvents"]
    return (
        [line["step_seconds"] for line in lines],
        lines[-1]["received_bytes"],
        [event for event in events if event.get("ph") == "X"],
    )


def covered(spans):
    """Disjoint spans that cover what any of `spans` does."""
    result = []
    for begin, end in sorted(spans):
        if result and begin <= result[-1][1]:
            result[-1][1] = max(result[-1][1], end)
        else:
            result.append([begin, end])
    return result


def length(spans):
    return sum(end - begin for begin, end in spans)


def common(some, others):
    """Where both of two lists of disjoint spans are."""
    result, i, j = [], 0, 0
    while i < len(some) and j < len(others):
        begin, end = max(some[i][0], others[j][0]), min(some[i][1], others[j][1])
        if begin < end:
            result.append([begin, end])
        if some[i][1] < others[j][1]:
            i += 1
        else:
            j += 1
    return result


def summarize(events):
    """Seconds of one update on the rank that waits most: its whole length, its
    computation, its communication, and the part of that for which it waits."""
    rows = []
    for rank in range(RANKS):
        mine = [event for event in events if event["pid"] == rank]

        def spans(stream, categories, mine=mine):
            return covered(
                (event["ts"], event["ts"] + event["dur"])
                for event in mine
                if event["tid"] == STREAMS.index(stream) and event["cat"] in categories
            )

        work = ("contraction", "kernel", "copy")
        exchanges = spans("communication", ("collective",))
        waits = spans("compute", ("wait",))
        whole = max(event["ts"] + event["dur"] for event in mine)
        whole -= min(event["ts"] for event in mine)
        rows.append(
            {
                "step": whole / 1e6,
                "compute": length(spans("compute", work)) / 1e6,
                "communication": length(exchanges) / 1e6,
                "exposed": length(common(exchanges, waits)) / 1e6,
                "waits": sum(event["tid"] == 0 and event["cat"] == "wait" for event in mine),
                "longest_wait": max((end - begin for begin, end in waits), default=0) / 1e6,
            }
        )
    return max(rows, key=lambda row: row["exposed"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=4, help="updates a run (default: 4)")
    parser.add_argument("--runs", type=int, default=3, help="of each schedule (default: 3)")
    parser.add_argument(
        "--share", type=float, default=0.5, help="communication over computation (default: 0.5)"
    )
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = folder / "gpt.onnx"
        gpt_6x384(model)
        tokens = np.random.default_rng(0).integers(0, 256, 64 * GPT_BATCH * GPT_LENGTH)
        tokens.astype(np.uint16).tofile(folder / "tokens.bin")
        modules = {name: folder / (name + ".so") for name in ("on", "off")}
        flags = [model, *GPT_FLAGS, "-target=native", "-zero=3"]
        cost_of_dsc(*flags, "--schedule-stage=off", "-o", modules["off"])
        # Without a limit first: how long computation takes, and what travels.
        _, received, events = run(modules["off"], folder, arguments.steps)
        compute = summarize(events)["compute"]
        limit = received / (arguments.share * compute)
        # Exchanges also take what ranks wait for one another.
        alone = summarize(run(modules["off"], folder, arguments.steps, limit)[2])
        limit *= alone["communication"] / (arguments.share * alone["compute"])
        print(
            "computation %.0f ms, %.1f MB received: link of %.3g MB/s"
            % (1e3 * compute, received / 1e6, limit / 1e6)
        )
        # The schedule is made for this host with that link.
        machine = json.loads((ROOT / "examples/topologies/host.json").read_text())
        machine["device"]["compute_share"] = 0  # Sleeping takes no core.
        machine["levels"] = [
            {"name": "slow link", "ranks": RANKS, "latency": 1e-4, "bandwidth": limit}
        ]
        (folder / "machine.json").write_text(json.dumps(machine))
        topology = ["--topology=%s" % (folder / "machine.json"), "--ranks=%d" % RANKS]
        cost_of_dsc(*flags, *topology, "-o", modules["on"])
        found = {"on": [], "off": []}
        for _ in range(arguments.runs):
            for schedule, rows in found.items():
                rows.append(summarize(run(modules[schedule], folder, arguments.steps, limit)[2]))
    print(
        "%-9s %9s %9s %9s %9s %9s" % ("schedule", "step", "compute", "comm", "exposed", "of comm")
    )
    result = {"bytes_per_second": limit, "compute": compute}
    for schedule, rows in found.items():
        row = {key: statistics.median(row[key] for row in rows) for key in rows[0]}
        result[schedule] = row
        print(
            "%-9s %6.0f ms %6.0f ms %6.0f ms %6.0f ms %8.0f%%   %.1f%% of the step"
            % (
                schedule,
                *(1e3 * row[key] for key in ("step", "compute", "communication", "exposed")),
                100 * row["exposed"] / row["communication"],
                100 * row["exposed"] / row["step"],
            )
        )
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
