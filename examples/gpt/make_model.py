"""Exports the example's language model from PyTorch, without its weights, as gpt.onnx.

    pip install torch onnx onnxscript
    python make_model.py

gpt.onnx is committed, so this need not be run; it is what made the file. The
weights, which the exporter puts into a file of their own, are left out: dsc
draws initial ones by its --init rules.
"""

import pathlib
import tempfile

import onnx
import torch
from torch import nn
from torch.nn import functional

VOCABULARY, CONTEXT, WIDTH, HEADS, LAYERS = 256, 64, 128, 4, 4


class Projection(nn.Module):
    """x weight + bias, with the weight as GPT-2 stores it: transposed weights of
    nn.Linear lose their names in the exporter's constant folding."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(inputs, outputs))
        self.bias = nn.Parameter(torch.empty(outputs))

    def forward(self, x):
        return x @ self.weight + self.bias


class Block(nn.Module):
    """A pre-norm transformer layer of GPT-2."""

    def __init__(self):
        super().__init__()
        self.ln_1 = nn.LayerNorm(WIDTH)
        self.attn = Projection(WIDTH, 3 * WIDTH)
        self.attn_proj = Projection(WIDTH, WIDTH)
        self.ln_2 = nn.LayerNorm(WIDTH)
        self.fc = Projection(WIDTH, 4 * WIDTH)
        self.fc_proj = Projection(4 * WIDTH, WIDTH)

    def forward(self, x):
        x = x + self.attend(self.ln_1(x))
        hidden = functional.gelu(self.fc(self.ln_2(x)), approximate="tanh")
        return x + self.fc_proj(hidden)

    def attend(self, x):
        batch, length, _ = x.shape
        heads = [
            part.view(batch, length, HEADS, WIDTH // HEADS).transpose(1, 2)
            for part in self.attn(x).split(WIDTH, dim=2)
        ]
        y = functional.scaled_dot_product_attention(*heads, is_causal=True)
        return self.attn_proj(y.transpose(1, 2).reshape(batch, length, WIDTH))


class Gpt(nn.Module):
    """Bytes to scores of the byte that follows each of them."""

    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(VOCABULARY, WIDTH)
        self.wpe = nn.Embedding(CONTEXT, WIDTH)
        self.h = nn.ModuleList(Block() for _ in range(LAYERS))
        self.ln_f = nn.LayerNorm(WIDTH)
        self.lm_head = Projection(WIDTH, VOCABULARY)

    def forward(self, tokens):
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.wte(tokens) + self.wpe(positions)
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x))


def main():
    torch.manual_seed(0)
    model = Gpt()
    # The exporter makes one tensor of parameters that start equal, and what is
    # one tensor in the file is trained as one.
    for parameter in model.parameters():
        nn.init.normal_(parameter)
    path = pathlib.Path(__file__).resolve().parent / "gpt.onnx"
    with tempfile.TemporaryDirectory() as folder:
        exported = pathlib.Path(folder) / path.name
        torch.onnx.export(
            model,
            (torch.zeros(2, CONTEXT - 1, dtype=torch.int64),),
            exported,
            input_names=["tokens"],
            output_names=["logits"],
            dynamic_shapes=(
                {0: torch.export.Dim("batch"), 1: torch.export.Dim("sequence", max=CONTEXT)},
            ),
            external_data=True,
            dynamo=True,
        )
        graph = onnx.load(exported, load_external_data=False)
    # The exporter notes for each node where in this machine's files it comes from.
    for node in graph.graph.node:
        del node.metadata_props[:]
    onnx.save(graph, path)
    parameters = sum(p.numel() for p in model.parameters())
    print("%s: %d parameters, %d bytes" % (path.name, parameters, path.stat().st_size))


if __name__ == "__main__":
    main()
