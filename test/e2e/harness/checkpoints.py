"""A reader of checkpoints, written from docs/checkpoint-format.md and from nothing
else: it checks every checksum and puts the tensors together."""

import json
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

TYPES = {"f32": "<f4", "f64": "<f8", "i64": "<i8", "i32": "<i4", "i1": "?"}


def crc(data):
    return "%08x" % zlib.crc32(data)


@dataclass
class Set:
    """A whole set: its manifest, and all tensors by name, in their shapes."""

    path: Path
    manifest: dict
    tensors: dict

    @property
    def step(self):
        return self.manifest["step"]


def sets_of(folder):
    """The folders of the sets, from the oldest to the newest."""
    found = [p for p in Path(folder).glob("step-*") if not p.name.endswith(".damaged")]
    return sorted(found, key=lambda path: int(path.name.split("-")[1]))


def read_manifest(path):
    text = (path / "manifest.json").read_bytes()
    head, line = text[: text.rindex(b"\n") + 1], text[text.rindex(b"\n") + 1 :]
    if not line.strip():  # The object ends with a newline.
        head, line = head[: head[:-1].rindex(b"\n") + 1], head[head[:-1].rindex(b"\n") + 1 :]
    manifest = json.loads(text)
    assert line.strip() == b'"crc32":"%s"}' % crc(head).encode()
    assert (manifest["format"], manifest["version"]) == ("dsc-checkpoint", 1)
    return manifest


def read_set(path):
    path = Path(path)
    manifest = read_manifest(path)
    assert path.name == "step-%08d" % manifest["step"]
    assert len(manifest["files"]) == manifest["ranks"]
    assert {p.name for p in path.iterdir()} == {
        "manifest.json",
        *(row["name"] for row in manifest["files"]),
    }
    files = []
    for row in manifest["files"]:
        data = (path / row["name"]).read_bytes()
        assert (len(data), crc(data)) == (row["bytes"], row["crc32"])
        assert int.from_bytes(data[:8], "little") + 8 == row["header_bytes"]
        assert crc(data[: row["header_bytes"]]) == row["header_crc32"]
        files.append((data, load_file(path / row["name"])))
    return Set(path, manifest, {row["name"]: assemble(row, files) for row in manifest["tensors"]})


def assemble(row, files):
    """One tensor from its pieces, which safetensors' own reader finds, too."""
    kind, size = np.dtype(TYPES[row["type"]]), int(np.prod(row["shape"], dtype=np.int64))
    parts, end = [], 0
    for piece in row["pieces"]:
        data, tensors = files[piece["file"]]
        begin, end = end, piece["end"]
        assert piece["begin"] == begin
        length = (end - begin) * kind.itemsize
        raw = data[piece["offset"] : piece["offset"] + length]
        assert len(raw) == length and crc(raw) == piece["crc32"]
        is_whole = (begin, end) == (0, size)
        name = row["name"] + ("" if is_whole else "[%d:%d]" % (begin, end))
        assert tensors[name].tobytes() == raw
        assert tensors[name].shape == (tuple(row["shape"]) if is_whole else (end - begin,))
        parts.append(np.frombuffer(raw, kind))
    assert end == size, row["name"]
    return np.concatenate(parts).reshape(row["shape"])


def newest(folder):
    return read_set(sets_of(folder)[-1])


def check_same_state(got, wanted):
    """Two sets hold the same training, to the bit, however they are cut."""
    for key in ("step", "seed", "position", "model"):
        assert got.manifest[key] == wanted.manifest[key], key
    assert got.tensors.keys() == wanted.tensors.keys()
    for name, array in wanted.tensors.items():
        other = got.tensors[name]
        assert (other.shape, other.dtype) == (array.shape, array.dtype), name
        assert other.tobytes() == array.tobytes(), name
