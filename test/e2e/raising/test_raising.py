"""Is what exporters take apart put together again, and nothing else?"""

import re
from pathlib import Path

import pytest
from harness.tools import run
from raising.table import CORPUS, MODELS, Raised

FOLDER = Path(__file__).resolve().parents[1] / "models"


def count(model, flags):
    """The operations of the module after the stage normalize."""
    # Parameters without data need a rule, whatever it is.
    result = run("dsc", model, "--emit=normalize", "--init=zeros@.*", *flags)
    assert result.code == 0, str(result)
    operations = [line for line in result.out.splitlines() if re.search(r"= nn\.", line)]
    import_form = r"nn\.(shape_of|dynamic_\w+|constant_of_shape|range|split|trilu|nonzero|tile)\b"
    assert not re.search(import_form, result.out), "shape arithmetic is left"

    def number(pattern):
        return sum(bool(re.search(pattern, line)) for line in operations)

    return Raised(
        layer_norm=number(r"= nn\.layer_norm\b"),
        gelu=number(r"= nn\.gelu\b"),
        attention=number(r"= nn\.attention\b"),
        causal=number(r"= nn\.attention\b.* causal\b"),
        biased=number(r"= nn\.attention\b.* bias\b"),
        softmax=number(r"= nn\.softmax\b"),
    )


@pytest.mark.parametrize("name", sorted(MODELS))
def test_model(name):
    flags, expected = MODELS[name]
    assert count(FOLDER / name, flags) == expected


@pytest.mark.parametrize("name", sorted(CORPUS))
def test_corpus(corpus, name):
    flags, expected = CORPUS[name]
    assert count(corpus / name, flags) == expected
