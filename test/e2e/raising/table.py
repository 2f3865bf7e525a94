"""How many operations each model must be raised to.

The numbers were counted by reading the graphs, never taken from what dsc prints;
the comment says what was seen. A number may change only with its reason.
"""

from dataclasses import dataclass


@dataclass
class Raised:
    layer_norm: int = 0
    gelu: int = 0
    attention: int = 0
    # Of the attentions: how many hide later keys, and how many add a mask.
    causal: int = 0
    biased: int = 0
    # What must stay as it is, because it only looks alike.
    softmax: int = 0


_GPT2 = ["--bind=batch=3", "--bind=seq=16"]

# Models of this folder's neighbour `models`: 2 layers, each with two norms, one
# gelu by tanh and one causal attention, and a norm at the end.
MODELS = {
    # Pow, Sqrt, Div; scores / 2.83, then Where with a slice of ones and -3.4e38.
    "gpt2_torchscript.onnx": (_GPT2, Raised(5, 2, 2, causal=2)),
    # Half of the scale on q and k each; a mask of Range and Less is added, and NaN
    # is replaced.
    "gpt2_torchscript_unfolded.onnx": (_GPT2, Raised(5, 2, 2, causal=2)),
    # LayerNormalization is one node; behind the causal Where (1 - mask) * -3.4e38
    # of an input is added.
    "gpt2_torchscript_masked.onnx": (_GPT2, Raised(5, 2, 2, causal=2, biased=2)),
    # The mask is computed by functions from counted rows and columns.
    "gpt2_dynamo.onnx": (_GPT2, Raised(5, 2, 2, causal=2)),
    # The mask tells packed sequences apart, of which there is one: causal.
    "gpt2_dynamo_packed.onnx": (_GPT2, Raised(5, 2, 2, causal=2)),
}

# Other people's models.
CORPUS = {
    # Scores scaled by sqrt(1/sqrt(4)) on both sides, no mask.
    "burn_prescaled_sdpa.onnx": (["--train=^[qkv]$"], Raised(attention=1)),
    # One LayerNormalization node.
    "diag_expr_dims.onnx": (
        ["--bind=linear=2x3x1024", "--bind=mul_178=2x3x1024"],
        Raised(layer_norm=1),
    ),
    # 4 layers of two norms and a gelu, a norm at the end. Hidden scores become -10,
    # which a softmax does not hide: no attention.
    "ezkl_nanogpt.onnx": (["--bind=batch_size=2"], Raised(9, 4, softmax=4)),
    # One such layer.
    "ezkl_self_attention.onnx": (["--bind=batch_size=2"], Raised(2, 1, softmax=1)),
    # Products with sigmoids, and nothing else to find.
    "mujoco_g1_policy.onnx": ([], Raised()),
    # Scores / 8 plus (1 - mask) * -10000 of an input.
    "ort_attn_mask2d.onnx": (
        ["--bind=batch=2", "--bind=seq_len=4", "--train=^(weight|bias)$"],
        Raised(attention=1, biased=1),
    ),
    # 5 layers of two norms, a gelu by Erf and an attention with the same mask of an
    # input; a norm behind the embeddings; a gelu and a norm before the scores. The
    # Tanh of the pooler is no gelu.
    "ort_bert_toy.onnx": (
        ["--bind=batch=2", "--bind=max_seq_len_in_batch=5"],
        Raised(12, 6, 5, biased=5),
    ),
    # What is dropped is the input.
    "ort_dropout_ratio.onnx": (["--train=^X$", "--training-mode=eval"], Raised()),
    # 12 layers of two norms, a gelu by Tanh and an attention of one token over a
    # cache, for which the causal mask hides nothing; a norm at the end.
    "ort_gpt2_past.onnx": (["--bind=batch_size=2", "--bind=seq_len=3"], Raised(25, 12, 12)),
    # Pow, ReduceMean, Sqrt, Div with scale on the left.
    "ort_layernorm_decomposed.onnx": (
        ["--bind=None=4", "--train=^(Scale|B)$"],
        Raised(layer_norm=1),
    ),
    # One node com.microsoft.Gelu.
    "ort_megatron_mlp.onnx": (["--bind=batch=2", "--bind=seqlen=3"], Raised(gelu=1)),
    # Scores are divided by a mask that is an input, multiplied by it, and it is
    # subtracted: no scale that is a number, no attention.
    "ort_megatron_selfattn.onnx": (["--bind=batch=2", "--bind=seqlen=3"], Raised(softmax=1)),
}
