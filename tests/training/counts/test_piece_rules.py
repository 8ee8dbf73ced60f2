"""Piece rules: against the rules asked one by one, and cuts against all pieces of a small alphabet."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import native
from oracle.validity import is_valid

from spm_lite.specs import TrainerSpec
from spm_lite.training.counts.cut_rules import is_valid_piece

# space mark, Latin, Cyrillic, Han, kana, digit, fullwidth digit, Common, Inherited, a blank, a character of no width,
# and what is in no piece
ALPHABET = "\u2581aд漢の7７,\u0301\u00a0\u200b\0"
MORE = ALPHABET + "b0\x1f\u2585カ\u3000\ufeff"
SHAPES = [
    dict(
        zip(("by_script", "by_whitespace", "by_number", "lone_digits", "suffix", "whitespace_only"), flags, strict=True)
    )
    for flags in itertools.product((False, True), repeat=6)
]


def spec_of(shape: dict[str, bool], length: int = 4) -> TrainerSpec:
    return TrainerSpec(
        split_by_unicode_script=shape["by_script"],
        split_by_whitespace=shape["by_whitespace"],
        split_by_number=shape["by_number"],
        split_digits=shape["lone_digits"],
        treat_whitespace_as_suffix=shape["suffix"],
        allow_whitespace_only_pieces=shape["whitespace_only"],
        max_sentencepiece_length=length,
    )


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "".join(str(int(flag)) for flag in shape.values()))
def test_all_short_strings(shape: dict[str, bool]) -> None:
    """Validity equals the naive rules, and every piece of up to 3 characters survives all cuts."""
    spec = spec_of(shape)
    cut = {(x, y) for x in ALPHABET for y in ALPHABET if native.is_cut_between(x, y, spec)}
    for length in range(1, 4):
        for characters in itertools.product(ALPHABET, repeat=length):
            text = "".join(characters)
            valid = is_valid(text, spec)
            assert is_valid_piece(text, spec) == valid, text
            if valid:
                assert not any(pair in cut for pair in itertools.pairwise(characters)), text


@settings(max_examples=300)
@given(
    st.sampled_from(SHAPES),
    st.integers(1, 8),
    st.text(MORE, max_size=9),
    st.booleans(),
)
def test_longer_strings(shape: dict[str, bool], length: int, text: str, reference_rules: bool) -> None:
    spec = spec_of(shape, length)
    valid = is_valid(text, spec, reference_rules)
    assert is_valid_piece(text, spec, reference_rules) == valid
    if valid:
        assert not any(native.is_cut_between(x, y, spec, reference_rules) for x, y in itertools.pairwise(text))


def test_cuts_are_made() -> None:
    """The cuts that make training fast are there."""
    spec = TrainerSpec()
    assert native.is_cut_between("a", "\u2581", spec)
    assert native.is_cut_between("a", ",", spec)
    assert native.is_cut_between("a", "д", spec)
    assert not native.is_cut_between("\u2581", "\u2581", spec)
    assert not native.is_cut_between("\u2581", "a", spec)
    assert not native.is_cut_between("漢", "の", spec)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "".join(str(int(flag)) for flag in shape.values()))
def test_nothing_is_left_uncut(shape: dict[str, bool]) -> None:
    """Two neighbours that stay together are together in some piece, so chunks are as short as neighbours can tell."""
    spec = spec_of(shape)
    together = set()
    for length in range(2, 4):
        for characters in itertools.product(ALPHABET, repeat=length):
            if is_valid_piece("".join(characters), spec):
                together.update(itertools.pairwise(characters))
    for x, y in itertools.product(ALPHABET, repeat=2):
        assert native.is_cut_between(x, y, spec) == ((x, y) not in together), (x, y)


BLANKS = "\t\u00a0\u2009\u202f\u3000\u2028"
IGNORABLES = "\u00ad\u200b\u200c\u200e\u200f\u061c\u2060\ufeff\u2066\u180e\u3164\ufe0f"


def test_characters_of_no_width_go_with_every_script() -> None:
    """Where U+200C may stand: at either end of a piece and within it."""
    spec = TrainerSpec()
    for sign in IGNORABLES:
        for text in ("{}ab", "ab{}", "a{}b", "\u2581{}ab", "漢{}字", "ע{}", "1{}2", ".{}."):
            assert is_valid_piece(text.format(sign), spec), (text, sign)
        for text in ("a{}д", "{}a漢", "a{}.", "a\u2581{}"):
            assert not is_valid_piece(text.format(sign), spec), (text, sign)


def test_blanks_begin_a_piece_of_any_script() -> None:
    """Where U+0020 may stand, and as before among characters of script Common."""
    spec = TrainerSpec()
    suffix = TrainerSpec(treat_whitespace_as_suffix=True)
    for sign in BLANKS:
        for text in ("{}ab", "{}漢字", "{}12", "{}.", "1{}2", ".{}", "{}{}"):
            assert is_valid_piece(text.replace("{}", sign), spec), (text, sign)
        for text in ("ab{}", "a{}b", "{}{}ab", "\u2581{}ab", "{}\u2581ab", "{}a.", "a{}."):
            assert not is_valid_piece(text.replace("{}", sign), spec), (text, sign)
        for text in ("ab{}", "漢字{}", "1{}2", ".{}", "{}{}"):
            assert is_valid_piece(text.replace("{}", sign), suffix), (text, sign)
        for text in ("{}ab", "a{}b", "ab{}{}", "ab{}.", "ab{}\u2581"):
            assert not is_valid_piece(text.replace("{}", sign), suffix), (text, sign)
        across = TrainerSpec(split_by_whitespace=False)
        assert is_valid_piece(f"ab{sign}cd", across)
        assert not is_valid_piece(f"a{sign}д", across)


def test_other_trainings_keep_the_rules_of_the_original() -> None:
    """Models that are not lossless, and those of the drop-in: script Common, except U+200C and other marks."""
    lossy = TrainerSpec(lossless=False)
    for sign in BLANKS + IGNORABLES:
        for text in ("{}ab", "ab{}", "a{}b"):
            inherits = sign in "\u200c\ufe0f"
            assert is_valid_piece(text.format(sign), lossy) == inherits, (text, sign)
            assert is_valid_piece(text.format(sign), TrainerSpec(), True) == inherits, (text, sign)
        assert is_valid_piece(f",{sign},", lossy) == (sign not in "\u180e\u3164")
    for control in "\n\r\x85":  # not blanks: a line ends there
        assert not is_valid_piece(f"{control}ab", TrainerSpec())
        assert is_valid_piece(f"{control},", TrainerSpec())
