#!/usr/bin/env python3
"""Makes ONNX files from readable text, so that tests need no binary files.

    onnx_from_text.py TEXT FOLDER [--typed]

TEXT holds one or more models in the syntax of onnx.parser, each below a line
`--- NAME`; FOLDER/NAME.onnx is written for each. Lines that start with `#` are
comments. Initializers are stored as raw bytes, as exporters do; with --typed
they stay in the typed fields of the message.
"""

import pathlib
import sys

import onnx
from onnx import numpy_helper, parser


def split_models(text: str) -> dict[str, str]:
    models: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("--- "):
            lines = models.setdefault(line.removeprefix("--- ").strip(), [])
        elif not line.lstrip().startswith("#"):
            lines.append(line)
    return {name: "\n".join(body) for name, body in models.items()}


def main() -> None:
    arguments = [a for a in sys.argv[1:] if a != "--typed"]
    text, folder = pathlib.Path(arguments[0]), pathlib.Path(arguments[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, body in split_models(text.read_text()).items():
        model = parser.parse_model(body)
        if "--typed" not in sys.argv:
            for tensor in model.graph.initializer:
                raw = numpy_helper.from_array(numpy_helper.to_array(tensor), tensor.name)
                tensor.CopyFrom(raw)
        onnx.save(model, str(folder / f"{name}.onnx"))


if __name__ == "__main__":
    main()
