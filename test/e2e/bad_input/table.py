"""Input, exit code, exact first line. Each runs in a folder that holds its files."""

from dataclasses import dataclass

from . import hostile


@dataclass
class Row:
    name: str
    files: object  # writes the input files into a folder
    arguments: list
    code: int
    message: str
    limit_bytes: int = None  # largest file that may be written: a full disk


LOSS = "--loss=cross_entropy(logits,y)"
BATCH = "--bind=batch=4"
DATA = ["--input=x=x.npy", "--input=y=y.npy"]


def _dsc(name, files, message, *flags, code=1, **more):
    return Row(name, files, ["m.onnx", "-o", "m.so", *flags], code, message, **more)


def _dsrun(name, files, message, *flags, code=1, **more):
    return Row(name, files, ["m.so", *flags], code, message, **more)


COMPILER = [
    _dsc("missing", None, ""),
    _dsc("empty", hostile.empty, ""),
    _dsc("text", hostile.text, ""),
    _dsc("truncated", hostile.truncated, ""),
    _dsc("lying-length", hostile.lying_length, ""),
    _dsc("deep-nesting", hostile.deep_nesting, ""),
    _dsc("negative-dims", hostile.negative_dims, "", BATCH, LOSS),
    _dsc("overflowing-dims", hostile.overflowing_dims, "", BATCH, LOSS),
    _dsc("short-data", hostile.short_data, "", BATCH, LOSS),
    _dsc("missing-external", hostile.missing_external, "", BATCH, LOSS),
    _dsc("escaping-external", hostile.escaping_external, "", BATCH, LOSS),
    _dsc("short-external", hostile.short_external, "", BATCH, LOSS),
    _dsc("misfit", hostile.misfit, "", "--loss=sum(y)"),
    _dsc("misfit-add", hostile.misfit_add, "", "--loss=sum(y)"),
    _dsc("cycle", hostile.cycle, "", "--loss=sum(c)"),
    _dsc("dangling", hostile.dangling, "", "--loss=sum(y)"),
    _dsc("defined-twice", hostile.defined_twice, "", "--loss=sum(y)"),
    _dsc("unsupported", hostile.unsupported, "", "--loss=sum(y)"),
    _dsc("foreign-domain", hostile.foreign_domain, "", "--loss=sum(y)"),
    _dsc("nothing-to-train", hostile.nothing_to_train, "", "--loss=sum(y)"),
    _dsc("old-opset", hostile.old_opset, "", "--loss=sum(y)"),
    _dsc("future-opset", hostile.future_opset, "", BATCH, LOSS),
    _dsc("half-weights", hostile.half_weights, "", BATCH, LOSS),
    _dsc("unbound", hostile.two_unbound, "", "--loss=sum(y)"),
    _dsc("unknown-dim", hostile.good_file, "", "--bind=bacht=4", LOSS),
    _dsc("bind-syntax", hostile.good_file, "", "--bind=batch", LOSS, code=2),
    _dsc("bind-zero", hostile.good_file, "", "--bind=batch=0", LOSS),
    _dsc("bind-shape", hostile.good_file, "", "--bind=x=4x5", LOSS),
    _dsc("no-loss", hostile.good_file, "", BATCH),
    _dsc("loss-output", hostile.good_file, "", BATCH, "--loss=cross_entropy(logit,y)"),
    _dsc("loss-kind", hostile.good_file, "", BATCH, "--loss=hinge(logits,y)"),
    _dsc("loss-syntax", hostile.good_file, "", BATCH, "--loss=cross_entropy(logits"),
    _dsc("loss-arguments", hostile.good_file, "", BATCH, "--loss=cross_entropy(logits)"),
    _dsc("loss-name-taken", hostile.good_file, "", BATCH, "--loss=mse(logits,x)"),
    _dsc("train-nothing", hostile.good_file, "", BATCH, LOSS, "--train=fc9.*"),
    _dsc("train-regex", hostile.good_file, "", BATCH, LOSS, "--train=("),
    _dsc("freeze-all", hostile.good_file, "", BATCH, LOSS, "--freeze=.*"),
    _dsc("tie-unknown", hostile.good_file, "", BATCH, LOSS, "--tie=fc1.weight=nothing"),
    _dsc("tie-shapes", hostile.good_file, "", BATCH, LOSS, "--tie=fc1.weight=fc2.weight"),
    _dsc("init-rule", hostile.good_file, "", BATCH, LOSS, "--init=magic@.*"),
    _dsc("weights-missing", hostile.good_file, "", BATCH, LOSS, "--weights=w.safetensors"),
    _dsc("weights-lie", hostile.lying_weights, "", BATCH, LOSS, "--weights=w.safetensors"),
    _dsc("optimizer", hostile.good_file, "", BATCH, LOSS, "--optimizer=lion", code=2),
    _dsc("schedule", hostile.good_file, "", BATCH, LOSS, "--lr-schedule=step", code=2),
    _dsc("precision", hostile.good_file, "", BATCH, LOSS, "--precision=fp4", code=2),
    _dsc("zero-stage", hostile.good_file, "", BATCH, LOSS, "-zero=2", code=2),
    _dsc("target", hostile.good_file, "", BATCH, LOSS, "-target=sm_80", code=2),
    _dsc("mcpu", hostile.good_file, "", BATCH, LOSS, "-mcpu=z80"),
    _dsc("unknown-option", hostile.good_file, "", "--frobnicate", code=2),
    Row("no-model", None, ["-o", "m.so"], 2, ""),
    Row("no-folder", hostile.good_file, ["m.onnx", BATCH, LOSS, "-o", "none/m.so"], 1, ""),
    _dsc("full-disk", hostile.good_file, "", BATCH, LOSS, limit_bytes=4096),
]

