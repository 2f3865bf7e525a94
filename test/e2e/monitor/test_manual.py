"""Manual pages and completion, which the programs print from their option tables."""

import re
import shutil
import subprocess

import pytest
from harness.tools import BIN, run

PROGRAMS = ["dsc", "dsrun"]


def options_of(help_text):
    """The options that --help lists, with their dashes."""
    return re.findall(r"^ +(--?[a-z][-\w]*)", help_text, re.M)


def printed(program, flag):
    result = run(program, flag)
    assert result.code == 0 and not result.err, str(result)
    return result.out


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_manual_has_every_option(program):
    page = printed(program, "--manual")
    tags = {tag.replace("\\-", "-") for tag in re.findall(r"\.TP\n\\fB(.*?)\\fR", page)}
    wanted = options_of(printed(program, "--help"))
    assert len(wanted) > 20 and set(wanted) <= tags
    for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"):
        assert ".SH %s\n" % section in page


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_manual_is_clean_roff(program):
    page = printed(program, "--manual")
    page.encode("ascii")
    if not shutil.which("groff"):
        pytest.skip("no groff")
    command = ["groff", "-man", "-Tascii", "-ww", "-z"]
    done = subprocess.run(command, input=page, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == ""


def complete(program, *words, cwd=None):
    """What bash offers for the last word; = and : are words of their own to it."""
    script = """
        eval "$(%s --completion)"
        COMP_WORDS=(%s "$@") COMP_CWORD=$#
        _%s
        printf '%%s\\n' "${COMPREPLY[@]}"
    """
    script %= (BIN / program, program, program)
    command = ["bash", "-c", script, program, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=cwd)
    assert done.returncode == 0 and done.stderr == "", done
    return done.stdout.split()


@pytest.mark.parametrize("program", PROGRAMS)
def test_completion_of_options(program):
    wanted = options_of(printed(program, "--help"))
    assert set(complete(program, "--")) >= {word for word in wanted if word.startswith("--")}
    assert complete(program, "--vers") == ["--version"]


@pytest.mark.parametrize(
    "words, offers",
    [
        (["dsc", "-zero", "="], ["0", "1", "2", "3"]),
        (["dsc", "--zero", "=", ""], ["0", "1", "2", "3"]),
        (["dsc", "--zero", ""], ["0", "1", "2", "3"]),
        (["dsc", "m.onnx", "--optimizer", "=", "a"], ["adam", "adamw"]),
        (["dsc", "--emit", "=", "l"], ["llvm", "lower"]),
        (["dsc", "--plan", "=", "v"], ["verbose"]),
        (["dsc", "--max-world", "=", ""], []),
        (["dsc", "--bind", ""], []),
        (["dsc", ""], ["config", "explain", "export", "m.onnx", "sub"]),
        (["dsc", "m"], ["m.onnx"]),
        (["dsc", "--plan", ""], ["m.onnx", "sub"]),
        (["dsc", "--weights", "=", ""], ["m.safetensors", "sub"]),
        (["dsc", "--dump-stages", "=", ""], ["sub"]),
        (["dsc", "export", "m.so", "--w"], ["--weights"]),
        (["dsc", "export", "m.so", "--weights", "=", "m.s"], ["m.safetensors", "m.so"]),
        (["dsrun", "--token-type", ""], ["text", "u16", "u32"]),
        (["dsrun", ""], ["m.so", "sub"]),
        (["dsrun", "m.so", "--tokens", "a.bin", "b"], ["b.bin"]),
        (["dsrun", "m.so", "--input", "x", "=", "b"], ["b.bin"]),
        (["dsrun", "m.so", "--input", "=", "x", "=", "b"], ["b.bin"]),
        (["dsrun", "m.so", "--steps", ""], []),
        (["dsrun", "m.so", "--write-outputs", "=", ""], ["sub"]),
        (["dsrun", "m.so", "--monitor", "=", "csv", ":", "s"], ["sub"]),
        (["dsrun", "m.so", "--export", "m"], ["m.onnx"]),
        (["dsrun", "m.so", "--dry-run", "--steps-p"], ["--steps-per-print"]),
    ],
)
def test_completion_of_values(tmp_path, words, offers):
    for name in ("m.onnx", "m.so", "m.safetensors", "a.bin", "b.bin"):
        (tmp_path / name).touch()
    (tmp_path / "sub").mkdir()
    program, *line = words
    assert complete(program, *line, cwd=tmp_path) == offers


def test_file_names_with_blanks_are_one_offer(tmp_path):
    (tmp_path / "my model.so").touch()
    script = 'eval "$(%s --completion)"; COMP_WORDS=(dsrun m) COMP_CWORD=1; _dsrun; echo '
    script = script % (BIN / "dsrun") + '"${#COMPREPLY[@]} ${COMPREPLY[0]}"'
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == "1 my model.so\n"


def test_they_are_installed(tmp_path):
    done = subprocess.run(
        ["cmake", "--install", BIN.parent, "--prefix", tmp_path], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    for program in PROGRAMS:
        page = (tmp_path / "share/man/man1" / (program + ".1")).read_text()
        assert page == printed(program, "--manual")
        script = (tmp_path / "share/bash-completion/completions" / program).read_text()
        assert script == printed(program, "--completion")
