"""Training that goes on from a checkpoint: the same bits at equal N, the same state at any."""

import numpy as np
import pytest
from checkpoint.work import GLOBAL_BATCH, check_same, manifest, sets, tensors
from harness.compare import check_losses
from harness.tools import run

# f32 on both sides, and only the order of sums differs (DESIGN section 8).
EQUAL = 1e-5
STEPS = 6
WORLD = "--global-batch=%d" % GLOBAL_BATCH

# What an update computes, and no clock.
COMPUTED = ["step", "loss", "lr", "grad_norm", "weight", "skipped", "samples", "batch_samples"]


def computed(lines):
    return [{key: line[key] for key in COMPUTED} for line in lines]


@pytest.mark.parametrize("stage, ranks", [(0, 1), (0, 3), (1, 2), (2, 8), (3, 1), (3, 2), (3, 3)])
def test_the_bits_of_the_uninterrupted_run(work, tmp_path, stage, ranks):
    """Through epochs whose last updates are short, at every place of an epoch."""
    flags = ["--seed=7", "--accumulate=2"]
    straight = work.train(stage, ranks, *flags, "--steps=%d" % STEPS, "--save", tmp_path / "a")
    lines = []
    for step in range(1, STEPS + 1):
        again = ["--save", tmp_path / "b", "--resume"]
        lines += work.train(stage, ranks, *flags, "--steps=%d" % step, *again)
    assert computed(lines) == computed(straight)
    assert sets(tmp_path / "b") == [STEPS, STEPS - 1]
    for part in (tmp_path / "a").glob("step-*/*"):
        other = tmp_path / "b" / part.parent.name / part.name
        assert part.read_bytes() == other.read_bytes(), part


def test_threads_and_the_seed_may_be_left_to_the_checkpoint(work, tmp_path):
    flags = ["--accumulate=2", "--save-every=3"]
    straight = work.train(3, 1, *flags, "--seed=7", "--steps=9", "--save", tmp_path / "a")
    work.train(3, 1, *flags, "--seed=7", "--steps=3", "--save", tmp_path / "b", "--threads=2")
    more = ["--steps=9", "--save", tmp_path / "b", "--resume", "--threads=3"]
    lines = work.train(3, 1, *flags, *more)
    assert computed(lines) == computed(straight)[3:]
    check_same(tensors(tmp_path / "b/step-00000009"), tensors(tmp_path / "a/step-00000009"))
    wrong = work.run(3, 1, *more, "--seed=8")
    assert wrong.code == 2 and "with --seed=7" in wrong.err, str(wrong)


@pytest.fixture(scope="module")
def saved(work, tmp_path_factory):
    """A checkpoint of each number of ranks after 3 updates, and 3 more at one rank."""
    folder = tmp_path_factory.mktemp("saved")
    for ranks in (1, 2, 3, 4, 8):
        work.train(3, ranks, WORLD, "--seed=7", "--steps=3", "--save", folder / str(ranks))
    lines = work.train(3, 1, WORLD, "--seed=7", "--steps=6", "--save", folder / "straight")
    return folder, lines


@pytest.mark.parametrize("after", [1, 2, 3, 4, 8])
@pytest.mark.parametrize("before", [1, 2, 3, 4, 8])
def test_any_number_of_ranks(work, saved, tmp_path, before, after):
    """H21, H17, H18, H19: the state is the same to the bit, and training goes on."""
    folder, straight = saved
    resume = "--resume=%s" % (folder / str(before))
    assert work.train(3, after, WORLD, resume, "--steps=3", "--save", tmp_path / "a") == []
    was, now = folder / str(before) / "step-00000003", tmp_path / "a/step-00000003"
    check_same(tensors(now), tensors(was), [n for n in tensors(was) if n != "dsc.nominal_weight"])
    for key in ("model", "step", "seed", "position"):
        assert manifest(now)[key] == manifest(was)[key]
    lines = work.train(3, after, WORLD, resume, "--steps=6", "--save", tmp_path / "b")
    assert [line["step"] for line in lines] == [4, 5, 6]
    for key in ("loss", "lr", "weight", "samples"):
        check_losses([ln[key] for ln in lines], [ln[key] for ln in straight[3:]], EQUAL)
    final = tensors(tmp_path / "b/step-00000006")
    assert final["dsc.applied_steps"] == 6
    assert final["none"].shape == (0, 7) and final["scale"].shape == ()
    check_same(final, tensors(was), ["frozen", "mask"])
    assert np.isinf(final["mask"][0, -1])


