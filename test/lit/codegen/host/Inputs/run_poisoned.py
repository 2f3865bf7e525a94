"""Runs the programs of run-poisoned.mlir and prints an element of each tensor."""

import ctypes
import sys

import numpy as np

for name, path in zip(["plain", "poisoned", "freed early"], sys.argv[1:]):
    library = ctypes.CDLL(path)
    x = np.ones(33, np.float32)
    arena = np.zeros(1024, np.uint8)
    (ctypes.c_void_p * 16).in_dll(library, "inputs")[0] = x.ctypes.data
    ctypes.c_void_p.in_dll(library, "arena").value = arena.ctypes.data
    library.dsc_entry_eval(None)
    f32, f64 = arena.view(np.float32), arena.view(np.float64)
    assert np.array_equal(f32[128:161], np.full(33, f32[128]), equal_nan=True)
    print(f"{name}: y {f32[128]} z {f64[768 // 8]} freed {f32[0]}")
