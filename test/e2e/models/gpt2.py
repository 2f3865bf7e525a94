"""The committed GPT-2 exports: what each is, and the batches that they train on.

All are Hugging Face's GPT2LMHeadModel, two layers wide enough for four heads.
record_gpt2.py made the files; this module is what it and the tests share.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent
VOCABULARY, POSITIONS, WIDTH, LAYERS, HEADS = 61, 24, 32, 2, 4
STEPS, BATCH, LENGTH = 10, 3, 16
ADAMW = dict(lr=5e-3, weight_decay=0.01, betas=(0.9, 0.999), eps=1e-8)
LOSS = "cross_entropy(logits,labels,shift=1)"


@dataclass
class Export:
    """One file. `weights` names the values that it carries: "fresh" as Hugging
    Face initializes a model (scales one, biases zero, which exporters merge),
    or "drawn" at random, none equal."""

    name: str
    transformers: str  # the version that wrote it
    attention: str
    arguments: dict  # of torch.onnx.export
    weights: str = "drawn"
    masked: bool = False  # with the input attention_mask
    inputs: list = field(init=False)

    def __post_init__(self):
        self.inputs = ["input_ids"] + ["attention_mask"] * self.masked

    @property
    def path(self):
        return FOLDER / (self.name + ".onnx")

    @property
    def recording(self):
        """Exports that compute the same share the recorded values."""
        return "gpt2_%s%s" % (self.weights, "_masked" if self.masked else "")


def _torchscript(opset, folded):
    return dict(dynamo=False, opset_version=opset, do_constant_folding=folded)


def _dynamo(opset):
    return dict(dynamo=True, opset_version=opset)


EXPORTS = [
    # Folded: the head is a transposed copy of the embedding, and equal scales and
    # biases are one initializer with Identity nodes.
    Export("gpt2_torchscript", "4.46.3", "eager", _torchscript(13, True), "fresh"),
    Export("gpt2_torchscript_unfolded", "4.46.3", "sdpa", _torchscript(14, False)),
    Export("gpt2_torchscript_masked", "4.46.3", "eager", _torchscript(17, True), masked=True),
    Export("gpt2_dynamo", "4.46.3", "sdpa", _dynamo(18)),
    # Masks of today's Transformers: GatherND, CumSum and IsNaN over constants.
    Export("gpt2_dynamo_packed", "5.24.0", "sdpa", _dynamo(20)),
]


def batches(export, batch=BATCH, length=LENGTH):
    """Ten batches of tokens that count up by one or two, some labels ignored,
    padding at the end."""
    rng = np.random.default_rng(17)
    for _ in range(STEPS):
        first, stride = rng.integers(0, VOCABULARY, (batch, 1)), rng.integers(1, 3, (batch, 1))
        ids = (first + stride * np.arange(length)) % VOCABULARY
        labels = np.where(rng.uniform(size=ids.shape) < 0.1, -100, ids)
        made = {"input_ids": ids, "labels": labels}
        if export.masked:
            lengths = rng.integers(2, length + 1, (batch, 1))
            mask = (np.arange(length) < lengths).astype(np.int64)
            made = {
                "input_ids": ids * mask,
                "attention_mask": mask,
                "labels": np.where(mask == 1, labels, -100),
            }
        yield made


@dataclass
class Recording:
    losses: list
    gradients: dict  # of the first step, by the name that the file gives the parameter
    ties: list  # what --tie says to make the file the model that was recorded


def recorded(export):
    from safetensors.numpy import load_file

    facts = json.loads((FOLDER / "gpt2.json").read_text())
    of_file = facts["exports"][export.name]
    gradients = load_file(FOLDER / (export.recording + ".gradients.safetensors"))
    return Recording(
        facts["losses"][export.recording],
        {of_file["renamed"].get(name, name): g for name, g in gradients.items()},
        of_file["ties"],
    )
