"""Parity against the right values, and by hand."""

import numpy as np
import pytest

from spm_lite import OptionError
from spm_lite.evaluation.figures.audit_sources import TextSource
from spm_lite.evaluation.figures.measure import measure
from spm_lite.evaluation.figures.parity import check_parallel, gini, parity_figures, reference_of, spread


def ntrex(shared_data, language):
    rows = [
        line.split(b"\t", 1)
        for line in (shared_data / f"corpora/parallel/ntrex.{language}.tsv").read_bytes().split(b"\n")
        if line
    ]
    keys = [row[0].rsplit(b"-", 1)[0] for row in rows]
    return TextSource(language, [row[1] for row in rows], keys, keeps_empty=True)


@pytest.mark.slow
def test_right_values(golden, subject, shared_data, check):
    subjects = [subject(model) for model in golden["models"]]
    languages = golden["parity"]["llama2"]["languages"]
    sources = {name: measure(ntrex(shared_data, name), subjects, 2, 0) for name in languages}
    for each in subjects:
        check(parity_figures(sources, each.name, "eng"), golden["parity"][each.name])


def test_some_languages(golden, subject, shared_data, check):
    names = ["eng", "deu", "jpn"]
    sources = {name: measure(ntrex(shared_data, name), [subject("t5_base")], 2, 0) for name in names}
    figures = parity_figures(sources, "t5_base", "eng")
    for name in names:
        check(figures["languages"][name], golden["parity"]["t5_base"]["languages"][name])
    assert figures["all"]["best"] == "jpn"  # it loses the text, so it has few tokens ...
    assert figures["all_spelled"]["best"] == "eng"  # ... unless they are spelled
    assert figures["represented"]["languages"] == 2


def test_spread():
    one, three = np.array([4.0, 6.0]), np.array([12.0, 18.0])
    figures = spread({"a": one, "b": three, "c": None, "d": np.zeros(2)})
    assert {name: figures[name] for name in ("tokens", "languages", "gini", "tax_median", "tax_max", "max_mean")} == {
        "tokens": 40, "languages": 2, "gini": 0.25, "tax_median": 2.0, "tax_max": 3.0, "max_mean": 1.5
    }  # fmt: skip
    assert (figures["best"], figures["worst"]) == ("a", "b")
    assert figures["tax_max_ci95"] == [3, 3]  # both documents say the same
    equal = spread({"b": one, "a": one})
    assert equal["best"] == equal["worst"] == "a"
    assert equal["max_mean_ci95"] == [1, 1]
    assert spread({"a": np.array([5.0]), "b": np.array([6.0])})["gini_ci95"] is None
    assert spread({})["gini"] is None
    assert gini([5.0]) is None


def test_lines_that_are_empty_in_one_language(subject):
    """They are left out in all: the figures are those of the other lines."""
    names = ("a", "b")
    texts = {"a": ["one two", "", "three", "four five"], "b": ["eins zwei", "drei", "", "vier"]}
    whole = {
        name: measure(TextSource(name, texts[name], keeps_empty=True), [subject("llama2")], 1, 0) for name in names
    }
    rest = {
        name: measure(TextSource(name, [texts[name][0], texts[name][3]], keeps_empty=True), [subject("llama2")], 1, 0)
        for name in names
    }
    figures, others = (parity_figures(sources, "llama2", "a") for sources in (whole, rest))
    assert (figures["lines"], figures["lines_left_out"], others["lines_left_out"]) == (2, 2, 0)
    assert figures["all"]["gini"] == others["all"]["gini"]
    for figure in ("tokens", "cost", "premium", "byte_premium", "character_premium"):
        assert figures["languages"]["b"][figure] == others["languages"]["b"][figure]


def test_reference():
    assert reference_of(["deu", "eng"], None) == "eng"
    assert reference_of(["deu", "en"], None) == "en"
    assert reference_of(["deu", "fra"], None) == "deu"
    with pytest.raises(OptionError, match="reference='xx' is not one of the parallel texts: deu"):
        reference_of(["deu"], "xx")


def test_texts_of_different_length(subject):
    a, b = (measure(TextSource(name, ["x"] * n), [subject("llama2")], 1, 0) for name, n in (("a", 2), ("b", 3)))
    with pytest.raises(OptionError, match="'a' has 2, and 'b' has 3"):
        check_parallel({"a": a, "b": b})
