"""Each rule of ds_config.json, one key at a time: the answer, its place, what it becomes."""

import base64
import json

import pytest
from harness.tools import run

HONOURED, NEARLY, IGNORED, REFUSED = "honoured", "approximated", "ignored", "refused"


def check(folder, text, code=None):
    """`dsc config check --json` of a text; answers by pointer."""
    path = folder / "c.json"
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    result = run("dsc", "config", "check", "--json", path)
    report = json.loads(result.out)
    assert report["honoured"] == (result.code == 0)
    assert code is None or result.code == code, str(result)
    return {key["pointer"]: key for key in report["keys"]}


def nested(pointer, value):
    for name in reversed(pointer.split("/")):
        value = {name: value}
    return value


def adam(**params):
    return {"optimizer": {"type": "Adam", "params": params}}


def scheduler(kind, **params):
    return {"scheduler": {"type": kind, "params": params}}


ZERO = "zero_optimization/"
WARM = scheduler("WarmupLR", warmup_num_steps="auto", warmup_max_lr="auto")

# (configuration, pointer, answer, options of dsc, options of dsrun or part of the reason)
CASES = [
    # Batch sizes.
    ({"train_batch_size": 32}, "", HONOURED, [], ["--global-batch=32"]),
    ({"train_batch_size": 3.2e1}, "", HONOURED, [], ["--global-batch=32"]),
    ({"train_batch_size": "auto"}, "", HONOURED, [], "follows from the others"),
    ({"train_batch_size": 0}, "", REFUSED, [], "must be at least 1"),
    ({"train_batch_size": 1.5}, "", REFUSED, [], "a whole number from 0 on, not the number 1.5"),
    ({"train_batch_size": "32"}, "", REFUSED, [], 'not the string "32"'),
    ({"train_batch_size": 1e30}, "", REFUSED, [], "expects a whole number"),
    (
        {"train_batch_size": 30, "train_micro_batch_size_per_gpu": 4},
        "",
        REFUSED,
        [],
        "30 is no multiple of 4 of ",
    ),
    (
        {
            "train_batch_size": 12,
            "train_micro_batch_size_per_gpu": 4,
            "gradient_accumulation_steps": 2,
        },
        "",
        REFUSED,
        [],
        "(/gradient_accumulation_steps), so no number of ranks makes it up",
    ),
    (
        {"train_micro_batch_size_per_gpu": 4},
        "",
        HONOURED,
        ["--micro-batch=4"],
        ["--micro-batch=4"],
    ),
    ({"gradient_accumulation_steps": 2}, "", HONOURED, [], ["--accumulate=2"]),
    # Clipping.
    ({"gradient_clipping": 0.5}, "", HONOURED, ["--clip-norm=0.5"], ["--clip-norm=0.5"]),
    ({"gradient_clipping": "auto"}, "", HONOURED, ["--clip-norm=1.0"], ["--clip-norm=1.0"]),
    ({"gradient_clipping": -1}, "", REFUSED, [], "must be at least 0"),
    ({"gradient_clipping": True}, "", REFUSED, [], "expects a number, not true"),
    # Precision.
    ({"fp16": {"enabled": False}}, "/fp16/enabled", HONOURED, [], []),
    ({"fp16": {"enabled": True}}, "/fp16/enabled", REFUSED, [], "16-bit training"),
    ({"bf16": {"enabled": "auto"}}, "/bf16/enabled", HONOURED, [], "--precision is f32"),
    ({"bfloat16": {"enabled": True}}, "/bfloat16/enabled", REFUSED, [], "16-bit training"),
    ({"fp16": {"hysteresis": 2}}, "/fp16/hysteresis", IGNORED, [], "is not on"),
    (
        {"fp16": {"enabled": True, "initial_scale_power": 32}},
        "/fp16/initial_scale_power",
        IGNORED,
        [],
        "which is refused",
    ),
    ({"amp": {"enabled": True}}, "/amp/enabled", REFUSED, [], ""),
    (
        {"data_types": {"grad_accum_dtype": "fp32"}},
        "/data_types/grad_accum_dtype",
        HONOURED,
        [],
        [],
    ),
    ({"data_types": {"grad_accum_dtype": "bf16"}}, "/data_types/grad_accum_dtype", REFUSED, [], ""),
    ({"communication_data_type": "fp16"}, "", REFUSED, [], "would change results"),
    # ZeRO.
    (nested(ZERO + "stage", 3), "", HONOURED, ["--zero=3"], []),
    (nested(ZERO + "stage", 4), "", REFUSED, [], "stages 0, 1, 2 and 3"),
    (nested(ZERO + "stage", "auto"), "", REFUSED, [], '"auto" is no value of this key'),
    (
        nested(ZERO + "reduce_bucket_size", 2e8),
        "",
        HONOURED,
        ["--reduce-bucket-size=200000000", "--bucket-size=200000000"],
        [],
    ),
    (nested(ZERO + "reduce_bucket_size", "auto"), "", NEARLY, [], []),
    (nested(ZERO + "zero_quantized_gradients", True), "", REFUSED, [], "would change results"),
    (nested(ZERO + "zero_quantized_gradients", False), "", HONOURED, [], []),
    (
        nested(ZERO + "offload_optimizer/device", "cpu"),
        "",
        HONOURED,
        ["--offload-optimizer=all"],
        [],
    ),
    (nested(ZERO + "offload_optimizer/device", "nvme"), "", REFUSED, [], "needs nvme_path"),
    (
        {"zero_optimization": {"offload_optimizer": {"device": "nvme", "nvme_path": "/disk"}}},
        "/zero_optimization/offload_optimizer/nvme_path",
        HONOURED,
        [],
        ["--offload-dir=/disk"],
    ),
    (nested(ZERO + "offload_optimizer/nvme_path", "/disk"), "", IGNORED, [], "is not nvme"),
    (nested(ZERO + "offload_param/device", "nvme"), "", IGNORED, [], "stay in memory"),
    (nested(ZERO + "cpu_offload", True), "", HONOURED, ["--offload-optimizer=all"], []),
    (nested(ZERO + "cpu_offload", False), "", HONOURED, [], []),
    (nested(ZERO + "offload_optimizer/device", "gpu"), "", REFUSED, [], "expects"),
    (nested(ZERO + "stage3_max_live_parameters", 0), "", IGNORED, [], "stage 3 alone"),
    *(
        (
            {"zero_optimization": {"stage": 3, key: value}},
            "/zero_optimization/" + key,
            answer,
            options,
            [],
        )
        for key, value, answer, options in (
            ("stage3_max_live_parameters", 1e9, HONOURED, ["--max-live-parameters=1000000000"]),
            ("stage3_max_live_parameters", 0, HONOURED, ["--max-live-parameters=0"]),
            ("stage3_max_reuse_distance", 5e8, HONOURED, ["--max-reuse-distance=500000000"]),
            ("stage3_prefetch_bucket_size", 7, HONOURED, ["--prefetch-bucket-size=7"]),
            ("prefetch_bucket_size", 0, HONOURED, ["--prefetch-bucket-size=0"]),
            ("stage3_prefetch_bucket_size", "auto", NEARLY, []),
            ("overlap_comm", True, HONOURED, []),
            ("overlap_comm", False, HONOURED, ["--overlap=off"]),
        )
    ),
    (
        {"zero_optimization": {"stage": 3, "param_persistence_threshold": 1e4}},
        "/zero_optimization/param_persistence_threshold",
        HONOURED,
        ["--persistence-threshold=10000"],
        [],
    ),
    (
        {"zero_optimization": {"stage": 3, "stage3_param_persistence_threshold": "auto"}},
        "/zero_optimization/stage3_param_persistence_threshold",
        HONOURED,
        ["--persistence-threshold=auto"],
        [],
    ),
    (
        {"zero_optimization": {"stage": 2, "stage3_param_persistence_threshold": 1e4}},
        "/zero_optimization/stage3_param_persistence_threshold",
        IGNORED,
        [],
        "below stage 3",
    ),
    (
        {"zero_optimization": {"prefetch_bucket_size": 1, "stage3_prefetch_bucket_size": 2}},
        "/zero_optimization/stage3_prefetch_bucket_size",
        REFUSED,
        [],
        "the same key as ",
    ),
    (
        {"zero_optimization": {"reduce_bucket_size": 100, "allgather_bucket_size": 50}},
        "/zero_optimization/reduce_bucket_size",
        HONOURED,
        ["--reduce-bucket-size=100"],
        "by the smaller bound",
    ),
    ({"zero_optimization": True}, "/zero_optimization", REFUSED, [], "expects an object, not true"),
    # Optimizers.
    (
        adam(),
        "/optimizer/type",
        HONOURED,
        ["--optimizer=adamw", "--lr=1e-3", "--betas=0.9,0.999", "--eps=1e-8", "--weight-decay=0"],
        ["--lr=1e-3", "--betas=0.9,0.999", "--eps=1e-8", "--weight-decay=0"],
    ),
    (
        {"optimizer": {"type": "adamw", "params": {"torch_adam": True}}},
        "/optimizer/type",
        HONOURED,
        [
            "--optimizer=adamw",
            "--lr=1e-3",
            "--betas=0.9,0.999",
            "--eps=1e-8",
            "--weight-decay=0.01",
        ],
        ["--lr=1e-3", "--betas=0.9,0.999", "--eps=1e-8", "--weight-decay=0.01"],
    ),
    (
        {"optimizer": {"type": "SGD"}},
        "/optimizer/type",
        HONOURED,
        ["--optimizer=sgd", "--lr=1e-3", "--weight-decay=0", "--momentum=0"],
        ["--lr=1e-3", "--weight-decay=0", "--momentum=0"],
    ),
    ({"optimizer": {"type": "OneBitAdam"}}, "/optimizer/type", REFUSED, [], "not 'OneBitAdam'"),
    ({"optimizer": {"type": "Adamm"}}, "/optimizer/type", REFUSED, [], "did you mean 'Adam'?"),
    ({"optimizer": {"params": {}}}, "/optimizer", REFUSED, [], 'needs the key "type"'),
    (
        adam(betas=[0.8, 0.9]),
        "/optimizer/params/betas",
        HONOURED,
        ["--betas=0.8,0.9"],
        ["--betas=0.8,0.9"],
    ),
    (
        adam(betas=[0.8]),
        "/optimizer/params/betas",
        REFUSED,
        [],
        "a list of two numbers, not a list of 1",
    ),
    (adam(betas=[0.8, 1]), "/optimizer/params/betas", REFUSED, [], "below 1"),
    (adam(momentum=0.9), "/optimizer/params/momentum", REFUSED, [], "Adam has no such parameter"),
    (adam(amsgrad=True), "/optimizer/params/amsgrad", REFUSED, [], "this variant"),
    (adam(bias_correction=False), "/optimizer/params/bias_correction", REFUSED, [], "always"),
    (adam(max_grad_norm=1.0), "/optimizer/params/max_grad_norm", REFUSED, [], "gradient_clipping"),
    (adam(adam_w_mode=False), "/optimizer/params/adam_w_mode", HONOURED, [], "as Adam does"),
    (adam(lr="auto"), "/optimizer/params/lr", HONOURED, [], "the command line or the default"),
    (
        adam(freeze_step=1),
        "/optimizer/params/freeze_step",
        REFUSED,
        [],
        "Adam has no such parameter",
    ),
    (
        {"optimizer": {"type": "OneBitAdam", "params": {"freeze_step": 1}}},
        "/optimizer/params/freeze_step",
        IGNORED,
        [],
        "which is refused",
    ),
    ({**adam(lr=1), **scheduler("WarmupLR")}, "/optimizer/params/lr", IGNORED, [], "WarmupLR sets"),
    # Schedulers.
    (
        scheduler("WarmupLR"),
        "/scheduler/type",
        HONOURED,
        [
            "--lr-schedule=WarmupLR",
            "--min-lr=0",
            "--lr=0.001",
            "--warmup-steps=1000",
            "--warmup-type=log",
        ],
        ["--min-lr=0", "--lr=0.001", "--warmup-steps=1000"],
    ),
    (
        {**adam(lr=0.5), **WARM},
        "/scheduler/type",
        HONOURED,
        [
            "--lr-schedule=WarmupLR",
            "--min-lr=0",
            "--lr=0.5",
            "--warmup-steps=0",
            "--warmup-type=log",
        ],
        ["--min-lr=0", "--lr=0.5", "--warmup-steps=0"],
    ),
    (
        scheduler("WarmupDecayLR"),
        "/scheduler/type",
        REFUSED,
        [],
        'needs the parameter "total_num_steps"',
    ),
    (scheduler("OneCycle", cycle_min_lr=1), "/scheduler/type", REFUSED, [], '"cycle_max_lr"'),
    (scheduler("WarmupCosinLR"), "/scheduler/type", REFUSED, [], "did you mean 'WarmupCosineLR'?"),
    (
        scheduler("WarmupLR", total_num_steps=5),
        "/scheduler/params/total_num_steps",
        REFUSED,
        [],
        "no such",
    ),
    (
        scheduler("WarmupLR", warmup_type="cubic"),
        "/scheduler/params/warmup_type",
        REFUSED,
        [],
        "linear",
    ),
    (
        scheduler("WarmupLR", last_batch_iteration=3),
        "/scheduler/params/last_batch_iteration",
        REFUSED,
        [],
        "",
    ),
    # Watching.
    ({"steps_per_print": 10}, "", HONOURED, [], ["--steps-per-print=10"]),
    ({"steps_per_print": None}, "", HONOURED, [], "the default"),
    ({"wall_clock_breakdown": True}, "", HONOURED, [], ["--wall-clock-breakdown"]),
    ({"wall_clock_breakdown": 0}, "", HONOURED, [], []),
    ({"wall_clock_breakdown": "yes"}, "", REFUSED, [], "expects true or false"),
    (
        {"csv_monitor": {"enabled": True, "output_path": "out", "job_name": "a"}},
        "/csv_monitor/enabled",
        HONOURED,
        [],
        ["--monitor=csv:out/a"],
    ),
    (
        {"tensorboard": {"enabled": True}, "csv_monitor": {"enabled": True}},
        "/tensorboard/enabled",
        HONOURED,
        [],
        ["--monitor=csv:DeepSpeedJobName,tensorboard:DeepSpeedJobName"],
    ),
    ({"wandb": {"enabled": True}}, "/wandb/enabled", IGNORED, [], "no such monitor"),
    # Checkpoints.
    ({"checkpoint": {"tag_validation": "FAIL"}}, "/checkpoint/tag_validation", HONOURED, [], []),
    (
        {"checkpoint": {"tag_validation": "Warn"}},
        "/checkpoint/tag_validation",
        NEARLY,
        [],
        "stricter",
    ),
    ({"checkpoint": {"load_universal": True}}, "/checkpoint/load_universal", HONOURED, [], []),
    (
        {"checkpoint": {"writer": {"type": "fast"}}},
        "/checkpoint/writer/type",
        IGNORED,
        [],
        "in the background",
    ),
    # What would train something else.
    ({"elasticity": {"enabled": True}}, "/elasticity/enabled", REFUSED, [], "batch"),
    ({"elasticity": {"enabled": False}}, "/elasticity/enabled", HONOURED, [], []),
    ({"sparse_attention": {"mode": "fixed"}}, "/sparse_attention", REFUSED, [], "ONNX"),
    ({"tensor_parallel": {"autotp_size": 2}}, "/tensor_parallel/autotp_size", REFUSED, [], ""),
    (
        {"activation_checkpointing": {"cpu_checkpointing": True}},
        "/activation_checkpointing/cpu_checkpointing",
        IGNORED,
        [],
        "--recompute says which activations are computed again",
    ),
    # Keys that there are not.
    ({"gradient_cliping": 1}, "", REFUSED, [], "unknown key; did you mean 'gradient_clipping'?"),
    ({"stage": 3}, "", REFUSED, [], "did you mean '/zero_optimization/stage'?"),
    (nested(ZERO + "satge", 3), "", REFUSED, [], "did you mean 'stage'?"),
    ({"adaptive_clipping": True}, "", REFUSED, [], "unknown key"),
    ({"a/b~c": 1}, "/a~1b~0c", REFUSED, [], "unknown key"),
]


