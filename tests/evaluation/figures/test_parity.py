"""Parity against the right values, and by hand."""

import numpy as np
import pytest

from spm_lite import OptionError
from spm_lite.evaluation.figures.audit_sources import TextSource
from spm_lite.evaluation.figures.measure import measure
from spm_lite.evaluation.figures.parity import check_parallel, parity_figures, ratio_error, reference_of, spread


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
    assert spread({"a": 1.0, "b": 3.0, "c": None}) == {
        "languages": 2, "gini": 0.25, "tax_median": 2.0, "tax_max": 3.0, "best": "a", "worst": "b"
    }  # fmt: skip
    assert spread({"b": 1.0, "a": 1.0})["best"] == spread({"b": 1.0, "a": 1.0})["worst"] == "a"
    assert spread({})["gini"] is None


def test_ratio_error():
    """By hand: the rests of (1, 3) against twice (1, 1) are -1 and 1, so the error is sqrt(2 · 2) / 2."""
    assert ratio_error(np.array([1.0, 3.0]), np.array([1.0, 1.0])) == pytest.approx(1.0)
    assert ratio_error(np.array([2.0, 4.0]), np.array([1.0, 2.0])) == 0
    assert ratio_error(np.array([2.0]), np.array([1.0])) is None


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
