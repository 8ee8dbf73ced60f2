"""Special tokens between texts: the caller names them, as segments or by `allow_special`; text alone makes none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spm_lite.arguments import as_iterable, as_piece
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.kinds import CONTROL, TYPE_NAMES, UNKNOWN, USER_DEFINED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spm_lite.tokenizer.parts import Variants
    from spm_lite.vocab.vocab import Vocab


@dataclass(frozen=True, slots=True)
class Control:
    """A segment that the caller puts in: the id of one special piece.

    Attributes:
        name: the string of a control piece, a user-defined piece, or the unknown piece.
    """

    __module__ = "spm_lite"  # where users find it; a pickle names this place

    name: str | bytes


@dataclass(frozen=True, slots=True)
class Text:
    """A segment of text from any source. It never becomes a control piece, even if it spells one.

    Attributes:
        text: str, or bytes of UTF-8.
    """

    __module__ = "spm_lite"  # where users find it; a pickle names this place

    text: str | bytes


def special_ids(vocab: Vocab, names: Any) -> dict[bytes, int]:
    """Name -> id for each name. Raises OptionError for a name that is not a special piece of the model."""
    ids = {}
    for name in as_iterable(names, "allow_special", "a list of names, such as ['<s>']", in_order=False):
        text = as_piece(name)
        ids[text] = special_id(vocab, name)
    return ids


def special_id(vocab: Vocab, name: Any) -> int:
    """The id of a special piece. Raises OptionError for any other name."""
    text = as_piece(name)
    piece_id = vocab.find_id(text)
    if piece_id < 0 or vocab.text(piece_id) != text:
        raise OptionError(f"{name!r:.60} is not a piece of the model: name a control or user-defined piece")
    kind = vocab.type(piece_id)
    if kind not in (UNKNOWN, CONTROL, USER_DEFINED):
        raise OptionError(f"{name!r:.60} is a piece of type {TYPE_NAMES[kind]}: name a control or user-defined piece")
    return piece_id


def split(text: str | bytes, names: Iterable[bytes]) -> list[Control | Text]:
    """Segments of a text, cut at the names that it holds: the leftmost first, of several the longest."""
    if not isinstance(text, (str, bytes)):
        raise ArgumentTypeError(f"the text is {type(text).__name__}, not str or bytes")
    ordered = sorted(names, key=len, reverse=True)
    if not ordered:
        return [Text(text)]
    segments: list[Control | Text] = []
    pos = 0
    for begin, end in found_names(text, ordered):
        segments += [Text(text[pos:begin]), Control(text[begin:end])]
        pos = end
    return [*segments, Text(text[pos:])]


def found_names(text: str | bytes, names: list[bytes]) -> list[tuple[int, int]]:
    """(begin, end) of each name in a text; at each place the names are tried in their order."""
    if isinstance(text, bytes):
        return [match.span() for match in re.finditer(b"|".join(map(re.escape, names)), text)]
    strings = [re.escape(name.decode("utf-8", "surrogateescape")) for name in names]
    return [match.span() for match in re.finditer("|".join(strings), text)]


def encode_segments(
    variants: Variants, vocab: Vocab, segments: Sequence[Control | Text], prefix_space: Any, user_defined: Any
) -> list[int]:
    """The ids of all segments, one after the other.

    The first text that becomes any ids gets the dummy space, unless a segment before it decodes to some text. In
    models that put the space after texts, the last text gets it. The other texts get none; but where the model removes
    extra spaces, one of the spaces that such a text begins with stays.
    """
    encoder = variants.encoder(prefix_space, user_defined)
    later = variants.encoder(False, user_defined)
    normalizer = encoder.normalizer
    after_space = variants.encoder(True, user_defined) if normalizer.remove_extra_whitespaces else later
    last = max((i for i, segment in enumerate(segments) if isinstance(segment, Text) and segment.text), default=-1)
    ids: list[int] = []
    is_first = True
    for i, segment in enumerate(segments):
        if isinstance(segment, Control):
            piece_id = special_id(vocab, segment.name)
            ids.append(piece_id)
            is_first = is_first and vocab.type(piece_id) == CONTROL
            continue
        if not isinstance(segment, Text):
            raise ArgumentTypeError(
                f"segment {i} is {type(segment).__name__} {segment!r:.40}, not Control or Text: "
                "give Text(text), or Control(name) for a special piece"
            )
        chosen = encoder
        if i != last if normalizer.whitespace_as_suffix else not is_first:
            chosen = after_space if keeps_a_space(normalizer, segment.text) else later
        new = chosen.encode(segment.text)
        is_first = is_first and not new
        ids += new
    return ids


def keeps_a_space(normalizer: Any, text: Any) -> bool:
    """Whether one space must stay at the start (suffix models: the end) of a text that is next to another segment."""
    if not normalizer.remove_extra_whitespaces or not isinstance(text, (str, bytes)):
        return False
    part = text[-1:] if normalizer.whitespace_as_suffix else text[:64]
    raw = part if isinstance(part, bytes) else part.encode("utf-8", "replace")
    return bool(normalizer.leading_spaces(raw) > 0)
