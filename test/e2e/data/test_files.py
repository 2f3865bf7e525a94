"""Data in several files, of each kind, and patterns of them."""

import numpy as np
import pytest
from data.digits import SAMPLES, Losses, build, samples
from harness.tools import run
from safetensors.numpy import save_file


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    module = build(tmp_path_factory.mktemp("files"))
    folder, x = module.parent / "parts", samples()
    folder.mkdir()
    np.save(folder / "1.npy", x[:4])
    np.savez(folder / "2.npz", x=x[4:9], y=x)
    np.savez_compressed(folder / "3.npz", x=x[9:10])
    save_file({"x": x[10:10], "y": x}, folder / "4.safetensors")  # no sample
    save_file({"x": x[10:]}, folder / "5.safetensors")
    np.save(folder / "t-1.npy", np.zeros((20, 1)))
    np.save(folder / "t-2.npy", np.zeros((1, 1)))
    for i in range(SAMPLES):
        np.save(folder / ("one-%02d.npy" % i), x[i : i + 1])
    return module


def inputs(module, *files):
    return ["--input=x=%s" % (module.parent / "parts" / file) for file in files] + [
        "--input=t=%s" % (module.parent / "parts/t-?.npy")
    ]


@pytest.mark.parametrize(
    "files",
    [
        ["1.npy", "2.npz:x", "3.npz:x", "4.safetensors:x", "5.safetensors:x"],
        ["1.npy", "[23].npz:x", "*.safetensors:x"],
        ["one-*.npy"],
    ],
)
@pytest.mark.parametrize("ranks", [1, 2])
def test_files_follow_one_another(module, files, ranks):
    """As if they were one, whatever cuts them."""
    flags = ["-n", ranks, "--epochs=2", "--seed=6"]
    parts = Losses(module, *flags, data=inputs(module, *files)).updates
    assert np.array_equal(parts, Losses(module, *flags).updates)


def test_they_need_not_be_in_the_order_of_a_pattern(module):
    data = inputs(module, "5.safetensors:x", "1.npy", "2.npz:x", "3.npz:x")
    first = Losses(module, "--steps=1", data=data).updates[0]
    assert list(np.flatnonzero(first)) == [10, 11]


def fails(module, *files):
    result = run("dsrun", module, "--epochs=1", *inputs(module, *files))
    assert result.code == 1, str(result)
    return result.first_line().replace(str(module.parent), "DIR")


def test_bad_files(module):
    parts = module.parent / "parts"
    np.save(parts / "f32.npy", np.zeros((3, 1), np.float32))
    np.save(parts / "wide.npy", np.zeros((3, 2)))
    np.save(parts / "scalar.npy", np.zeros(()))
    (parts / "folder.npy").mkdir()
    assert fails(module, "1.npy", "f32.npy") == (
        "dsrun: error: --input x: 'DIR/parts/f32.npy' holds samples of float32 [1] and "
        "'DIR/parts/1.npy', which it follows, samples of float64 [1]"
    )
    assert fails(module, "1.npy", "wide.npy") == (
        "dsrun: error: --input x: 'DIR/parts/wide.npy' holds samples of float64 [2] and "
        "'DIR/parts/1.npy', which it follows, samples of float64 [1]"
    )
    assert "'DIR/parts/scalar.npy' holds float64 []" in fails(module, "1.npy", "scalar.npy")
    assert fails(module, "no-*.npy") == (
        "dsrun: error: --input x: no file matches 'DIR/parts/no-*.npy'"
    )
    assert "--input x: 'DIR/parts/folder.npy' is a directory" in fails(module, "folder.npy")
    assert fails(module, "one-*.npy", "1.npy") == (
        "dsrun: error: --input t: 'DIR/parts/t-1.npy' with 1 more has 21 samples and "
        "'DIR/parts/one-00.npy' with 21 more has 25"
    )
    assert "'2.npz' has no array 'z'; it has x, y" in fails(module, "2.npz:z").replace(
        "DIR/parts/", ""
    )
