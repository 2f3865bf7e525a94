"""Training with --config is training with the same options by hand, to the bit."""

import json

import numpy as np
import onnx
import pytest
from harness.models import mlp
from harness.tools import compile_model, run, train_module

LOSS = "--loss=cross_entropy(logits,y)"


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """A folder with a model whose batch is open, and 48 samples."""
    folder = tmp_path_factory.mktemp("config")
    onnx.save(mlp([6, 5, 3]), folder / "m.onnx")
    rng = np.random.default_rng(0)
    np.save(folder / "x.npy", rng.standard_normal((48, 6)).astype("f4"))
    np.save(folder / "y.npy", rng.integers(0, 3, 48))
    return folder


DATA = ["--input", "x=x.npy", "--input", "y=y.npy", "--threads=1"]

ADAM = {
    "train_batch_size": 24,
    "train_micro_batch_size_per_gpu": 4,
    "gradient_accumulation_steps": 3,
    "gradient_clipping": 0.1,
    "optimizer": {
        "type": "AdamW",
        "params": {"lr": 0.05, "weight_decay": 0.1, "betas": [0.8, 0.9]},
    },
    "scheduler": {
        "type": "WarmupDecayLR",
        "params": {"warmup_max_lr": 0.05, "warmup_num_steps": 3, "total_num_steps": "auto"},
    },
    "zero_optimization": {"stage": 3, "reduce_bucket_size": 20, "param_persistence_threshold": 4},
}
ADAM_COMPILE = (
    "--micro-batch=4 --clip-norm=0.1 --optimizer=adamw --eps=1e-8 --betas=0.8,0.9"
    " --weight-decay=0.1 --lr-schedule=WarmupDecayLR --min-lr=0 --warmup-type=log --lr=0.05"
    " --warmup-steps=3 --zero=3 --bucket-size=20 --reduce-bucket-size=20 --persistence-threshold=4"
)
ADAM_RUN = "--accumulate=3 --total-steps=6"

SGD = {
    "train_micro_batch_size_per_gpu": 8,
    "optimizer": {"type": "SGD", "params": {"lr": 0.3, "momentum": 0.9, "nesterov": True}},
}
SGD_COMPILE = "--micro-batch=8 --optimizer=sgd --lr=0.3 --weight-decay=0 --momentum=0.9 --nesterov"

PLAIN = {
    "train_micro_batch_size_per_gpu": 8,
    "gradient_clipping": 0,
    "optimizer": {"type": "Adam", "params": {"adam_w_mode": False, "weight_decay": 0.2}},
}
PLAIN_COMPILE = (
    "--micro-batch=8 --clip-norm=0 --optimizer=adam --lr=1e-3 --betas=0.9,0.999 --eps=1e-8"
    " --weight-decay=0.2"
)


@pytest.mark.parametrize(
    ("config", "compile_flags", "run_flags", "ranks"),
    [
        (ADAM, ADAM_COMPILE, ADAM_RUN, 2),
        (SGD, SGD_COMPILE, "", 1),
        (PLAIN, PLAIN_COMPILE, "", 1),
    ],
    ids=["adamw", "sgd", "adam"],
)
def test_same_bits(work, config, compile_flags, run_flags, ranks):
    (work / "c.json").write_text(json.dumps(config))
    results = []
    for name, compile_with, run_with in (
        ("config", ["--config", work / "c.json"], ["--config", "c.json"]),
        ("hand", compile_flags.split(), run_flags.split()),
    ):
        (work / name).mkdir(exist_ok=True)
        module = compile_model(work / "m.onnx", work / name / "m.so", LOSS, *compile_with)
        saved = work / name / "w.safetensors"
        flags = [*DATA, "--steps=6", "-n", ranks, "--save", saved, *run_with]
        lines = train_module(module, *flags, cwd=work)
        rates = [(line["step"], line["loss"], line["lr"]) for line in lines if "lr" in line]
        assert len(rates) == 6
        results.append((module.read_bytes(), rates, saved.read_bytes()))
    assert results[0][1] == results[1][1]
    assert results[0][2] == results[1][2]
    # The module says with what it was compiled, and by hand is no other way.
    assert results[0][0] == results[1][0]


@pytest.fixture(scope="module")
def compiled(work):
    (work / "c.json").write_text(json.dumps(ADAM))
    return compile_model(work / "m.onnx", work / "m.so", LOSS, "--config", work / "c.json")


def dsrun(work, config, *flags):
    (work / "d.json").write_text(json.dumps(config))
    return run("dsrun", "m.so", *DATA, "--steps=2", "--config", "d.json", *flags, cwd=work)


def test_command_line_wins(work, compiled):
    result = dsrun(work, ADAM, "--lr=0.7", "--print-config")
    rows = dict(line.split("\t", 1) for line in result.out.splitlines())
    assert rows["--lr"] == "0.7\tcommand line"
    assert rows["--betas"].startswith("0.8,0.9\td.json:1:")
    assert rows["--betas"].endswith("(/optimizer/params/betas)")
    assert rows["--timeout"].endswith("\tdefault")


