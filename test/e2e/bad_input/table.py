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


def _dsc(name, files, flags, message, code=1, **more):
    return Row(name, files, ["m.onnx", "-o", "m.so", *flags], code, message, **more)


def _dsrun(name, files, flags, message, code=1, **more):
    return Row(name, files, ["m.so", *flags], code, message, **more)


COMPILER = [
    _dsc("missing", None, [], "m.onnx: error: cannot read the model: No such file or directory"),
    _dsc("empty", hostile.empty, [], "m.onnx: error: not an ONNX model: the file is empty"),
    _dsc(
        "text",
        hostile.text,
        [],
        "m.onnx: error: not an ONNX model: malformed or truncated protobuf in the model",
    ),
    _dsc(
        "truncated",
        hostile.truncated,
        [],
        "m.onnx: error: not an ONNX model: malformed or truncated protobuf in the model",
    ),
    _dsc(
        "lying-length",
        hostile.lying_length,
        [],
        "m.onnx: error: not an ONNX model: malformed or truncated protobuf in the model",
    ),
    _dsc(
        "deep-nesting",
        hostile.deep_nesting,
        [],
        "m.onnx: error: the model does not say which ONNX opset it uses",
    ),
    _dsc(
        "negative-dims",
        hostile.negative_dims,
        [BATCH, LOSS],
        "m.onnx: initializer 'fc1.weight': error: has a negative dimension -3",
    ),
    _dsc(
        "overflowing-dims",
        hostile.overflowing_dims,
        [BATCH, LOSS],
        "m.onnx: initializer 'fc1.weight': error: has a shape too large to address: 1099511627776x1099511627776",
    ),
    _dsc(
        "short-data",
        hostile.short_data,
        [BATCH, LOSS],
        "m.onnx: initializer 'fc1.weight': error: has 48 bytes of data where 5x4 of 'f32' needs 80",
    ),
    _dsc(
        "missing-external",
        hostile.missing_external,
        [BATCH, LOSS],
        "m.onnx: initializer 'fc1.weight': error: parameter 'fc1.weight' has no data",
    ),
    _dsc(
        "escaping-external",
        hostile.escaping_external,
        [BATCH, LOSS],
        "m.onnx: initializer 'fc1.weight': error: external data '../../../../etc/passwd' is not a path below the model's folder",
    ),
    _dsc(
        "short-external",
        hostile.short_external,
        [BATCH, LOSS],
        "m.onnx: initializer 'fc1.weight': error: external data at offset 8 with 48 bytes ends behind the end of 'weights.bin' (16 bytes)",
    ),
    _dsc(
        "misfit",
        hostile.misfit,
        ["--loss=sum(y)"],
        "m.onnx: node 'product' (MatMul): error: cannot multiply 'x' (2x5) by 'w' (4x3): inner dimensions 5 and 4 differ",
    ),
    _dsc(
        "misfit-add",
        hostile.misfit_add,
        ["--loss=sum(y)"],
        "m.onnx: node 'shift' (Add): error: inputs 'h' (2x3) and 'b' (2) do not broadcast: dimensions 3 and 2 differ",
    ),
    _dsc(
        "cycle",
        hostile.cycle,
        ["--loss=sum(c)"],
        "m.onnx: node 'third' (Tanh): error: the graph has a cycle of 3 nodes",
    ),
    _dsc(
        "dangling",
        hostile.dangling,
        ["--loss=sum(y)"],
        "m.onnx: node 'sum' (Add): error: input 1 reads 'nowhere', which no node, input or initializer defines",
    ),
    _dsc(
        "defined-twice",
        hostile.defined_twice,
        ["--loss=sum(y)"],
        "m.onnx: node 'two' (Tanh): error: defines 'y', which is already defined elsewhere in the graph",
    ),
    _dsc(
        "unsupported",
        hostile.unsupported,
        ["--loss=sum(y)"],
        "m.onnx: error: unsupported operators between trained parameters and outputs: Atan, Selu",
    ),
    _dsc(
        "foreign-domain",
        hostile.foreign_domain,
        ["--loss=sum(y)"],
        "m.onnx: error: unsupported operators between trained parameters and outputs: com.example::Wobble",
    ),
    _dsc(
        "nothing-to-train",
        hostile.nothing_to_train,
        ["--loss=sum(y)"],
        "m.onnx: error: no trained parameter influences the loss; train some with --train=REGEX or choose another --loss",
    ),
    _dsc(
        "old-opset",
        hostile.old_opset,
        ["--loss=sum(y)"],
        "m.onnx: error: ONNX opset 6 is not supported",
    ),
    _dsc(
        "future-opset",
        hostile.future_opset,
        [BATCH, LOSS],
        "m.onnx: error: ONNX opset 99 is not supported",
    ),
    _dsc(
        "half-weights",
        hostile.half_weights,
        [BATCH, LOSS],
        "m.onnx: initializer 'fc1.bias': error: element type float16 (10) is not supported",
    ),
    _dsc(
        "unbound",
        hostile.two_unbound,
        ["--loss=sum(y)"],
        "m.onnx: error: symbolic dims need a size: 'batch' of input 'x', 'time' of input 'x'",
    ),
    _dsc(
        "unknown-dim",
        hostile.good_file,
        ["--bind=bacht=4", LOSS],
        "m.onnx: error: --bind 'bacht=4': 'bacht' is neither an input nor a symbolic dim of one",
    ),
    _dsc(
        "bind-syntax",
        hostile.good_file,
        ["--bind=batch", LOSS],
        "dsc: error: --bind=batch: expected NAME=SIZE or INPUT=AxBxC",
        code=2,
    ),
    _dsc(
        "bind-zero",
        hostile.good_file,
        ["--bind=batch=0", LOSS],
        "dsc: error: --bind=batch=0: '0' is not a positive size",
        code=2,
    ),
    _dsc(
        "bind-shape",
        hostile.good_file,
        ["--bind=x=4x5", LOSS],
        "m.onnx: error: --bind 'x=4x5': dim 1 of input 'x' is 4 in the model",
    ),
    _dsc(
        "no-loss",
        hostile.good_file,
        [BATCH],
        "m.onnx: error: no loss is given, and the model has no floating-point output of one element; pass --loss=OUTPUT, cross_entropy(OUTPUT,LABELS), mse(OUTPUT,TARGET), bce_with_logits(OUTPUT,TARGET) or sum(OUTPUT); the outputs are 'logits' (tensor<4x2xf32>)",
    ),
    _dsc(
        "loss-output",
        hostile.good_file,
        [BATCH, "--loss=cross_entropy(logit,y)"],
        "m.onnx: error: in --loss: the model has no output 'logit'; its outputs are 'logits' (tensor<4x2xf32>)",
    ),
    _dsc(
        "loss-kind",
        hostile.good_file,
        [BATCH, "--loss=hinge(logits,y)"],
        "m.onnx: error: in --loss: unknown function 'hinge'; expects cross_entropy, mse, bce_with_logits or sum",
    ),
    _dsc(
        "loss-syntax",
        hostile.good_file,
        [BATCH, "--loss=cross_entropy(logits"],
        "m.onnx: error: in --loss: the model has no output 'cross_entropy(logits'; its outputs are 'logits' (tensor<4x2xf32>)",
    ),
    _dsc(
        "loss-arguments",
        hostile.good_file,
        [BATCH, "--loss=cross_entropy(logits)"],
        "m.onnx: error: in --loss: cross_entropy takes an output and an input",
    ),
    _dsc(
        "loss-name-taken",
        hostile.good_file,
        [BATCH, "--loss=mse(logits,x)"],
        "m.onnx: error: in --loss: target 'x' has type 'tensor<4x4xf32>', but 'logits' has 'tensor<4x2xf32>'",
    ),
    _dsc(
        "train-nothing",
        hostile.good_file,
        [BATCH, LOSS, "--train=fc9.*"],
        "m.onnx: error: --train=fc9.* matches the name of no parameter",
    ),
    _dsc(
        "train-regex",
        hostile.good_file,
        [BATCH, LOSS, "--train=("],
        "dsc: error: --train=(: '(' is not a regular expression: parentheses not balanced",
        code=2,
    ),
    _dsc(
        "freeze-all",
        hostile.good_file,
        [BATCH, LOSS, "--freeze=.*"],
        "m.onnx: error: no trained parameter influences the loss; train some with --train=REGEX or choose another --loss",
    ),
    _dsc(
        "tie-unknown",
        hostile.good_file,
        [BATCH, LOSS, "--tie=fc1.weight=nothing"],
        "m.onnx: error: --tie='fc1.weight=nothing': 'nothing' is no parameter",
    ),
    _dsc(
        "tie-shapes",
        hostile.good_file,
        [BATCH, LOSS, "--tie=fc1.weight=fc2.weight"],
        "m.onnx: error: --tie='fc1.weight=fc2.weight': 'fc1.weight' is 3x4 of 'f32', but 'fc2.weight' is 2x3 of 'f32'",
    ),
    _dsc(
        "init-rule",
        hostile.good_file,
        [BATCH, LOSS, "--init=magic@.*"],
        "dsc: error: --init=magic@.*: rule 'magic' is unknown; the rules are zeros, ones, normal(std), uniform(low,high), xavier and kaiming",
        code=2,
    ),
    _dsc(
        "init-no-name",
        hostile.good_file,
        [BATCH, LOSS, "--init=ones"],
        "dsc: error: --init=ones: expected RULE@REGEX, such as normal(0.02)@.*weight",
        code=2,
    ),
    _dsc(
        "init-regex",
        hostile.good_file,
        [BATCH, LOSS, "--init=ones@["],
        "dsc: error: --init=ones@[: '[' is not a regular expression: brackets ([ ]) not balanced",
        code=2,
    ),
    _dsc(
        "tie-syntax",
        hostile.good_file,
        [BATCH, LOSS, "--tie=fc1.weight=^T"],
        "dsc: error: --tie=fc1.weight=^T: expected A=B or A=B^T",
        code=2,
    ),
    _dsc(
        "no-decay-regex",
        hostile.good_file,
        [BATCH, LOSS, "--no-decay=*"],
        "dsc: error: --no-decay=*: '*' is not a regular expression: repetition-operator operand invalid",
        code=2,
    ),
    _dsc(
        "forward-optimizer",
        hostile.good_file,
        [BATCH, "--forward", "--lr=0.1"],
        "dsc: error: --lr has no effect with --forward alone, which trains nothing; give a --loss too",
        code=2,
    ),
    _dsc(
        "weights-missing",
        hostile.good_file,
        [BATCH, LOSS, "--weights=w.safetensors"],
        "w.safetensors: error: --weights: cannot read the file: No such file or directory",
    ),
    _dsc(
        "weights-lie",
        hostile.lying_weights,
        [BATCH, LOSS, "--weights=w.safetensors"],
        "w.safetensors: error: --weights: not a safetensors file: its header is cut off",
    ),
    _dsc(
        "optimizer",
        hostile.good_file,
        [BATCH, LOSS, "--optimizer=lion"],
        "dsc: error: --optimizer=lion: choose one of sgd, adam, adamw",
        code=2,
    ),
    _dsc(
        "schedule",
        hostile.good_file,
        [BATCH, LOSS, "--lr-schedule=step"],
        "dsc: error: --lr-schedule=step: choose one of constant, linear, cosine, WarmupLR, WarmupDecayLR, WarmupCosineLR, OneCycle, LRRangeTest",
        code=2,
    ),
    _dsc(
        "precision",
        hostile.good_file,
        [BATCH, LOSS, "--precision=fp4"],
        "dsc: error: --precision=fp4: choose one of f32, f64",
        code=2,
    ),
    _dsc(
        "zero-stage",
        hostile.good_file,
        [BATCH, LOSS, "-zero=4"],
        "dsc: error: --zero=4: choose one of 0, 1, 2, 3",
        code=2,
    ),
    _dsc(
        "persistence-without-stage-3",
        hostile.good_file,
        [BATCH, LOSS, "-zero=2", "--persistence-threshold=100"],
        "dsc: error: --persistence-threshold needs --zero=3; at lower stages every parameter is whole",
        code=2,
    ),
    _dsc(
        "rate-nan",
        hostile.good_file,
        [BATCH, LOSS, "--lr=nan"],
        "dsc: error: --lr=nan: must be at least 0 and finite",
        code=2,
    ),
    _dsc(
        "beta-one",
        hostile.good_file,
        [BATCH, LOSS, "--betas=0.9,1"],
        "dsc: error: --betas=1: must be at least 0 and below 1",
        code=2,
    ),
    _dsc(
        "target",
        hostile.good_file,
        [BATCH, LOSS, "-target=sm_80"],
        "dsc: error: --target=sm_80: choose one of host, native",
        code=2,
    ),
    _dsc(
        "mcpu",
        hostile.good_file,
        [BATCH, LOSS, "-mcpu=z80"],
        "dsc: error: --mcpu=z80: unknown CPU 'z80' for x86_64-pc-linux-gnu; clang-22 --print-supported-cpus lists them, 'native' is this machine's",
        code=2,
    ),
    _dsc(
        "unknown-option",
        hostile.good_file,
        ["--frobnicate"],
        "dsc: Unknown command line argument '--frobnicate'.  Try: '{bin}/dsc --help'",
        code=2,
    ),
    Row(
        "no-model",
        None,
        ["-o", "m.so"],
        2,
        "dsc: error: which model? give an ONNX file (dsc --help)",
    ),
    Row(
        "no-folder",
        hostile.good_file,
        ["m.onnx", BATCH, LOSS, "-o", "none/m.so"],
        1,
        "dsc: error: cannot write none/m.weights.safetensors: No such file or directory",
    ),
    _dsc(
        "full-disk",
        hostile.good_file,
        [BATCH, LOSS],
        "m.onnx: error: cannot write m.so: File too large",
        limit_bytes=4096,
    ),
]

