"""libdsrt's public C interface (runtime/abi/dsrt.h, part 3) through ctypes.

What a user's own program can do is all that the tests can do: bind inputs, run
entries, read and write states by name.
"""

import contextlib
import ctypes
import functools
import json
import os
import re
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int32, c_int64, c_uint64, c_void_p
from pathlib import Path

import numpy as np

from .tools import BIN

DTYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "i64": np.int64,
    "i32": np.int32,
    "i1": np.bool_,
}
_CODES = {"f32": 1, "f64": 2, "i64": 3, "i32": 4, "i1": 5}


def without_kernel_numbers(entry):
    """A row of the manifest's entries; kernels are numbered over the whole module."""
    return json.loads(re.sub(r"\bkernel_\d+", "kernel", json.dumps(entry)))


class DsrtError(Exception):
    """A failing call: its status and what dsrt_last_error says."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class _Options(ctypes.Structure):
    _fields_ = [
        ("size", c_uint64),
        ("threads", c_int32),
        ("weights", c_char_p),
        ("offload_directory", c_char_p),
    ]


_SIGNATURES = {
    "dsrt_module_open": [c_char_p, POINTER(c_void_p)],
    "dsrt_session_create": [c_void_p, POINTER(_Options), POINTER(c_void_p)],
    "dsrt_session_bind_input": [
        c_void_p,
        c_char_p,
        c_void_p,
        c_uint64,
        c_int32,
        c_int32,
        POINTER(c_int64),
    ],
    "dsrt_session_run": [c_void_p, c_char_p],
    "dsrt_session_output": [c_void_p, c_char_p, c_char_p, POINTER(c_void_p), POINTER(c_uint64)],
    "dsrt_session_read_state": [c_void_p, c_char_p, c_void_p, c_uint64],
    "dsrt_session_write_state": [c_void_p, c_char_p, c_void_p, c_uint64],
    "dsrt_session_set": [c_void_p, c_char_p, c_double],
    "dsrt_session_get": [c_void_p, c_char_p, POINTER(c_double)],
    "dsrt_session_save": [c_void_p, c_char_p],
}


@functools.cache
def library():
    found = os.environ.get("DSC_LIBDSRT") or next(
        (p for p in sorted(BIN.parent.rglob("libdsrt.so")) if p.is_file()), None
    )
    assert found, "no libdsrt.so under %s" % BIN.parent
    loaded = ctypes.CDLL(str(found))
    for name, arguments in _SIGNATURES.items():
        function = getattr(loaded, name)
        function.argtypes, function.restype = arguments, c_int
    loaded.dsrt_last_error.restype = c_char_p
    loaded.dsrt_module_close.argtypes = [c_void_p]
    loaded.dsrt_module_manifest.argtypes = [c_void_p, POINTER(c_uint64)]
    loaded.dsrt_module_manifest.restype = c_void_p
    loaded.dsrt_session_destroy.argtypes = [c_void_p]
    loaded.dsrt_session_allocated_bytes.argtypes = [c_void_p]
    loaded.dsrt_session_allocated_bytes.restype = c_uint64
    return loaded


def _call(name, *arguments):
    status = getattr(library(), name)(*arguments)
    if status:
        raise DsrtError(status, library().dsrt_last_error().decode())


class Session:
    """A loaded module with one session; close() or `with` frees both."""

    def __init__(self, module, threads=1, weights=None, offload_directory=None):
        self._module, self._session = c_void_p(), c_void_p()
        _call("dsrt_module_open", str(module).encode(), byref(self._module))
        size = c_uint64()
        text = library().dsrt_module_manifest(self._module, byref(size))
        self.manifest = json.loads(ctypes.string_at(text, size.value))
        self.states = {s["name"]: s for s in self.manifest["states"]}
        self.entries = {e["name"]: e for e in self.manifest["entries"]}
        paths = (None if path is None else str(path).encode() for path in (weights, offload_directory))
        options = _Options(ctypes.sizeof(_Options), threads, *paths)
        try:
            _call("dsrt_session_create", self._module, byref(options), byref(self._session))
        except DsrtError:
            self.close()
            raise

    def close(self):
        library().dsrt_session_destroy(self._session)
        library().dsrt_module_close(self._module)
        self._session, self._module = c_void_p(), c_void_p()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def allocated_bytes(self):
        return library().dsrt_session_allocated_bytes(self._session)

    def trained(self):
        return [p["name"] for p in self.manifest["parameters"] if p["role"] == "trainable"]

    @functools.cached_property
    def inputs(self):
        """Manifest rows of all entries' inputs by name."""
        return {i["name"]: i for e in self.entries.values() for i in e["inputs"]}

    def bind(self, **inputs):
        self.bind_all(inputs)

    def bind_all(self, inputs):
        """Binds arrays, cast to the type that the module wants."""
        for name, array in inputs.items():
            kind = self.inputs[name]["type"]
            array = np.asarray(array, DTYPES[kind], order="C")
            shape = (c_int64 * array.ndim)(*array.shape)
            data = array.ctypes.data_as(c_void_p)
            _call(
                "dsrt_session_bind_input",
                self._session,
                name.encode(),
                data,
                array.nbytes,
                _CODES[kind],
                array.ndim,
                shape,
            )

    def run(self, *entries):
        for entry in entries:
            _call("dsrt_session_run", self._session, entry.encode())

    def output(self, entry, name):
        row = next(o for o in self.entries[entry]["outputs"] if o["name"] == name)
        data, size = c_void_p(), c_uint64()
        _call(
            "dsrt_session_output",
            self._session,
            entry.encode(),
            name.encode(),
            byref(data),
            byref(size),
        )
        flat = np.frombuffer(ctypes.string_at(data, size.value), DTYPES[row["type"]])
        return flat.reshape(row["shape"]).copy()

    def read(self, name):
        state = self.states[name]
        array = np.empty(state["shape"], DTYPES[state["type"]])
        pointer = array.ctypes.data_as(c_void_p)
        _call("dsrt_session_read_state", self._session, name.encode(), pointer, array.nbytes)
        return array

    def write(self, name, value):
        state = self.states[name]
        array = np.array(np.broadcast_to(value, state["shape"]), DTYPES[state["type"]], order="C")
        pointer = array.ctypes.data_as(c_void_p)
        _call("dsrt_session_write_state", self._session, name.encode(), pointer, array.nbytes)

    def set(self, name, value):
        _call("dsrt_session_set", self._session, name.encode(), value)

    def get(self, name):
        value = c_double()
        _call("dsrt_session_get", self._session, name.encode(), byref(value))
        return value.value

    def save(self, path):
        _call("dsrt_session_save", self._session, str(path).encode())

    # What several tests do with a session.

    def gradients(self):
        """Gradients of the bound batch's mean loss, from cleared accumulators."""
        return self.accumulated([{}])[1]

    def accumulated(self, micro_batches):
        """(loss, gradients) of micro-batches, from cleared accumulators; (0, zeros)
        if nothing counts.

        Backward is seeded with 1 / W0, the nominal weight, which update corrects
        by W0 / W; so does this."""
        self.clear_accumulators()
        for i, batch in enumerate(micro_batches):
            self.bind_all(batch)
            self.run("step_last" if i + 1 == len(micro_batches) else "step")
        weight = self.get("dsc.loss_weight")
        scale = self.get("dsc.nominal_weight") / weight if weight else 0.0
        gradients = {name: scale * self.read(name + ".grad") for name in self.trained()}
        loss = self.get("dsc.loss_sum") / weight if weight else 0.0
        self.clear_accumulators()
        return loss, gradients

    def clear_accumulators(self):
        for name in ("dsc.loss_sum", "dsc.loss_weight", *(n + ".grad" for n in self.trained())):
            self.write(name, 0.0)

    def eval_loss(self):
        """The loss of the bound batch, from eval's two accumulators."""
        for name in ("dsc.eval_loss_sum", "dsc.eval_weight"):
            self.write(name, 0.0)
        self.run("eval")
        return self.get("dsc.eval_loss_sum") / self.get("dsc.eval_weight")

    def train_step(self, **inputs):
        """One update; the loss before it."""
        self.bind_all(inputs)
        self.run("step_last", "update")
        return self.get("dsc.report.loss")


@contextlib.contextmanager
def session(module, inputs=None, **options):
    with Session(Path(module), **options) as opened:
        opened.bind_all(inputs or {})
        weight = opened.inputs.get("dsc.sample_weight")
        if weight:
            opened.bind_all({"dsc.sample_weight": np.ones(weight["shape"])})
        yield opened
