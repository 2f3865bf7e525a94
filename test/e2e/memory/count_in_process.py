"""Run by test_memory.py with count_allocations preloaded: prints entry=count lines."""

import ctypes
import sys

import numpy as np
from harness.session import library, session

counter = ctypes.CDLL(None).count_allocations
counter.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p]
counter.restype = ctypes.c_long

with session(sys.argv[1], threads=2) as run:
    run.bind_all({n: np.zeros(i["shape"]) for n, i in run.inputs.items()})
    function = ctypes.cast(library().dsrt_session_run, ctypes.c_void_p)
    for entry in ("step", "step_last", "update", "eval"):
        run.run(entry)  # the first run may still bind symbols lazily
        print("%s=%d" % (entry, counter(function, run._session, entry.encode())))