TRAIN = [*DATA, "--epochs=1", "--save=trained.safetensors"]

RUNTIME = [
    Row("no-module", None, [], 2, "dsrun: error: no module given; see --help"),
    Row("missing", None, ["none.so", "--eval"], 1, ""),
    Row("not-a-module", None, ["m.onnx", "--eval"], 1, ""),
    _dsrun("no-length", hostile.data, "", *DATA, code=2),
    _dsrun("unknown-option", hostile.data, "", "--frob", code=2),
    _dsrun("unknown-number", hostile.data, "", *TRAIN, "--momentum=0.9", code=2),
    _dsrun("input-missing", hostile.data, "", DATA[0], "--epochs=1", code=2),
    _dsrun("input-unknown", hostile.data, "", *TRAIN, "--input=z=x.npy", code=2),
    _dsrun("file-missing", None, "", *TRAIN),
    _dsrun("label-out-of-range", hostile.label_out_of_range, "", *TRAIN),
    _dsrun("label-negative", hostile.label_negative, "", *TRAIN),
    _dsrun("wrong-dtype", hostile.wrong_dtype, "", *TRAIN),
    _dsrun("wrong-shape", hostile.wrong_shape, "", *TRAIN),
    _dsrun("unequal-counts", hostile.unequal_counts, "", *TRAIN),
    _dsrun("no-samples", hostile.no_samples, "", *TRAIN),
    _dsrun("truncated-npy", hostile.truncated_npy, "", *TRAIN),
    _dsrun("text-npy", hostile.text_npy, "", *TRAIN),
    _dsrun("weights-missing", hostile.data, "", *TRAIN, "--weights=none.safetensors"),
    _dsrun("weights-lie", hostile.lying_weights, "", *TRAIN, "--weights=w.safetensors"),
    _dsrun("weights-shape", hostile.misshapen_weights, "", *TRAIN, "--weights=w.safetensors"),
    _dsrun("other-abi", hostile.other_abi, "", *TRAIN),
    _dsrun("other-cpu", hostile.other_cpu, "", *TRAIN),
    _dsrun("truncated-module", hostile.truncated_module, "", *TRAIN),
    _dsrun("full-disk", hostile.data, "", *TRAIN, limit_bytes=64),
    _dsrun("no-folder", hostile.data, "", *TRAIN, "--metrics=none/metrics.jsonl"),
]
