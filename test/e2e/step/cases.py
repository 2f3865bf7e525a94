"""Ten-step trainings of small MLPs, one a case, for each optimizer, schedule and loss."""

from dataclasses import dataclass, field

import numpy as np
from harness.models import mlp
from oracle import Adam, Sgd, schedule

STEPS, BATCH, SIZES = 10, 8, [6, 5, 4]


@dataclass
class Case:
    name: str
    flags: list  # of dsc
    optimizer: object  # () -> the oracle's
    schedule: object = None  # t -> rate
    clip_norm: float = None
    loss: str = "cross_entropy(logits,y)"
    model: dict = field(default_factory=dict)
    # How PyTorch says the same, where it can: (optimizer, arguments, scheduler, arguments)
    torch: tuple = None

    def build(self):
        return mlp(SIZES, **self.model)

    def compile_flags(self):
        return ["--bind", "batch=%d" % BATCH, "--loss=" + self.loss, *self.flags]

    def batches(self):
        rng = np.random.default_rng(11)
        for _ in range(STEPS):
            x = rng.standard_normal((BATCH, SIZES[0])).astype(np.float32)
            classes = rng.integers(0, SIZES[-1], BATCH)
            values = rng.uniform(0, 1, (BATCH, SIZES[-1])).astype(np.float32)
            if "ignore" in self.loss:
                classes[::3] = 1  # the class that the loss ignores
            target = classes if "cross_entropy" in self.loss else values
            yield {"x": x} if self.loss == "sum(logits)" else {"x": x, "y": target}


def _sgd(name, lr=0.5, torch=True, **arguments):
    known = dict(momentum="--momentum", weight_decay="--weight-decay")
    flags = ["--optimizer=sgd", "--lr=%g" % lr]
    flags += ["%s=%g" % (known[k], v) for k, v in arguments.items() if k in known]
    flags += ["--nesterov"] if arguments.get("nesterov") else []
    recipe = ("SGD", dict(lr=lr, **arguments), None, None) if torch else None
    return Case(name, flags, lambda: Sgd(lr, **arguments), torch=recipe)


def _adam(name, kind="adam", lr=0.02, eps=1e-8, decay=0.0, betas=(0.9, 0.999), **more):
    flags = ["--optimizer=" + kind, "--lr=%g" % lr, "--eps=%g" % eps, "--weight-decay=%g" % decay]
    flags += ["--betas=%g,%g" % betas]
    placement = more.get("epsilon_placement", "corrected")
    flags += ["--adam-epsilon=" + placement] if placement != "corrected" else []
    flags += ["--no-decay=" + more["no_decay"]] if "no_decay" in more else []
    torch = None
    if not more:
        arguments = dict(lr=lr, eps=eps, weight_decay=decay, betas=betas)
        torch = ("AdamW" if kind == "adamw" else "Adam", arguments, None, None)

    def optimizer():
        return Adam(lr, decay, betas=betas, eps=eps, decoupled=kind == "adamw", **more)

    return Case(name, flags, optimizer, torch=torch)


def _scheduled(name, kind, rate, torch=None, **numbers):
    lr = 0.5
    flags = ["--optimizer=sgd", "--lr=%g" % lr, "--lr-schedule=" + kind]
    flags += ["--%s=%g" % (k.replace("_", "-"), v) for k, v in numbers.items()]
    recipe = ("SGD", dict(lr=lr), *torch) if torch else None
    return Case(name, flags, lambda: Sgd(lr), schedule=rate, torch=recipe)


def _clipped():
    case = _sgd("clip-norm")
    case.flags, case.clip_norm = case.flags + ["--clip-norm=0.1"], 0.1
    return case


def _loss(name, loss, **model):
    case = _sgd(name, lr=0.1)
    case.loss, case.model = loss, model
    return case


CASES = [
    _sgd("sgd"),
    _sgd("sgd-momentum", lr=0.2, momentum=0.9),
    _sgd("sgd-nesterov", lr=0.2, momentum=0.9, nesterov=True),
    _sgd("sgd-decay", weight_decay=0.1),
    _sgd("sgd-momentum-decay", lr=0.2, momentum=0.9, weight_decay=0.1),
    _clipped(),
    _adam("adam"),
    _adam("adam-betas", betas=(0.8, 0.9)),
    _adam("adam-decay", decay=0.1),
    _adam("adam-epsilon", eps=1e-2),
    _adam("adam-epsilon-uncorrected", eps=1e-2, epsilon_placement="uncorrected"),
    _adam("adamw", "adamw", decay=0.1),
    _adam("adamw-no-decay", "adamw", decay=0.1, no_decay=".*bias"),
    _scheduled("constant-warmup", "constant", schedule.constant(0.5, 4), warmup_steps=4),
    _scheduled(
        "linear",
        "linear",
        schedule.linear(0.5, 10),
        ("PolynomialLR", dict(total_iters=10, power=1.0)),
        total_steps=10,
    ),
    _scheduled(
        "linear-warmup", "linear", schedule.linear(0.5, 8, 3), warmup_steps=3, total_steps=8
    ),
    _scheduled(
        "cosine",
        "cosine",
        schedule.cosine(0.5, 10, minimum=0.1),
        ("CosineAnnealingLR", dict(T_max=10, eta_min=0.1)),
        total_steps=10,
        min_lr=0.1,
    ),
    _scheduled(
        "cosine-warmup", "cosine", schedule.cosine(0.5, 8, 3), warmup_steps=3, total_steps=8
    ),
    _scheduled(
        "WarmupLR",
        "WarmupLR",
        schedule.warmup_lr(0.5, 6, 0.01),
        warmup_steps=6,
        min_lr=0.01,
    ),
    _scheduled(
        "WarmupDecayLR",
        "WarmupDecayLR",
        schedule.warmup_decay_lr(0.5, 3, 8),
        warmup_steps=3,
        total_steps=8,
    ),
    _scheduled(
        "WarmupCosineLR",
        "WarmupCosineLR",
        schedule.warmup_cosine_lr(0.5, 3, 8),
        warmup_steps=3,
        total_steps=8,
    ),
    _loss("mse", "mse(logits,y)", activation="Tanh"),
    _loss("bce", "bce_with_logits(logits,y)", activation="Sigmoid"),
    _loss("sum", "sum(logits)", activation="Tanh", form="MatMul"),
    _loss("ignored-class", "cross_entropy(logits,y,ignore=1)", form="MatMul"),
]
