"""The step region is within 2% of what no plan can do with less than."""

import json
from pathlib import Path

import onnx
import pytest
from harness import decoder, zoo
from harness.models import mlp
from harness.tools import run

ROOT = Path(__file__).parents[3]
GPT2 = ROOT / "test/e2e/models"
GPT2_FLAGS = ["--bind=batch=2", "--bind=seq=16", "--loss=cross_entropy(logits,labels,shift=1)"]
LOSS = "--loss=cross_entropy(logits,labels)"

MODELS = {
    "examples/mlp": (ROOT / "examples/mlp/mlp.onnx", ["--bind=batch=64", LOSS]),
    "examples/gpt": (
        ROOT / "examples/gpt/gpt.onnx",
        ["--bind=batch=6", "--bind=sequence=64", LOSS, "--init=normal(0.05)@."],
    ),
    "gpt2_dynamo": (GPT2 / "gpt2_dynamo.onnx", GPT2_FLAGS),
    "gpt2_torchscript": (GPT2 / "gpt2_torchscript.onnx", GPT2_FLAGS),
    "decoder": (lambda: decoder.decoder(layers=2), [*decoder.FLAGS, "--clip-norm=1"]),
    "zoo": (zoo.zoo, [*zoo.FLAGS, "--bind=batch=2"]),
    "two layers": (lambda: mlp([64, 96, 10]), ["--bind=batch=16", "--loss=cross_entropy(logits,y)"]),
}
SCHEDULES = ["--schedule-stage=on", "--schedule-stage=off", "--recompute=blocks"]


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("stage", [0, 2, 3])
@pytest.mark.parametrize("name", MODELS)
def test_arena(name, stage, schedule, tmp_path):
    model, flags = MODELS[name]
    if callable(model):
        onnx.save(model(), tmp_path / "m.onnx")
        model = tmp_path / "m.onnx"
    flags = [*flags, "-zero=%d" % stage, schedule, "--plan", "--json"]
    result = run("dsc", model, *flags, "--ranks=8")
    assert result.code == 0, str(result)
    for entry in json.loads(result.out)["entries"]:
        assert entry["peak"]["bytes"] <= entry["arena_bytes"]
        assert entry["least_arena_bytes"] <= entry["arena_bytes"]
        assert entry["arena_bytes"] <= 1.02 * entry["least_arena_bytes"], entry["name"]
