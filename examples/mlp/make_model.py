"""Exports the example's network from PyTorch, untrained, as mlp.onnx.

    pip install torch onnx onnxscript
    python make_model.py

mlp.onnx is committed, so this need not be run; it is what made the file.
"""

import os

import onnx
import torch
from torch import nn


class Mlp(nn.Module):
    """An 8 x 8 grey image to ten scores."""

    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(64, 128)
        self.fc2 = nn.Linear(128, 64)
        self.fc3 = nn.Linear(64, 10)

    def forward(self, image):
        x = image.flatten(1)
        x = torch.relu(self.fc1(x))
        x = torch.relu(self.fc2(x))
        return self.fc3(x)


def main():
    torch.manual_seed(0)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mlp.onnx")
    torch.onnx.export(
        Mlp(),
        (torch.zeros(2, 1, 8, 8),),
        path,
        input_names=["image"],
        output_names=["logits"],
        dynamic_shapes=({0: torch.export.Dim("batch")},),
        external_data=False,
        dynamo=True,
    )
    # The exporter notes for each node where in this machine's files it comes from.
    model = onnx.load(path)
    for node in model.graph.node:
        del node.metadata_props[:]
    onnx.save(model, path)


if __name__ == "__main__":
    main()
