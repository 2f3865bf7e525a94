"""Prints a poisoned program in which each buffer is freed one operation earlier."""

import re
import sys

lines = open(sys.argv[1]).read().splitlines()
i = 0
while i < len(lines):
    # A view of a buffer, and the kernel that fills it, behind the last reader.
    if re.search(r"exec\.arena_view offset\(\d+\) buffer", lines[i]) and "@poison" in lines[i + 1]:
        reader = max(j for j in range(i) if " exec.launch " in lines[j] and "@poison" not in lines[j])
        lines[reader:reader] = [lines.pop(i), lines.pop(i)]
    i += 1
print("\n".join(lines))
