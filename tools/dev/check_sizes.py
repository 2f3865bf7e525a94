#!/usr/bin/env python3
"""Fails on a source file over 1000 lines, and prints the median per kind.

A file that reaches the limit holds more than one concern: split it by concern.
"""

import pathlib
import statistics
import subprocess
import sys

LIMIT = 1000
KINDS = {".cpp", ".c", ".h", ".td", ".py", ".mlir"}

root = pathlib.Path(__file__).resolve().parents[2]
tracked = subprocess.run(
    ["git", "ls-files", "-co", "--exclude-standard"], cwd=root, text=True, capture_output=True, check=True
).stdout.splitlines()

lines = {}
for name in tracked:
    path = root / name
    if path.suffix in KINDS and path.is_file():
        lines[name] = path.read_text(errors="replace").count("\n")

for kind in sorted(KINDS):
    sizes = [n for name, n in lines.items() if name.endswith(kind)]
    if sizes:
        print(f"{kind:6} {len(sizes):4} files, median {statistics.median(sizes):.0f}, largest {max(sizes)}")

too_long = [(n, name) for name, n in lines.items() if n > LIMIT]
for n, name in sorted(too_long, reverse=True):
    print(f"{name}: {n} lines, the limit is {LIMIT}: split it by concern")
sys.exit(bool(too_long))
