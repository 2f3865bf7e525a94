"""Records PyTorch's losses, first gradients and final parameters of step/cases.py.

Run by hand where torch is installed, from test/e2e:

    python -m step.record_pytorch > step/pytorch.json

The values are computed in float64, so that they stand for the formulas and not
for one machine's rounding.
"""

import json
import sys

import torch
from oracle import Graph
from torch.nn import functional

from .cases import CASES, SIZES


def _forward(parameters, x, case):
    activation = getattr(torch, case.model.get("activation", "Relu").lower())
    layers = len(SIZES) - 1
    for i in range(1, layers + 1):
        weight, bias = parameters["fc%d.weight" % i], parameters["fc%d.bias" % i]
        weight = weight.T if case.model.get("form") == "MatMul" else weight
        x = functional.linear(x, weight, bias)
        x = activation(x) if i < layers else x
    return x


def _loss(case, logits, batch):
    kind = case.loss.partition("(")[0]
    if kind == "sum":
        return logits.sum()
    target = torch.tensor(batch["y"])
    if kind == "cross_entropy":
        ignore = 1 if "ignore" in case.loss else -100
        return functional.cross_entropy(logits, target, ignore_index=ignore)
    if kind == "mse":
        return functional.mse_loss(logits, target.double())
    return functional.binary_cross_entropy_with_logits(logits, target.double())


def record(case):
    graph = Graph.load(case.build())
    parameters = {
        name: torch.tensor(graph.initializers[name], dtype=torch.float64, requires_grad=True)
        for name in graph.float_initializers()
    }
    kind, arguments, scheduler, scheduler_arguments = case.torch
    optimizer = getattr(torch.optim, kind)(parameters.values(), **arguments)
    if scheduler:
        scheduler = getattr(torch.optim.lr_scheduler, scheduler)(optimizer, **scheduler_arguments)
    losses, gradients = [], None
    for batch in case.batches():
        optimizer.zero_grad()
        loss = _loss(case, _forward(parameters, torch.tensor(batch["x"]).double(), case), batch)
        loss.backward()
        losses.append(loss.item())
        if gradients is None:
            gradients = {n: p.grad.reshape(-1).tolist() for n, p in parameters.items()}
        if case.clip_norm is not None:
            torch.nn.utils.clip_grad_norm_(parameters.values(), case.clip_norm)
        optimizer.step()
        if scheduler:
            scheduler.step()
    final = {n: p.detach().reshape(-1).tolist() for n, p in parameters.items()}
    return dict(losses=losses, gradients=gradients, parameters=final)


def _rounded(value):
    if isinstance(value, float):
        return float("%.12g" % value)
    if isinstance(value, list):
        return [_rounded(v) for v in value]
    return {k: _rounded(v) for k, v in value.items()} if isinstance(value, dict) else value


def main():
    recorded = {case.name: _rounded(record(case)) for case in CASES if case.torch}
    json.dump({"torch": torch.__version__, "cases": recorded}, sys.stdout, indent=None)
    print()


if __name__ == "__main__":
    main()
