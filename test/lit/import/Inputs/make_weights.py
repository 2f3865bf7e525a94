"""Writes the safetensors files of weights.test into the folder argv[1]."""

import json
import pathlib
import struct
import sys

import numpy as np
from safetensors.numpy import save_file

folder = pathlib.Path(sys.argv[1])


def ones(*shape: int, dtype=np.float32) -> np.ndarray:
    return np.ones(shape, dtype)


def write_header(name: str, header: bytes, length: int | None = None) -> None:
    size = len(header) if length is None else length
    (folder / name).write_bytes(struct.pack("<Q", size) + header)


save_file({"w": ones(4, 4), "lora": ones(4, 2), "extra": ones(1)}, folder / "good.safetensors")
save_file({"lora": ones(3, 2)}, folder / "shape.safetensors")
save_file({"w": ones(4, 4, dtype=np.float64)}, folder / "type.safetensors")
save_file({"other": ones(1)}, folder / "names.safetensors")
write_header("cut.safetensors", b"{}", length=1 << 40)
entry = {"dtype": "F32", "shape": [4, 4], "data_offsets": [0, 64]}
write_header("range.safetensors", json.dumps({"w": entry}).encode())
write_header("json.safetensors", b"[" * 100000)
