"""GPT-2 as both PyTorch exporters write it: ten steps against PyTorch and the oracle."""

import functools
import re

import numpy as np
import onnxruntime
import pytest
from harness import tolerance
from harness.compare import check_gradients, check_losses
from harness.session import session
from harness.tolerance import PREDICTION
from harness.tools import compile_model
from harness.tools import run as run_tool
from oracle import Adam, Graph, evaluate, loss_and_gradients, train

from models.gpt2 import ADAMW, BATCH, EXPORTS, LAYERS, LENGTH, LOSS, batches, recorded

# Float64 on both sides, but the file's constants and the recorded gradients are f32.
ORACLE = 1e-6

# Losses of ten steps of f32 against float64: Adam divides by the root of v, so
# rounding decides the direction where a gradient is near zero.
TEN_LOSSES = 1e-4


def exports(function):
    return pytest.mark.parametrize("export", EXPORTS, ids=lambda e: e.name)(function)


@functools.cache
def graph_of(name):
    export = next(e for e in EXPORTS if e.name == name)
    return Graph.load(export.path).tied(recorded(export).ties)


def parameters_of(export):
    """Initial values by the file's names; some are Identities of one initializer."""
    graph, names = graph_of(export.name), list(recorded(export).gradients)
    values = {n: graph.initializers[n] for n in names if n in graph.initializers}
    return {**values, **evaluate(graph, {}, [n for n in names if n not in values])}


def flags(export, batch=BATCH, length=LENGTH):
    numbers = "--lr=%g --weight-decay=%g --eps=%g" % tuple(
        ADAMW[k] for k in ("lr", "weight_decay", "eps")
    )
    return [
        "--bind=batch=%d" % batch,
        "--bind=seq=%d" % length,
        "--loss=" + LOSS,
        *numbers.split(),
        *("--tie=" + tie for tie in recorded(export).ties),
    ]


@exports
def test_the_oracle_is_pytorch(export):
    optimizer = Adam(ADAMW["lr"], ADAMW["weight_decay"], decoupled=True)
    trace = train(graph_of(export.name), LOSS, parameters_of(export), batches(export), optimizer)
    check_gradients(trace.first_gradients, recorded(export).gradients, ORACLE)
    check_losses(trace.losses, recorded(export).losses, ORACLE)


@pytest.fixture(scope="module")
def module_of(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gpt2")

    @functools.cache
    def compiled(export_name):
        export = next(e for e in EXPORTS if e.name == export_name)
        return compile_model(export.path, folder / (export_name + ".so"), *flags(export))

    return compiled


@exports
def test_ten_steps(export, module_of):
    wanted = recorded(export)
    with session(module_of(export.name)) as run:
        assert sorted(run.trained()) == sorted(wanted.gradients)
        first = next(batches(export))
        run.bind_all(first)
        gradients = run.gradients()
        check_gradients(gradients, wanted.gradients)
        _, of_oracle = loss_and_gradients(graph_of(export.name), LOSS, parameters_of(export), first)
        check_gradients(gradients, of_oracle)
        losses = [run.train_step(**batch) for batch in batches(export)]
    check_losses(losses, wanted.losses, TEN_LOSSES)


@exports
def test_trained_weights_return_to_the_file(export, module_of, tmp_path):
    """Under merged names and lost ties too: ONNX Runtime predicts what dsc does."""
    module, out = module_of(export.name), tmp_path / "out.onnx"
    with session(module) as run:
        for batch in batches(export):
            run.train_step(**batch)
        run.save(tmp_path / "w.safetensors")
        run.run("eval")
        wanted = run.output("eval", "logits")
    weights = "--weights=%s" % (tmp_path / "w.safetensors")
    result = run_tool("dsc", "export", module, weights, "-o", out)
    assert result.code == 0, str(result)
    feeds = {name: batch[name] for name in export.inputs}
    (got,) = onnxruntime.InferenceSession(str(out)).run(None, feeds)
    np.testing.assert_allclose(got, wanted, rtol=PREDICTION, atol=PREDICTION)


def bits(module, data, threads=1):
    """Losses and final parameters, as bytes."""
    with session(module, threads=threads) as run:
        losses = [run.train_step(**batch) for batch in data]
        return np.array(losses).tobytes(), {n: run.read(n).tobytes() for n in run.trained()}


@exports
def test_same_bits_at_any_thread_count_and_on_two_runs(export, tmp_path):
    """On batches that are large enough to be split."""
    size = dict(batch=64, length=24)
    module = compile_model(export.path, tmp_path / "m.so", *flags(export, **size))
    data = list(batches(export, **size))[:4]
    reference = bits(module, data)
    for threads in (1, 2, 3):
        assert bits(module, data, threads) == reference, "%d threads" % threads


@exports
@pytest.mark.parametrize("stage", [1, 2, 3])
def test_stages_over_one_rank_have_the_bits_of_stage_0(export, stage, module_of, tmp_path):
    """Gathers, parts, and the tied table, which is a group of its own."""
    zero = "-zero=%d" % stage
    module = compile_model(export.path, tmp_path / "m.so", *flags(export), zero)
    with session(module) as run:
        table = recorded(export).ties[0].split("=")[0] if recorded(export).ties else None
        groups = run.manifest["groups"]
        alone = [g["segments"][0]["tensor"] for g in groups if len(g["segments"]) == 1]
        assert table is None or table in alone
        # Each block is a group, also where the exporter lost names of weights.
        layers = [g for g in groups if re.search(r"h\.\d+$", g["name"])]
        assert len(layers) == LAYERS
        # Weights and biases of four products; the two norms have names with numbers.
        assert [len(g["segments"]) for g in layers] == [8] * LAYERS
    data = list(batches(export))
    assert bits(module, data) == bits(module_of(export.name), data)


@pytest.mark.parametrize("sizes", [[1, 2], [2, 1], [1, 1, 1]], ids=str)
def test_any_split_into_micro_batches_is_the_batch(sizes, tmp_path):
    """Weighted by valid tokens, of which the samples have 1, 15 and 8."""
    export = EXPORTS[0]
    whole = next(batches(export))
    for row, valid in enumerate([1, 15, 8]):
        whole["labels"][row] = whole["input_ids"][row]
        whole["labels"][row, valid + 1 :] = -100
    value, wanted = loss_and_gradients(graph_of(export.name), LOSS, parameters_of(export), whole)
    # Micro-batches are of one size; a short one is filled with samples of weight 0.
    size = max(sizes)
    module = compile_model(export.path, tmp_path / "m.so", *flags(export, batch=size))
    parts = []
    for begin, count in zip(np.cumsum([0, *sizes[:-1]]), sizes):
        rows = np.arange(begin, begin + size) % BATCH
        parts.append({name: array[rows] for name, array in whole.items()})
        parts[-1]["dsc.sample_weight"] = np.arange(size) < count
    with session(module) as run:
        loss, gradients = run.accumulated(parts)
    assert loss == pytest.approx(float(value), rel=tolerance.LOSS)
    check_gradients(gradients, wanted)
