"""The texts of a lock: they are fixed, cover what they promise, and follow from the pieces alone."""

from __future__ import annotations

import unicodedata

from oracle.repository import ROOT

import spm_lite
from spm_lite.base.unicode.ranges import named_ranges
from spm_lite.base.unicode.ranges.script_ranges import RANGES
from spm_lite.evaluation.locks.lock_digests import bytes_of, digest, joined_bytes
from spm_lite.evaluation.locks.lock_texts import (
    MOST_BLOCKS,
    Strings,
    character_texts,
    hard_texts,
    piece_blocks,
    surface,
    token_texts,
)

CORPUS_1 = "537890f4d4dd92eb"  # digests of texts that never change, since locks are compared with them
CHARACTERS = "27bd0f4d1675828c"
STRINGS = "8260d47e595e68e6"


def whole(texts: list[str]) -> str:
    return digest(joined_bytes(map(bytes_of, texts)), 8).hex()


def test_texts_never_change() -> None:
    assert whole(hard_texts(1)) == CORPUS_1
    assert whole(character_texts()) == CHARACTERS
    strings = Strings([" the", "he", "", "them", "m", " e", "ee"])
    found = [strings.of(k) for k in range(7)]
    assert found[2] == "" and all(string[:1] in ("", " ") for string in found)
    assert " them" in found[0]  # "the" overlaps with "them"
    assert whole(found) == STRINGS
    assert token_texts("<x>") == ["<x>", "a<x>b", "the <x> cat", "1  <x>\n <x><x>\t2"]


def test_the_corpus_is_small_and_hard() -> None:
    texts = hard_texts()
    path = ROOT / "spm_lite" / "evaluation" / "locks" / "hard_corpus_1.txt"
    assert path.stat().st_size < 200_000
    assert len({*texts}) == len(texts)
    text = "\n".join(texts)
    for sign in ("\0", "\u2581", "\u200d", "e\u0301", "\u0e01", "<s>", "https://", "can't", "a" * 50, " " * 17):
        assert sign in text
    for script, ranges in named_ranges(RANGES):
        assert any(chr(point) in text for first, last in ranges for point in range(first, last + 1)), script


def test_each_character_is_there_once_and_letters_with_marks_compose() -> None:
    text = "".join(character_texts())
    for point in (0, 0x20AC, 0xD7FF, 0xE000, 0x1F600, 0x1FFFF, 0xE01FF):
        assert text.count(f" {chr(point)}a") == 1
    for composed in "\u00e9\u0439\u1fb6\ud55c\uac00\u1e69":
        assert f" {unicodedata.normalize('NFD', composed)[:3]}a" in text or composed == "\u1e69"  # has two marks


def test_strings_follow_from_the_pieces(toks: dict[str, spm_lite.Tokenizer]) -> None:
    for tok in toks.values():
        blocks = list(piece_blocks(tok, len(tok)))
        assert len(blocks) <= MOST_BLOCKS
        strings = [text for block in blocks for text in block]
        assert len(strings) == len(tok)
        assert all(surface(tok, i) in strings[i] for i in range(len(tok)))
        assert blocks == list(piece_blocks(spm_lite.load(tok.to_bytes()), len(tok)))
        assert len([text for block in piece_blocks(tok, len(tok) + 9) for text in block]) == len(tok) + 9
    tok = toks["wordpiece"]
    assert not any(surface(tok, i).startswith("##") for i in range(len(tok)))
