"""WordPiece match by match: the longest piece that begins a word, then the longest that continues it, and so on.

A plain account of `encode.segment.wordpiece` for short texts. Source: Schuster and Nakajima 2012.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from spm_lite.kinds import NORMAL
from spm_lite.pictures.diagram import NEW, NUMBER, PIECE, PLAIN, UNKNOWN, Box, Diagram, Row
from spm_lite.pictures.signs import with_signs
from spm_lite.pictures.units import characters

if TYPE_CHECKING:
    from spm_lite.pictures.units import Pieces
    from spm_lite.specs import WordRules


def diagrams(words: Sequence[bytes], pieces: Pieces, rules: WordRules) -> Iterator[Diagram]:
    """Yield a diagram for each word."""
    for word in words:
        yield diagram([*characters(word)], pieces, rules)


def diagram(word: list[bytes], pieces: Pieces, rules: WordRules) -> Diagram:
    """The matches in a word, row by row, and the ids at the end."""
    n, title = len(word), text_of(word)
    unknown = unknown_label(pieces)
    if n > rules.max_word_length:
        reason = (
            f"The word has {n} characters, more than the {rules.max_word_length} that a word may have: it is unknown."
        )
        rows = (Row((Box(0, n, title, UNKNOWN),), "the word"), Row((Box(0, n, unknown, UNKNOWN),), "ids"))
        return Diagram(title, n, rows, why=reason)
    rows_so_far = [Row((Box(0, n, title, PLAIN),), "the word")]
    done: list[Box] = []
    ids: list[Box] = []
    begin = 0
    while begin < n:
        end, piece_id = longest(word, begin, pieces, rules)
        prefix = rules.continuation_prefix if begin else ""
        if piece_id < 0 and not rules.unknown_by_char:
            reason = f"No piece begins {prefix}{text_of(word[begin:])}, so the whole word is unknown."
            rows_so_far.append(Row((Box(0, n, title, UNKNOWN),), "unknown"))
            rows_so_far.append(Row((Box(0, n, unknown, UNKNOWN),), "ids"))
            return Diagram(title, n, tuple(rows_so_far), why=reason)
        label = prefix + text_of(word[begin:end])
        rest = [Box(end, n, text_of(word[end:]), PLAIN)] if end < n else []
        new = Box(begin, end, label, NEW if piece_id >= 0 else UNKNOWN)
        rows_so_far.append(Row((*done, new, *rest), caption_of(n - end, piece_id)))
        done.append(new._replace(kind=PIECE if piece_id >= 0 else UNKNOWN))
        ids.append(Box(begin, end, str(piece_id), NUMBER) if piece_id >= 0 else Box(begin, end, unknown, UNKNOWN))
        begin = end
    missing = " ".join(dict.fromkeys(box.label for box in done if box.kind == UNKNOWN))
    if missing:
        reason = f"No piece begins {missing}, so it is unknown."
    elif len(done) == 1:
        reason = "The whole word is a piece."
    else:
        reason = f"The word is not a piece, and {done[0].label} is the longest piece that begins it."
    return Diagram(title, n, (*rows_so_far, Row(tuple(ids), "ids")), why=reason)


def caption_of(n_longer: int, piece_id: int) -> str:
    """What is said of a match. n_longer: longer beginnings of the rest, none of which is a piece."""
    if piece_id < 0:
        return "no piece begins here: the character is unknown"
    if not n_longer:
        return "the whole rest is a piece"
    others = "prefix is not a piece" if n_longer == 1 else "prefixes are not pieces"
    return f"{n_longer} longer {others}"


def longest(word: list[bytes], begin: int, pieces: Pieces, rules: WordRules) -> tuple[int, int]:
    """(end, id) of the longest piece that goes on from `begin`; (begin + 1, -1) if there is none."""
    prefix = rules.continuation_prefix.encode() if begin else b""
    for end in range(len(word), begin, -1):
        piece_id = pieces.ids.get(prefix + b"".join(word[begin:end]), -1)
        if piece_id >= 0 and pieces.type(piece_id) == NORMAL:
            return end, piece_id
    return begin + 1, -1


def text_of(chars: Sequence[bytes]) -> str:
    return with_signs(b"".join(chars).decode("utf-8", "surrogateescape"))


def unknown_label(pieces: Pieces) -> str:
    """The label of what is unknown: the id, and that it is the unknown piece."""
    return f"{pieces.vocab.unknown_index} unk" if pieces.vocab.unknown_index >= 0 else "unk"
