"""SIGKILL to one rank, to all, or to the launcher, at any instant: going on gives the
bits of a run that nobody killed.

Every update saves, so that most instants lie within a save.
"""

import random
import signal
import time

import pytest
from harness.checkpoints import sets_of
from harness.marks import seeds
from harness.ranks import Launched, lines_of, wait_for
from harness.trainings import UPDATES, Trainings

QUICK, LONG = 15, 300
KILLS = ["rank", "all", "launcher"]

# From when the ranks are there to when most runs have ended.
SECONDS = 0.8


@pytest.fixture(scope="module")
def trainings(tmp_path_factory):
    return Trainings(tmp_path_factory.mktemp("kills"))


def kill_within(launched, kind, rng):
    """Whether the run was still there to be killed."""
    processes = launched.find_ranks()
    time.sleep(rng.uniform(0, SECONDS))
    if launched.launcher.poll() is not None:
        assert launched.end()[0] == 0
        return False
    if kind == "rank":
        lost = rng.randrange(len(processes))
        try:
            launched.send(lost, signal.SIGKILL)
        except ProcessLookupError:  # The last one ended just now.
            pass
        code, err = launched.end()
        assert code in (0, 4), err
        assert code == 0 or "rank %d was killed by signal 9" % lost in err.splitlines()[-1], err
        return code != 0
    if kind == "launcher":
        launched.kill()
        return True
    launched.launcher.kill()
    for rank in range(len(processes)):
        try:
            launched.send(rank, signal.SIGKILL)
        except ProcessLookupError:
            pass
    launched.kill()
    return True


@pytest.mark.parametrize("seed", seeds(QUICK, LONG))
def test_going_on_after_a_kill_gives_the_same_bits(trainings, seed, tmp_path):
    rng = random.Random(seed)
    stage, ranks, folder = rng.randrange(4), rng.choice([1, 2, 2, 3]), tmp_path / "c"
    kind = KILLS[seed % len(KILLS)] if ranks > 1 else "launcher"
    more = []
    for _ in range(rng.choice([1, 1, 2])):
        with trainings.start(stage, ranks, folder, *more) as launched:
            if not kill_within(launched, kind, rng):
                break
        trainings.check_sets(stage, ranks, folder)
        more = ["--resume"]
    trainings.go_on(stage, ranks, folder)


@pytest.mark.parametrize("seed", seeds(4, 40))
def test_a_signal_saves_the_update_that_was_made_last(trainings, seed, tmp_path):
    """SIGTERM and Ctrl-C end the run after an update, whose set is whole, although
    nothing else asks for one then."""
    rng = random.Random(seed)
    stage, ranks, folder = rng.randrange(4), rng.choice([1, 2, 3]), tmp_path / "c"
    flags = trainings.flags(stage, folder, "--save-every=0", "--metrics", tmp_path / "m.jsonl")
    with Launched(ranks, *flags) as launched:
        wait_for(lambda: lines_of(tmp_path / "m.jsonl"))
        time.sleep(rng.uniform(0, 0.02))
        sent = rng.choice([signal.SIGTERM, signal.SIGINT])
        launched.launcher.send_signal(sent)
        code, err = launched.end()
    made = len(lines_of(tmp_path / "m.jsonl"))
    # Behind the last save there is nothing to end but the process.
    assert code == 0 or (code == -sent and made == UPDATES), err
    assert [path.name for path in sets_of(folder)] == ["step-%08d" % made], err
    trainings.check_sets(stage, ranks, folder)
    trainings.go_on(stage, ranks, folder)
