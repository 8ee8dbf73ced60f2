"""Codes of subword-nmt: two symbols a line, the best merge first; the end of a word is marked by `</w>`.

A word with its mark is one with U+2581 at its end here, so a BPE model with the space as suffix does the same. That
model merges by the text of the result, and subword-nmt by pairs; `Merges` keeps the two alike.
Codes of fastBPE have a count after both symbols, and no header.
A vocabulary has a piece and its count a line. Pieces that are not in it become UNUSED pieces, which are split as they
were merged.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Set
from itertools import pairwise

from spm_lite.errors import ModelError, OptionError
from spm_lite.formats.json_file import refuse
from spm_lite.kinds import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.model_writer import write_model

GOES_ON = "@@"  # after a piece that does not end its word
COUNT = re.compile(r"-?[0-9]{1,18}")
DEEPEST = 100  # parts within parts: BPE does not split further


def read_vocabulary(data: bytes, name: str, threshold: int | None) -> set[str]:
    """The pieces of a file, as it spells them, whose count reaches the threshold; None: all of them.

    name: of the file, in messages. Raises ModelError, naming the wrong line; OptionError if no count is high enough.
    """
    known: set[str] = set()
    highest = 0
    lines = text_of_file(data, name).rstrip("\n").split("\n")
    for number, line in enumerate(lines, 1):
        parts = line.strip("\r ").split(" ")
        if len(parts) != 2 or not parts[0] or not COUNT.fullmatch(parts[1]):
            raise ModelError(f"{name}, line {number}: {line[:60]!r} is not a piece, a space and a count")
        count = int(parts[1])
        highest = max(highest, count)
        if threshold is None or count >= threshold:
            known.add(parts[0])
    if not known:
        raise OptionError(
            f"no piece of {name} has a count of {threshold} or more: the highest is {highest}. Give a lower threshold"
        )
    return known


def split_pieces(merges: Merges, known: set[str], name: str) -> set[str]:
    """The pieces that are split again: those that the vocabulary does not have where they stand in a word.

    known: as from `read_vocabulary`. name: of the file of codes, in messages. Raises ModelError for what no model does:
    codes of version 0.1, and a piece that is not split as it is merged.
    """
    if not merges.is_marked:
        raise refuse(
            name, "codes of version 0.1 with a vocabulary: a piece would be split inside a word and not at its end"
        )
    found = {piece for piece in merges.pieces if spelled(piece) not in known}
    splits = merges.splits()
    depths: dict[str, int] = {}
    for piece in merges.pieces:  # the parts of a piece stand before it
        if piece not in found:
            continue
        left, right = merges.pairs[piece]
        if splits[piece] != (left, right):
            parts = " and ".join(map(as_written, splits[piece]))
            raise refuse(f"{name}: a merge", f"{as_written(piece)!r:.60} split into {parts:.60}, not as it is merged")
        depths[piece] = 1 + max(depths.get(left, 0), depths.get(right, 0))
        if depths[piece] > DEEPEST:
            raise refuse(f"{name}: a merge", f"{as_written(piece)!r:.60} split more than {DEEPEST} times")
    return found


def spelled(piece: str) -> str:
    """A piece as a vocabulary has it."""
    return piece.removesuffix(SPACE) if piece.endswith(SPACE) else piece + GOES_ON


HEADER = "#version:"
FAST_LINE = re.compile(r"[^ ]+ [^ ]+ [0-9]{1,18}\r?")  # of fastBPE
VERSION = re.compile(r"#version: *0\.([12])(\.0)*\r?")
MARK, SPACE = "</w>", "\u2581"
MOST_SYMBOLS = 500  # of a piece; usual ones have some ten
RESERVED = ("<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)))


class Merges:
    """The merges of a file, in order.

    pieces: result -> its rank. pairs: result -> the two parts. characters: those of the merges. is_marked: the last
    character of a word and its mark are one symbol (version 0.2), not two (0.1).
    """

    def __init__(self, is_marked: bool) -> None:
        self.is_marked = is_marked
        self.pieces: dict[str, int] = {}
        self.pairs: dict[str, tuple[str, str]] = {}
        self.lines: dict[
            tuple[str, str], None
        ] = {}  # all, also those that never happen; equal ones as the last of them
        self.characters: set[str] = set()

    def add(self, left: str, right: str, place: str) -> None:
        """Add a merge, unless it never happens. Raises ModelError if a part is not a symbol.

        A piece always arises from the two parts that earlier merges leave of its own characters. A pair with the same
        result that is not these two is never met, as the second one of two equal lines.
        """
        for part in (left, right):
            if not self.is_symbol(part):
                raise ModelError(
                    f"{place}: no line before it makes {as_written(part)!r:.60}: lines are missing, or in another order"
                )
        piece = left + right
        symbols = self.symbols(piece)
        if len(symbols) > MOST_SYMBOLS:
            raise ModelError(f"{place}: a piece of {len(symbols)} characters: at most {MOST_SYMBOLS} are read")
        self.characters.update(symbol for symbol in piece if symbol != SPACE)
        self.lines.pop((left, right), None)
        self.lines[left, right] = None
        if self.parts(symbols) == [left, right]:
            self.pieces[piece] = len(self.pieces)
            self.pairs[piece] = left, right

    def is_symbol(self, part: str) -> bool:
        """Whether a part of a line is there when its merge is tried."""
        return part in self.pieces or (len(self.symbols(part)) == 1 and (part != SPACE or not self.is_marked))

    def splits(self) -> dict[str, tuple[str, str]]:
        """The two parts that subword-nmt splits a piece into: those of the first line that makes it.

        That merge need not ever happen.
        """
        return {left + right: (left, right) for left, right in reversed(self.lines)}

    def symbols(self, piece: str) -> list[str]:
        """What a piece is made of before any merge."""
        found = list(piece)
        if self.is_marked and len(found) > 1 and found[-1] == SPACE:
            found[-2:] = [found[-2] + SPACE]
        return found

    def parts(self, symbols: list[str]) -> list[str]:
        """Merge `symbols` in place, the best pair first, then the leftmost; return the list."""
        none = len(self.pieces)
        ranks = [self.pieces.get(left + right, none) for left, right in pairwise(symbols)]
        while ranks and (best := min(ranks)) < none:
            i = ranks.index(best)
            symbols[i : i + 2] = [symbols[i] + symbols[i + 1]]
            del ranks[i]
            for at in (i - 1, i):
                if 0 <= at < len(ranks):
                    ranks[at] = self.pieces.get(symbols[at] + symbols[at + 1], none)
        return symbols


def as_written(part: str) -> str:
    """A part as the file has it."""
    return part.removesuffix(SPACE) + MARK if part.endswith(SPACE) else part


def read_codes(data: bytes, name: str, limit: int | None = None) -> Merges:
    """The merges of a file. name: of the file, in messages. limit: how many lines are used; None: all.

    Codes of fastBPE have no header, and a count after each merge; they are used as those of version 0.2.
    Raises ModelError, naming the wrong line.
    """
    lines = text_of_file(data, name).rstrip("\n").split("\n")
    first = 1
    version = None
    if lines[0].startswith(HEADER):
        version = VERSION.fullmatch(lines.pop(0))
        if version is None:
            raise ModelError(f"{name}: the first line names a version that is not 0.1 or 0.2, which subword-nmt has")
        first = 2
    is_fast = version is None and all(FAST_LINE.fullmatch(line) for line in lines)
    merges = Merges(is_fast or (version is not None and version[1] == "2"))
    for number, line in enumerate(lines[:limit], first):
        place = f"{name}, line {number}"
        if is_fast:
            line = line.rstrip("\r").rpartition(" ")[0]
        left, right = two_parts(line, place)
        merges.add(left, right, place)
    if not merges.pieces:
        raise ModelError(f"{name}: there are no merges: it has {len(data)} bytes, and no line with two symbols")
    return merges


def text_of_file(data: bytes, name: str) -> str:
    """The text of a file. Raises ModelError unless it is UTF-8 without a mark of byte order, which is text there."""
    if data.startswith(codecs.BOM_UTF8):
        raise ModelError(f"{name} begins with a mark of byte order, which subword-nmt takes for text: save it without")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelError(f"{name} is not UTF-8: {error}") from None


def two_parts(line: str, place: str) -> tuple[str, str]:
    """The two symbols of a line, with U+2581 for the mark. Raises ModelError if there are not two."""
    parts = line.strip("\r ").split(" ")
    if len(parts) != 2 or not all(parts):
        raise ModelError(f"{place}: {line[:60]!r} is not two symbols with a space between them")
    if SPACE in line:
        raise refuse(place, "U+2581 in a symbol: in a model it is a space")
    left, right = parts
    if left.endswith(MARK):
        raise ModelError(f"{place}: nothing follows {MARK}, the end of a word, and {right!r:.60} does")
    if not right.endswith(MARK) and (left + right).endswith(MARK):
        raise refuse(place, f"{MARK} made of characters of the text, which reads like the mark")
    return left, right.removesuffix(MARK) + SPACE if right.endswith(MARK) else right


def model_of_codes(merges: Merges, name: str, unused: Set[str] = frozenset()) -> bytes:
    """The bytes of a model: <unk>, <s>, </s>, the bytes, the characters, then the merges in order.

    Every character stands alone and, where the mark belongs to it, with U+2581. Such a pair merges before all others.
    unused: merges whose result is split again.
    Raises ModelError for a merge to the text of a special piece.
    """
    taken = next((piece for piece in RESERVED if piece in merges.pieces), None)
    if taken is not None:
        raise ModelError(f"{name}: a merge makes {taken!r}, which is a special piece of the model")
    characters = sorted(merges.characters)
    marked = [character + SPACE for character in characters] if merges.is_marked else []
    joined = [*marked, *merges.pieces]
    ranks = {piece: -float(rank) for rank, piece in enumerate([*joined, SPACE, *characters])}
    kinds = [UNKNOWN, CONTROL, CONTROL] + [BYTE] * 256
    pieces: list[tuple[str | bytes, float, int]] = [
        (piece, 0.0, kind) for piece, kind in zip(RESERVED, kinds, strict=True)
    ]
    pieces += [(piece, ranks[piece], UNUSED if piece in unused else NORMAL) for piece in (SPACE, *characters, *joined)]
    spec = TrainerSpec(
        model_type="bpe", vocab_size=len(pieces), byte_fallback=True, treat_whitespace_as_suffix=True, lossless=False
    )
    return write_model(pieces, spec, NormalizerSpec(remove_extra_whitespaces=True))
