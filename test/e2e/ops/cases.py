"""Operator cases for the gradient tests: one node on trained operands each.

Cases of one group share a model, since a model costs one compilation.
"""

import math
from dataclasses import dataclass, field

import numpy as np

OPERANDS = "abcd"


@dataclass
class Case:
    label: str
    op: str
    shapes: list  # of the trained operands
    attributes: dict = field(default_factory=dict)
    constants: dict = field(default_factory=dict)  # operand position -> fixed array
    low: float = -2.0
    high: float = 2.0
    results: int = 1

    def result_names(self):
        return [self.label] + ["%s.%d" % (self.label, i) for i in range(1, self.results)]

    def operand_names(self):
        return ["%s.%s" % (self.label, letter) for letter, _ in zip(OPERANDS, self.shapes)]


@dataclass
class Group:
    name: str
    opset: int
    cases: list
    flags: list = field(default_factory=list)

    def operands(self):
        """Distinct values on an even grid, none near zero, so that relu, abs
        and max have one derivative wherever a difference looks."""
        rng, values = np.random.default_rng(len(self.name)), {}
        for case in self.cases:
            total = max(sum(math.prod(s) for s in case.shapes), 8)
            edges = np.linspace(case.low, case.high, total + 1)
            grid = 0.5 * (edges[1:] + edges[:-1])
            grid = rng.permutation(np.where(np.abs(grid) < 1e-3, 0.25 * edges[1], grid))
            for name, shape in zip(case.operand_names(), case.shapes):
                size = math.prod(shape)
                values[name] = grid[:size].reshape(shape).astype(np.float32)
                grid = grid[size:]
        return values


def _unary(op, low=-2.0, high=2.0):
    shapes = {"matrix": (3, 5), "scalar": (), "one": (1,), "row": (7,), "cube": (2, 3, 4)}
    return Group(op, 17, [Case(n, op, [s], low=low, high=high) for n, s in shapes.items()])


def _binary(op, low=-2.0, high=2.0, opset=17, flags=()):
    pairs = {
        "same": ((3, 4), (3, 4)),
        "row": ((3, 4), (4,)),
        "column": ((3, 4), (3, 1)),
        "outer": ((3, 1), (1, 4)),
        "left": ((4,), (2, 3, 4)),
        "scalar": ((3, 4), ()),
        "one": ((1,), (2, 2)),
        "scalars": ((), ()),
        "middle": ((2, 1, 3), (2, 4, 1)),
    }
    cases = [Case(n, op, list(p), low=low, high=high) for n, p in pairs.items()]
    return Group(op, opset, cases, list(flags))


def _gemm():
    cases = []
    for ta in (0, 1):
        for tb in (0, 1):
            a = (3, 2) if ta else (2, 3)
            b = (4, 3) if tb else (3, 4)
            cases.append(Case("t%d%d" % (ta, tb), "Gemm", [a, b], dict(transA=ta, transB=tb)))
    scaled = dict(alpha=0.5, beta=2.0)
    for label, c in {
        "row": (4,),
        "column": (2, 1),
        "one": (1,),
        "full": (2, 4),
        "scalar": (),
    }.items():
        cases.append(Case("bias_" + label, "Gemm", [(2, 3), (3, 4), c], scaled))
    return Group("Gemm", 17, cases)


def _matmul():
    pairs = {
        "matrices": ((2, 3), (3, 4)),
        "batched": ((2, 2, 3), (2, 3, 4)),
        "shared_right": ((2, 5, 3), (3, 4)),
        "shared_left": ((2, 3), (4, 3, 2)),
        "batch_broadcast": ((2, 1, 2, 3), (3, 3, 2)),
        "vector_right": ((2, 3), (3,)),
        "vector_left": ((3,), (3, 4)),
        "vectors": ((3,), (3,)),
        "vector_batched": ((2, 4, 3), (3,)),
        "thin": ((1, 1), (1, 1)),
    }
    return Group("MatMul", 17, [Case(n, "MatMul", list(p)) for n, p in pairs.items()])


def _softmax(op, opset):
    cases = [Case("default", op, [(2, 3, 4)]), Case("matrix", op, [(3, 5)])]
    axes = (0, 1, 2) if opset < 13 else (0, 1, -1)
    cases += [Case("axis%d" % (a % 3), op, [(2, 3, 4)], dict(axis=a)) for a in axes]
    return Group("%s-opset%d" % (op, opset), opset, cases)


def _reduce(op, opset, axes_input, low=-2.0):
    def case(label, shape, axes, **attributes):
        constants = {}
        if axes is not None and axes_input:
            constants = {1: np.array(axes, np.int64)}
        elif axes is not None:
            attributes["axes"] = axes
        return Case(label, op, [shape], attributes, constants, low=low)

    return Group(
        "%s-opset%d" % (op, opset),
        opset,
        [
            case("all", (3, 4), None),
            case("all_flat", (3, 4), None, keepdims=0),
            case("last", (2, 3, 4), [2], keepdims=0),
            case("last_negative", (2, 3, 4), [-1]),
            case("first", (2, 3, 4), [0], keepdims=1),
            case("two", (2, 3, 4), [0, 2], keepdims=0),
            case("vector", (5,), [0], keepdims=0),
            case("one", (1,), [0]),
        ],
    )


def _gelu():
    exact = _unary("Gelu").cases
    tanh = [
        Case(case.label + "_tanh", "Gelu", case.shapes, dict(approximate="tanh")) for case in exact
    ]
    return Group("Gelu", 20, exact + tanh)


