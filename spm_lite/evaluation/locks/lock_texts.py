"""The texts of a lock: a shipped corpus, each character of Unicode, and what the locked model has to say.

None of them is kept in a lock. The corpus has a number, and its file never changes. The characters follow from a rule.
The strings follow from the pieces of a model, so another model of the same pieces gives the same strings. The special
tokens are those that the lock names.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from spm_lite.kinds import NORMAL, USER_DEFINED

if TYPE_CHECKING:
    from spm_lite.tokenizer.tokenizer import Tokenizer

T = TypeVar("T")
CORPUS = 1  # the number of the newest corpus
PLANES = (range(0xD800), range(0xE000, 0x20000), range(0xE0000, 0xE0200))  # where characters are, without surrogates
BASES = (range(0x41, 0x5B), range(0x61, 0x7B), range(0xC0, 0x250), range(0x370, 0x530), range(0x1E00, 0x2000))
MARKS = (range(0x300, 0x315), range(0x323, 0x332), range(0x342, 0x346), range(0x338, 0x339))
LEADS, VOWELS, TAILS = range(0x1100, 0x1113), range(0x1161, 0x1176), range(0x11A8, 0x11C3)  # of Hangul
CHARACTERS = 64  # in a text
MOST_PIECES = 1 << 15  # of which strings are made; of more, an even sample
MOST_BLOCKS = 1 << 10  # of strings, each with one digest
STEP = 0x9E3779B1  # a prime, whose multiples choose the pieces beside a piece
OVERLAPS = 8  # strings in which a piece overlaps with another one
LONGEST = 4  # characters of an overlap


def hard_texts(number: int = CORPUS) -> list[str]:
    """The shipped corpus. number: one that `tools/generate/hard_corpus.py` has written."""
    path = Path(__file__).with_name(f"hard_corpus_{number}.txt")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def character_texts() -> list[str]:
    """Each character of the planes with text, also those of later versions of Unicode; letters with each mark; Hangul.

    Each stands between a space and a letter. A mark is one that Unicode composes with some letter. Hangul is in jamo.
    """
    found = [chr(point) for plane in PLANES for point in plane]
    marks = [chr(mark) for some in MARKS for mark in some]
    found += [chr(base) + mark for some in BASES for base in some for mark in marks]
    found += [chr(lead) + chr(vowel) for lead in LEADS for vowel in VOWELS]
    found += [chr(lead) + chr(vowel) + chr(tail) for lead in LEADS for vowel in VOWELS for tail in TAILS]
    return [
        "".join(f" {sign}a" for sign in found[begin : begin + CHARACTERS]) for begin in range(0, len(found), CHARACTERS)
    ]


def token_texts(name: str) -> list[str]:
    """Texts that spell a special token: alone, beside letters, beside white space, and twice."""
    return [name, f"a{name}b", f"the {name} cat", f"1  {name}\n {name}{name}\t2"]


def block_size(n: int, most: int) -> int:
    """How many of n things are taken together, so that there are at most `most` of them."""
    return max(1, -(-n // most))


def piece_blocks(tok: Tokenizer, n_pieces: int) -> Iterator[list[str]]:
    """Strings of pieces, in blocks. n_pieces: of the locked model, which decides what stands beside a piece."""
    surfaces = [surface(tok, i) for i in range(min(n_pieces, len(tok)))] + [""] * (n_pieces - len(tok))
    strings = Strings(surfaces)
    ids = range(0, n_pieces, block_size(n_pieces, MOST_PIECES))
    size = block_size(len(ids), MOST_BLOCKS)
    for begin in range(0, len(ids), size):
        yield [strings.of(i) for i in ids[begin : begin + size]]


def surface(tok: Tokenizer, piece_id: int) -> str:
    """The text of a piece in the middle of a text; "" for pieces that text does not give, and parts of characters."""
    if tok._file.vocab.type(piece_id) not in (NORMAL, USER_DEFINED):
        return ""
    rules = tok._file.vocab.word_rules
    text = tok.token_bytes(piece_id).decode("utf-8", "ignore")
    return text.removeprefix(rules.continuation_prefix) if rules is not None else text


class Strings:
    """Strings in which pieces compete: the end of one is the beginning of another, so only one of them can be there.

    A merge or a score that changes decides such a string otherwise. surfaces: the text of each piece.
    """

    def __init__(self, surfaces: list[str]) -> None:
        self.surfaces = surfaces
        self.starts: dict[str, list[int]] = {}  # beginning -> the pieces that begin so
        self.ends: dict[str, list[int]] = {}
        for i, text in enumerate(surfaces):
            for size in range(1, min(len(text) - 1, LONGEST) + 1):
                self.starts.setdefault(text[:size], []).append(i)
                self.ends.setdefault(text[-size:], []).append(i)

    def of(self, piece_id: int) -> str:
        """A piece with pieces that overlap, each time after a space; and after and before any other piece."""
        text = self.surfaces[piece_id]
        if not text:
            return ""
        sizes = range(1, min(len(text), LONGEST) + 1)
        after = [size for size in sizes if text[-size:] in self.starts]
        before = [size for size in sizes if text[:size] in self.ends]
        found = []
        for k in range(OVERLAPS):
            number = (piece_id * OVERLAPS + k) * STEP >> 7
            left = right = ""
            if after:
                right = self.surfaces[chosen(self.starts[text[-after[k % len(after)] :]], number)][
                    after[k % len(after)] :
                ]
            if before and k % 2:
                size = before[k // 2 % len(before)]
                left = self.surfaces[chosen(self.ends[text[:size]], number >> 5)][:-size]
            found.append(left + text + right)
        others = [chosen(self.surfaces, piece_id * STEP >> shift) for shift in (3, 11)]
        found += [others[0] + text, text + others[1]]
        return "".join(one if one.startswith(" ") else f" {one}" for one in found)


def chosen(items: list[T], number: int) -> T:
    """The item that a number stands for, whatever its size."""
    return items[number % len(items)]