TRAIN = [*DATA, "--epochs=1", "--save=trained.safetensors"]

RUNTIME = [
    Row("no-module", None, [], 2, "dsrun: error: no module given; see --help"),
    Row(
        "missing",
        None,
        ["none.so", "--eval"],
        1,
        "dsrun: error: cannot open 'none.so': No such file or directory",
    ),
    Row(
        "not-a-module",
        None,
        ["m.onnx", "--eval"],
        1,
        "dsrun: error: 'm.onnx' is not a dsc module (an ELF shared object); compile one with dsc MODEL.onnx -o MODULE.so",
    ),
    _dsrun(
        "no-length",
        hostile.data,
        [*DATA],
        "dsrun: error: say how long to train, with --steps=N or --epochs=N, or --eval to evaluate; see --help",
        code=2,
    ),
    _dsrun(
        "unknown-option",
        hostile.data,
        ["--frob"],
        "dsrun: error: unknown or ambiguous option '--frob'; see --help",
        code=2,
    ),
    _dsrun(
        "unknown-number",
        hostile.data,
        [*TRAIN, "--momentum=0.9"],
        "dsrun: error: --momentum: the optimizer of 'm.so' (adamw) has no such number; it has --lr --betas --eps --weight-decay --warmup-steps; see --help",
        code=2,
    ),
    _dsrun(
        "input-missing",
        hostile.data,
        [DATA[0], "--epochs=1"],
        "dsrun: error: no data for y (int64 [4]); give it with --input NAME=FILE",
    ),
    _dsrun(
        "input-unknown",
        hostile.data,
        [*TRAIN, "--input=z=x.npy"],
        "dsrun: error: --input: the module has no input 'z'; it has x, y, dsc.sample_weight",
    ),
    _dsrun(
        "file-missing",
        None,
        [*TRAIN],
        "dsrun: error: --input x: cannot open 'x.npy': No such file or directory",
    ),
    _dsrun(
        "label-out-of-range",
        hostile.label_out_of_range,
        [*TRAIN],
        "dsrun: error: --input y: 'y.npy': sample 7 has the label 5, and classes are 0 to 1 (or -100 for none)",
    ),
    _dsrun(
        "label-negative",
        hostile.label_negative,
        [*TRAIN],
        "dsrun: error: --input y: 'y.npy': sample 3 has the label -1, and classes are 0 to 1 (or -100 for none)",
    ),
    _dsrun(
        "wrong-dtype",
        hostile.wrong_dtype,
        [*TRAIN],
        "dsrun: error: --input x: 'x.npy' holds <c8 and the input takes float32; convert it with a.astype('float32')",
    ),
    _dsrun(
        "wrong-shape",
        hostile.wrong_shape,
        [*TRAIN],
        "dsrun: error: --input x: 'x.npy' has shape [10, 5] and the input takes samples of shape [4]",
    ),
    _dsrun(
        "unequal-counts",
        hostile.unequal_counts,
        [*TRAIN],
        "dsrun: error: --input y: 'y.npy' has 9 samples and 'x.npy' has 10",
    ),
    _dsrun(
        "no-samples",
        hostile.no_samples,
        [*TRAIN],
        "dsrun: error: --input: 'y.npy' holds no samples",
    ),
    _dsrun(
        "truncated-npy",
        hostile.truncated_npy,
        [*TRAIN],
        "dsrun: error: --input x: 'x.npy': truncated: [10, 4] float32 needs 160 bytes, the file has 152",
    ),
    _dsrun(
        "text-npy",
        hostile.text_npy,
        [*TRAIN],
        "dsrun: error: --input x: 'x.npy': not a .npy file; write it with numpy.save",
    ),
    _dsrun(
        "weights-missing",
        hostile.data,
        [*TRAIN, "--weights=none.safetensors"],
        "dsrun: error: cannot open 'none.safetensors': No such file or directory",
    ),
    _dsrun(
        "weights-lie",
        hostile.lying_weights,
        [*TRAIN, "--weights=w.safetensors"],
        "dsrun: error: 'w.safetensors' is not a complete safetensors file",
    ),
    _dsrun(
        "weights-shape",
        hostile.misshapen_weights,
        [*TRAIN, "--weights=w.safetensors"],
        "dsrun: error: 'w.safetensors:fc2.weight' has shape [3, 2] and the parameter has [2, 3]",
    ),
    _dsrun(
        "other-abi",
        hostile.other_abi,
        [*TRAIN],
        "dsrun: error: 'm.so': was compiled for version 99 of the runtime interface and this runtime has version 3; compile the model again with the dsc of this runtime (0.1.0)",
    ),
    _dsrun(
        "other-cpu",
        hostile.other_cpu,
        [*TRAIN],
        "dsrun: error: 'm.so': was compiled for the CPU 'x86-64-v3' and this CPU lacks fma4; compile the model with dsc -mcpu=native here",
    ),
    _dsrun(
        "truncated-module", hostile.truncated_module, [*TRAIN], "dsrun: error: 'm.so' is truncated"
    ),
    _dsrun(
        "full-disk",
        hostile.data,
        [*TRAIN],
        "dsrun: error: cannot write 'trained.safetensors': File too large",
        limit_bytes=64,
    ),
    _dsrun(
        "no-folder",
        hostile.data,
        [*TRAIN, "--metrics=none/metrics.jsonl"],
        "dsrun: error: cannot write 'none/metrics.jsonl': No such file or directory",
    ),
]
