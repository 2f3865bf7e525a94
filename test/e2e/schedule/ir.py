"""Printed IR as lists of statements, to be edited by hand and put back."""

import re

from harness.tools import run

SEPARATOR = "\n// -----\n"
BODY = "    "  # Statements of an entry or program.


class Body:
    """One entry or program of a module. `statements` may be changed."""

    def __init__(self, text, name):
        lines = text.splitlines()
        begin = next(
            i
            for i, line in enumerate(lines)
            if re.match(r"  (train.entry|exec.program) @%s\b" % name, line)
        )
        end = next(i for i in range(begin, len(lines)) if lines[i] == "  }")
        self.before, self.after = lines[: begin + 1], lines[end:]
        self.statements = []
        for line in lines[begin + 1 : end]:
            # A region's lines and its closing brace belong to their operation.
            if line.startswith(BODY + " ") or line.startswith(BODY + "}"):
                self.statements[-1] += "\n" + line
            else:
                self.statements.append(line)

    def text(self, statements=None):
        middle = self.statements if statements is None else statements
        return "\n".join([*self.before, *middle, *self.after]) + "\n"

    def header(self):
        return self.before[-1]


def verify(stage, modules, folder):
    """The first error of the stage's verifier in each module; None without one."""
    path = folder / ("%s.mlir" % stage)
    path.write_text(SEPARATOR.join(modules))
    result = run("dsc-opt", path, "-split-input-file", "--%s-verify" % stage, "-o", "/dev/null")
    lengths = [(module + SEPARATOR).count("\n") for module in modules]
    first = {}
    for line, message in re.findall(r"^\S+?:(\d+):\d+: error: (.*)$", result.err, re.M):
        first.setdefault(find(lengths, int(line)), message)
    assert bool(first) == (result.code != 0), str(result)
    return [first.get(i) for i in range(len(modules))]


def find(lengths, line):
    for i, length in enumerate(lengths):
        if line <= length:
            return i
        line -= length
    raise ValueError(line)
