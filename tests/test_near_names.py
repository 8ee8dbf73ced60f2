"""Hints of messages: a misspelled or shortened name gets one, a far or very short one gets none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm_lite.cli.options.parsing import CommandParser, nearest
from spm_lite.cli.options.training_options import add_training_options
from spm_lite.near_names import distance, near_file, near_names
from spm_lite.training.options.checks import NORMALIZER_OPTIONS, OTHER_ARGUMENTS, TRAINER_FIELDS

PARAMETERS = [*TRAINER_FIELDS, *NORMALIZER_OPTIONS, *OTHER_ARGUMENTS]
MODEL_TYPES = ["unigram", "bpe", "word", "char"]


@pytest.mark.parametrize(
    ("given", "valid", "near"),
    [
        ("vocabsize", PARAMETERS, ["vocab_size"]),
        ("Vocab-Size", PARAMETERS, ["vocab_size"]),
        ("vocabulary_size", PARAMETERS, ["vocab_size"]),
        ("vocab", PARAMETERS, ["vocab_size"]),
        ("modle_type", PARAMETERS, ["model_type"]),
        ("normalisation", PARAMETERS, ["normalization"]),
        ("caracter_coverge", PARAMETERS, ["character_coverage"]),
        ("n_threads", PARAMETERS, ["num_threads"]),
        ("shrink_factor", PARAMETERS, ["shrinking_factor"]),
        ("max_sentence", PARAMETERS, ["max_sentence_length", "max_sentencepiece_length"]),
        ("unkid", PARAMETERS, ["unk_id"]),
        ("bps", MODEL_TYPES, ["bpe"]),
        ("BPE", MODEL_TYPES, ["bpe"]),
        ("uni", MODEL_TYPES, []),
        ("wordpiece", MODEL_TYPES, []),
        ("bp", MODEL_TYPES, []),
        ("ab", ["abc", "abd"], []),
        ("bat", ["bar", "car", "bad"], ["bar", "bad"]),
        ("split", PARAMETERS, []),  # four options begin so
        ("cls_id", PARAMETERS, []),
        ("mask_id", PARAMETERS, []),
        ("min_count", PARAMETERS, ["min_count"]),
        ("batch_size", PARAMETERS, []),
        ("language", PARAMETERS, []),
        ("size", PARAMETERS, []),
        ("v", PARAMETERS, []),
        ("", PARAMETERS, []),
        ("_", PARAMETERS, []),
        ("x" * 100_000, PARAMETERS, []),
        ("\ud800", PARAMETERS, []),
        ("vocab_size\0", PARAMETERS, ["vocab_size"]),
    ],
)
def test_near_names(given, valid, near):
    assert near_names(given, valid) == near


@pytest.mark.parametrize("option", [*(f"-{letter}" for letter in "abcdefgiklmnopqrstuvwxyzV0"), "--v", "--no", "--in"])
def test_short_options_get_no_hint(option):
    parser = CommandParser("train", "", "")
    add_training_options(parser)
    assert nearest(option, [name for action in parser._actions for name in action.option_strings]) == ""


@given(st.text("abc", max_size=5), st.text("abc", max_size=5))
def test_distance(first, second):
    """By the recursion of the definition."""

    def slow(i, j):
        if not i or not j:
            return i + j
        best = min(slow(i - 1, j) + 1, slow(i, j - 1) + 1, slow(i - 1, j - 1) + (first[i - 1] != second[j - 1]))
        if i > 1 and j > 1 and (first[i - 1], first[i - 2]) == (second[j - 2], second[j - 1]):
            best = min(best, slow(i - 2, j - 2) + 1)
        return best

    assert distance(first, second) == slow(len(first), len(second))


@pytest.mark.parametrize(
    ("missing", "meant"),
    [
        ("m.modle", "m.model"), ("corpsu.txt", "corpus.txt"), ("corpus", "corpus.txt"),
        ("corpus.tx", "corpus.txt"), ("b.txt", ""), ("m.txt", ""), ("nothing/m.model", ""), ("", ""), ("a\0b", ""),
        ("enn.txt", "en.txt"), ("een.txt", "en.txt"), ("en2.txt", ""), ("aa.txt", ""), ("mm.model", ""),
        ("x" * 5000, ""), ("CORPUS.txt", "corpus.txt"),
    ],
)  # fmt: skip
def test_near_files(missing, meant, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("m.model", "corpus.txt", "a.txt", "en.txt"):
        (tmp_path / name).touch()
    assert near_file(missing) == meant
    if meant:
        assert near_file(str(tmp_path / missing)) == str(tmp_path / meant)


def test_two_near_files_are_no_hint(tmp_path):
    for name in ("corpus.txt", "corpus.tsv"):
        (tmp_path / name).touch()
    assert near_file(str(tmp_path / "corpus")) == ""
