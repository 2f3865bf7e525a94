"""What schedule counts on is what lower plans and a rank allocates, to the byte."""

import json
import re

import onnx
import pytest
from harness import decoder, zoo
from harness.models import mlp
from harness.tools import run

MODELS = {
    "decoder": (lambda: decoder.decoder(layers=2), [*decoder.FLAGS, "--clip-norm=1"]),
    "zoo": (zoo.zoo, [*zoo.FLAGS, "--bind=batch=2"]),
    "mlp": (
        lambda: mlp([5, 97, 61, 5]),
        ["--bind=batch=3", "--loss=cross_entropy(logits,y)", "--precision=f64", "--debug-nan"],
    ),
}
RANKS = [1, 2, 3, 8]


@pytest.fixture(scope="module", params=MODELS)
def work(request, tmp_path_factory):
    make, flags = MODELS[request.param]
    path = tmp_path_factory.mktemp(request.param) / "m.onnx"
    onnx.save(make(), path)
    return path, flags


def output(tool, *arguments):
    result = run(tool, *arguments)
    assert result.code == 0, str(result)
    return result.out


@pytest.mark.parametrize("stage", range(4))
def test_as_planned(work, stage):
    path, flags = work
    flags = [*flags, "-zero=%d" % stage]
    scheduled = path.with_suffix(".mlir")
    scheduled.write_text(output("dsc", path, *flags, "--emit=schedule"))
    entry = re.compile(r"train\.entry @([\w.]+)\(.*zero\.planned_arena = (\d+)")
    arenas = {name: int(bytes) for name, bytes in entry.findall(scheduled.read_text())}
    for ranks in RANKS:
        plan = json.loads(output("dsc", path, *flags, "--plan", "--json", "--ranks=%d" % ranks))
        assert arenas == {row["name"]: row["arena_bytes"] for row in plan["entries"]}
        passes = "--schedule-record-plan=ranks=%d" % ranks
        recorded = output("dsc-opt", scheduled, passes)
        total = int(re.search(r"zero\.planned_bytes = (\d+)", recorded)[1])
        assert total == plan["total_bytes"]
