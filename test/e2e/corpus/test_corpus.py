"""Other people's models: what they are known to give, or why they are refused."""

import numpy as np
import onnx
import pytest
from corpus.outcomes import REFUSED, TRAINED
from harness import tolerance
from harness.compare import check_gradients
from harness.golden import LOSSES, golden
from harness.session import session
from harness.tools import compile_model, run
from oracle import Graph, Loss, loss_and_gradients
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


def random_batch(running):
    """Inputs in (-1, 1), classes within their range."""
    rng, batch = np.random.default_rng(2), {}
    for name, row in running.inputs.items():
        if row["role"] == "labels":
            batch[name] = rng.integers(0, row["classes"], row["shape"])
        elif row["role"] != "sample_weight":
            batch[name] = rng.uniform(-1, 1, row["shape"]).astype(np.float32)
    return batch


def check_first_gradients(path, module, loss):
    graph = Graph.load(path)
    with session(module) as running:
        batch = random_batch(running)
        running.bind_all(batch)
        parameters = {n: running.read(n) for n in running.trained()}
        assert parameters
        value, wanted = loss_and_gradients(graph, Loss(loss), parameters, batch)
        # A sum may cancel: then only the rounding of its terms is left.
        assert running.eval_loss() == pytest.approx(float(value), rel=1e-5, abs=1e-6)
        check_gradients(running.gradients(), wanted)


@pytest.mark.parametrize("name", TRAINED)
def test_first_gradients(corpus, name, tmp_path):
    loss, flags = TRAINED[name]
    module = compile_model(corpus / name, tmp_path / "model.so", "--loss=" + loss, *flags)
    check_first_gradients(corpus / name, module, loss)


def test_decomposed_layer_normalisation(corpus, tmp_path):
    """Scale and shift are inputs of symbolic size. The exponent is frozen: it has
    no gradient where its base is negative."""
    path, loss = corpus / "ort_layernorm_decomposed.onnx", "mse(Y,target)"
    weights = {"Scale": np.linspace(0.5, 1.5, 4), "B": np.linspace(-1, 1, 4)}
    save_file({k: v.astype(np.float32) for k, v in weights.items()}, tmp_path / "w.safetensors")
    flags = ["--bind=None=4", "--train=^(Scale|B)$", "--freeze=Pow_B"]
    flags += ["--weights=%s" % (tmp_path / "w.safetensors"), "--loss=" + loss]
    check_first_gradients(path, compile_model(path, tmp_path / "model.so", *flags), loss)


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
    elsewhere = {"ort_tapi_eval_model.onnx", "ort_layernorm_decomposed.onnx"}
    files = {p.name for p in corpus.glob("*.onnx")} - elsewhere
    assert files == set(TRAINED) | set(REFUSED)
