"""Makes the GPT-2 exports and records PyTorch's losses and first gradients.

Run by hand, from test/e2e, where torch and the version of transformers that an
export names are installed (each version records its own exports):

    python -m models.record_gpt2

Losses and gradients are computed in float64, so that they stand for the
formulas and not for one machine's rounding.
"""

import contextlib
import io
import json

import numpy as np
import onnx
import torch
import transformers
from onnx import numpy_helper
from safetensors.numpy import save_file
from torch.nn import functional

from . import gpt2


def draw(model):
    """Weights without equal values, named and not ordered, so that every version
    of transformers draws the same."""
    rng = np.random.default_rng(23)
    for name, parameter in sorted(model.named_parameters()):
        values = 0.1 * rng.standard_normal(parameter.shape)
        scale = name.endswith("weight") and parameter.ndim == 1
        parameter.data = torch.tensor(values + scale, dtype=torch.float32)


def build(export):
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=gpt2.VOCABULARY,
        n_positions=gpt2.POSITIONS,
        n_embd=gpt2.WIDTH,
        n_layer=gpt2.LAYERS,
        n_head=gpt2.HEADS,
        use_cache=False,
        attn_implementation=export.attention,
    )
    model = transformers.GPT2LMHeadModel(config).eval()
    if export.weights == "drawn":
        draw(model)
    return model


def inputs_of(export, batch):
    return {name: torch.tensor(batch[name]) for name in export.inputs}


def write(export, model):
    axes = {0: "batch", 1: "seq"}
    if export.arguments["dynamo"]:
        dims = {i: torch.export.Dim(n, max=[64, gpt2.POSITIONS][i]) for i, n in axes.items()}
        shapes = dict(dynamic_shapes={n: dims for n in export.inputs}, external_data=False)
    else:
        shapes = dict(dynamic_axes={n: axes for n in [*export.inputs, "logits"]})
    with contextlib.redirect_stdout(io.StringIO()):
        torch.onnx.export(
            model,
            (),
            export.path,
            kwargs=inputs_of(export, next(gpt2.batches(export))),
            input_names=export.inputs,
            output_names=["logits"],
            **export.arguments,
            **shapes,
        )
    made = onnx.load(export.path)
    for node in made.graph.node:  # stack traces of the machine that exported
        del node.metadata_props[:]
        node.doc_string = ""
    for info in [*made.graph.value_info, *made.graph.input, *made.graph.output]:
        del info.metadata_props[:]
    del made.graph.metadata_props[:], made.metadata_props[:]
    onnx.save(made, export.path)
    return made


def facts_of(made, model):
    """What a user finds out by `dsc --params`: which parameters the file calls
    otherwise, and which of its tensors are lost ties."""
    values = {t.name: numpy_helper.to_array(t) for t in made.graph.initializer}
    names = {*values, *(n.output[0] for n in made.graph.node if n.op_type == "Identity")}
    aliases = {"transformer.wte.weight": "lm_head.weight"}
    renamed, ties = {}, []
    for name, parameter in model.named_parameters():
        if name not in names:
            renamed[name] = aliases[name]
        if parameter.ndim == 2:
            transposed = parameter.detach().numpy().T
            copies = [n for n, v in values.items() if np.array_equal(v, transposed)]
            ties += ["%s=%s^T" % (renamed.get(name, name), copy) for copy in copies]
    return {"renamed": renamed, "ties": ties}


def train(export, model):
    """(losses, first gradients) of ten steps of AdamW in float64."""
    model = model.double()
    optimizer = torch.optim.AdamW(model.parameters(), **gpt2.ADAMW)
    losses, gradients = [], None
    for batch in gpt2.batches(export):
        optimizer.zero_grad()
        logits = model(**inputs_of(export, batch)).logits[:, :-1]
        labels = torch.tensor(batch["labels"])[:, 1:]
        loss = functional.cross_entropy(logits.reshape(-1, gpt2.VOCABULARY), labels.reshape(-1))
        loss.backward()
        if gradients is None:
            gradients = {n: p.grad.float().numpy().copy() for n, p in model.named_parameters()}
        optimizer.step()
        losses.append(float("%.12g" % loss.item()))
    return losses, gradients


def main():
    path = gpt2.FOLDER / "gpt2.json"
    facts = json.loads(path.read_text()) if path.exists() else {"exports": {}, "losses": {}}
    for export in gpt2.EXPORTS:
        if export.transformers != transformers.__version__:
            print("%s: skipped, is by transformers %s" % (export.name, export.transformers))
            continue
        model = build(export)
        facts["exports"][export.name] = facts_of(write(export, model), model)
        losses, gradients = train(export, model)
        facts["losses"][export.recording] = losses
        save_file(gradients, gpt2.FOLDER / (export.recording + ".gradients.safetensors"))
    facts["torch"] = torch.__version__
    path.write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
