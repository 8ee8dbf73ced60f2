"""The values of the option `superwords`, what it excludes, and the sizes of both stages."""

import numpy as np
import pytest

from spm_lite import ArgumentTypeError, OptionError, TrainingError, train
from spm_lite.specs import Superwords
from spm_lite.training.options.superword_options import as_superwords, first_size, is_superword, whole_size

TEXTS = ["the cat sat on the mat", "the dog sat on the log"] * 9


def test_values() -> None:
    assert as_superwords(None) is None and as_superwords(False) is None
    assert as_superwords(True) == as_superwords({}) == Superwords()
    assert as_superwords(0.5) == as_superwords({"share": np.float32(0.5)}) == Superwords(share=0.5)
    assert as_superwords({"whole_words": True, "max_words": np.int64(3)}) == Superwords(whole_words=True, max_words=3)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "share=0: must be above 0 and below 1"),
        (1.0, "share=1.0"),
        (float("nan"), "share=nan"),
        ({"share": "half"}, "share='half': must be float, not str"),
        ({"max_word": 3}, "no key 'max_word': did you mean 'max_words'"),
        ({"max_words": 1}, "max_words=1: must be 2..16"),
        ({"min_documents": 65}, "min_documents=65: must be 1..16"),
        ({"max_length": True}, "must be int, not bool"),
        ({"inside": "digits"}, "must be one of letters, punctuation"),
        ("yes", "must be a share such as 0.8, True, or a dict"),
        ({3: 4}, "no key 3"),
    ],
)
def test_wrong_values(value, words) -> None:
    with pytest.raises((OptionError, ArgumentTypeError), match=words) as caught:
        train(TEXTS, vocab_size=400, model_type="bpe", superwords=value)
    assert caught.value.remedies
    for change in caught.value.remedies:
        train(TEXTS, **{"vocab_size": 400, "model_type": "bpe", "hard_vocab_limit": False, **change})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"model_type": "char"}, "only bpe, byte_bpe, unigram models"),
        ({"model_type": "word"}, "only bpe, byte_bpe, unigram models"),
        ({"model_type": "wordpiece"}, "only bpe, byte_bpe, unigram models"),
        ({"model_type": "byte_bpe", "split_pattern": "gpt2"}, "no piece crosses its cuts"),
        ({"split_by_whitespace": False}, "the first stage learns within words"),
        ({"treat_whitespace_as_suffix": True}, "begin with their space"),
        ({"graphemes": True, "superwords": {"whole_words": True}}, "one of the two rules"),
        ({"reference_rules": True}, "sentencepiece has no second stage"),
        ({"checkpoint": "states"}, "the second stage cannot be resumed"),
    ],
)
def test_what_excludes_superwords(options, words, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    given = {"vocab_size": 400, "model_type": "bpe", "superwords": 0.9, "hard_vocab_limit": False, **options}
    with pytest.raises(OptionError, match=words) as caught:
        train(["text"] * 9 if options.get("checkpoint") else TEXTS, **given)
    for change in caught.value.remedies:
        train(TEXTS, **{**given, **change})


def test_sizes() -> None:
    for share in (0.1, 0.5, 0.8, 0.93):
        for size in (2, 3, 17, 300, 32000):
            first = first_size(size, Superwords(share=share))
            assert 1 <= first < size
            least = whole_size(first, Superwords(share=share))
            assert least <= size and first_size(least, Superwords(share=share)) >= first
    for share in (1e-9, 1e-300):  # at once
        tiny = Superwords(share=share)
        assert first_size(whole_size(277, tiny), tiny) >= 277


def test_an_error_of_the_first_stage_names_the_whole_size() -> None:
    given = {"model_type": "bpe", "superwords": 0.5, "hard_vocab_limit": False}
    with pytest.raises(TrainingError, match=r"stage has 50 of vocab_size=100 .* share of vocab_size=5\d\d\)") as caught:
        train(TEXTS, vocab_size=100, **given)
    size = int(str(caught.value).rpartition("=")[2].rstrip(")"))
    assert train(TEXTS, vocab_size=size, **given).vocab_size > size // 2 - 1
    with pytest.raises(OptionError) as caught:
        train(TEXTS, vocab_size=400, **given, normalization="no such rules")
    assert "first stage" not in str(caught.value)


def test_is_superword() -> None:
    assert is_superword("\u2581of\u2581the".encode(), False) and is_superword(b"s the", True)
    assert not any(is_superword(text.encode(), False) for text in ("\u2581\u2581", "\u2581the", "the"))


@pytest.mark.parametrize(("value", "remedy"), [(0.8, True), ({"share": 0.8, "max_words": 2}, {"max_words": 2})])
def test_a_model_that_is_there_takes_no_share(value, remedy) -> None:
    tok = train(TEXTS, vocab_size=290, model_type="bpe", hard_vocab_limit=False)
    with pytest.raises(OptionError, match="takes no share") as refused:
        tok.extend(TEXTS, 1, superwords=value)
    assert refused.value.remedies == ({"superwords": remedy},)
    lines = [f"the cat {word} on the mat" for word in ("sat", "ran", "lay", "was", "is")]
    assert tok.extend(lines * 9, 1, superwords=remedy).tokenizer.vocab_size == tok.vocab_size + 1
