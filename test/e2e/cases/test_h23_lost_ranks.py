"""H23: one rank dies or throws, the rest wait for the full timeout and the log does
not say who is missing.

Rank 1 of 3 does not come to the second collective. ranks/test_faults.py has other
places, and ranks/test_lost.py what a user does to a run.
"""

import re

import onnx
import pytest
from harness.faults import CAUSES, PLACE, build_fault, environment
from harness.models import mlp
from harness.ranks import Launched, Work
from harness.zoo import data

RANKS, LOST, SECOND = 3, 1, 2


@pytest.fixture(scope="module")
def fault(tmp_path_factory):
    return build_fault(tmp_path_factory.mktemp("fault"))


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("h23")
    onnx.save(mlp([5, 70, 5]), folder / "m.onnx")
    flags = ["--loss=cross_entropy(logits,y)", "--bind=batch=2", "--allgather-bucket-size=0"]
    return Work(folder, folder / "m.onnx", flags, data(30))


def start(work, fault, kind, *flags, number=SECOND, rank=LOST):
    """Stage 3: the second collective gathers fc2."""
    made = environment(fault, kind, rank, number)
    more = [*work.data, "--epochs=1000000", *flags]
    return Launched(RANKS, work.compiled(3), *more, environment=made)


def check_message(message):
    """Collective number, source op, step, bytes and the missing rank."""
    place = PLACE.search(message)
    assert place["op"] == "gather" and place["entry"] == "step_last"
    assert place["what"] == " of fc2 at node '/fc2/Gemm' (Gemm)"
    assert place["step"] == "1" and place["exchange"] == "all-gather"
    # 5 times 70 weights and 5 biases, which three ranks share in units of 64.
    assert int(place["bytes"]) == 4 * 64 * 2
    assert re.search(r" waits for rank 1[,;]", message)
    return int(place["number"])


@pytest.mark.parametrize("kind", CAUSES)
def test_a_death_ends_the_others(work, fault, kind):
    """Long before the timeout: it is ten minutes, which no test waits."""
    with start(work, fault, kind) as launched:
        code, err = launched.end()
    message = err.splitlines()[-1]
    assert code == 4, err
    assert re.match("dsrun: error: rank 1 %s; " % CAUSES[kind], message), err
    assert message.endswith("; the other ranks were ended"), err
    check_message(message)


@pytest.mark.parametrize("kind", ["stop", "sleep"])
def test_who_does_not_come_is_named_after_the_timeout(work, fault, kind):
    with start(work, fault, kind, "--timeout=0.4") as launched:
        code, err = launched.end()
    message = err.splitlines()[-1]
    assert code == 4, err
    assert message.startswith("dsrun: error: no rank has moved for 0.4 s: "), err
    assert message.endswith("; all ranks were ended"), err
    assert ("rank 1 is stopped" in message) == (kind == "stop"), err
    check_message(message)


def test_an_exception_is_said_with_its_rank(work, fault, tmp_path):
    """Rank 0 runs out of memory as it writes metrics, and then is missed."""
    with start(work, fault, "throw", "--metrics", tmp_path / "m.jsonl", rank=0) as launched:
        code, err = launched.end()
    message = err.splitlines()[-1]
    assert code == 1, err
    assert message.startswith("dsrun: error: rank 0: out of memory; in step 2, "), err
    assert message.endswith(" waits for rank 0; the other ranks were ended"), err


def test_collectives_are_counted(work, fault):
    numbers = []
    for number in (SECOND, SECOND + 1):
        with start(work, fault, "kill", number=number) as launched:
            code, err = launched.end()
        assert code == 4, err
        numbers.append(int(PLACE.search(err.splitlines()[-1])["number"]))
    assert numbers[1] == numbers[0] + 1


def test_no_rank_outlives_the_launcher(work, fault):
    """Also where one of them is stopped."""
    with start(work, fault, "stop") as launched:
        launched.find_ranks()
        launched.kill()
