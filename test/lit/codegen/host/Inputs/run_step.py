"""Runs the program of run-step.mlir on every split of its grids and compares
with numpy."""

import ctypes
import sys

import numpy as np

library = ctypes.CDLL(sys.argv[1])
rng = np.random.default_rng(7)


def array(*shape, dtype=np.float32):
    return rng.standard_normal(shape).astype(dtype)


x = array(33, 20)
labels = rng.integers(0, 10, 33)
labels[3] = -100
weights = np.ones(33, np.float32)
w, b, p, g = array(10, 20), array(10), array(5000), array(5000)


def expected():
    h = np.maximum(x.astype(np.float64) @ w.astype(np.float64).T + b, 0)
    shifted = h - h.max(1, keepdims=True)
    logsum = np.log(np.exp(shifted).sum(1))
    valid = labels != -100
    picked = shifted[np.arange(33), np.where(valid, labels, 0)]
    correct = valid & (h.argmax(1) == labels)
    return {
        "softmax": np.exp(shifted - logsum[:, None]),
        "loss": ((logsum - picked) * valid).sum(),
        "correct": correct.sum(),
        "bias_gradient": h.sum(0),
        "part": p - 0.5 * g.astype(np.float64),
        "squares": (g.astype(np.float64) ** 2).sum(),
        "tanh": np.tanh(p.astype(np.float64)),
    }


def run(piece):
    arena = np.zeros(1 << 16, np.uint8)
    part = p.copy()
    rate = np.float32(0.5)
    held = [np.ascontiguousarray(a) for a in (w, b, part, g, rate)]
    squares = np.zeros((), np.float64)
    tanh = np.zeros(5000, np.float32)
    held += [squares, tanh]
    for table, arrays in (("inputs", [x, labels, weights]), ("states", held)):
        slots = (ctypes.c_void_p * 16).in_dll(library, table)
        for i, value in enumerate(arrays):
            slots[i] = value.ctypes.data
    sizes = (ctypes.c_int64 * 16).in_dll(library, "part_elements")
    for i, value in enumerate(held):
        sizes[i] = value.size
    ctypes.c_void_p.in_dll(library, "arena").value = arena.ctypes.data
    ctypes.c_int64.in_dll(library, "piece").value = piece
    library.dsc_entry_step(None)
    f32 = arena.view(np.float32)
    return {
        "softmax": f32[2048 : 2048 + 330].reshape(33, 10).copy(),
        "loss": f32[3072].copy(),
        "correct": arena[16384:16392].view(np.float64)[0].copy(),
        "bias_gradient": f32[3200:3210].copy(),
        "part": held[2].copy(),
        "squares": squares.copy(),
        "tanh": tanh.copy(),
    }


whole = run(1 << 40)
for name, value in expected().items():
    error = np.max(np.abs(whole[name] - value)) / max(1, np.max(np.abs(value)))
    print(f"{name}: {'ok' if error < 2e-6 else f'off by {error}'}")
for piece in (1, 2, 3):
    split = run(piece)
    same = all(split[name].tobytes() == whole[name].tobytes() for name in whole)
    print(f"pieces of {piece}: {'same bits' if same else 'other bits'}")
