"""The installed tree: what examples/embed/README.md says works as it stands."""

import re
import subprocess
import sys

from harness.tools import BIN, REPOSITORY

EXAMPLE = REPOSITORY / "examples/embed"


def test_embedding_example(tmp_path):
    def run(*words):
        done = subprocess.run(
            list(map(str, words)), cwd=tmp_path, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, "%s\n%s%s" % (words, done.stdout, done.stderr)
        return done.stdout

    run("cmake", "--install", BIN.parent, "--prefix", tmp_path / "prefix")
    generator = ["-G", "Ninja"]  # a machine that ./dev set up has no make
    arguments = ["-S", EXAMPLE, "-B", "embed", "-DCMAKE_PREFIX_PATH=%s" % (tmp_path / "prefix")]
    run("cmake", *generator, *arguments)
    run("cmake", "--build", "embed")
    run(sys.executable, EXAMPLE / "make_model.py")
    loss = "--loss=cross_entropy(logits,labels)"
    flags = ["--bind", "batch=8", loss, "--optimizer=sgd", "--lr=0.1", "-o", "tiny.so"]
    run(tmp_path / "prefix/bin/dsc", "tiny.onnx", *flags)
    simulate = [*flags[:-2], "--simulate", "--topology=h100x8"]
    told = run(tmp_path / "prefix/bin/dsc", "tiny.onnx", *simulate)
    assert told.startswith("simulated for 1 rank of DGX H100"), told
    losses = [float(x) for x in re.findall(r"loss ([\d.]+)", run("embed/embed", "tiny.so"))]
    assert losses[-1] < 0.5 * losses[0], losses
    assert (tmp_path / "trained.safetensors").exists()
