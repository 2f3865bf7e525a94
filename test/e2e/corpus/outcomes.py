"""What becomes of each model of the corpus.

TRAINED: the parameters are those that a person counted, first gradients equal the
oracle's. REFUSED: the exact first error line. A model that is refused today and
compiles tomorrow fails the test: move it up. The first table may only grow.
"""

from dataclasses import dataclass, field


@dataclass
class Outcome:
    loss: str
    parameters: int  # how many tensors are trained, and why these
    flags: list = field(default_factory=list)
    # Shapes of trained graph inputs, which the file has no data for.
    inputs: dict = field(default_factory=dict)
    ties: list = field(default_factory=list)
    # Integer inputs are drawn below these, others from 0 and 1.
    limits: dict = field(default_factory=dict)


def _sizes(**sizes):
    return ["--bind=%s=%d" % pair for pair in sizes.items()]


_QKV = {name: (1, 4, 8) for name in "qkv"}

TRAINED = {
    "burn_multi_output.onnx": Outcome("sum(15)", 8),
    "burn_prescaled_sdpa.onnx": Outcome("mse(output,target)", 3, ["--train=^[qkv]$"], _QKV),
    # Scale and bias; the names of the dims are expressions.
    "diag_expr_dims.onnx": Outcome(
        "mse(layer_norm_1,target)", 2, ["--bind=linear=2x3x1024", "--bind=mul_178=2x3x1024"]
    ),
    # 4 layers of 4 matrices and 2 scales, final scale, two tables, head; the scales
    # are Identities of one initializer, and the causal masks are buffers.
    "ezkl_nanogpt.onnx": Outcome(
        "cross_entropy(output,labels)", 28, _sizes(batch_size=2), limits={"input": 65}
    ),
    # 4 matrices, 2 biases, 2 scales and 2 shifts (the second of each is an Identity).
    "ezkl_self_attention.onnx": Outcome("mse(output,target)", 10, _sizes(batch_size=2)),
    "marabou_shared_weights.onnx": Outcome("sum(output_1)", 8),
    # 4 matrices and biases; mean and inverse deviation of the observation are buffers.
    "mujoco_g1_policy.onnx": Outcome("mse(continuous_actions,target)", 8),
    # Weight and bias are graph inputs.
    "ort_attn_mask2d.onnx": Outcome(
        "mse(output,target)",
        2,
        [*_sizes(batch=2, seq_len=4), "--train=^(weight|bias)$"],
        {"weight": (768, 2304), "bias": (2304,)},
    ),
    # 94 float initializers less the two of the pooler and the two of the other head.
    "ort_bert_toy.onnx": Outcome(
        "cross_entropy(prediction_scores,labels)",
        90,
        _sizes(batch=2, max_seq_len_in_batch=5),
        limits={"input_ids": 99, "token_type_ids": 16},
    ),
    # A table, and what is added to each of three copies and to their concatenation.
    "ort_concat_trainable.onnx": Outcome(
        "sum(predictions)", 5, _sizes(batch=4, seq_len=4), limits={"input_1": 1000}
    ),
    # What is dropped with a ratio of 0 is the input. One ratio is an input, too.
    "ort_dropout_ratio.onnx": Outcome(
        "sum(O1)", 1, ["--train=^X2?$", "--init=zeros@X2"], {"X": (2, 1)}
    ),
    # 12 layers of 12, final scale and shift, two tables; the masks are buffers.
    "ort_gpt2_past.onnx": Outcome(
        "mse(last_state,target)", 148, _sizes(batch_size=2, seq_len=3), limits={"input_ids": 20}
    ),
    # Scale and shift are inputs. The exponent and epsilon are settings.
    "ort_layernorm_decomposed.onnx": Outcome(
        "mse(Y,target)",
        2,
        ["--bind=None=4", "--train=^(Scale|B)$"],
        {"Scale": (4,), "B": (4,)},
    ),
    # Two of the three have no elements.
    "ort_lora_two_params.onnx": Outcome("mse(output,target)", 3),
    "ort_megatron_mlp.onnx": Outcome("mse(output,target)", 4, _sizes(batch=2, seqlen=3)),
    "ort_megatron_selfattn.onnx": Outcome("mse(output,target)", 4, _sizes(batch=2, seqlen=3)),
    # Two matrices and biases, two scales and shifts; predictions at masked positions.
    "ort_mlm_gathernd_e2e.onnx": Outcome(
        "cross_entropy(output,labels)",
        8,
        _sizes(batch=4, dynamic_prediction_count=3, seqlen=5),
        limits={"unsqueezed_masked_lm_positions": 5},
    ),
    "ort_mnist_mlp.onnx": Outcome("cross_entropy(predictions,target)", 6),
}

# Models without a parameter, by --forward: with what flags, and the outputs that
# ONNX Runtime draws no random numbers for (None: all).
FORWARD = {
    "burn_prescaled_sdpa.onnx": ([], None),
    "ort_dropout_ratio.onnx": (["--training-mode=eval"], ["O1", "O4", "O5"]),
}

# With what the exporter lost: the head is the embedding, transposed.
TRAINED_TIED = {
    "ezkl_nanogpt.onnx": Outcome(
        "cross_entropy(output,labels)",
        27,
        _sizes(batch_size=2),
        ties=["transformer.wte.weight=onnx::MatMul_543^T"],
        limits={"input": 65},
    ),
}

_PATH = "error: unsupported operators between trained parameters and outputs: "
_ANY = "error: unsupported operators: "

# model -> first error line, after the file's name
REFUSED = {
    "burn_mnist_cnn.onnx": _PATH + "Conv, BatchNormalization",
    "burn_opset13_72ops.onnx": _PATH + "Pad",
    "burn_unknown_rank.onnx": "error: no trained parameter influences the loss; train some with "
    "--train=REGEX or choose another --loss",
    "ezkl_ltsf.onnx": _ANY + "AveragePool",
    "marabou_cifar_deep.onnx": _PATH + "Conv",
    "onnx_light_resnet50.onnx": _PATH + "Conv, BatchNormalization, MaxPool, AveragePool",
    "ort_cntk_mnist.onnx": _PATH + "Conv, MaxPool",
    "ort_recompute_gelu.onnx": _ANY + "com.microsoft::YieldOp, com.microsoft::GeluGrad",
    "ort_tapi_adamw.onnx": _ANY + "com.microsoft::AdamWOptimizer",
    "ort_tapi_training_model.onnx": _PATH + "com.microsoft::SoftmaxCrossEntropyLossGrad, "
    "com.microsoft::ReluGrad, com.microsoft::InPlaceAccumulatorV2",
    # x + x of an input: there is nothing to train.
    "trt_add_dup_inputs.onnx": "error: no trained parameter influences the loss; train some with "
    "--train=REGEX or choose another --loss",
    "trt_bad_parallel_nodes.onnx": "node 'MatMul_0' (MatMul): error: cannot multiply 'A' (1x3) by 'B' "
    "(4x4): inner dimensions 3 and 4 differ",
    "trt_matmul_bf16.onnx": "initializer 'b': error: element type bfloat16 (16) is not supported",
    "trt_residual_block.onnx": _PATH + "Conv, BatchNormalization, MaxPool",
    "trt_unsorted.onnx": "error: no trained parameter influences the loss; train some with "
    "--train=REGEX or choose another --loss",
}
