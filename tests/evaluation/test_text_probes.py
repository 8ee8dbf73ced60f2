"""Stability, numbers and code against the right values, and by hand."""

import pytest
from oracle.slow import slow_after

from spm_lite.evaluation.figures.foreign import ForeignSubject
from spm_lite.evaluation.text_probes import (
    difference,
    edited_texts,
    edits_of,
    groups,
    identifier_figures,
    identifiers_in,
    indentation_figures,
    kind_of_numbers,
    longest_word,
    number_figures,
    numbers_of,
    operator_figures,
    source_of_digits,
    stability_figures,
)

MODELS_TRIED = [
    "t5_base", "llama2", "google_test_ja_model", "wikipedia_default_bpe_16k", "nerdstash_bpe_65k",
    "llmjp_v4a_unigram_196k",
]  # fmt: skip


@pytest.mark.parametrize("name", slow_after(4, MODELS_TRIED))
def test_right_probes(name, golden, subject, check):
    each = subject(name)
    figures = {
        "numbers": number_figures(each),
        "operators": operator_figures(each),
        "indentation": indentation_figures(each),
    }
    check(figures, golden["probes"][name])


@pytest.mark.parametrize("name", slow_after(2, MODELS_TRIED))
def test_right_stability(name, golden, subject, text_lines, check):
    for text, right in golden["stability"][name].items():
        lines = [line.decode() for line in text_lines(text)[:500]]
        check(stability_figures(subject(name), edited_texts(lines)), right)


def test_edits():
    assert edits_of("a an 12345 the") == []
    assert dict(edits_of("über 日本")) == {
        "space": " über 日本", "case": "Über 日本", "upper": "ÜBER 日本", "swap": "üebr 日本", "drop": "übr 日本",
        "double": "übeer 日本", "nfd": "u\u0308ber 日本",
    }  # fmt: skip
    assert [kind for kind, _ in edits_of("日本日本")] == ["space", "swap", "drop", "double"]
    assert longest_word("ab \u0301abc\u200dd efghi") == (4, 9)
    assert (difference([1, 1], [1, 1, 1]), difference([], [1]), difference([1], [1])) == ((0, 1), (0, 1), (0, 0))
    assert stability_figures(None, edited_texts(["abc"])) == {}


def test_no_edit_sorts_marks_by_python(monkeypatch):
    """There the time grows with the square of a run of marks."""
    with monkeypatch.context() as patched:
        patched.setattr("unicodedata.normalize", None)
        edits = edits_of("word\u0301\u0323")
    assert dict(edits)["nfd"] == "word\u0323\u0301"


def test_digits():
    digits = source_of_digits()
    assert int(digits[-9:]) == pow(3, 9000, 10**9)
    assert (len(digits), len(set(map(len, map(numbers_of, range(1, 13)))))) == (4295, 1)
    assert numbers_of(1)[:5] == list(digits[:5])
    assert not any(number.startswith("0") for number in numbers_of(3))


@pytest.mark.parametrize(
    ("cut", "kind"),
    [
        (lambda n: [1] * n, "single digits"),
        (groups, "groups of three from the left"),
        (lambda n: groups(n)[::-1], "groups of three from the right"),
    ],
)
def test_kinds_of_numbers(cut, kind):
    """A tokenizer that cuts by a rule is named after it."""

    def spans(texts):
        rows = []
        for text in texts:
            row, pos = [(0, 2)], 2
            for size in cut(len(text) - 2):
                row.append((pos, pos + size))
                pos += size
            rows.append(row)
        return [[7] * len(row) for row in rows], rows

    tokenizer = ForeignSubject("x", "test", lambda texts: [[7] * bool(text) for text in texts], size=9, spans=spans)
    assert kind_of_numbers(number_figures(tokenizer)) == kind


def test_irregular_numbers(subject):
    assert kind_of_numbers(number_figures(subject("t5_base"))) == "irregular (0.84 at 4 digits, 0.44 at 7 digits)"
    assert kind_of_numbers(number_figures(subject("llama2"))) == "single digits"


def test_unknown_operators(subject):
    figures = operator_figures(subject("t5_base"))
    assert "<<" in figures["which"]
    assert "<<" in figures["unknown"]
    assert operator_figures(subject("llama2"))["unknown"] == []


def test_identifiers(subject):
    names = [
        f"get{word}ById2" for word in ["User", "File", "Line", "Name", "Page", "Node", "Item", "List", "Text", "Byte"]
    ]
    names += [
        f"load_{word}_by_id"
        for word in ["user", "file", "line", "name", "page", "node", "item", "list", "text", "byte"]
    ]
    figures = identifier_figures(subject("llama2"), identifiers_in([" ".join(names)]))
    assert figures["identifiers"] == 20
    assert figures["places"] == 10 * 4 + 10 * 3
    assert 0.5 < figures["rate"] <= 1
    assert identifier_figures(subject("llama2"), identifiers_in(["plain words only"])) is None
