"""A function of the caller's that splits the text of the corpus."""

from collections.abc import Iterable
from typing import Any

import pytest

from spm_lite.errors import OptionError, TrainingError
from spm_lite.files.corpus import open_source
from spm_lite.files.read_options import RAW
from spm_lite.training.options.checks import check_options
from spm_lite.training.pretokenizer import Pretokenizer
from spm_lite.training.steps import Training


def train(lines: Iterable[str], split: Any, inconsistent: bool = False, **options: Any) -> list[str]:
    """The learned pieces of more than one character."""
    options = {"model_type": "bpe", "vocab_size": 300, "hard_vocab_limit": False, "byte_fallback": False, **options}
    run = Training(check_options(lossless=False, **options), 1, None, True, Pretokenizer(split, inconsistent))
    return [text for text, _, kind in run.learn(open_source(list(lines))) if kind == 1 and len(text) > 1]


def test_no_piece_passes_a_boundary() -> None:
    assert "abcd" in train(["abcd"] * 9, lambda text: [text], add_dummy_prefix=False)
    assert train(["abcd"] * 9, lambda text: [text[:2], text[2:]], add_dummy_prefix=False) == ["ab", "cd"]


def test_what_it_is_given() -> None:
    """Normalized text, with U+001F for a meta piece; lines that training leaves out are not given."""
    texts: list[str] = []

    def split(text: str) -> list[str]:
        texts.append(text)
        return [text]

    lines = ["a  <s>b", "", "x\u2585", "much too long", "\xff"]
    train(lines, split, max_sentence_length=10, normalization="nmt_nfkc", user_defined_symbols=["b"])
    assert texts == ["\u2581a\u2581\x1f\x1f", "\u2581\xff"]


def test_with_counts() -> None:
    run = Training(
        check_options(model_type="bpe", vocab_size=7, byte_fallback=False, lossless=False, add_dummy_prefix=False),
        1,
        None,
        True,
        Pretokenizer(lambda text: list(text.partition("c"))),
    )
    pieces = run.learn(open_source(iter(["abcab\t3", "c\t9"]), RAW._replace(input_format="tsv")))
    assert [text for text, _, _ in pieces[3:]] == ["ab", "c", "a", "b"]


def test_report() -> None:
    run = Training(
        check_options(model_type="bpe", vocab_size=300, hard_vocab_limit=False, byte_fallback=False, lossless=False),
        1,
        None,
        True,
        Pretokenizer(lambda text: [text]),
    )
    pieces = run.learn(open_source(["ab", "", "\u2585", "abc"]))
    report = run.report(len(pieces), b"")
    assert (report.lines_read, report.lines_used, report.lines_empty, report.lines_marked) == (4, 2, 1, 1)
    assert report.lines_not_selected == 0


@pytest.mark.parametrize(
    ("split", "reason"),
    [
        (lambda text: ["x"], "Pretokenized output mismatch at sample 0: joined='x', original='\u2581ab'"),
        (lambda text: None, "Pretokenizer failed: TypeError: it gave NoneType"),
        (lambda text: [text, 5], "Pretokenizer failed: TypeError: a part of what it gave is int"),
        (lambda text: iter([text]), "it gave list_iterator"),
        (lambda text: text[99], "Pretokenizer failed: IndexError"),
        (5, "not callable"),
    ],
)
def test_refused(split: Any, reason: str) -> None:
    with pytest.raises(TrainingError) as error:
        train(["ab"], split)
    assert reason in str(error.value)


def test_inconsistent() -> None:
    assert train(["ab"] * 5, lambda text: ["xy", b"z"], True) == ["xy"]
    with pytest.raises(TrainingError, match="must not include spaces"):
        train(["ab"], lambda text: ["a b"], True)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"model_type": "char"}, "only supported in UNIGRAM or BPE"),
        ({"pretokenization_delimiter": "|"}, "cannot be set simultaneously"),
    ],
)
def test_not_together(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(OptionError, match=reason):
        train(["ab"], lambda text: [text], **options)


def test_a_limited_number_of_lines() -> None:
    texts: list[str] = []

    def split(text: str) -> list[str]:
        texts.append(text)
        return [text]

    train([f"line {i}" for i in range(500)], split, input_sentence_size=101, shuffle_input_sentence=False)
    assert texts == [f"\u2581line\u2581{i}" for i in range(101)]
