"""examples/gpt from training to text, with few and short steps."""

import re
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
import pytest
from harness import tolerance
from harness.tools import BIN, REPOSITORY, compile_model, run, train_module
from safetensors.numpy import save_file

EXAMPLE = REPOSITORY / "examples/gpt"
BATCH, LENGTH, STEPS = 4, 32, 30
INIT = ["--init=normal(0.05)@weight$", "--init=zeros@bias$", "--init=ones@ln_.*weight$"]


def shell(folder, *words):
    done = subprocess.run(list(map(str, words)), cwd=folder, capture_output=True, timeout=300)
    assert done.returncode == 0, "%s\n%s%s" % (words, done.stdout, done.stderr)
    return done.stdout


class Work:
    """The trained and exported model, compiled for inference."""

    def __init__(self, folder):
        self.folder = folder
        shell(folder, sys.executable, EXAMPLE / "make_data.py", folder)
        loss = "--loss=cross_entropy(logits,labels)"
        sizes = ["--bind=batch=%d" % BATCH, "--bind=sequence=%d" % LENGTH]
        self.module = compile_model(
            EXAMPLE / "gpt.onnx", folder / "gpt.so", loss, "--lr=0.003", *sizes, *INIT
        )
        self.exported = folder / "trained.onnx"
        self.held_out = ["--eval-tokens", folder / "held_out.txt"]
        text = ["--tokens", folder / "train.txt", "--token-type=text"]
        export = ["--seed=1", "--export", self.exported]
        self.lines = train_module(self.module, *text, "--steps=%d" % STEPS, *export)
        sizes = ["--bind=batch=1", "--bind=sequence=%d" % LENGTH]
        self.writer = compile_model(self.exported, folder / "writer.so", "--forward", *sizes)
        self.session = onnxruntime.InferenceSession(self.exported)

    def scores(self, windows):
        """ONNX Runtime's, for rows of bytes."""
        return self.session.run(None, {"tokens": np.asarray(windows, np.int64)})[0]


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    return Work(tmp_path_factory.mktemp("gpt"))


def test_readme_shows_the_lines_that_the_demo_runs():
    shown = shell(REPOSITORY, EXAMPLE / "demo.sh", "--show").decode().splitlines()
    readme = (REPOSITORY / "README.md").read_text().splitlines()
    assert len(shown) == 5 and not [line for line in shown if line not in readme]


def test_the_file_has_no_weights():
    graph = onnx.load(EXAMPLE / "gpt.onnx", load_external_data=False).graph
    missing = [i for i in graph.initializer if i.data_location == onnx.TensorProto.EXTERNAL]
    assert sum(np.prod(i.dims) for i in missing) > 8e5
    assert not any(EXAMPLE.glob("*.data")) and (EXAMPLE / "gpt.onnx").stat().st_size < 300_000


def test_the_loss_falls_from_a_guess(work):
    losses = [line["loss"] for line in work.lines]
    assert abs(losses[0] - np.log(256)) < 0.3 and np.mean(losses[-5:]) < 3.3, losses


def test_exported_file_predicts_the_same(work):
    out = work.folder / "outputs"
    text = ["--tokens", work.folder / "held_out.txt", "--token-type=text"]
    result = run("dsrun", work.writer, *text, "--write-outputs", out)
    assert result.code == 0 and "forward: outputs of" in result.out, str(result)
    ours = np.load(out / "logits.npy")
    tokens = np.fromfile(work.folder / "held_out.txt", np.uint8)
    windows = len(tokens) // LENGTH
    assert ours.shape == (windows, LENGTH, 256)
    assert "the last tokens of each file, %d in all" % (len(tokens) % LENGTH) in result.err
    theirs = work.scores(tokens[: windows * LENGTH].reshape(windows, LENGTH))
    assert np.abs(ours - theirs).max() < tolerance.PREDICTION * np.abs(theirs).max()


def test_held_out_loss_is_that_of_the_exported_file(work):
    """dsrun's evaluation, labels and short windows included, against ONNX Runtime's."""
    weights = work.folder / "trained.safetensors"
    tensors = {
        i.name: onnx.numpy_helper.to_array(i) for i in onnx.load(work.exported).graph.initializer
    }
    save_file({n: t for n, t in tensors.items() if t.dtype == np.float32}, weights)
    result = run("dsrun", work.module, *work.held_out, "--token-type=text", "--weights", weights)
    assert result.code == 0, str(result)
    tokens = np.fromfile(work.folder / "held_out.txt", np.uint8).astype(np.int64)
    total = 0.0
    for first in range(0, len(tokens) - 1, LENGTH):
        labels = tokens[first + 1 : first + LENGTH + 1]
        scores = work.scores([tokens[first : first + len(labels)]])[0].astype(np.float64)
        norm = scores.max(1) + np.log(np.exp(scores - scores.max(1, keepdims=True)).sum(1))
        total += np.sum(norm - scores[np.arange(len(labels)), labels])
    loss = float(re.search(r"eval: step 0  loss ([\d.]+)", result.out)[1])
    assert abs(loss - total / (len(tokens) - 1)) < 1e-4


@pytest.fixture(scope="module")
def sampler(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sampler")
    prefix = folder / "prefix"
    shell(folder, "cmake", "--install", BIN.parent, "--prefix", prefix, "--component", "runtime")
    generator = ["-G", "Ninja"]  # a machine that ./dev set up has no make
    arguments = ["-S", EXAMPLE, "-B", "build", "-DCMAKE_PREFIX_PATH=%s" % prefix]
    shell(folder, "cmake", *generator, *arguments)
    shell(folder, "cmake", "--build", "build")
    return folder / "build/sample"


def test_the_likeliest_text_is_that_of_onnx_runtime(work, sampler):
    """Also beyond the length that the model looks at."""
    prompt, count = b"This License applies to ", 20
    written = shell(work.folder, sampler, work.writer, count, 0, 1, prompt.decode())
    text = list(prompt)
    for _ in range(count):
        text.append(int(work.scores([text[-LENGTH:]])[0, -1].argmax()))
    assert written == bytes(text) + b"\n"


def test_a_seed_gives_the_same_text(work, sampler):
    def sample(temperature, seed):
        return shell(work.folder, sampler, work.writer, 40, temperature, seed, "The ")

    assert sample(1, 1) == sample(1, 1) != sample(1, 2)
    # Near temperature 0 chance has no say.
    assert sample(0.001, 1) == sample(0.001, 2) == sample(0, 3)


def test_the_sampler_tells_what_is_wrong(work, sampler):
    def complaint(*words):
        done = subprocess.run([sampler, *map(str, words)], capture_output=True, text=True)
        assert done.returncode in (1, 2)
        return done.stderr

    assert complaint().startswith("usage: sample MODULE.so")
    assert "cannot open 'none.so'" in complaint("none.so", 1, 1, 1, "x")
    assert "'warm' is not a number" in complaint(work.writer, 1, "warm", 1, "x")
    assert "has no entry 'forward'" in complaint(work.module, 1, 1, 1, "x")
