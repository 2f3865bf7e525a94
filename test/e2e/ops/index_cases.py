"""Gradient cases of operators that move elements; index tensors are constants.

What depends on indices that are data is in cases/test_h06 and test_h13.
"""

import numpy as np

from ops.cases import Case, Group

LARGEST = np.iinfo(np.int64).max


def ints(*values):
    return np.array(values, np.int64)


def _gather():
    def case(label, shape, indices, **attributes):
        return Case(label, "Gather", [shape], attributes, {1: np.array(indices)})

    return Group(
        "Gather",
        17,
        [
            case("rows", (5, 3), [0, 2, 0]),
            case("mixed_signs", (3, 2), [-1, 1, 2]),
            case("around_the_end", (5, 3), [-1, 0]),
            case("last_rows", (5, 3), [-3, -2]),
            case("matrix", (5, 3), [[0, 4], [4, -5]]),
            case("int32", (5, 3), np.array([3, 3, 1], np.int32)),
            case("scalar", (5, 3), 1),
            case("one_token", (4, 3), [2] * 8),
            case("run", (5, 3), [1, 2, 3]),
            case("backwards", (5, 3), [3, 2, 1]),
            case("axis1", (3, 5), [4, 0, 4], axis=1),
            case("axis1_scalar", (3, 5), -1, axis=1),
            case("last_axis", (2, 3, 4), [[1, 3, 1], [0, 0, 3]], axis=-1),
            case("middle_axis", (2, 3, 4), [[2], [0]], axis=1),
            case("vector", (6,), [5, 0, 5]),
            case("one_element", (1,), [0, 0, -1]),
            case("one_row", (1, 3), [[0], [0]]),
            case("no_index", (4, 3), np.zeros(0, np.int64)),
        ],
    )


def _slice():
    def case(label, shape, *settings):
        constants = {i + 1: ints(*s) for i, s in enumerate(settings)}
        return Case(label, "Slice", [shape], constants=constants)

    return Group(
        "Slice-opset13",
        13,
        [
            case("first_axes", (4, 6), [1], [3]),
            case("both", (4, 6), [1, 2], [4, 5]),
            case("from_end", (4, 6), [-3], [-1], [1]),
            case("to_end", (4, 6), [2], [LARGEST], [-1]),
            case("stride", (3, 8), [1], [8], [1], [3]),
            case("stride_takes_one", (5,), [3], [5], [0], [7]),
            case("backwards", (4, 6), [-1], [-LARGEST], [1], [-1]),
            case("backwards_stride", (7,), [5], [0], [0], [-2]),
            case("both_ways", (4, 6), [3, 0], [-LARGEST, 6], [0, 1], [-1, 2]),
            case("nothing", (4, 6), [4], [4]),
            case("one", (1,), [0], [1]),
            case("cube", (2, 3, 4), [1, 0], [LARGEST, 3], [2, 0]),
        ],
    )


def _slice_of_attributes():
    def case(label, shape, **attributes):
        return Case(label, "Slice", [shape], attributes)

    return Group(
        "Slice-opset9",
        9,
        [
            case("rows", (4, 6), starts=[1], ends=[3]),
            case("axes", (4, 6), starts=[-2, 1], ends=[LARGEST, 2], axes=[1, 0]),
        ],
    )


def _concat():
    def case(label, *shapes, axis, **constants):
        return Case(label, "Concat", list(shapes), dict(axis=axis), **constants)

    nothing = {1: np.zeros((0, 3), np.float32)}

    return Group(
        "Concat",
        13,
        [
            case("rows", (2, 3), (1, 3), axis=0),
            case("columns", (2, 3), (2, 1), (2, 4), axis=1),
            case("last", (2, 3, 2), (2, 3, 1), axis=-1),
            case("vectors", (1,), (1,), (3,), axis=0),
            case("with_nothing", (2, 3), (1, 3), axis=0, constants=nothing),
            case("one", (2, 3), axis=0),
        ],
    )


