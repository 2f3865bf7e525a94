#!/usr/bin/env python3
"""Checks every #include against the table of which part may use which.

CMake does not keep parts apart, so this is the whole enforcement. A row says:
files below this folder may include headers below these folders of the project
(and always their own); the longest matching folder decides.
"""

import pathlib
import re
import sys

UPSTREAM = {"mlir/", "llvm/", "llvm-c/"}

# folder of the including file -> project folders that it may include from
TABLE = {
    "runtime/abi": [],
    "runtime/base": ["runtime/abi"],
    "runtime/data": ["runtime/abi", "runtime/base"],
    "runtime/config": ["runtime/base"],
    "runtime/machine": ["runtime/base", "runtime/config", "runtime/data"],
    "runtime/device": ["runtime/abi", "runtime/base"],
    "runtime/channel": ["runtime/abi", "runtime/base", "runtime/device"],
    "runtime/program": ["runtime/abi", "runtime/base", "runtime/channel", "runtime/data", "runtime/device"],
    "runtime/checkpoint": ["runtime/abi", "runtime/base", "runtime/channel", "runtime/data", "runtime/program"],
    "runtime/calibrate": ["runtime/abi", "runtime/base", "runtime/channel", "runtime/device", "runtime/machine"],
    "runtime/manual": [],
    "runtime/monitor": ["runtime/base"],
    "runtime/driver": ["runtime/abi", "runtime/base", "runtime/calibrate", "runtime/channel", "runtime/checkpoint", "runtime/config", "runtime/data", "runtime/machine", "runtime/manual", "runtime/monitor", "runtime/program"],
    "runtime/testing": ["runtime/base", "runtime/data"],
    "dialects/interfaces": [],
    "dialects/nn": ["dialects/interfaces"],
    "dialects/train": ["dialects/interfaces"],
    "dialects/zero": ["dialects/interfaces"],
    "dialects/exec": ["dialects/interfaces"],
    "passes/analysis": ["dialects", "runtime/abi"],
    "passes/normalize": ["dialects", "passes/analysis"],
    "passes/differentiate": ["dialects", "passes/analysis"],
    "passes/precision": ["dialects", "passes/analysis"],
    "passes/fusion": ["dialects", "passes/analysis"],
    "passes/partition": ["dialects", "passes/analysis"],
    "passes/schedule": ["dialects", "passes/analysis"],
    "passes/lower": ["dialects", "passes/analysis"],
    "codegen/kernel": ["dialects", "runtime/abi"],
    "codegen/host": ["dialects", "passes/analysis", "codegen/kernel", "runtime/abi"],
    "compiler/import": ["dialects"],
    "compiler/export": ["dialects", "compiler/import", "compiler/OutputFile.h", "runtime/base", "runtime/data"],
    "compiler": ["dialects", "passes", "codegen", "compiler", "runtime/abi", "runtime/config", "runtime/machine", "runtime/manual"],
    "tools/dsc": ["compiler"],
    "tools/dsc-opt": ["compiler"],
    "tools/dsrun": ["runtime"],
    "examples": ["runtime/abi"],
}

# What tests may use besides: helpers that no program links.
TESTS_MAY_USE = ["runtime/testing"]

# Folders that build without LLVM.
WITHOUT_LLVM = ("runtime", "tools/dsrun", "examples")

root = pathlib.Path(__file__).resolve().parents[2]
include = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.M)


def longest_row(name):
    rows = [row for row in TABLE if name.startswith(row + "/")]
    return max(rows, key=len) if rows else None


errors = [f"the table has a row for {row}, which does not exist" for row in TABLE if not (root / row).is_dir()]
count = 0
for top in ("runtime", "dialects", "passes", "codegen", "compiler", "tools", "examples"):
    for path in sorted((root / top).rglob("*")):
        if path.suffix not in {".h", ".c", ".cpp", ".def", ".td"}:
            continue
        name = path.relative_to(root).as_posix()
        row = longest_row(name)
        if row is None:
            errors.append(f"{name}: its folder has no row in the table")
            continue
        for header in include.findall(path.read_text(errors="replace")):
            count += 1
            if any(header.startswith(u) for u in UPSTREAM):
                if name.startswith(WITHOUT_LLVM):
                    errors.append(f"{name}: includes {header}, but must build without LLVM")
                continue
            if not header.startswith(("runtime/", "dialects/", "passes/", "codegen/", "compiler/", "tools/")):
                continue
            allowed = TABLE[row] + (TESTS_MAY_USE if path.stem.endswith("_test") else [])
            if header.startswith(row + "/") or any(header == d or header.startswith(d + "/") for d in allowed):
                continue
            errors.append(f"{name}: may not include {header} ({row} may use: {', '.join(TABLE[row]) or 'nothing'})")

for path in root.rglob("CMakeLists.txt"):
    if "build" in path.relative_to(root).parts[:1]:
        continue
    for word in re.findall(r"\bMLIR[A-Z]\w+", path.read_text()):
        if not word.startswith("MLIR_"):
            errors.append(f"{path.relative_to(root)}: links {word}; link the shared library MLIR only")

print("\n".join(errors) if errors else f"{count} includes follow the table")
sys.exit(bool(errors))