def pointer_of(config):
    """That of the only value."""
    pointer = ""
    while isinstance(config, dict):
        key = next(iter(config))
        pointer, config = pointer + "/" + key, config[key]
    return pointer


@pytest.mark.parametrize("case", CASES, ids=lambda case: json.dumps(case[0])[:60])
def test_key(tmp_path, case):
    config, pointer, answer, compile_options, rest = case
    keys = check(tmp_path, config)
    key = keys[pointer or pointer_of(config)]
    assert key["answer"] == answer, key
    assert key["dsc"] == compile_options
    if isinstance(rest, str):
        assert rest in key["reason"]
    else:
        assert key["dsrun"] == rest, key


def test_places(tmp_path):
    """Of keys: line and column from 1, whatever stands before them."""
    text = '{ # one\n  "train_batch_size": 8, /* two\n */ "fp16": {\n\t"enabled": false, },\n}'
    keys = check(tmp_path, text, code=0)
    assert [(k["line"], k["column"]) for k in keys.values()] == [(2, 3), (4, 2)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1,\n "a": 2}', "c.json:2:2: the key 'a' is there already, in line 1, column 2"),
        ('{"fp16": {"enabled": tru}}', "c.json:1:25: "),
        ("[1]", "c.json:1:1: a configuration is a JSON object, and this is a list of 1"),
        ("", "c.json:1:1: "),
        ('{"a": 1} /* ', "c.json:1:10: this comment has no end"),
        ("[" * 1000, "c.json:1:33: more than 32 objects and lists within another"),
        ('{"a": 1e999}', "c.json:1:12: number overflow"),
        ('{"a": [' + "0," * 20000 + "0]}", "more than 10000 values"),
    ],
)
def test_unreadable(tmp_path, text, message):
    (tmp_path / "c.json").write_text(text)
    result = run("dsc", "config", "check", "c.json", cwd=tmp_path)
    assert result.code == 1
    assert message in result.err