@pytest.mark.parametrize("before, after", [(0, 3), (3, 0), (1, 2), (2, 1), (3, 1)])
def test_any_stage(work, tmp_path, before, after):
    flags = [WORLD, "--seed=7"]
    work.train(before, 3, *flags, "--steps=2", "--save", tmp_path / "a")
    resume = ["--resume=%s" % (tmp_path / "a"), "--save", tmp_path / "b"]
    work.train(after, 2, *flags, "--steps=2", *resume)
    was, now = tensors(tmp_path / "a/step-00000002"), tensors(tmp_path / "b/step-00000002")
    check_same(now, was, [name for name in was if name != "dsc.nominal_weight"])


def test_epochs_count_from_the_start(work, tmp_path):
    """Also where the number of ranks, and so of updates in an epoch, changes."""
    flags = ["--seed=7", "--save", tmp_path]
    work.train(3, 2, *flags, "--steps=3")  # of 7 updates of 8 samples
    lines = work.train(3, 3, *flags, "--epochs=2", "--resume")
    # 26 samples of the first epoch are left: 3 updates of 12; then 5 of 50.
    assert [line["step"] for line in lines] == list(range(4, 4 + 3 + 5))
    assert lines[-1]["samples"] == 2 * 50
    again = work.run(3, 3, *flags, "--epochs=2", "--resume")
    assert again.code == 0 and "11 updates already" in again.err, str(again)


def test_numbers_of_the_checkpoint_unless_they_are_given(work, tmp_path):
    work.train(0, 1, "--steps=1", "--save", tmp_path / "a", "--weight-decay=0.25")
    resume = ["--resume=%s" % (tmp_path / "a"), "--save", tmp_path / "b", "--steps=2"]
    work.train(0, 1, *resume, "--betas=0.5,0.75")
    state = tensors(tmp_path / "b/step-00000002")
    assert state["dsc.weight_decay"] == 0.25
    assert state["dsc.beta1"] == 0.5 and state["dsc.beta2"] == 0.75


def test_evaluation_and_weights_of_a_checkpoint(work, tmp_path):
    work.train(3, 3, "--steps=4", "--save", tmp_path / "a", "--save-every=2")
    work.train(0, 1, "--steps=4", "--resume=%s" % (tmp_path / "a"), "--save", tmp_path / "w")

    def evaluation(*flags):
        result = work.run(0, 1, "--eval", *flags)
        assert result.code == 0, str(result)
        return result.out.split("loss")[1].split()[0]

    of_set = evaluation("--weights=%s" % (tmp_path / "w/step-00000004"))
    assert evaluation("--weights=%s" % (tmp_path / "a")) == of_set
    assert evaluation("--resume=%s" % (tmp_path / "a")) == of_set
    assert evaluation("--weights=%s" % (tmp_path / "a/step-00000002")) != of_set
    assert evaluation() != of_set


def test_export_of_a_checkpoint(work, tmp_path):
    sets_, file, model = tmp_path / "a", tmp_path / "w.safetensors", tmp_path / "trained.onnx"
    work.train(3, 3, "--steps=4", "--save", sets_, "--export", model)
    work.train(0, 1, "--steps=4", "--resume=%s" % sets_, "--save", file)

    def export(weights):
        return run("dsc", "export", work.compiled(3), "--weights=%s" % weights, "-o", model)

    for weights in (file, sets_, sets_ / "step-00000004"):
        content = model.read_bytes()
        result = export(weights)
        assert result.code == 0, str(result)
        assert model.read_bytes() == content, weights
    for part in sets_.glob("step-*/part-*"):
        part.write_bytes(bytes(b ^ 1 for b in part.read_bytes()))
    damaged = export(sets_)
    assert damaged.code == 1 and "does not match; an older set" in damaged.err
    damaged = work.run(0, 1, "--eval", "--weights", sets_)
    assert damaged.code == 1 and "does not match" in damaged.err, str(damaged)
