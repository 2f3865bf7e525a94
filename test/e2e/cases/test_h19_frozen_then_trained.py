"""H19: frozen parameters break the compiled ZeRO-3 path, or are not saved and come
back random.

A frozen Linear, then a trained one, on 2 ranks: frozen ones are stored, restored
and sharded, hold no optimizer state and get no gradient buffer.
"""

import json

import numpy as np
import onnx
import pytest
from harness.checkpoints import newest, sets_of
from harness.marks import long
from harness.models import mlp
from harness.ranks import Launched, Work, check_equal, wait_for
from harness.session import session
from harness.tools import run
from harness.zoo import data
from onnx import numpy_helper

SIZES, RANKS, UNIT = [5, 96, 5], 2, 64
FROZEN = {"fc1.weight": 5 * 96, "fc1.bias": 96}
TRAINED = {"fc2.weight": 96 * 5, "fc2.bias": 5}
FLAGS = ["--loss=cross_entropy(logits,y)", "--freeze=^fc1", "--bind=batch=2"]
STAGES = range(4)


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("h19")
    onnx.save(mlp(SIZES), folder / "m.onnx")
    return Work(folder, folder / "m.onnx", [*FLAGS, "--optimizer=adamw"], data(40))


def first_values(work):
    graph = onnx.load(work.path).graph
    return {t.name: numpy_helper.to_array(t) for t in graph.initializer}


@pytest.mark.parametrize("stage", STAGES)
def test_the_plan_counts_trained_elements_alone(work, stage):
    flags = [*work.flags, "-zero=%d" % stage, "--plan", "--json", "--ranks=%d" % RANKS]
    result = run("dsc", work.path, *flags)
    assert result.code == 0, str(result)
    plan = json.loads(result.out)
    (trained,) = [g for g in plan["groups"] if g["name"] == "fc2"]
    (frozen,) = [g for g in plan["groups"] if g["name"] == "fc1.frozen"]
    assert trained["tensor_elements"] == sum(TRAINED.values())
    assert frozen["tensor_elements"] == sum(FROZEN.values())

    def copy(group, sharded):
        return 4 * group["shard_elements"] * (1 if sharded else RANKS)

    assert plan["bytes"]["gradients"] == copy(trained, stage >= 2)
    assert plan["bytes"]["optimizer"] == 2 * copy(trained, stage >= 1)
    parameters = copy(trained, stage >= 3) + copy(frozen, stage >= 3)
    assert plan["bytes"]["parameters"] == parameters
    # Nor does anything of the frozen layer travel but its parameters.
    wire = {(w["group"], w["collective"]) for e in plan["entries"] for w in e["wire"]}
    sent = {"all_gather"} if stage == 3 else set()
    assert {what for group, what in wire if group == "fc1.frozen"} == sent
    assert ("fc2", "all_to_all") in wire


@pytest.mark.parametrize("stage", STAGES)
def test_the_module_has_no_state_of_what_is_frozen(work, stage):
    with session(work.compiled(stage)) as run_:
        of = {s["of"] for s in run_.manifest["states"] if s.get("of")}
        classes = {s["class"] for s in run_.manifest["states"] if s.get("of") in TRAINED}
        roles = {p["name"]: p["role"] for p in run_.manifest["parameters"]}
    assert of == set(TRAINED)
    assert classes == {"gradient", "optimizer"}
    assert roles == {**dict.fromkeys(FROZEN, "frozen"), **dict.fromkeys(TRAINED, "trainable")}


@pytest.mark.parametrize("stage", STAGES)
def test_frozen_weights_come_back_bit_for_bit(work, stage):
    _, parameters = work.trained(stage, RANKS, 1, "--steps=10")
    for name, first in first_values(work).items():
        assert (parameters[name].tobytes() == first.tobytes()) == (name in FROZEN), name


@pytest.mark.parametrize("freeze", ["^fc1", "bias$", *long("^fc2", "weight$", "^fc1.bias$")])
def test_trains_as_one_rank(tmp_path, freeze):
    """Whichever layer or half of a layer is frozen."""
    onnx.save(mlp(SIZES), tmp_path / "m.onnx")
    flags = ["--loss=cross_entropy(logits,y)", "--freeze=" + freeze, "--bind=batch=2"]
    flags += ["--optimizer=sgd", "--lr=0.2"]
    work = Work(tmp_path, tmp_path / "m.onnx", flags, data(40))
    one = work.trained(0, 1, RANKS, "--steps=10")
    assert len({line["loss"] for line in one[0]}) == 10
    check_equal(work.trained(3, RANKS, 1, "--steps=10"), one)


def test_all_frozen_is_a_sentence(tmp_path):
    onnx.save(mlp(SIZES), tmp_path / "m.onnx")
    flags = ["--loss=cross_entropy(logits,y)", "--freeze=.", "-zero=3"]
    result = run("dsc", tmp_path / "m.onnx", "-o", tmp_path / "m.so", *flags)
    assert result.code == 1 and ": error: " in result.err, str(result)


def test_evaluates_with_frozen_shards(work, tmp_path):
    """Nothing is trained in an evaluation, but everything is gathered."""
    outputs = []
    for ranks in (1, RANKS):
        folder = tmp_path / str(ranks)
        flags = ["-n", ranks, "--threads=1", "--eval", "--write-outputs", folder]
        result = run("dsrun", work.compiled(3), *work.data, *flags)
        assert result.code == 0, str(result)
        outputs.append(np.load(folder / "logits.npy"))
    np.testing.assert_array_equal(*outputs)


@pytest.mark.parametrize("stage", STAGES)
def test_saved_killed_and_resumed(work, stage, tmp_path):
    """Frozen weights are in the checkpoint, equal bit for bit, and without moments."""
    folder = tmp_path / "c"
    flags = [work.compiled(stage), *work.data, "--save", folder]
    with Launched(RANKS, *flags, "--steps=1000000", "--save-every=5") as launched:
        launched.find_ranks()
        wait_for(lambda: sets_of(folder))
        launched.kill()
    killed = newest(folder)
    more = ["-n", RANKS, "--threads=1", "--resume", "--steps=%d" % (killed.step + 3)]
    result = run("dsrun", *flags, *more)
    assert result.code == 0, str(result)
    made, first = newest(folder), first_values(work)
    assert made.step == killed.step + 3
    for name, value in first.items():
        assert (made.tensors[name].tobytes() == value.tobytes()) == (name in FROZEN), name
        assert (name + ".exp_avg" in made.tensors) == (name in TRAINED)
    moments = [a.size for n, a in made.tensors.items() if ".exp_avg" in n]
    assert sum(moments) == 2 * sum(TRAINED.values())
