"""Exchanges that begin together travel in one message: over real ranks, with the bits
and the bytes that each has by itself."""

import numpy as np
import onnx
import pytest
from harness.models import mlp
from harness.ranks import Work, check_same_bits

APART = ["--allgather-bucket-size=0", "--reduce-bucket-size=0"]


def count_joined(module):
    """As the manifest, which is plain text, lists them."""
    return module.read_bytes().count(b'"joined"')


@pytest.mark.parametrize("seed", [1, 3])
def test_joined_is_apart(tmp_path, seed):
    """Groups of a few elements, in a schedule made by chance that begins several of
    their gathers at once."""
    rng = np.random.default_rng(4)
    data = {
        "x": rng.standard_normal((24, 6)).astype(np.float32),
        "y": rng.integers(0, 3, 24),
    }
    onnx.save(mlp([6, 7, 5, 4, 3]), tmp_path / "m.onnx")
    flags = ["--bind=batch=4", "--loss=cross_entropy(logits,y)", "--optimizer=adamw"]
    flags += ["--schedule-stage=random(%d)" % seed]
    works = []
    for name, more in (("joined", []), ("apart", APART)):
        folder = tmp_path / name
        folder.mkdir()
        works.append(Work(folder, tmp_path / "m.onnx", [*flags, *more], data))
    joined, apart = works
    assert count_joined(joined.compiled(3)) > 0
    assert count_joined(apart.compiled(3)) == 0
    for ranks in (2, 3):
        got, wanted = (work.trained(3, ranks, 1, "--epochs=1") for work in works)
        check_same_bits(got, wanted)
        assert [line["received_bytes"] for line in got[0]] == [
            line["received_bytes"] for line in wanted[0]
        ]
