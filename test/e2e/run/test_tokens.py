"""dsrun on text, against counts of the byte pairs that the text holds.

The model scores what follows a token by a row of its table, so that the mean
gradient over a text is known from its pairs alone: however it is cut into
windows, batches and micro-batches.
"""

import numpy as np
import onnx
import pytest
from harness.compare import check_gradients, relative_error
from harness.models import model, node, value
from harness.tools import compile_model, run, train_module
from safetensors.numpy import load_file

WORDS, LR = 11, 0.5
LOSS, SHIFTED = "cross_entropy(logits,y)", "cross_entropy(logits,y,shift=1)"
OWN = "cross_entropy(logits,tokens,shift=1)"
# Lengths that leave every kind of rest: windows of 4 end with 1, 4 and 2 labels.
TEXTS = [np.random.default_rng(7).integers(0, WORDS, n) for n in (22, 9, 7)]


def table(kind=np.int64):
    rng = np.random.default_rng(3)
    w = rng.standard_normal((WORDS, WORDS)).astype(np.float32)
    scores = value("logits", onnx.TensorProto.FLOAT, ["batch", "seq", WORDS])
    tokens = value("tokens", np.zeros(0, kind), ["batch", "seq"])
    return model([node("Gather", ["w", "tokens"], ["logits"])], [tokens], [scores], {"w": w}), w


