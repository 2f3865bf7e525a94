"""examples/decoder: a tiny one trains as the oracle says, and a huge one compiles."""

import json
import re
import resource
import subprocess
import sys
import time

import numpy as np
import onnx
import pytest
from harness.compare import check_gradients, check_losses
from harness.session import session
from harness.tools import REPOSITORY, compile_model, run, train_module
from oracle import Adam, Graph, loss_and_gradients, train
from safetensors.numpy import load_file

EXAMPLE = REPOSITORY / "examples/decoder"
LOSS = "cross_entropy(logits,labels)"
INIT = ["--init=normal(0.05)@weight$", "--init=zeros@bias$", "--init=ones@ln_.*weight$"]
BATCH, LENGTH, VOCABULARY = 2, 8, 13

# Losses of ten steps of f32 against float64: Adam divides by the root of v, so
# rounding decides the direction where a gradient is near zero.
TEN_LOSSES = 1e-4


def generate(path, *flags):
    command = [sys.executable, EXAMPLE / "make_model.py", *flags, "-o", path]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return path


def flags(batch, length):
    return ["--bind=batch=%d" % batch, "--bind=sequence=%d" % length, "--loss=" + LOSS, *INIT]


@pytest.fixture(scope="module", params=["tied", "untied"])
def tiny(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("decoder") / (request.param + ".onnx")
    sizes = "--layers=2 --width=16 --heads=2 --context=12 --vocabulary=%d" % VOCABULARY
    return generate(path, *sizes.split(), *(["--untied"] if request.param == "untied" else []))


def load_with(path, weights):
    """The graph with values for the weights that the file leaves out."""
    made = onnx.load(path, load_external_data=False)
    for tensor in made.graph.initializer:
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            tensor.CopyFrom(onnx.numpy_helper.from_array(weights[tensor.name], tensor.name))
    onnx.checker.check_model(made, full_check=True)
    return Graph.load(made)


def test_a_tiny_one_trains_as_the_oracle_says(tiny):
    module = compile_model(tiny, tiny.with_suffix(".so"), *flags(BATCH, LENGTH), "--lr=0.01")
    weights = load_file(tiny.with_suffix(".weights.safetensors"))
    weights = {n: w for n, w in weights.items() if not n.startswith("val_")}
    graph = load_with(tiny, weights)
    rng = np.random.default_rng(5)
    tokens = rng.integers(0, VOCABULARY, (10, BATCH, LENGTH + 1))
    batches = [{"tokens": t[:, :-1], "labels": t[:, 1:]} for t in tokens]
    trace = train(graph, LOSS, weights, batches, Adam(0.01, 0.01, decoupled=True))
    with session(module) as running:
        assert sorted(running.trained()) == sorted(weights)
        running.bind_all(batches[0])
        _, wanted = loss_and_gradients(graph, LOSS, weights, batches[0])
        check_gradients(running.gradients(), wanted)
        check_losses([running.train_step(**b) for b in batches], trace.losses, TEN_LOSSES)


def test_the_loss_falls(tiny, tmp_path):
    text = tmp_path / "text"
    text.write_bytes(bytes(range(VOCABULARY)) * 40)
    module = compile_model(tiny, tmp_path / "m.so", *flags(BATCH, LENGTH), "--lr=0.01", "-zero=3")
    data = ["--tokens", text, "--token-type=text", "--steps=60"]
    lines = train_module(module, "-n", "2", "--threads=1", *data)
    assert abs(lines[0]["loss"] - np.log(VOCABULARY)) < 0.3 and lines[-1]["loss"] < 0.3


@pytest.mark.parametrize(
    "wrong, said",
    [
        (["--width=10", "--heads=3"], "a width of 10 does not divide among 3 heads"),
        (["--layers=0"], "0 is not a positive number"),
        (["--layers=-1"], "-1 is not a positive number"),
    ],
)
def test_sizes_that_make_no_model_are_refused(wrong, said, tmp_path):
    command = [sys.executable, EXAMPLE / "make_model.py", *wrong, "-o", tmp_path / "m.onnx"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and said in done.stderr
    assert not list(tmp_path.iterdir())


# GPT-3's width and context: tensors beyond 2^31 bytes, a step region beyond 2^32.
LAYERS, WIDTH, CONTEXT, TOKENS, RANKS = 96, 12288, 2048, 50257, 1024


def count_parameters(layers):
    return layers * (12 * WIDTH**2 + 13 * WIDTH) + (TOKENS + CONTEXT) * WIDTH + 2 * WIDTH


def lower(folder, layers):
    """The exec form of the first layers of GPT-3."""
    model = generate(folder / "gpt3.onnx", "--preset=gpt3-175b", "--layers=%d" % layers)
    out = folder / "gpt3.mlir"
    result = run("dsc", model, "-o", out, "--emit=lower", "-zero=3", *flags(1, CONTEXT))
    assert result.code == 0, str(result)
    return out.read_text()


def count_kernels(text):
    """Without those that add up the norms of all parameters, 128 at a time."""
    kinds = re.findall(r'^  func\.func .*exec\.kind = "(\w+)"', text, re.M)
    assert len(kinds) == len(re.findall(r"^  func", text, re.M))
    return len([kind for kind in kinds if kind not in ("rank_sum", "scalar")])


def count_operations(text):
    return len(re.findall(r"^    exec\.", text, re.M))


def test_depth_adds_operations_and_no_kernels(tmp_path):
    texts = [lower(tmp_path, layers) for layers in (4, 8, 12)]
    kernels = {count_kernels(text) for text in texts}
    assert len(kernels) == 1 and max(kernels) < 100
    counts = [count_operations(text) for text in texts]
    # As many more for each layer, but for what adds up the norms.
    assert abs(counts[2] - counts[1] - (counts[1] - counts[0])) < 0.02 * counts[1]


def test_sizes_beyond_four_gigabytes_are_planned(tmp_path):
    """A table in f32, and the memory of 4 layers: against closed forms."""
    layers = 4
    model = generate(tmp_path / "gpt3.onnx", "--preset=gpt3-175b", "--layers=%d" % layers)
    plan = ["-zero=3", "--plan", "--ranks=%d" % RANKS, "--json"]
    result = run("dsc", model, *flags(1, CONTEXT), *plan)
    assert result.code == 0, str(result)
    check_plan(json.loads(result.out), layers)


def check_plan(plan, layers):
    groups = plan["groups"]
    assert sum(g["tensor_elements"] for g in groups) == count_parameters(layers)
    shares = sum(64 * -(-g["elements"] // (64 * RANKS)) for g in groups)
    states = plan["bytes"]
    # Beside the shards: scalars, of which there are few.
    for kind, copies in (("parameters", 1), ("gradients", 1), ("optimizer", 2)):
        assert 0 <= states[kind] - copies * 4 * shares < 4096, kind
    assert plan["total_bytes"] == sum(states.values())
    # Scores of the softmax, for each head, and of the next token, at least.
    assert plan["arena_bytes"] > 4 * (layers * 96 * CONTEXT**2 + TOKENS * CONTEXT)


@pytest.mark.long
def test_gpt3_takes_less_than_a_minute_and_4_gigabytes(tmp_path):
    """On 2 cores that do nothing else."""
    model = generate(tmp_path / "gpt3.onnx", "--preset=gpt3-175b")
    plan = ["-zero=3", "--plan", "--ranks=%d" % RANKS, "--json"]
    start = time.monotonic()
    result = run("dsc", model, *flags(1, CONTEXT), *plan)
    seconds = time.monotonic() - start
    assert result.code == 0, str(result)
    kilobytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print("GPT-3 175B: %.1f s, %.2f GB" % (seconds, kilobytes / 1e6))
    assert seconds < 60 and kilobytes < 4e6
    check_plan(json.loads(result.out), LAYERS)
    kernels = count_kernels(lower(tmp_path, LAYERS))
    assert kernels == count_kernels(lower(tmp_path, 6))
