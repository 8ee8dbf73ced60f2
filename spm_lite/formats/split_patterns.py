"""Split patterns that say to other programs where the pieces of a byte-level model may stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spm_lite.errors import OptionError

PREFIX = " *[^ ]+| +"  # a space only begins a piece, or the piece is nothing but spaces
SUFFIX = "[^ ]+ *| +"  # a space only ends a piece, or the piece is nothing but spaces
WHOLE = r"[\s\S]+"  # pieces may be anything
PATTERNS = (PREFIX, SUFFIX, WHOLE)


def is_within(piece: bytes, pattern: str) -> bool:
    """Whether no cut of the pattern falls into a piece, whatever stands before and after it."""
    if pattern == WHOLE or not piece.strip(b" "):
        return True
    return b" " not in (piece[1:] if pattern == PREFIX else piece[:-1])


def pattern_for(pieces: Iterable[bytes]) -> str:
    """The pattern that cuts most, and cuts no piece."""
    every = list(pieces)
    return next(pattern for pattern in PATTERNS if all(is_within(piece, pattern) for piece in every))


def check_pattern(pattern: object, pieces: Sequence[bytes]) -> str:
    """The pattern. Raises OptionError for one that is not known, or that cuts a piece."""
    if pattern not in PATTERNS:
        raise OptionError(
            f"pattern={pattern!r:.80} is none of those that spm_lite reads: {', '.join(map(repr, PATTERNS))}"
        )
    assert isinstance(pattern, str)
    for rank, piece in enumerate(pieces):
        if not is_within(piece, pattern):
            raise OptionError(
                f"pattern={pattern!r} cuts the piece {rank}, {piece!r:.60}: texts with these bytes would get other "
                "ids. Give the pattern that the file was made with"
            )
    return pattern
