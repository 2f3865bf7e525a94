"""Saving under bad conditions: nothing half-written is ever a set, and every loss is told."""

import os
import shutil
import signal
import socket
import subprocess
import time

import numpy as np
import onnx
import pytest
from checkpoint.work import FLAGS, build, check_same, sets, tensors
from harness.tools import BIN, compile_model, run

LONG = 1_000_000_000
TIMEOUT_SECONDS = 60


def start(work, ranks, *flags):
    command = [BIN / "dsrun", *work.command(3, ranks, *flags)]
    return subprocess.Popen(
        list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for(condition):
    end = time.monotonic() + TIMEOUT_SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def end(process):
    out, err = process.communicate(timeout=TIMEOUT_SECONDS)
    return process.returncode, out, err


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_saves_and_ends_well(work, tmp_path, ranks, number):
    folder = tmp_path / "sets"
    run_ = start(work, ranks, "--steps=%d" % LONG, "--save", folder, "--save-every=50", "--seed=1")
    wait_for(lambda: sets(folder))
    run_.send_signal(number)
    code, out, err = end(run_)
    step = sets(folder)[0]
    assert code == 0, err
    last = folder / ("step-%08d" % step)
    assert "notice: interrupted after step %d, saved in '%s'" % (step, last) in err
    assert "saved %s" % last in out
    # It is the state of a run that ended there by itself.
    work.train(3, ranks, "--steps=%d" % step, "--save", tmp_path / "b", "--seed=1")
    check_same(tensors(last), tensors(tmp_path / "b" / last.name))


@pytest.mark.parametrize("ranks", [1, 2])
def test_one_run_saves_to_a_folder(work, tmp_path, ranks):
    first = start(work, ranks, "--steps=%d" % LONG, "--save", tmp_path, "--save-every=50")
    wait_for(lambda: sets(tmp_path))
    for flags in ([], ["--resume"]):
        second = work.run(3, 1, "--steps=1", "--save", tmp_path, *flags)
        assert second.code == 1, str(second)
        assert "another run saves to '%s': process " % tmp_path in second.err
        assert " on %s; end it" % socket.gethostname() in second.err
    # Reading takes no lock.
    assert work.run(3, 1, "--eval", "--weights", tmp_path).code == 0
    first.kill()
    end(first)
    wait_for(lambda: work.run(3, 1, "--steps=1", "--save", tmp_path, "--resume").code == 0)


def test_sets_of_another_training_are_not_touched(work, tmp_path):
    work.train(3, 1, "--steps=5", "--save", tmp_path / "a")
    work.train(3, 1, "--steps=3", "--save", tmp_path / "b")
    for flags in ([], ["--resume=%s" % (tmp_path / "b")]):
        result = work.run(3, 1, "--steps=9", "--save", tmp_path / "a", *flags)
        assert result.code == 1, str(result)
        assert "'%s' holds the checkpoint of step 5 of another" % (tmp_path / "a") in result.err
        assert sets(tmp_path / "a") == [5]


def test_nothing_to_resume(work, tmp_path):
    new = work.run(3, 2, "--steps=2", "--save", tmp_path / "a", "--resume")
    assert new.code == 0 and "holds no checkpoint yet: the training starts anew" in new.err
    (tmp_path / "empty").mkdir()
    for path, message in (("empty", "holds no checkpoint"), ("none", "No such file or directory")):
        result = work.run(3, 2, "--steps=2", "--resume=%s" % (tmp_path / path))
        assert result.code == 1 and message in result.err, str(result)
    result = work.run(3, 1, "--steps=2", "--resume")
    assert result.code == 2 and "--resume: name a folder" in result.err, str(result)


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_damaged_set_is_told_and_put_away(work, tmp_path, ranks):
    flags = ["--seed=1", "--save", tmp_path, "--save-every=2", "--resume"]
    work.train(3, ranks, *flags, "--steps=4")
    whole = tensors(tmp_path / "step-00000004")
    part = sorted((tmp_path / "step-00000004").glob("part-*"))[-1]
    content = bytearray(part.read_bytes())
    content[-1] ^= 1
    part.write_bytes(content)
    result = work.run(3, ranks, *flags, "--steps=4")
    assert result.code == 0, str(result)
    assert "the checkpoint of step 4 is damaged and not used: " in result.err
    assert "'%s': '" % part in result.err and "does not match its checksum" in result.err
    assert "resumed after step 2" in result.err
    assert (tmp_path / "step-00000004.damaged" / part.name).read_bytes() == content
    check_same(tensors(tmp_path / "step-00000004"), whole)


def test_another_model_is_told(work, tmp_path):
    work.train(3, 2, "--steps=2", "--save", tmp_path / "a")
    onnx.save(build(width=6), tmp_path / "m.onnx")
    flags = ["--steps=4", "--resume=%s" % (tmp_path / "a")]
    wider = compile_model(tmp_path / "m.onnx", tmp_path / "m.so", *FLAGS)
    data = [*work.data[1:], "--input=x=%s" % (tmp_path / "x.npy")]
    np.save(tmp_path / "x.npy", np.zeros((50, 6), np.float32))
    result = run("dsrun", wider, *data, "-n", 2, *flags)
    assert result.code == 1, str(result)
    assert "'w' is f32 [5, 7] in it and f32 [6, 7] in the module" in result.err
    sgd = [FLAGS[0], "--optimizer=sgd", "-o", tmp_path / "sgd.so"]
    assert run("dsc", work.folder / "m.onnx", *sgd).code == 0
    result = run("dsrun", tmp_path / "sgd.so", *work.data, *flags)
    assert result.code == 1 and "is in it and not in the module, and 3 more" in result.err


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_full_disk_ends_the_run_and_keeps_the_older_set(work, tmp_path, ranks):
    """A limit of the size of files, which a part of one rank is above of."""
    work.train(3, ranks, "--steps=2", "--save", tmp_path)
    flags = ["--steps=%d" % LONG, "--save", tmp_path, "--save-every=1", "--resume"]
    result = work.run(3, ranks, *flags, limit_bytes=1000)
    assert result.code == 1, str(result)
    assert "the checkpoint of step 3 could not be saved: " in result.err
    assert "/.step-00000003.tmp/part-00000-of-0000%d" % ranks in result.err
    assert "File too large" in result.err
    assert sets(tmp_path) == [2]
    tensors(tmp_path / "step-00000002")
    work.train(3, ranks, "--steps=4", "--save", tmp_path, "--resume")


def test_a_folder_that_vanishes_ends_the_run(work, tmp_path):
    folder = tmp_path / "sets"
    run_ = start(work, 2, "--steps=%d" % LONG, "--save", folder, "--save-every=20")
    wait_for(lambda: sets(folder))
    aside = tmp_path / "aside"
    os.rename(folder, aside)
    code, _, err = end(run_)
    assert code == 1
    assert "could not be saved: " in err and "No such file or directory" in err
    for step in sets(aside):
        tensors(aside / ("step-%08d" % step))


def test_a_folder_that_cannot_be_written(work):
    result = work.run(3, 2, "--steps=%d" % LONG, "--save=/proc/dsc")
    assert result.code == 1 and "cannot create '/proc/dsc'" in result.err, str(result)


# H22

LIBRARY = r"""
/* Ends the process as SIGKILL does before its call number CUT_AT of those that
 * change a file below CUT_IN. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_int calls;

static void count(const char *path) {
  const char *folder = getenv("CUT_IN");
  if (folder && strstr(path, folder) &&
      atomic_fetch_add(&calls, 1) == atoi(getenv("CUT_AT")))
    kill(getpid(), SIGKILL);
}

static void count_file(int file) {
  char link[64], path[4096];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
  ssize_t bytes = readlink(link, path, sizeof(path) - 1);
  if (bytes > 0) {
    path[bytes] = 0;
    count(path);
  }
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* Half of what is to be written, or nothing. */
ssize_t write(int file, const void *data, size_t bytes) {
  if (bytes > 1) {
    count_file(file);
    ssize_t half = NEXT(write)(file, data, bytes / 2);
    if (half >= 0)
      count_file(file);
    return half;
  }
  return NEXT(write)(file, data, bytes);
}
int fsync(int file) { count_file(file); return NEXT(fsync)(file); }
int rename(const char *from, const char *to) { count(from); return NEXT(rename)(from, to); }
int mkdir(const char *path, mode_t mode) { count(path); return NEXT(mkdir)(path, mode); }
int unlinkat(int at, const char *path, int flags) {
  count_file(at);
  return NEXT(unlinkat)(at, path, flags);
}
"""


@pytest.fixture(scope="module")
def cutting(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cut")
    (folder / "cut.c").write_text(LIBRARY)
    compiler = shutil.which("cc") or shutil.which("clang-22")
    library = folder / "cut.so"
    subprocess.run(
        [compiler, "-O1", "-shared", "-fPIC", "-o", library, folder / "cut.c"], check=True
    )
    return library


def test_killed_at_each_call_that_writes(work, tmp_path, cutting):
    """From the start of a second save to its end, and that the first is gone."""
    flags = ["--seed=1", "--save-every=1", "--keep=1", "--resume"]
    work.train(3, 1, *flags, "--steps=1", "--save", tmp_path / "first")
    work.train(3, 1, *flags, "--steps=2", "--save", tmp_path / "whole")
    wanted = tensors(tmp_path / "whole/step-00000002")
    seen = set()
    for call in range(200):
        folder = tmp_path / ("cut%d" % call)
        shutil.copytree(tmp_path / "first", folder)
        command = [BIN / "dsrun", *work.command(3, 1, *flags, "--steps=2", "--save", folder)]
        more = {"LD_PRELOAD": str(cutting), "CUT_IN": str(folder), "CUT_AT": str(call)}
        ended = subprocess.run(
            list(map(str, command)), env={**os.environ, **more}, capture_output=True, text=True
        )
        if ended.returncode == 0:
            break
        assert ended.returncode == -signal.SIGKILL, ended.stderr
        left = sets(folder)
        assert left in ([1], [2], [2, 1]), left
        for step in left:  # Whatever is seen is whole.
            tensors(folder / ("step-%08d" % step))
        seen.add(tuple(left))
        work.train(3, 1, *flags, "--steps=2", "--save", folder)
        assert sets(folder)[0] == 2 and not list(folder.glob(".step-*"))
        check_same(tensors(folder / "step-00000002"), wanted)
        shutil.rmtree(folder)
    # The files were cut within, and the run had many such calls.
    assert 20 < call < 200
    assert seen == {(1,), (2, 1), (2,)}
