"""Ranks that fail at a collective that a test chooses, and what dsrun says then."""

import os
import re
from dataclasses import dataclass

from .session import Session
from .tools import build_preloaded

# What becomes of a rank, as its launcher says.
CAUSES = {
    "exit0": "exited with code 0",
    "exit3": "exited with code 3",
    "abort": r"was killed by signal 6 \(Aborted\)",
    "kill": r"was killed by signal 9 \(Killed\)",
}

PLACE = re.compile(
    r"in step (?P<step>\d+), collective (?P<number>\d+) \((?P<op>\w+)(?P<what>.*?) in "
    r"'(?P<entry>step_last|update)', (?P<exchange>all-gather|all-to-all) of (?P<bytes>\d+) bytes\)"
)


def build_fault(folder):
    """The library that fault.cpp makes."""
    return build_preloaded("fault", folder)


def environment(library, kind, rank, number):
    fault = "%s:%d:%d" % (kind, rank, number)
    return {**os.environ, "LD_PRELOAD": str(library), "DSC_FAULT": fault}


@dataclass
class Collective:
    entry: str
    op: str
    group: str
    calls: int  # of the runtime


def collectives_of(module):
    """Those of one update of one micro-batch, in order."""
    with Session(module) as opened:
        return [
            Collective(entry, row["op"], row.get("group"), row["calls"])
            for entry in ("step_last", "update")
            for row in opened.entries[entry]["collectives"]
        ]


def check_place(place, module):
    """A message names a collective that the module has there."""
    found = PLACE.search(place)
    assert found, place
    listed = collectives_of(module)
    named = [c for c in listed if c.entry == found["entry"] and c.op == found["op"]]
    assert any(c.group is None or c.group in found["what"] for c in named), place
    return int(found["step"]), int(found["number"])
