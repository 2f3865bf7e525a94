"""A rank that is killed, stopped, or that throws, exits or aborts at a random
collective: the run always ends, names the rank and the collective, and leaves
nothing behind."""

import random
import re

import onnx
import pytest
from harness import zoo
from harness.faults import CAUSES, build_fault, check_place, collectives_of, environment
from harness.marks import seeds
from harness.ranks import Launched, Work

RANK_LOST = 4
QUICK, LONG = 10, 200
KINDS = [*CAUSES, "stop", "sleep", "throw"]


@pytest.fixture(scope="module")
def fault(tmp_path_factory):
    return build_fault(tmp_path_factory.mktemp("fault"))


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("faults")
    onnx.save(zoo.zoo(), folder / "m.onnx")
    flags = [*zoo.FLAGS, "--bind=batch=2"]
    return Work(folder, folder / "m.onnx", flags, zoo.data(37))


@pytest.mark.parametrize("seed", seeds(QUICK, LONG))
def test_always_ends_and_names_the_rank(work, fault, seed, tmp_path):
    rng = random.Random(seed)
    kind = KINDS[seed % len(KINDS)]
    ranks, stage = rng.choice([2, 3, 4, 8]), rng.randrange(4)
    # Rank 0 alone has something to throw about: it writes.
    lost = 0 if kind == "throw" else rng.randrange(ranks)
    module = work.compiled(stage)
    a_step = sum(collective.calls for collective in collectives_of(module))
    number = rng.randint(1, 4 * a_step)
    step = (number - 1) // a_step + 1
    flags = [*work.data, "--epochs=1000", "--timeout=0.5", "--metrics", tmp_path / "m.jsonl"]
    with Launched(
        ranks, module, *flags, environment=environment(fault, kind, lost, number)
    ) as launched:
        code, err = launched.end()
    message = err.splitlines()[-1]
    if kind == "throw":
        assert code == 1, err
        assert message.startswith("dsrun: error: rank 0: out of memory; in step "), err
        step += 1  # The update is made, and what it reports is not written.
    elif kind in CAUSES:
        assert code == RANK_LOST, err
        assert re.match("dsrun: error: rank %d %s; " % (lost, CAUSES[kind]), message), err
    else:
        assert code == RANK_LOST, err
        assert message.startswith("dsrun: error: no rank has moved for 0.5 s: "), err
        assert ("rank %d is stopped" % lost in message) == (kind == "stop"), err
    place, missing = message.split(" waits for ")
    assert re.match(r"rank %d\b" % lost, missing), err
    assert check_place(place, module)[0] == step, err
