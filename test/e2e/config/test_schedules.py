"""Schedules as a ds_config.json names them, update by update, against DeepSpeed's formulas."""

import json

import numpy as np
import onnx
import pytest
from harness.models import mlp
from harness.session import session
from harness.tools import compile_model
from oracle import schedule

UPDATES = 30

ADAM = {"type": "Adam", "params": {"lr": 0.25}}

CASES = {
    "WarmupLR": (
        {"warmup_min_lr": 0.01, "warmup_max_lr": 0.1, "warmup_num_steps": 10},
        schedule.warmup_lr(0.1, 10, 0.01),
    ),
    "WarmupLR-linear": (
        {"warmup_max_lr": 0.1, "warmup_num_steps": 10, "warmup_type": "linear"},
        schedule.warmup_lr(0.1, 10, kind="linear"),
    ),
    "WarmupLR-defaults": ({}, schedule.warmup_lr(0.001, 1000)),
    "WarmupDecayLR": (
        {"warmup_max_lr": 0.1, "warmup_num_steps": 5, "total_num_steps": 20},
        schedule.warmup_decay_lr(0.1, 5, 20),
    ),
    "WarmupCosineLR": (
        {
            "warmup_num_steps": 5,
            "total_num_steps": 20,
            "warmup_min_ratio": 0.1,
            "cos_min_ratio": 0.01,
        },
        schedule.warmup_cosine_lr(0.25, 5, 20, 0.1, 0.01),
    ),
    "OneCycle": (
        {"cycle_min_lr": 0.01, "cycle_max_lr": 0.1, "cycle_first_step_size": 7},
        schedule.one_cycle(0.01, 0.1, 7),
    ),
    "OneCycle-stairs": (
        {
            "cycle_min_lr": 0.01,
            "cycle_max_lr": 0.1,
            "cycle_first_step_size": 9,
            "cycle_second_step_size": 4,
            "cycle_first_stair_count": 3,
            "cycle_second_stair_count": 2,
            "decay_step_size": 2,
            "decay_lr_rate": 0.5,
        },
        schedule.one_cycle(0.01, 0.1, 9, 4, 3, 2, 2, 0.5),
    ),
    "OneCycle-defaults": (
        {"cycle_min_lr": 0.01, "cycle_max_lr": 0.1},
        schedule.one_cycle(0.01, 0.1),
    ),
    "LRRangeTest": (
        {"lr_range_test_min_lr": 0.01, "lr_range_test_step_size": 4, "lr_range_test_step_rate": 3},
        schedule.lr_range_test(0.01, 4, 3),
    ),
    "LRRangeTest-staircase": (
        {"lr_range_test_step_size": 4, "lr_range_test_staircase": True},
        schedule.lr_range_test(0.001, 4, 1, staircase=True),
    ),
}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("schedules") / "m.onnx"
    onnx.save(mlp([2, 2], batch=1), path)
    return path


def compile_with(model, scheduler, *flags):
    config = model.with_name("c.json")
    config.write_text(json.dumps({"optimizer": ADAM, "scheduler": scheduler}))
    flags = ["--loss=cross_entropy(logits,y)", "--config", config, *flags]
    return compile_model(model, model.with_suffix(".so"), *flags)


BATCH = {"x": np.array([[1.0, -2.0]], "f4"), "y": np.array([1])}


@pytest.mark.parametrize("name", CASES)
def test_rate_of_each_update(model, name):
    params, wanted = CASES[name]
    module = compile_with(model, {"type": name.split("-")[0], "params": params})
    with session(module) as run:
        for t in range(UPDATES):
            run.train_step(**BATCH)
            assert run.get("dsc.report.lr") == pytest.approx(wanted(t), rel=1e-12, abs=1e-18), t


def test_skipped_updates_do_not_count(model):
    """As in DeepSpeed, whose scheduler rests where its optimizer does."""
    params, wanted = CASES["WarmupLR"]
    module = compile_with(model, {"type": "WarmupLR", "params": params})
    with session(module) as run:
        for t in range(3):
            run.train_step(**{**BATCH, "x": np.full((1, 2), np.nan, "f4")})
            run.train_step(**BATCH)
            assert run.get("dsc.report.lr") == pytest.approx(wanted(t), rel=1e-12), t


def test_numbers_of_a_schedule_are_of_the_run(model):
    """What is compiled in is a default alone."""
    module = compile_with(model, {"type": "LRRangeTest"})
    with session(module) as run:
        run.set("dsc.lr", 0.5)
        run.set("dsc.range_steps", 3)
        run.set("dsc.range_rate", 2)
        for t in range(8):
            run.train_step(**BATCH)
            wanted = schedule.lr_range_test(0.5, 3, 2)(t)
            assert run.get("dsc.report.lr") == pytest.approx(wanted, rel=1e-12)


def test_momentum_of_a_cycle(model):
    """Adam with a first beta that follows the cycle, and 0.99 for the second."""
    params = {
        "cycle_min_lr": 0.01,
        "cycle_max_lr": 0.1,
        "cycle_first_step_size": 4,
        "cycle_min_mom": 0.5,
        "cycle_max_mom": 0.75,
        "decay_step_size": 2,
        "decay_mom_rate": 0.1,
    }
    rate = schedule.one_cycle(0.01, 0.1, 4, decay=2)
    beta1 = schedule.one_cycle_beta1(0.5, 0.75, 4, decay=2, decay_mom=0.1)
    module = compile_with(model, {"type": "OneCycle", "params": params}, "--precision=f64")
    with session(module) as run:
        names = run.trained()
        state = {n: [run.read(n), 0.0, 0.0] for n in names}
        for t in range(12):
            run.bind_all(BATCH)
            gradients = run.gradients()
            run.train_step(**BATCH)
            for n in names:
                p, m, v = state[n]
                b1, b2, g = beta1(t), 0.99, gradients[n]
                m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
                corrected = m / (1 - b1 ** (t + 1))
                root = np.sqrt(v / (1 - b2 ** (t + 1)))
                state[n] = [p - rate(t) * corrected / (root + 1e-8), m, v]
                np.testing.assert_allclose(run.read(n), state[n][0], rtol=1e-9, atol=1e-12)


def test_momentum_of_a_cycle_may_rest(model):
    params = {"cycle_min_lr": 0.01, "cycle_max_lr": 0.1, "cycle_momentum": False}
    module = compile_with(model, {"type": "OneCycle", "params": params})
    with session(module) as run:
        assert "dsc.cycle_max_beta1" not in run.states
        assert run.get("dsc.beta2") == 0.999