def test_files_that_are_none(tmp_path):
    for path, reason in (("none.json", "No such file"), (".", "Is a directory")):
        result = run("dsc", "config", "check", path, cwd=tmp_path)
        assert (result.code, reason in result.err) == (1, True), str(result)
    result = run("dsc", "config", "check", "/dev/zero")
    assert (result.code, "over 4 MiB" in result.err) == (1, True)


def test_base64(tmp_path):
    """As DeepSpeed's launcher passes configurations on."""
    text = base64.urlsafe_b64encode(b'{"steps_per_print": 7}').decode()
    result = run("dsc", "config", "check", text, cwd=tmp_path)
    assert result.code == 0
    assert "<base64>:1:2: /steps_per_print: honoured: dsrun --steps-per-print=7" in result.out


def test_usage():
    assert run("dsc", "config", "chek", "x").code == 2
    assert run("dsc", "config").code != 0


def test_every_option_exists(tmp_path):
    """What keys become are options that the programs have."""
    texts = [
        {**scheduler("WarmupDecayLR", total_num_steps="auto"), **adam()},
        scheduler("WarmupCosineLR", total_num_steps=9),
        scheduler("OneCycle", cycle_min_lr=0.1, cycle_max_lr=0.2),
        scheduler("LRRangeTest", lr_range_test_staircase=True),
        {"optimizer": {"type": "SGD", "params": {"momentum": 0.9, "nesterov": True}}},
        {
            "train_batch_size": 8,
            "train_micro_batch_size_per_gpu": 4,
            "gradient_accumulation_steps": 2,
            "gradient_clipping": 1,
            "steps_per_print": 5,
            "wall_clock_breakdown": True,
            "csv_monitor": {"enabled": True},
            "zero_optimization": {
                "stage": 3,
                "reduce_bucket_size": 5e8,
                "param_persistence_threshold": 9,
            },
        },
    ]
    help_of = {tool: run(tool, "--help").out for tool in ("dsc", "dsrun")}
    for text in texts:
        for key in check(tmp_path, text, code=0).values():
            for tool, option in ((t, o) for t in help_of for o in key[t]):
                name = option.split("=")[0]
                assert name + " " in help_of[tool] or name + "=" in help_of[tool], (tool, option)
        (tmp_path / "c.json").write_text(json.dumps(text))
        for tool in help_of:
            result = run(tool, "--config", "c.json", "--print-config", cwd=tmp_path)
            assert result.code == 0, str(result)
