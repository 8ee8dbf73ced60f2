"""What a program makes of the texts of a lock, row by row: a row is a text, or a block of texts with one digest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from spm_lite.evaluation.locks.lock_digests import SHORT, WHOLE, bytes_of, digest, joined_bytes
from spm_lite.evaluation.locks.lock_texts import CORPUS, block_size, character_texts, hard_texts, token_texts

if TYPE_CHECKING:
    from spm_lite.formats.proof.partner_programs import Outcome
    from spm_lite.tokenizer.tokenizer import Tokenizer

HARD, CHARACTERS, TOKENS, PIECES, TEXTS = "hard", "characters", "tokens", "pieces", "texts"  # suites: sets of texts
IDS, SPECIAL, DECODED, NORMALIZED = "ids", "special", "decoded", "normalized"  # modes: what is made of a text
MODES = {
    HARD: (IDS, SPECIAL, DECODED, NORMALIZED),
    CHARACTERS: (IDS,),
    TOKENS: (IDS, SPECIAL),
    PIECES: (IDS,),
    TEXTS: (IDS, SPECIAL, DECODED),
}
MOST_ROWS = 1 << 11  # of the caller's texts; of more texts, some share a row
AT_ONCE = 1 << 12  # texts that are encoded together


@dataclass(frozen=True)
class Side:
    """A program with the tokenizer that it has read. Its functions give an `Outcome` for each item.

    special: ids where texts spell special tokens; None: the program has no such call. decode: None as well.
    """

    name: str
    plain: Callable[[list[str]], list[Outcome]]
    special: Callable[[list[str]], list[Outcome]] | None
    decode: Callable[[list[list[int]]], list[Outcome] | None]


def own_side(tok: Tokenizer) -> Side:
    """Our engine."""
    from spm_lite._version import __version__

    def special(texts: list[str]) -> list[Outcome]:
        return [tok.encode(text, allow_special="all") for text in texts]

    return Side(f"spm_lite {__version__}", tok.encode_lists, special, tok.decode_batch)


@dataclass(frozen=True)
class Row:
    """What was made of a text or a block. number: in its suite, from 0. first: the number of its first text.

    found: mode -> what each text became.
    """

    suite: str
    number: int
    first: int
    texts: list[str]
    found: dict[str, list[Outcome]]

    def item(self, mode: str) -> bytes:
        """What the digests of a mode are made of. Texts that follow from pieces are a part of it."""
        own = map(bytes_of, self.texts) if self.suite == PIECES else ()
        return joined_bytes([*own, *map(bytes_of, self.found[mode])])


def rows_of(
    side: Side,
    tok: Tokenizer,
    tokens: Iterable[str],
    strings: Iterable[list[str]],
    texts: list[str],
    corpus: int = CORPUS,
) -> Iterator[Row]:
    """The rows of all suites. tok: makes the normalized texts.

    tokens: the names of the locked special tokens. strings: blocks of strings of pieces. texts: of the caller; of many,
    some share a row.
    """
    yield from rows_of_suite(HARD, side, tok, ([text] for text in hard_texts(corpus)))
    yield from rows_of_suite(CHARACTERS, side, tok, ([text] for text in character_texts()))
    yield from rows_of_suite(TOKENS, side, tok, map(token_texts, tokens))
    yield from rows_of_suite(PIECES, side, tok, iter(strings))
    rest, block = iter(texts), block_size(len(texts), MOST_ROWS)
    yield from rows_of_suite(TEXTS, side, tok, iter(lambda: list(islice(rest, block)), []))


def rows_of_suite(suite: str, side: Side, tok: Tokenizer, blocks: Iterator[list[str]]) -> Iterator[Row]:
    """The rows of one suite, whose texts are encoded some thousands at a time."""
    number = first = 0
    while some := list(next_blocks(blocks)):
        found = found_of(suite, side, tok, list(chain.from_iterable(some)))
        begin = 0
        for block in some:
            end = begin + len(block)
            yield Row(suite, number, first, block, {mode: made[begin:end] for mode, made in found.items()})
            begin, number, first = end, number + 1, first + len(block)


def next_blocks(blocks: Iterator[list[str]]) -> Iterator[list[str]]:
    """Some blocks, with about so many texts as are encoded together."""
    size = 0
    while size < AT_ONCE and (block := next(blocks, None)) is not None:
        size += len(block)
        yield block


def found_of(suite: str, side: Side, tok: Tokenizer, texts: list[str]) -> dict[str, list[Outcome]]:
    """Mode -> what each text becomes; without the modes that the program lacks."""
    modes = MODES[suite]
    found = {IDS: side.plain(texts)}
    if SPECIAL in modes and side.special is not None:
        found[SPECIAL] = side.special(texts)
    if DECODED in modes:
        decoded = side.decode([[] if isinstance(ids, str) else ids for ids in found[IDS]])
        found |= {} if decoded is None else {DECODED: decoded}
    if NORMALIZED in modes:
        found[NORMALIZED] = list(map(tok.normalize, texts))
    return found


class Digests:
    """The digests of the rows of each suite and mode, as they come. shorts: one of each row."""

    def __init__(self) -> None:
        self.shorts: dict[str, bytearray] = {}
        self._wholes: dict[str, Any] = {}

    def add(self, key: str, item: bytes) -> bytes:
        """Take a row in, and return its short digest. key: suite and mode."""
        if key not in self.shorts:
            self.shorts[key], self._wholes[key] = bytearray(), blake2b(digest_size=WHOLE)
        short = digest(item, SHORT)
        self.shorts[key] += short
        self._wholes[key].update(joined_bytes([item]))
        return short

    def whole(self, key: str) -> bytes:
        """The digest of all rows."""
        found: bytes = self._wholes[key].digest()
        return found


def key_of(suite: str, mode: str) -> str:
    """The name of a mode of a suite, as locks have it."""
    return f"{suite}.{mode}"