def _layer_norm():
    """Rows of one and more dimensions, a tensor that is one row, rows of one
    element (whose gradient is zero), with and without bias."""
    op, narrow = "LayerNormalization", dict(epsilon=1e-3)
    return Group(
        op,
        17,
        [
            Case("rows", op, [(3, 5), (5,), (5,)]),
            Case("no_bias", op, [(3, 5), (5,)], narrow),
            Case("cube", op, [(2, 3, 4), (4,), (4,)]),
            Case("axis1", op, [(2, 3, 4), (3, 4), (3, 4)], dict(axis=1)),
            Case("axis0", op, [(2, 3), (2, 3), (2, 3)], dict(axis=0)),
            Case("vector", op, [(6,), (6,), (6,)]),
            Case("one_element", op, [(3, 1), (1,), (1,)]),
            Case("one_row", op, [(1, 4), (4,), (4,)]),
        ],
    )


def _views():
    def ints(*v):
        return np.array(v, np.int64)

    return Group(
        "views",
        17,
        [
            Case("flatten", "Flatten", [(2, 3, 4)]),
            Case("flatten0", "Flatten", [(2, 3, 4)], dict(axis=0)),
            Case("flatten_last", "Flatten", [(2, 3, 4)], dict(axis=-1)),
            Case("reshape", "Reshape", [(2, 3, 4)], constants={1: ints(4, 6)}),
            Case("reshape_infer", "Reshape", [(2, 3, 4)], constants={1: ints(0, -1)}),
            Case("reshape_scalar", "Reshape", [(1, 1)], constants={1: ints()}),
            Case("transpose", "Transpose", [(2, 3, 4)]),
            Case("transpose_perm", "Transpose", [(2, 3, 4)], dict(perm=[0, 2, 1])),
            Case("transpose_turn", "Transpose", [(2, 3, 4)], dict(perm=[2, 0, 1])),
            Case("squeeze", "Squeeze", [(2, 1, 3)], constants={1: ints(1)}),
            Case("unsqueeze", "Unsqueeze", [(2, 3)], constants={1: ints(0, 3)}),
            Case("cast", "Cast", [(2, 3)], dict(to=1)),
        ],
    )


def _loss(reduction, weighted=False):
    constants = {1: np.array([1, 0, 3], np.int64)}
    if weighted:
        constants[2] = np.array([0.5, 1.0, 2.0, 1.5], np.float32)
    image = {1: np.array([[1, 0], [3, 2]], np.int64)}
    op, attributes = "SoftmaxCrossEntropyLoss", dict(reduction=reduction)
    cases = [
        Case("rows", op, [(3, 4)], attributes, constants),
        Case("ignored", op, [(3, 4)], {**attributes, "ignore_index": 0}, constants),
    ]
    if not weighted:
        cases.append(Case("image", op, [(2, 4, 2)], attributes, image))
    return Group("%s-%s%s" % (op, reduction, "-weighted" * weighted), 17, cases)


def _empty():
    """Zero elements are legal in ONNX; their gradient is an empty tensor."""
    return Group(
        "empty",
        17,
        [
            Case("relu", "Relu", [(0, 3)]),
            Case("add", "Add", [(0, 3), (3,)]),
            Case("matmul_rows", "MatMul", [(0, 3), (3, 2)]),
            Case("layer_norm", "LayerNormalization", [(0, 3), (3,), (3,)]),
            Case("softmax", "Softmax", [(0, 3)]),
            Case("matmul_inner", "MatMul", [(2, 0), (0, 3)]),
        ],
    )


GROUPS = [
    *[_unary(op) for op in ("Relu", "Tanh", "Erf", "Sigmoid", "Neg", "Exp", "Abs", "Cos", "Sin")],
    *[_unary(op, low=0.2, high=3.0) for op in ("Log", "Sqrt", "Reciprocal")],
    *[_binary(op) for op in ("Add", "Sub", "Mul", "Max", "Min")],
    _binary("Div", low=0.4, high=2.5),
    # By itself dsc takes an exponent of one element for a setting.
    _binary("Pow", low=0.4, high=2.5, flags=["--train=\\.[ab]$"]),
    Group(
        "Where",
        17,
        [
            Case(
                "same",
                "Where",
                [(2, 3), (2, 3)],
                constants={0: np.array([[1, 0, 1], [0, 0, 1]], bool)},
            ),
            Case("row", "Where", [(3,), (2, 3)], constants={0: np.array([[1], [0]], bool)}),
        ],
        flags=["--train=\\.[ab]$"],  # a rule of dsc's takes Where-only tensors for masks
    ),
    _gelu(),
    _layer_norm(),
    _gemm(),
    _matmul(),
    *[_softmax(op, opset) for op in ("Softmax", "LogSoftmax") for opset in (11, 13)],
    _reduce("ReduceSum", 11, axes_input=False),
    _reduce("ReduceSum", 13, axes_input=True),
    _reduce("ReduceMean", 13, axes_input=False),
    _reduce("ReduceMean", 18, axes_input=True),
    _reduce("ReduceMax", 13, axes_input=False),
    _reduce("ReduceProd", 13, axes_input=False, low=0.5),
    _views(),
    *[_loss(reduction) for reduction in ("none", "sum", "mean")],
    _loss("mean", weighted=True),
    _empty(),
]
