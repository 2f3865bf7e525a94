"""The built tools, run as a user runs them."""

import json
import os
import resource
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
BIN = Path(os.environ.get("DSC_BIN", REPOSITORY / "build/release/bin"))

# Nothing in the suite takes this long; a hang must not hold up the others.
TIMEOUT_SECONDS = 120


@dataclass
class Result:
    command: list
    code: int
    out: str
    err: str

    def first_line(self):
        return self.err.splitlines()[0] if self.err else ""

    def __str__(self):
        return "%s\n-> %d\n%s%s" % (" ".join(self.command), self.code, self.out, self.err)


def run(tool, *arguments, cwd=None, limit_bytes=None, environment=None):
    """Runs dsc or dsrun. `limit_bytes` bounds the files that it may write."""
    assert (BIN / tool).exists(), "no %s in %s: run ./dev build, or set DSC_BIN" % (tool, BIN)
    command = [str(BIN / tool), *map(str, arguments)]

    def limit_files():
        # Without the signal a write beyond the limit fails as on a full disk.
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))

    done = subprocess.run(
        command,
        cwd=cwd,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        errors="replace",  # messages quote names from damaged files
        timeout=TIMEOUT_SECONDS,
        preexec_fn=None if limit_bytes is None else limit_files,
    )
    return Result(command, done.returncode, done.stdout, done.stderr)


def compile_model(model, output, *flags):
    """Compiles and returns the module's path; a failure shows what dsc said."""
    result = run("dsc", model, "-o", output, *flags)
    assert result.code == 0, str(result)
    return Path(output)


def train_module(module, *flags, cwd=None):
    """Runs dsrun; returns the metrics lines of its updates as dictionaries."""
    metrics = Path(module).with_suffix(".metrics.jsonl")
    metrics.unlink(missing_ok=True)
    result = run("dsrun", module, "--metrics", metrics, *flags, cwd=cwd)
    assert result.code == 0, str(result)
    lines = [json.loads(line) for line in metrics.read_text().splitlines()]
    return [line for line in lines if "loss" in line]


def build_preloaded(name, folder):
    """A library of this folder, to be loaded in front of others by LD_PRELOAD."""
    source = Path(__file__).with_name(name + ".cpp")
    library = folder / (name + ".so")
    subprocess.run(["clang++-22", "-O1", "-shared", "-fPIC", source, "-o", library], check=True)
    return library
