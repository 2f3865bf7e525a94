#!/usr/bin/env python3
"""Builds and runs the fuzzers, each on its seeds, and tells what they found.

Without --long each runs 10 seconds at most and a fixed number of inputs from a
fixed random seed; with it, 10 minutes from a new one. An input that a fuzzer
fails on is left in build/fuzz/found/ for seeds/.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build/fuzz"
FOUND = BUILD / "found"

SECONDS, RUNS, LONG_SECONDS = 10, 100000, 600


def build(jobs):
    for command in (
        ["cmake", "--preset", "fuzz"],
        ["cmake", "--build", "--preset", "fuzz", *(["-j", str(jobs)] if jobs else [])],
    ):
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)


def fuzz(program, is_long):
    """Runs one fuzzer; returns whether it found nothing, and what it said."""
    name = program.name.removeprefix("fuzz-")
    seeds = HERE / "seeds" / name
    with tempfile.TemporaryDirectory() as corpus:
        command = [program, corpus, seeds]
        command += ["-seed=%d" % (random.randrange(1, 2**31) if is_long else 1)]
        command += ["-max_total_time=%d" % (LONG_SECONDS if is_long else SECONDS)]
        if not is_long:
            command += ["-runs=%d" % RUNS]
        # Files up to 64 KiB, 10 s an input, and 2 GiB: far beyond what is right.
        command += ["-max_len=65536", "-timeout=10", "-rss_limit_mb=2048"]
        command += ["-artifact_prefix=%s/%s-" % (FOUND, name), "-print_final_stats=1"]
        done = subprocess.run(
            list(map(str, command)), capture_output=True, text=True, errors="replace"
        )
    stats = dict(
        line.removeprefix("stat::").split(":")
        for line in done.stderr.splitlines()
        if line.startswith("stat::")
    )
    if done.returncode == 0:
        return True, "%-12s %9s inputs" % (name, stats["number_of_executed_units"].strip())
    return False, "%s: FOUND\n%s" % (name, done.stderr[-6000:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--long", action="store_true", help="10 minutes each")
    parser.add_argument("--jobs", type=int, help="of the build (default: ninja's)")
    parser.add_argument("names", nargs="*", help="of fuzzers (default: all)")
    options = parser.parse_args()
    build(options.jobs)
    shutil.rmtree(FOUND, ignore_errors=True)
    FOUND.mkdir(parents=True)
    names = options.names or sorted(path.name for path in (HERE / "seeds").iterdir())
    programs = [BUILD / "bin" / ("fuzz-" + name) for name in names]
    # In the short run all at once: none may take longer than the others together.
    workers = max(len(os.sched_getaffinity(0)), 1) if options.long else len(programs)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for passed, text in pool.map(lambda p: fuzz(p, options.long), programs):
            print(text, flush=True)
            failed += not passed
    print("%d of %d fuzzers found nothing" % (len(programs) - failed, len(programs)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
