"""Which split patterns decide between two neighbours alone: a search over short texts agrees, and errors show why."""

import itertools
import random

import pytest
from oracle.slow import slow_after

import spm_lite
from spm_lite.formats.split_patterns import NAMED
from spm_lite.specs import TrainerSpec
from spm_lite.training.options.checks import check_options
from spm_lite.training.options.local_patterns import (
    LOCAL_PATTERN,
    borders,
    check_whole,
    cutter,
    example,
    undecided,
)

LOCAL = [
    LOCAL_PATTERN, r"[\p{L}\p{M}]+|\p{N}+|[^\s\p{L}\p{M}\p{N}]+|\s+", r"\S+|\s", r"\s*\S+|\s+", r"\p{Han}|\P{Han}+",
    "[ab]", r"\w+", r"[\s\S]", r"[\s\S]+", r"\p{Lu}+|\p{Ll}+|[^\p{Lu}\p{Ll}]",
]  # fmt: skip
NOT_LOCAL = [
    *NAMED, r"\p{N}{1,3}|\P{N}+", r"[0-9]{1,40}", r"\p{Lu}?\p{Ll}+|\p{Lu}+", r" ?\S+|\s+", r"(?<=a)b|[^ab]+", r"^..",
    r"\w+'s|\w+|\s", r"..$", "international|[a-z]| ", r"a{3}|a", r"a+(?!b)|[^a]+", r"the|\p{L}",
    r"ing|(?:(?!ing)\p{L})+|[^\p{L}]", r"\p{L}+?(?=ing\b)|\p{L}+|[^\p{L}]", r"https?://\S+|\p{L}+|[^\p{L}]",
]  # fmt: skip
PARTS = [
    "a", "b", "[ab]", "1", r"\p{L}", r"\p{N}", r"\s", " ", " ?a", "[^ab]", "a?b", r"\w", "'", "ab", r"(?!a)\w",
    "(?<!b)a",
]  # fmt: skip


def options_of(pattern, **options):
    return {"model_type": "bpe", "vocab_size": 400, "split_pattern": pattern, **options}


def is_local(pattern, **options):
    try:
        check_options(**options_of(pattern, **options))
    except spm_lite.OptionError as error:
        assert "always or never" in str(error)
        return False
    return True


def decisions(parts_of, texts):
    """The pairs of neighbours that some text holds together, and those that some text cuts."""
    together, cut = set(), set()
    for text in texts:
        parts = parts_of(text)
        assert "".join(parts) == text
        together |= {pair for part in parts for pair in itertools.pairwise(part)}
        cut |= {(left[-1], right[0]) for left, right in itertools.pairwise(parts)}
    return together & cut


@pytest.mark.parametrize("pattern", LOCAL)
def test_patterns_of_pairs_are_taken(pattern):
    assert is_local(pattern)


@pytest.mark.parametrize("pattern", NOT_LOCAL)
def test_errors_show_two_texts(pattern):
    with pytest.raises(spm_lite.OptionError, match="always or never") as caught:
        check_options(**options_of(pattern))
    spec = TrainerSpec(model_type="bpe", split_pattern=pattern, **NO_OTHER_CUTS)
    first, second, together, cut = undecided(spec, check_options(**options_of(None or LOCAL_PATTERN)).text_normalizer())
    assert all(repr(shown) in str(caught.value) for shown in (first, second, together, cut))
    pair, parts_of = first + second, cutter(pattern)
    assert any(pair in part for part in parts_of(together))
    assert (first, second) in borders(parts_of(cut))
    assert caught.value.remedies[0] == {"model_type": "byte_bpe"}
    for change in caught.value.remedies:
        spm_lite.train(["ab 12"] * 9, hard_vocab_limit=False, **options_of(pattern) | change)


NO_OTHER_CUTS = {"split_by_unicode_script": False, "split_by_whitespace": False, "split_by_number": False}


@pytest.mark.parametrize("seed", slow_after(40, range(400)))
def test_random_patterns(seed):
    """All texts of up to five characters of a few kinds show no pair that is cut in some texts only."""
    rng = random.Random(seed)
    pattern = (
        "|".join(rng.choice(PARTS) + rng.choice(["", "", "+", "{1,2}"]) for _ in range(rng.randrange(1, 4))) + "|!"
    )
    texts = ["".join(some) for n in range(1, 6) for some in itertools.product("ab1 '", repeat=n)]
    found = decisions(cutter(pattern), [f" {text}" for text in texts])
    if is_local(pattern):
        assert not found, pattern
    elif "\\" not in pattern and "[^" not in pattern:  # else other characters may show it
        assert found, pattern


@pytest.mark.parametrize(
    ("pattern", "options"),
    [
        (r"[0-9]{1,3}|[^0-9]+", {"split_digits": True}),
        (r" ?\S+| +", {"remove_extra_whitespaces": True}),
        (r"[A-Z]?[a-z]+|[A-Z]+", {"normalization": "nfkc_cf"}),
        (r"a{3}|a", {"max_sentencepiece_length": 1}),
        (r" ?a|\s+|\S", {"split_by_whitespace": True, "treat_whitespace_as_suffix": True}),
    ],
)
def test_other_options_count(pattern, options):
    """A pair that they always cut may be cut by the pattern now and then, and so may one that no text holds."""
    assert not is_local(pattern) and is_local(pattern, **options)


def test_a_piece_that_is_cut_where_it_stands_alone():
    """A pattern that names a word longer than the texts of the check: parts of the word are learned."""
    pattern = "".join(f"[{letter}]" for letter in "international") + "|[a-z]| "
    texts = ["international"] * 9 + ["nation inter"]
    with pytest.raises(spm_lite.TrainingError, match="where it stands alone") as caught:
        spm_lite.train(texts, hard_vocab_limit=False, **options_of(pattern))
    assert [*caught.value.remedies[0]] == ["model_type"]
    for change in caught.value.remedies:
        spm_lite.train(texts, hard_vocab_limit=False, **options_of(pattern) | change)
    check_whole(["\u2581", "n"], TrainerSpec(model_type="bpe", split_pattern=pattern))


def test_short_texts_are_shown():
    parts_of = cutter("gpt2")
    text = "xx the y\t'the z"
    assert example(("t", "h"), text, False, parts_of) == "th"
    assert example(("t", "h"), text, True, parts_of) == "'th"
    assert example(("z", "z"), text, True, parts_of) == text
    with pytest.raises(spm_lite.OptionError) as caught:
        check_options(**options_of("[0-9]{1,40}"))
    assert f" {'0' * 41!r}." in str(caught.value)
