"""Imports a model cut off after every byte: argv = DSC MODEL SCRATCH.

Each cut must end with exit code 0 (nothing needed was lost) or 1 (a message).
"""

import pathlib
import subprocess
import sys

dsc, model, scratch = sys.argv[1:]
data = pathlib.Path(model).read_bytes()
for size in range(0, len(data), 3):
    pathlib.Path(scratch).write_bytes(data[:size])
    run = subprocess.run([dsc, "--emit=import", scratch], capture_output=True, check=False)
    if run.returncode not in (0, 1):
        sys.exit(f"cut after {size} bytes: exit code {run.returncode}\n{run.stderr.decode()}")