def test_dsc_prints_where_values_come_from(work):
    (work / "c.json").write_text(json.dumps(ADAM))
    result = run("dsc", "--config", "c.json", "--zero=2", "--print-config", cwd=work)
    assert result.code == 0, str(result)
    rows = dict(line.split("\t", 1) for line in result.out.splitlines())
    assert rows["--zero"] == "2\tcommand line"
    assert rows["--optimizer"].startswith("adamw\tc.json:1:")
    # It goes with the stage, which is another one now.
    assert rows["--persistence-threshold"].endswith("\tdefault")
    assert rows["--adam-epsilon"] == "corrected\tdefault"


def test_batch_sizes_that_disagree_name_both_places(work, compiled):
    result = dsrun(work, ADAM, "--accumulate=5")
    assert result.code == 2
    place = "--global-batch=24 of d.json:1:2 (/train_batch_size)"
    assert place + " contradicts --accumulate=5" in result.err
    result = dsrun(work, {"train_batch_size": 24, "gradient_accumulation_steps": 4})
    assert "contradicts --accumulate=4 of d.json:1:26 (/gradient_accumulation_steps)" in result.err
    result = dsrun(work, {"train_batch_size": 10})
    assert "--global-batch=10 of d.json:1:2 (/train_batch_size) is no multiple of 4" in result.err
    result = dsrun(work, {"train_micro_batch_size_per_gpu": 8})
    assert (
        "--micro-batch=8 of d.json:1:2 (/train_micro_batch_size_per_gpu): "
        "'m.so' was compiled for micro-batches of 4" in result.err
    )


def test_the_third_batch_size_follows(work, compiled):
    config = {k: ADAM[k] for k in ("train_batch_size", "train_micro_batch_size_per_gpu")}
    result = dsrun(work, config, "-n", 2, "--dry-run")
    assert "2 updates of 24 samples" in result.out, str(result)


def test_a_module_of_another_optimizer_is_refused(work, compiled):
    result = dsrun(work, {"optimizer": {"type": "SGD"}})
    assert result.code == 1
    assert (
        "d.json:1:16 (/optimizer/type): asks for --optimizer=sgd, and 'm.so' was compiled with "
        "--optimizer=adamw; compile it with dsc --config=d.json" in result.err
    )
    result = dsrun(work, {"scheduler": {"type": "WarmupLR"}})
    assert "asks for --lr-schedule=WarmupLR" in result.err
    # Where the state lies changes no results.
    result = dsrun(work, {"zero_optimization": {"stage": 1}}, "--dry-run")
    assert result.code == 0, str(result)
    assert "notice: d.json:1:24 (/zero_optimization/stage): asks for --zero=1" in result.err


def test_keys_without_effect_are_told(work, compiled):
    config = {"zero_optimization": {"round_robin_gradients": True}, "gradient_clipping": 0.1}
    result = dsrun(work, config, "--dry-run")
    assert "without effect: /zero_optimization/round_robin_gradients" in result.err
    result = dsrun(work, {}, "--dry-run")
    assert "no gradient_clipping: DeepSpeed clips at 1.0 without it" in result.err


def test_refused_keys_stop_both_tools(work, compiled):
    result = dsrun(work, {"fp16": {"enabled": True}, "zero": 3})
    assert result.code == 1
    assert "d.json:1:11 (/fp16/enabled): " in result.err
    assert "d.json:1:29 (/zero): unknown key" in result.err
    result = run("dsc", "m.onnx", LOSS, "--config", "d.json", "-o", "n.so", cwd=work)
    assert (result.code, (work / "n.so").exists()) == (1, False)
    assert "(/zero): unknown key" in result.err


def test_micro_batch_holds_against_the_model(work):
    onnx.save(mlp([6, 5, 3], batch=4), work / "fixed.onnx")
    result = run("dsc", "fixed.onnx", LOSS, "--micro-batch=8", "-o", "f.so", cwd=work)
    assert result.code == 1
    assert "--micro-batch=8: input 'x' has 4 samples in the model" in result.err
    assert run("dsc", "fixed.onnx", LOSS, "--micro-batch=4", "-o", "f.so", cwd=work).code == 0
    result = run("dsc", "m.onnx", LOSS, "--micro-batch=8", "--bind=batch=4", "-o", "f.so", cwd=work)
    assert "--micro-batch=8 contradicts --bind 'batch=4'" in result.err


def test_nothing_to_train_takes_no_optimizer(work):
    (work / "c.json").write_text(json.dumps(ADAM))
    flags = ["--forward", "--config", "c.json", "-o", "forward.so"]
    result = run("dsc", "m.onnx", *flags, cwd=work)
    assert result.code == 0, str(result)


@pytest.mark.parametrize("threshold", ["0", "auto"])
def test_buckets_and_thresholds_move_the_same_state(work, threshold):
    """They say how much is sent at once and what stays whole, never what is learnt."""
    losses = []
    for name, flags in (("plain", []), ("cut", ["--bucket-size=20"])):
        flags = [*flags, "--persistence-threshold=" + threshold] if flags else flags
        module = compile_model(
            work / "m.onnx", work / (name + ".so"), LOSS, "--micro-batch=4", "--zero=3", *flags
        )
        lines = train_module(module, *DATA, "--steps=6", "-n", 2, "--lr=0.1", cwd=work)
        losses.append([line["loss"] for line in lines])
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-6)
    plans = [run("dsc", "explain", work / (name + ".so")).out for name in ("plain", "cut")]
    assert plans[0] != plans[1]