def gradient(w, pairs):
    """Sum and mean gradient of -log softmax(w[a])[b] over pairs (a, b)."""
    w = w.astype(np.float64)
    p = np.exp(w - w.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    loss, g = 0.0, np.zeros_like(w)
    for a, b in pairs:
        loss -= np.log(p[a, b])
        g[a] += p[a]
        g[a, b] -= 1
    return loss / len(pairs), g / len(pairs)


def pairs_of(texts):
    return [pair for text in texts for pair in zip(text[:-1], text[1:])]


class Work:
    def __init__(self, folder):
        self.folder = folder
        made, self.w = table()
        onnx.save(made, folder / "m.onnx")
        onnx.save(table(np.int32)[0], folder / "m32.onnx")
        for i, text in enumerate(TEXTS):
            for kind, dtype in (("u16", "<u2"), ("u32", "<u4"), ("text", "u1")):
                text.astype(dtype).tofile(folder / ("%d.%s" % (i, kind)))
        self.modules = {}

    def files(self, kind="text", texts=range(len(TEXTS))):
        return [self.folder / ("%d.%s" % (i, kind)) for i in texts]

    def module(self, batch, seq, loss=LOSS, onnx_file="m.onnx", *flags):
        key = (batch, seq, loss, onnx_file, *flags)
        if key not in self.modules:
            flags = ["--bind=batch=%d" % batch, "--bind=seq=%d" % seq, "--loss=" + loss, *flags]
            out = self.folder / ("m%d.so" % len(self.modules))
            sgd = ["--optimizer=sgd", "--lr=%g" % LR]
            self.modules[key] = compile_model(self.folder / onnx_file, out, *flags, *sgd)
        return self.modules[key]

    def update(self, module, *flags):
        """The gradient and loss of one update."""
        out = self.folder / "w.safetensors"
        lines = train_module(module, "--save", out, *flags)
        assert len(lines) == 1
        return (self.w - load_file(out)["w"]) / LR, lines[0]["loss"]


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    return Work(tmp_path_factory.mktemp("tokens"))


def check(got, pairs, w):
    loss, wanted = gradient(w, pairs)
    check_gradients({"w": got[0]}, {"w": wanted})
    assert relative_error(got[1], loss) < 1e-6


# 10 windows of 4 in all, or 12 that predict 3 of them.
@pytest.mark.parametrize("batch, seq", [(10, 4), (4, 4), (1, 4), (3, 3), (2, 6), (40, 1)])
def test_any_split_of_a_text_gives_its_gradient(work, batch, seq):
    """H20: micro-batches count by their labels; short windows and batches too."""
    flags = ["--tokens", *work.files(), "--token-type=text", "--epochs=1", "--accumulate=100"]
    check(work.update(work.module(batch, seq), *flags), pairs_of(TEXTS), work.w)


@pytest.mark.parametrize("batch, seq", [(14, 4), (3, 4), (1, 2), (2, 7)])
def test_labels_that_the_loss_shifts(work, batch, seq):
    flags = ["--tokens", *work.files(), "--token-type=text", "--epochs=1", "--accumulate=100"]
    check(work.update(work.module(batch, seq, SHIFTED), *flags), pairs_of(TEXTS), work.w)


def shifting_loss():
    """A graph that compares each position with the label after it, as transformers do."""
    nodes = [
        node("Gather", ["w", "tokens"], ["all"]),
        node("Slice", ["all", "zero", "last", "axis"], ["heads"]),
        node("Reshape", ["heads", "rows"], ["logits"]),
        node("Slice", ["labels", "start", "end", "axis"], ["tails"]),
        node("Reshape", ["tails", "flat"], ["wanted"]),
        node("SoftmaxCrossEntropyLoss", ["logits", "wanted"], ["loss"], ignore_index=-100),
    ]
    numbers = {"zero": [0], "last": [-1], "start": [1], "end": [2**31], "axis": [1]}
    numbers.update(rows=[-1, WORDS], flat=[-1])
    initializers = {name: np.array(v, np.int64) for name, v in numbers.items()}
    ids = [value(name, np.zeros(0, np.int64), ["batch", "seq"]) for name in ("tokens", "labels")]
    loss = value("loss", onnx.TensorProto.FLOAT, [])
    return model(nodes, ids, [loss], {"w": table()[1], **initializers})


def test_labels_that_the_graph_shifts(work):
    onnx.save(shifting_loss(), work.folder / "shifting.onnx")
    flags = ["--tokens", *work.files(), "--token-type=text", "--epochs=1", "--accumulate=100"]
    module = work.module(6, 4, "loss", "shifting.onnx")  # 12 windows
    check(work.update(module, *flags), pairs_of(TEXTS), work.w)


def test_tokens_that_are_their_own_labels(work):
    """No label can be missing, so that what does not fill a window is left out."""
    module = work.module(4, 4, OWN)
    flags = ["--tokens", *work.files(), "--token-type=text", "--epochs=1", "--accumulate=100"]
    whole = [text[: (len(text) - 1) // 3 * 3 + 1] for text in TEXTS]
    check(work.update(module, *flags), pairs_of(whole), work.w)
    result = run("dsrun", module, *flags)
    assert "the last tokens of each file, 2 in all, do not fill a window of 4" in result.err


@pytest.mark.parametrize("kind", ["u16", "u32", "text"])
@pytest.mark.parametrize("onnx_file", ["m.onnx", "m32.onnx"])
def test_types_of_tokens(work, kind, onnx_file):
    flags = ["--tokens", *work.files(kind), "--token-type=" + kind, "--epochs=1"]
    module = work.module(10, 4, LOSS, onnx_file)
    check(work.update(module, *flags), pairs_of(TEXTS), work.w)


def test_u16_is_the_default_and_options_end_a_list(work):
    flags = ["--tokens", *work.files("u16"), "--epochs=1"]
    check(work.update(work.module(10, 4), *flags), pairs_of(TEXTS), work.w)


def test_held_out_text(work):
    flags = ["--eval-tokens", work.files()[1], "--token-type=text"]
    result = run("dsrun", work.module(3, 4), *flags)
    loss, _ = gradient(work.w, pairs_of(TEXTS[1:2]))
    assert result.code == 0 and "eval: step 0  loss %.5f" % loss in result.out, str(result)
    right = sum(np.argmax(work.w[a]) == b for a, b in pairs_of(TEXTS[1:2]))
    assert "(%d of 8)" % right in result.out


def test_a_seed_shuffles_windows(work):
    def losses(*seed):
        flags = ["--tokens", *work.files(), "--token-type=text", "--epochs=2", *seed]
        return [line["loss"] for line in train_module(work.module(1, 4), *flags)]

    assert losses("--seed=1") == losses("--seed=1") != losses("--seed=2")
    # Each epoch is every window once, in an order of its own.
    in_order, shuffled = losses("--lr=0")[:10], losses("--lr=0", "--seed=1")
    assert sorted(shuffled[:10]) == sorted(shuffled[10:]) == sorted(in_order)
    assert shuffled[:10] != shuffled[10:]


def test_progress_counts_tokens(work):
    flags = ["--tokens", *work.files(), "--token-type=text", "--steps=1"]
    assert "tokens/s" in run("dsrun", work.module(10, 4), *flags).out


def refused(work, module, *flags):
    result = run("dsrun", module, *flags, "--epochs=1", cwd=work.folder)
    assert result.code in (1, 2), str(result)
    return result.err.splitlines()[-1].removeprefix("dsrun: error: ")


def test_text_that_cannot_be_used(work):
    module, folder = work.module(10, 4), work.folder
    (folder / "odd.bin").write_bytes(b"12345")
    assert refused(work, module, "--tokens", "odd.bin") == (
        "--tokens: 'odd.bin' has 5 bytes, which are no whole number of tokens of 2 bytes; "
        "see --token-type"
    )
    (folder / "short.txt").write_bytes(bytes(4))
    assert refused(work, module, "--tokens", "short.txt", "--token-type=text") == (
        "--tokens: 'short.txt' holds 4 tokens, and a window takes 5, of which the last is only "
        "a label; join it with other text, or compile for shorter sequences"
    )
    assert refused(work, module, "--tokens", "none.bin").startswith(
        "--tokens: cannot open 'none.bin'"
    )
    assert refused(work, module, "--tokens", "short.txt", "--token-type=u16").startswith(
        "--tokens: 'short.txt' holds 2 tokens, and a window takes 5"
    )


@pytest.mark.parametrize("at", [0, 8, 5])
def test_a_token_out_of_range_is_named(work, at):
    """Also as the last label, which is no input."""
    text = TEXTS[1].copy()
    text[at] = WORDS + 89
    text.astype("<u2").tofile(work.folder / "bad.u16")
    rows = "the table that input 'tokens' selects from has 11 rows"
    classes = "classes are 0 to 10 (or -100 for none)"
    got = refused(work, work.module(10, 4), "--tokens", "bad.u16")
    start = "--tokens: 'bad.u16': token %d, counted from 0, is 100, and " % at
    assert got == start + (classes if at == 8 else rows)


def test_an_index_out_of_range_is_named(work):
    tokens = np.zeros((10, 4), np.int64)
    tokens[3, 2], tokens[4, 1] = -WORDS, 70000  # a negative one counts from the end
    np.save(work.folder / "tokens.npy", tokens)
    np.save(work.folder / "y.npy", np.zeros((10, 4), np.int64))
    flags = ["--input", "tokens=tokens.npy", "--input", "y=y.npy"]
    assert refused(work, work.module(10, 4), *flags) == (
        "--input tokens: 'tokens.npy': sample 4 has the index 70000, and the table that input "
        "'tokens' selects from has 11 rows"
    )


def test_outputs_without_labels(work):
    """Of a module that can train, through its forward entry; also of a short batch."""
    module = work.module(4, 4, LOSS, "m.onnx", "--forward")
    tokens = np.arange(28).reshape(7, 4) % WORDS
    np.save(work.folder / "tokens.npy", tokens)
    out = work.folder / "outputs"
    data = ["--input", "tokens=%s" % (work.folder / "tokens.npy")]
    result = run("dsrun", module, *data, "--write-outputs", out)
    assert "forward: outputs of 7 samples" in result.out, str(result)
    np.testing.assert_array_equal(np.load(out / "logits.npy"), work.w[tokens])
    # A loss needs labels.
    got = run("dsrun", module, *data, "--write-outputs", out, "--eval").first_line()
    assert got.startswith("dsrun: error: no data for y (int64 [4, 4])"), got


def test_a_mask_is_no_place_for_text(work):
    """Of several inputs of integers, words select rows of a table."""
    masked = model(
        [
            node("Gather", ["w", "tokens"], ["all"]),
            node("Cast", ["mask"], ["weights"], to=onnx.TensorProto.FLOAT),
            node("Unsqueeze", ["weights", "last"], ["columns"]),
            node("Mul", ["all", "columns"], ["logits"]),
        ],
        [value(name, np.zeros(0, np.int64), ["batch", "seq"]) for name in ("mask", "tokens")],
        [value("logits", onnx.TensorProto.FLOAT, ["batch", "seq", WORDS])],
        {"w": table()[1], "last": np.array([2])},
    )
    onnx.save(masked, work.folder / "masked.onnx")
    np.save(work.folder / "mask.npy", np.ones((10, 4), np.int64))
    module, text = work.module(10, 4, LOSS, "masked.onnx"), ["--tokens", *work.files("u16")]
    assert refused(work, module, *text) == (
        "no data for mask (int64 [10, 4]); give it with --input NAME=FILE"
    )
    mask = ["--input", "mask=%s" % (work.folder / "mask.npy")]
    check(work.update(module, *text, *mask, "--epochs=1"), pairs_of(TEXTS), work.w)


def test_which_input_takes_the_text(work):
    both = model(
        [
            node("Gather", ["w", "a"], ["wa"]),
            node("Gather", ["w", "b"], ["wb"]),
            node("Add", ["wa", "wb"], ["logits"]),
        ],
        [value(name, np.zeros(0, np.int64), ["batch", "seq"]) for name in "ab"],
        [value("logits", onnx.TensorProto.FLOAT, ["batch", "seq", WORDS])],
        {"w": np.zeros((WORDS, WORDS), np.float32)},
    )
    onnx.save(both, work.folder / "both.onnx")
    module = work.module(10, 4, LOSS, "both.onnx")
    text = ["--tokens", *work.files("u16")]
    assert refused(work, module, *text) == (
        "--tokens: both 'a' and 'b' can take it; name one with --token-input; see --help"
    )
    assert refused(work, module, *text, "--token-input=c") == (
        "--token-input: the module has no input 'c'"
    )
    assert refused(work, module, *text, "--token-input=a").startswith("no data for b (int64")
    np.save(work.folder / "b.npy", np.ones((10, 4), np.int64))
    named = train_module(
        module, *text, "--token-input=a", "--input", "b=b.npy", "--epochs=1", cwd=work.folder
    )
    alone = train_module(module, *text, "--input", "b=b.npy", "--epochs=1", cwd=work.folder)
    assert [line["loss"] for line in named] == [line["loss"] for line in alone]
    np.save(work.folder / "b.npy", np.ones((9, 4), np.int64))
    assert refused(work, module, *text, "--input", "b=b.npy") == (
        "--input b: 'b.npy' has 9 samples and '%s' has 10" % work.files("u16")[0]
    )
