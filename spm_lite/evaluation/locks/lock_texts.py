"""The texts of a lock: a shipped corpus, each character of Unicode once, and strings of the locked model's pieces.

None of them is kept in a lock. The corpus has a number, and its file never changes. The characters follow from a rule.
The strings follow from the pieces of a model, so another model of the same pieces gives the same strings.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from spm_lite.kinds import NORMAL, USER_DEFINED

if TYPE_CHECKING:
    from spm_lite.tokenizer.tokenizer import Tokenizer

CORPUS = 1  # the number of the newest corpus
PLANES = (range(0xD800), range(0xE000, 0x20000), range(0xE0000, 0xE0200))  # where characters are, without surrogates
CHARACTERS = 32  # in a text
MOST_PIECES = 1 << 15  # of which strings are made; of more, an even sample
MOST_BLOCKS = 1 << 10  # of strings, each with one digest
STEP = 0x9E3779B1  # a prime, by multiples of which the pieces beside a piece are chosen


def hard_texts(number: int = CORPUS) -> list[str]:
    """The shipped corpus. number: one that `tools/generate/hard_corpus.py` has written."""
    path = Path(__file__).with_name(f"hard_corpus_{number}.txt")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def character_texts() -> list[str]:
    """Each character of the planes with text, between a space and a letter; those of later versions of Unicode too."""
    return [
        "".join(f" {chr(point)}a" for point in points[begin : begin + CHARACTERS])
        for points in PLANES
        for begin in range(0, len(points), CHARACTERS)
    ]


def block_size(n: int, most: int) -> int:
    """How many of n things are taken together, so that there are at most `most` of them."""
    return max(1, -(-n // most))


def piece_blocks(tok: Tokenizer, n_pieces: int) -> Iterator[list[str]]:
    """Strings of pieces, in blocks. n_pieces: of the locked model, which decides what stands beside a piece."""
    ids = range(0, n_pieces, block_size(n_pieces, MOST_PIECES))
    size = block_size(len(ids), MOST_BLOCKS)
    surfaces = [surface(tok, i) for i in range(min(n_pieces, len(tok)))] + [""] * (n_pieces - len(tok))
    for begin in range(0, len(ids), size):
        yield [joined(surfaces, i) for i in ids[begin : begin + size]]


def joined(surfaces: list[str], piece_id: int) -> str:
    """A piece after another one, alone, and before another one."""
    text, n = surfaces[piece_id], len(surfaces)
    before, after = surfaces[(piece_id + 1) * STEP % n], surfaces[(piece_id + 2) * STEP % n]
    return f"{before}{text} {text}{after}" if text else ""


def surface(tok: Tokenizer, piece_id: int) -> str:
    """The text of a piece in the middle of a text; "" for pieces that text does not give, and for parts of characters."""
    if tok._file.vocab.type(piece_id) not in (NORMAL, USER_DEFINED):
        return ""
    rules = tok._file.vocab.word_rules
    text = tok.token_bytes(piece_id).decode("utf-8", "ignore")
    return text.removeprefix(rules.continuation_prefix) if rules is not None else text