def _split(opset):
    def case(label, shape, parts, sizes=None, **attributes):
        constants = {}
        if sizes and opset >= 13:
            constants = {1: ints(*sizes)}
        elif sizes:
            attributes["split"] = sizes
        elif opset >= 18:
            attributes["num_outputs"] = parts
        return Case(label, "Split", [shape], attributes, constants, results=parts)

    cases = [
        case("halves", (4, 3), 2),
        case("thirds", (2, 6), 3, axis=1),
        case("sizes", (2, 6), 3, [3, 1, 2], axis=1),
        case("negative_axis", (2, 2, 3), 2, [1, 2], axis=-1),
        case("with_nothing", (3, 2), 2, [3, 0]),
        case("one", (1,), 1, [1]),
    ]
    if opset >= 18:
        cases.append(case("uneven", (7, 2), 3))
    return Group("Split-opset%d" % opset, opset, cases)


def _repeat():
    def expand(label, shape, *sizes):
        return Case("expand_" + label, "Expand", [shape], constants={1: ints(*sizes)})

    def tile(label, shape, *repeats):
        return Case("tile_" + label, "Tile", [shape], constants={1: ints(*repeats)})

    return Group(
        "repeat",
        13,
        [
            expand("column", (3, 1), 2, 3, 4),
            expand("keeps", (3, 4), 3, 1),
            expand("shorter", (2, 3, 4), 4),
            expand("scalar", (), 2, 2),
            expand("one", (1,), 1),
            tile("both", (2, 3), 2, 2),
            tile("once", (2, 3), 1, 1),
            tile("one", (1,), 5),
            tile("cube", (2, 1, 3), 1, 4, 2),
        ],
    )


def _trilu():
    def case(label, shape, k=None, **attributes):
        constants = {} if k is None else {1: np.array(k, np.int64)}
        return Case(label, "Trilu", [shape], attributes, constants)

    return Group(
        "Trilu",
        14,
        [
            case("upper", (3, 4)),
            case("lower", (4, 3), upper=0),
            case("upper_k", (3, 4), 1),
            case("lower_k", (3, 4), -1, upper=0),
            case("batch", (2, 3, 3), 0, upper=0),
            case("all", (3, 3), -5),
            case("nothing", (3, 3), 5),
            case("one", (1, 1)),
        ],
    )


def _gather_nd():
    def case(label, shape, indices, **attributes):
        return Case(label, "GatherND", [shape], attributes, {1: np.array(indices, np.int64)})

    return Group(
        "GatherND",
        13,
        [
            case("elements", (3, 4), [[0, 1], [2, -1], [0, 1]]),
            case("rows", (3, 4), [[2], [-3], [2]]),
            case("matrix", (2, 3, 4), [[[0, 2]], [[1, -3]]]),
            case("batch", (2, 3, 4), [[2], [0]], batch_dims=1),
            case("batch_elements", (2, 3, 4), [[[1, 3]], [[-1, 0]]], batch_dims=1),
            case("one", (1,), [[0], [-1]]),
        ],
    )


def _cumsum():
    def case(label, shape, axis, **attributes):
        return Case(label, "CumSum", [shape], attributes, {1: np.array(axis, np.int64)})

    return Group(
        "CumSum",
        14,
        [
            case("rows", (3, 4), 1),
            case("columns", (3, 4), 0, exclusive=1),
            case("backwards", (2, 3, 4), -2, reverse=1),
            case("backwards_exclusive", (5,), 0, exclusive=1, reverse=1),
            case("one", (1,), 0),
        ],
    )


INDEX_GROUPS = [
    _gather_nd(),
    _cumsum(),
    _gather(),
    _slice(),
    _slice_of_attributes(),
    _concat(),
    *[_split(opset) for opset in (11, 13, 18)],
    _repeat(),
    _trilu(),
]
