"""Runs the program of run-places.mlir on every split of its grids and compares
with numpy."""

import ctypes
import sys

import numpy as np

library = ctypes.CDLL(sys.argv[1])
rng = np.random.default_rng(11)


def array(*shape):
    return rng.standard_normal(shape).astype(np.float32)


x, residual, scale, bias = array(2, 5, 7), array(2, 5, 7), array(7), array(7)
mask, table, start = array(5, 7), array(100, 7), array(100, 7)
# Twice the same, from the end, and out of range on either side.
tokens = np.array([[1, 99, 1, -1], [0, 100, -101, 2]])
valid = (tokens >= -100) & (tokens < 100)
NAMES = ("sum", "norm", "probabilities", "rows", "total", "shifted", "picked")


def expected():
    wide = x.astype(np.float64)
    total = wide + residual
    centred = total - total.mean(-1, keepdims=True)
    rstd = 1 / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
    powers = np.exp(0.5 * wide + mask)
    rows = np.where(valid[..., None], table[np.where(valid, tokens, 0)], np.nan)
    scattered = start.astype(np.float64)
    for token, row in zip(tokens[valid], rows[valid]):
        scattered[token] += row
    doubled = 2 * wide[:, :, [1, 3, 5]].sum(-1)
    small = (tokens >= -3) & (tokens < 3)
    constant = np.array([1.0, 2.0, 4.0])
    return {
        "sum": total,
        "norm": centred * rstd * scale + bias,
        "probabilities": powers / powers.sum(-1, keepdims=True),
        "rows": rows,
        "total": scattered,
        "shifted": np.concatenate([doubled[:, 1:], np.zeros((2, 1))], 1),
        "picked": np.where(small, constant[np.where(small, tokens, 0)], np.nan),
    }


def run(piece):
    results = {
        "sum": np.empty((2, 5, 7), np.float32),
        "norm": np.empty((2, 5, 7), np.float32),
        "probabilities": np.empty((2, 5, 7), np.float32),
        "rows": np.empty((2, 4, 7), np.float32),
        "total": start.copy(),
        "shifted": np.empty((2, 5), np.float32),
        "picked": np.empty((2, 4), np.float32),
    }
    held = [x, residual, scale, bias, mask]
    held += [results["sum"], results["norm"], results["probabilities"]]
    held += [table, tokens, results["rows"], results["total"]]
    held += [results["shifted"], results["picked"]]
    slots = (ctypes.c_void_p * 16).in_dll(library, "states")
    for i, value in enumerate(held):
        slots[i] = value.ctypes.data
    ctypes.c_int64.in_dll(library, "piece").value = piece
    library.dsc_entry_step(None)
    return results


whole = run(1 << 40)
for name, value in expected().items():
    same = np.allclose(whole[name], value, rtol=2e-6, atol=2e-6, equal_nan=True)
    print(f"{name}: {'ok' if same else f'off: {whole[name] - value}'}")
for piece in (1, 2, 3):
    split = run(piece)
    same = all(split[name].tobytes() == whole[name].tobytes() for name in NAMES)
    print(f"pieces of {piece}: {'same bits' if same else 'other bits'}")
