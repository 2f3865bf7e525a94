"""What becomes of each model of the corpus.

TRAINED: first gradients equal the oracle's. REFUSED: the exact first error line.
A model that is refused today and compiles tomorrow fails the test: move it up.
The first table may only grow.
"""

# model -> (loss, flags)
TRAINED = {
    "burn_multi_output.onnx": ("sum(15)", []),
    "burn_prescaled_sdpa.onnx": ("mse(output,target)", []),
    "marabou_shared_weights.onnx": ("sum(output_1)", []),
    "ort_lora_two_params.onnx": ("mse(output,target)", []),
    "ort_mnist_mlp.onnx": ("cross_entropy(predictions,target)", []),
}

_PATH = "error: unsupported operators between trained parameters and outputs: "
_ANY = "error: unsupported operators: "

# model -> first error line, after the file's name
REFUSED = {
    "burn_mnist_cnn.onnx": _PATH + "Conv, BatchNormalization",
    "burn_opset13_72ops.onnx": _PATH + "Pad",
    "burn_unknown_rank.onnx": "error: no trained parameter influences the loss; train some with "
    "--train=REGEX or choose another --loss",
    "diag_expr_dims.onnx": _PATH + "LayerNormalization",
    "ezkl_ltsf.onnx": _ANY + "Slice, Expand, Tile, Concat, AveragePool",
    "ezkl_nanogpt.onnx": _PATH + "Gather, Split",
    "ezkl_self_attention.onnx": _PATH + "Split",
    "marabou_cifar_deep.onnx": _PATH + "Conv",
    "mujoco_g1_policy.onnx": _PATH + "Split",
    "onnx_light_resnet50.onnx": _PATH + "Conv, BatchNormalization, MaxPool, Sum, AveragePool",
    "ort_attn_mask2d.onnx": _ANY + "Shape, Slice, Concat, Gather, Split",
    "ort_bert_toy.onnx": _PATH + "Gather, Erf",
    "ort_cntk_mnist.onnx": _PATH + "Conv, MaxPool",
    "ort_concat_trainable.onnx": _PATH + "Gather, Concat",
    "ort_dropout_ratio.onnx": "initializer 'ratio_zero_float16': error: element type float16 (10) "
    "is not supported",
    "ort_gpt2_past.onnx": "node '284' (Constant): error: defines '284', which is already defined "
    "elsewhere in the graph",
    "ort_megatron_mlp.onnx": _PATH + "com.microsoft::Gelu",
    "ort_megatron_selfattn.onnx": _PATH + "Split",
    "ort_mlm_gathernd_e2e.onnx": _PATH
    + "LayerNormalization, com.microsoft::Gelu, GatherND, Gather",
    "ort_recompute_gelu.onnx": _ANY
    + "com.microsoft::Gelu, com.microsoft::YieldOp, com.microsoft::GeluGrad",
    "ort_tapi_adamw.onnx": _ANY + "com.microsoft::AdamWOptimizer",
    "ort_tapi_training_model.onnx": _PATH + "com.microsoft::SoftmaxCrossEntropyLossGrad, "
    "com.microsoft::ReluGrad, com.microsoft::InPlaceAccumulatorV2",
    # x + x of an input: there is nothing to train.
    "trt_add_dup_inputs.onnx": "error: no trained parameter influences the loss; train some with "
    "--train=REGEX or choose another --loss",
    "trt_bad_parallel_nodes.onnx": _ANY + "NonZero",
    "trt_matmul_bf16.onnx": "initializer 'b': error: element type bfloat16 (16) is not supported",
    "trt_residual_block.onnx": _PATH + "Conv, BatchNormalization, MaxPool, Sum",
    "trt_unsorted.onnx": "error: no trained parameter influences the loss; train some with "
    "--train=REGEX or choose another --loss",
}
