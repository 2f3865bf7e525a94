"""The oracle's forward values of other people's models against ONNX Runtime."""

import warnings

import numpy as np
import onnx
import onnxruntime
import pytest
from harness.compare import relative_error
from oracle import Graph, evaluate

# f32 against float64 through a few layers.
F32 = 2e-5

# model -> sizes of its symbolic dims
MODELS = {
    "burn_prescaled_sdpa.onnx": {},
    "diag_expr_dims.onnx": {"s0": 2, "(((s1 - 1)//8)) + 1": 3},
    "ezkl_nanogpt.onnx": {"batch_size": 2},
    "ezkl_self_attention.onnx": {"batch_size": 2},
    "mujoco_g1_policy.onnx": {},
    "ort_attn_mask2d.onnx": {"batch": 2, "seq_len": 4},
    "ort_bert_toy.onnx": {"batch": 2, "max_seq_len_in_batch": 5},
    "ort_dropout_ratio.onnx": {},
    "ort_gpt2_past.onnx": {"batch_size": 2, "seq_len": 3},
    "ort_layernorm_decomposed.onnx": {"None": 4},
    "ort_lora_two_params.onnx": {"dim": 3},
    "ort_megatron_mlp.onnx": {"batch": 2, "seqlen": 3},
    "ort_megatron_selfattn.onnx": {"batch": 2, "seqlen": 3},
    "ort_mnist_mlp.onnx": {},
}

# ONNX Runtime refuses Equal on floats at opset 10, which the oracle and dsc read;
# the meaning is that of opset 11.
OPSET = {"ezkl_nanogpt.onnx": 11, "ezkl_self_attention.onnx": 11}

# The outputs that are no random numbers.
OUTPUTS = {"ort_dropout_ratio.onnx": ["O1", "O4", "O5"]}


def feeds_of(model, sizes):
    rng, feeds = np.random.default_rng(3), {}
    for info in model.graph.input:
        kind = info.type.tensor_type
        shape = [sizes[d.dim_param] if d.dim_param else d.dim_value for d in kind.shape.dim]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type)
        whole = np.issubdtype(dtype, np.integer)
        drawn = rng.integers(0, 2, shape) if whole else rng.uniform(0.1, 0.9, shape)
        feeds[info.name] = np.asarray(drawn, dtype)
    return feeds


@pytest.mark.parametrize("name", MODELS)
def test_forward(corpus, name):
    model = onnx.load(corpus / name)
    model.opset_import[0].version = OPSET.get(name, model.opset_import[0].version)
    feeds = feeds_of(model, MODELS[name])
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    outputs = OUTPUTS.get(name, [o.name for o in session.get_outputs()])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = evaluate(Graph.load(model), feeds, outputs)
    for output, wanted in zip(outputs, session.run(outputs, feeds)):
        assert relative_error(got[output], wanted) < F32, output
