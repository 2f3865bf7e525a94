#!/usr/bin/env python3
"""Checks that the IR in a Markdown file is what dsc prints today.

    check_blocks.py --dsc DSC --model MODEL.onnx [--write] FILE.md...

A block of code is checked if a comment stands above it:

    <!-- dsc OPTIONS | FROM | TO -->
    <!-- dsc OPTIONS | FROM | TO | folded -->

dsc is run on the model with OPTIONS (among them --emit); the block holds the
lines from the first one that contains FROM to the next one that contains TO,
without their common indentation; folded: without the insides of regions.
--write puts the current lines there.
"""

import argparse
import difflib
import pathlib
import re
import shlex
import subprocess
import sys
import textwrap

BLOCK = re.compile(
    r"(<!-- dsc ([^|>]*)\|([^|>]*)\|([^|]*?)(\| folded )?-->\n```mlir\n)(.*?)(```)", re.S
)


def excerpt(text: str, first: str, last: str, folded: bool) -> str:
    lines = text.splitlines()
    begin = next(i for i, line in enumerate(lines) if first in line)
    end = next(i for i in range(begin + 1, len(lines)) if last in lines[i])
    block = textwrap.dedent("\n".join(lines[begin : end + 1])) + "\n"
    return re.sub(r"(nn\.fusion .*\{)\n(.*\n)*?( *\})", r"\1...}", block) if folded else block


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--dsc", required=True, type=pathlib.Path)
    parser.add_argument("--model", required=True, type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()

    outputs: dict[str, str] = {}

    def run(flags: str) -> str:
        if flags not in outputs:
            # From the model's folder, so that its path in the IR is its name.
            command = [options.dsc.resolve(), options.model.name, *shlex.split(flags)]
            outputs[flags] = subprocess.run(
                command, check=True, text=True, capture_output=True, cwd=options.model.parent
            ).stdout
        return outputs[flags]

    stale = 0
    for file in options.files:
        text = file.read_text()

        def replace(match: re.Match) -> str:
            nonlocal stale
            head, flags, first, last, folded, old, tail = match.groups()
            new = excerpt(run(flags.strip()), first.strip(), last.strip(), bool(folded))
            if new != old:
                stale += 1
                if not options.write:
                    print(
                        f"{file}: the block below '<!-- dsc {flags.strip()}' is not what dsc prints:"
                    )
                    sys.stdout.writelines(
                        difflib.unified_diff(
                            old.splitlines(True), new.splitlines(True), "document", "dsc"
                        )
                    )
            return head + new + tail

        updated, count = BLOCK.subn(replace, text)
        if count == 0:
            print(f"{file}: has no block to check")
            return 1
        if options.write:
            file.write_text(updated)
    return 0 if options.write else int(stale > 0)


if __name__ == "__main__":
    sys.exit(main())
