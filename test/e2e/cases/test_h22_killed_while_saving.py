"""H22: killed while saving, the newest file is cut and cannot be loaded.

A rank is killed at each of the calls by which it changes files: open, write (half
of which is done), fsync, rename, removal. checkpoint/test_damage.py spoils sets
that were whole.
"""

import os

import pytest
from harness.tools import build_preloaded
from harness.trainings import Trainings

STAGE, RANKS = 3, 2
QUICK = 2

# More than a rank makes in a run; beyond the last call the run just ends.
MOST_CALLS = 1000


@pytest.fixture(scope="module")
def trainings(tmp_path_factory):
    return Trainings(tmp_path_factory.mktemp("h22"))


@pytest.fixture(scope="module")
def preloaded(tmp_path_factory):
    return build_preloaded("killed_writes", tmp_path_factory.mktemp("preloaded"))


def is_killed(trainings, preloaded, rank, number, folder):
    """Kills the rank at its call, and goes on after it."""
    environment = {
        **os.environ,
        "LD_PRELOAD": str(preloaded),
        "DSC_KILL_WRITE": "%d:%d" % (rank, number),
    }
    with trainings.start(STAGE, RANKS, folder, environment=environment) as launched:
        code, err = launched.end()
    if code == 0:
        return False
    assert code == 4 and "rank %d was killed by signal 9" % rank in err.splitlines()[-1], err
    trainings.check_sets(STAGE, RANKS, folder)
    trainings.go_on(STAGE, RANKS, folder)
    return True


@pytest.mark.parametrize("rank", range(RANKS))
@pytest.mark.parametrize("number", range(1, 1 + QUICK))
def test_a_kill_at_one_of_the_calls_of_a_save(trainings, preloaded, rank, number, tmp_path):
    """Some of the second and third save, where there is a set to fall back to."""
    assert is_killed(trainings, preloaded, rank, 9 + 5 * number, tmp_path / "c")


@pytest.mark.long
@pytest.mark.parametrize("rank", range(RANKS))
def test_a_kill_at_every_call(trainings, preloaded, rank, tmp_path):
    kills = 0
    for number in range(1, MOST_CALLS):
        if not is_killed(trainings, preloaded, rank, number, tmp_path / str(number)):
            break
        kills += 1
    assert 50 < kills < MOST_CALLS - 1
