"""Parts that are cut, changed, missing, or of another set are never loaded: the run
says what is wrong, goes on from the last whole set, and ends with the bits of a run
that nobody disturbed."""

import random
import shutil

import pytest
from harness.checkpoints import sets_of
from harness.marks import seeds
from harness.trainings import UPDATES, Trainings

RANKS, STAGE = 3, 3
# Sets of these steps are there; the newest one is spoilt.
STEPS = [10, 11, 12]
QUICK, LONG = 6, 400


@pytest.fixture(scope="module")
def trainings(tmp_path_factory):
    return Trainings(tmp_path_factory.mktemp("damage"))


@pytest.fixture(scope="module")
def broken_off(trainings):
    """A folder of whole sets, which each test copies."""
    folder = trainings.folder / "broken-off"
    result = trainings.run(STAGE, RANKS, folder, "--keep=3", updates=STEPS[-1])
    assert result.code == 0, str(result)
    assert [path.name for path in sets_of(folder)] == ["step-%08d" % step for step in STEPS]
    return folder


@pytest.fixture
def folder(broken_off, tmp_path):
    return shutil.copytree(broken_off, tmp_path / "c")


def parts(path):
    return sorted(path.glob("part-*"))


def cut(path, keep):
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * keep)])


def flip(path, place):
    data = bytearray(path.read_bytes())
    data[int(len(data) * place)] ^= 0x10
    path.write_bytes(data)


def swap(one, other):
    data = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(data)


def replace_by_folder(path):
    path.unlink()
    path.mkdir()


DAMAGES = {
    "part cut at its end": lambda new, old: cut(parts(new)[1], 0.99),
    "part cut in its header": lambda new, old: cut(parts(new)[0], 0.01),
    "part emptied": lambda new, old: cut(parts(new)[2], 0),
    "part longer": lambda new, old: parts(new)[1].open("ab").write(b"\0"),
    "part missing": lambda new, old: parts(new)[1].unlink(),
    "all parts missing": lambda new, old: [part.unlink() for part in parts(new)],
    "part a folder": lambda new, old: replace_by_folder(parts(new)[1]),
    "part of the set before": lambda new, old: shutil.copy(parts(old)[1], parts(new)[1]),
    "all parts of the set before": lambda new, old: [
        shutil.copy(a, b) for a, b in zip(parts(old), parts(new))
    ],
    "parts exchanged": lambda new, old: swap(parts(new)[0], parts(new)[1]),
    "manifest missing": lambda new, old: (new / "manifest.json").unlink(),
    "manifest emptied": lambda new, old: cut(new / "manifest.json", 0),
    "manifest cut": lambda new, old: cut(new / "manifest.json", 0.7),
    "manifest without its last line": lambda new, old: cut(new / "manifest.json", 0.9999),
    "manifest changed": lambda new, old: flip(new / "manifest.json", 0.4),
    "manifest of the set before": lambda new, old: shutil.copy(old / "manifest.json", new),
    "header changed": lambda new, old: flip(parts(new)[0], 0.02),
    "first number changed": lambda new, old: flip(parts(new)[0], 0.95),
    "last byte changed": lambda new, old: flip(parts(new)[2], 0.9999),
}


def check_falls_back(trainings, folder, spoilt, before):
    result = trainings.go_on(STAGE, RANKS, folder)
    said = [line for line in result.err.splitlines() if spoilt.name in line]
    assert said, str(result)
    assert any(before.name in line for line in result.err.splitlines()), str(result)
    return result


@pytest.mark.parametrize("damage", DAMAGES)
def test_the_last_whole_set_is_taken(trainings, folder, damage):
    before, newest = sets_of(folder)[-2:]
    DAMAGES[damage](newest, before)
    check_falls_back(trainings, folder, newest, before)


@pytest.mark.parametrize("stage, ranks", [(0, 1), (1, 2), (2, 8)])
def test_at_another_number_of_ranks(trainings, folder, stage, ranks):
    """Where a rank reads other pieces than were written by one."""
    before, newest = sets_of(folder)[-2:]
    flip(parts(newest)[0], 0.97)
    result = trainings.run(stage, ranks, folder, "--resume")
    assert result.code == 0, str(result)
    assert newest.name in result.err and before.name in result.err, str(result)


@pytest.mark.parametrize("seed", seeds(QUICK, LONG))
def test_any_changed_byte_is_found(trainings, folder, seed):
    """In any file of the set, at any place."""
    rng = random.Random(seed)
    before, newest = sets_of(folder)[-2:]
    flip(rng.choice(sorted(newest.iterdir())), rng.random())
    check_falls_back(trainings, folder, newest, before)


def test_two_sets_spoilt_in_different_ways(trainings, folder):
    oldest, before, newest = sets_of(folder)
    parts(newest)[0].unlink()
    flip(parts(before)[2], 0.9)
    result = check_falls_back(trainings, folder, newest, oldest)
    assert before.name in result.err


def test_no_whole_set_is_an_error(trainings, folder):
    for path in sets_of(folder):
        flip(parts(path)[1], 0.97)
    result = trainings.run(STAGE, RANKS, folder, "--resume")
    assert result.code == 1, str(result)
    errors = [line for line in result.err.splitlines() if ": error: " in line]
    assert len(errors) == 1 and str(folder) in errors[0], str(result)


def test_what_was_put_away_is_not_taken_again(trainings, folder):
    """Nor does it hinder the set of the same step that the resumed run writes."""
    before, newest = sets_of(folder)[-2:]
    flip(parts(newest)[0], 0.97)
    check_falls_back(trainings, folder, newest, before)
    again = trainings.run(STAGE, RANKS, folder, "--resume")
    assert again.code == 0 and newest.name not in again.err, str(again)
    assert "step-%08d" % UPDATES in again.err


def test_a_set_under_another_name(trainings, folder):
    """A later step than its manifest says."""
    before, newest = sets_of(folder)[-2:]
    newest.rename(folder / ("step-%08d" % (UPDATES - 1)))
    result = trainings.run(STAGE, RANKS, folder, "--resume")
    assert result.code == 0 and before.name in result.err, str(result)
    trainings.check_sets(STAGE, RANKS, folder)
