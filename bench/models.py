"""Models that several benchmarks train."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples/gpt"))

# The command line of dsc for gpt_6x384: batch 4 of 256 tokens, drawn weights.
GPT_FLAGS = [
    "--bind=batch=4",
    "--bind=sequence=256",
    "--loss=cross_entropy(logits,labels)",
    "--init=normal(0.02)@weight$",
    "--init=zeros@bias$",
    "--init=ones@ln_.*weight$",
]
GPT_BATCH, GPT_LENGTH = 4, 256


def gpt_6x384(path):
    """Writes the example's GPT with 6 layers of width 384, 256 tokens, without
    its weights."""
    gpt(path, layers=6, width=384)


def gpt(path, layers, width, length=GPT_LENGTH):
    """The same of another size, with heads of 64."""
    import make_model
    import onnx
    import torch

    make_model.CONTEXT, make_model.WIDTH = length, width
    make_model.HEADS, make_model.LAYERS = width // 64, layers
    torch.manual_seed(0)
    model = make_model.Gpt()
    for parameter in model.parameters():  # equal ones would become one tensor
        torch.nn.init.normal_(parameter)
    axes = {0: "batch", 1: "sequence"}
    full = path.with_suffix(".full.onnx")
    torch.onnx.export(
        model,
        (torch.zeros(2, 8, dtype=torch.int64),),
        full,
        input_names=["tokens"],
        output_names=["logits"],
        dynamic_axes={"tokens": axes, "logits": axes},
        opset_version=17,
        dynamo=False,
    )
    graph = onnx.load(full)
    onnx.save(
        graph,
        path,
        save_as_external_data=True,
        location=path.stem + ".weights",
        size_threshold=1024,
    )
    (path.parent / (path.stem + ".weights")).unlink()
    full.unlink()
