"""Other people's models: what they are known to give, or why they are refused."""

import numpy as np
import onnx
import pytest
from corpus.outcomes import FORWARD, REFUSED, TRAINED, TRAINED_TIED
from harness import tolerance
from harness.compare import check_gradients
from harness.golden import LOSSES, golden
from harness.session import session
from harness.tools import compile_model, run
from oracle import Graph, Loss, evaluate, loss_and_gradients
from safetensors.numpy import save_file

GOLDEN_FLAGS = [
    "--bind",
    "input-0=2x784",
    "--bind",
    "labels=2",
    "--train=fc.*",
    "--optimizer=adam",
    "--adam-epsilon=uncorrected",
    "--eps=1e-6",
    "--lr=1e-3",
]


def test_golden_ort_mnist(corpus, tmp_path):
    """Parameters are graph inputs, labels int32; the second loss tells Adam's two
    epsilon placements apart."""
    parameters, batch = golden(corpus)
    save_file(parameters, tmp_path / "w.safetensors")
    weights = "--weights=%s" % (tmp_path / "w.safetensors")
    model = corpus / "ort_tapi_eval_model.onnx"
    module = compile_model(model, tmp_path / "golden.so", weights, *GOLDEN_FLAGS)
    with session(module, batch) as running:
        losses = [running.train_step() for _ in range(2)]
    assert losses == pytest.approx(LOSSES, rel=tolerance.GOLDEN)


def random_batch(running, outcome):
    """Inputs in (-1, 1), classes and indices within their range."""
    rng, batch = np.random.default_rng(2), {}
    for name, row in running.inputs.items():
        if row["role"] == "labels":
            batch[name] = rng.integers(0, row["classes"], row["shape"])
        elif row["type"] in ("i32", "i64"):
            batch[name] = rng.integers(0, outcome.limits.get(name, 2), row["shape"])
        elif row["role"] != "sample_weight":
            batch[name] = rng.uniform(-1, 1, row["shape"]).astype(np.float32)
    return batch


def data_of_inputs(outcome, folder):
    """--weights for trained graph inputs."""
    if not outcome.inputs:
        return []
    rng = np.random.default_rng(4)
    # As small as at the start of a training, lest softmax saturates.
    drawn = {n: rng.uniform(-1, 1, s) / np.sqrt(s[0]) for n, s in outcome.inputs.items()}
    drawn = {n: values.astype(np.float32) for n, values in drawn.items()}
    save_file(drawn, folder / "w.safetensors")
    return ["--weights=%s" % (folder / "w.safetensors")]


@pytest.mark.parametrize(
    "name, outcome",
    [*TRAINED.items(), *TRAINED_TIED.items()],
    ids=[*TRAINED, *("tied-" + name for name in TRAINED_TIED)],
)
def test_first_gradients(corpus, name, outcome, tmp_path):
    options = [*outcome.flags, *data_of_inputs(outcome, tmp_path)]
    options += ["--loss=" + outcome.loss, *("--tie=" + tie for tie in outcome.ties)]
    module = compile_model(corpus / name, tmp_path / "model.so", *options)
    graph = Graph.load(corpus / name).tied(outcome.ties)
    with session(module) as running:
        batch = random_batch(running, outcome)
        running.bind_all(batch)
        parameters = {n: running.read(n) for n in running.trained()}
        assert len(parameters) == outcome.parameters, sorted(parameters)
        value, wanted = loss_and_gradients(graph, Loss(outcome.loss), parameters, batch)
        # A sum may cancel: then only the rounding of its terms is left.
        assert running.eval_loss() == pytest.approx(float(value), rel=1e-5, abs=1e-6)
        check_gradients(running.gradients(), wanted)


@pytest.mark.parametrize("name", FORWARD)
def test_forward(corpus, name, tmp_path):
    flags, outputs = FORWARD[name]
    module = compile_model(corpus / name, tmp_path / "model.so", "--forward", *flags)
    graph = Graph.load(corpus / name)
    with session(module) as running:
        batch = random_batch(running, TRAINED[name])
        running.bind_all(batch)
        running.run("forward")
        for output, wanted in evaluate(graph, batch, outputs or graph.outputs).items():
            got = running.output("forward", output)
            np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6, err_msg=output)


def flags_for_anything(path):
    """Sizes for all symbolic dims, and some loss."""
    graph = onnx.load(path).graph
    given = {t.name for t in graph.initializer}
    shapes = [i.type.tensor_type.shape for i in graph.input if i.name not in given]
    dims = sorted({d.dim_param for s in shapes for d in s.dim if d.dim_param})
    return ["--loss=sum(%s)" % graph.output[0].name, *("--bind=%s=4" % d for d in dims)]


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(corpus, name, tmp_path):
    result = run(
        "dsc", name, "-o", tmp_path / "m.so", *flags_for_anything(corpus / name), cwd=corpus
    )
    errors = [line for line in result.err.splitlines() if "error: " in line]
    assert result.code == 1, str(result)
    assert errors[0] == "%s: %s" % (name, REFUSED[name])
    assert not list(tmp_path.iterdir())


def test_an_unsorted_graph_is_sorted_with_a_notice(corpus, tmp_path):
    name = "trt_unsorted.onnx"
    result = run("dsc", name, "--emit=import", "-o", tmp_path / "m.mlir", cwd=corpus)
    assert result.code == 0, str(result)
    assert result.first_line() == (
        "trt_unsorted.onnx: node 'onnx_graphsurgeon_node_3' (Identity): remark: the file lists "
        "this node before node 'onnx_graphsurgeon_node_1' (Identity), whose result "
        "'identity_out_0' it reads; the nodes were sorted"
    )


def test_every_model_has_an_outcome(corpus):
    files = {p.name for p in corpus.glob("*.onnx")} - {"ort_tapi_eval_model.onnx"}
    assert files == set(TRAINED) | set(REFUSED)
