"""Token limits: count ids up to a limit, truncate texts, and cut them into chunks of a limited number of ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, final

from spm_lite.arguments import as_int
from spm_lite.encode import spans as places
from spm_lite.encode.prefix_counts import PieceReach
from spm_lite.encode.truncation import Truncator
from spm_lite.errors import ArgumentTypeError, OptionError, TextError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spm_lite.encode.encoder import Encoder

BOUNDARIES = (None, "word", "line", "sentence", "grapheme")
ANY_CHAR, GRAPHEME = 0, 4  # numbers of boundaries
FIRST_GUESS = 4  # characters per id, assumed before any text was encoded
MIN_PART = 64  # least number of characters looked at
MAX_LIMIT = 2**31 - 1
LONG_PART = 1 << 20  # characters: a span with few ids ends about here,
LONG_IDS = 64  # or at so many characters for each id of the limit, if that is more
OPEN_WORD, KNOWN_WORD, LONG_WORD, UNSURE_WORD = range(4)  # as the WordState of the cutter

Text = TypeVar("Text", str, bytes)


@final
class Limits:
    """Makes the objects that count and cut texts for one encoder."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self._pieces: PieceReach | None = None

    def cutter(self) -> Truncator:
        """A Truncator for one call. The first call makes the PieceReach that all share."""
        if self._pieces is None:
            self._pieces = PieceReach(self.encoder.segmenter)
        return Truncator(self.encoder, self._pieces)


def count_up_to(engine: Limits, text: str | bytes, limit: Any, n_added: int = 0) -> int:
    """The smaller of `limit` and the number of ids of a text. n_added: ids of bos and eos."""
    text, wanted = str_or_bytes(text), as_limit(limit, "limit", 0)
    cutter, rest = engine.cutter(), max(wanted - n_added, 0)
    if rest == 0:
        cutter.check(text[:1])
        return wanted
    return look(cutter, cutter.count_up_to, text, rest) + n_added


def truncate(engine: Limits, text: Text, n: Any, boundary: str | None, n_added: int = 0) -> Text:
    """The longest beginning of a text that ends at a boundary and has at most `n` ids. n_added: ids of bos and eos."""
    text = str_or_bytes(text)
    limit, number, cutter = as_limit(n, "n", 0) - n_added, as_boundary(boundary), engine.cutter()
    if limit < 0:
        raise OptionError(f"n={limit + n_added} is below the {n_added} ids of bos and eos: give at least {n_added}")
    return text[: look(cutter, cutter.cut, text, limit, (number,))]


def chunks(
    engine: Limits, text: str | bytes, max_tokens: Any, overlap: Any, boundary: str | None, n_added: int
) -> Iterator[tuple[int, int]]:
    """Spans of a text, each of at most `max_tokens` ids. n_added: number of bos and eos ids added to each span."""
    limit, shared = as_limit(max_tokens, "max_tokens", 1), as_limit(overlap, "overlap", 0)
    if limit <= n_added:
        raise OptionError(f"max_tokens {limit} leaves no room for text beside the {n_added} of bos and eos")
    if shared >= limit - n_added:
        raise OptionError(
            f"overlap {shared} is not below the {limit - n_added} ids that a span may have: spans would not move on"
        )
    return cut_all(engine, str_or_bytes(text), limit - n_added, shared, as_boundary(boundary), n_added)


@final
class LastWord:
    """The word of WordPiece in which spans end: whether every beginning of it is known, from wherever a span begins.

    A span cannot tell where it ends without that, and must not read the rest of a long word each time.
    """

    def __init__(self, cutter: Truncator, text: str | bytes) -> None:
        self.cutter, self.text = cutter, text
        self.begin = self.end = -1
        self.state = OPEN_WORD

    def is_known(self, word: int, n_enough: int) -> bool:
        """Whether that is so of the word at `word`, or of so many characters of it."""
        if word != self.begin and (not self.begin < word < self.end or self.state == LONG_WORD):
            self.read(word)
        return self.state == KNOWN_WORD or self.end - word >= n_enough

    def read(self, word: int) -> None:
        self.begin = self.end = word
        self.state, size, length = OPEN_WORD, MIN_PART, 0
        while self.state == OPEN_WORD:
            part, is_last = self.text[self.end : self.end + size], self.end + size >= len(self.text)
            read, length, self.state = self.cutter.word_part(part, is_last, length)
            self.end += read
            size = min(2 * size, LONG_PART) if read else 2 * size


@final
class Gaps:
    """For each split, text ahead in which no match of it begins.

    A match may end far from where it begins. A span cannot tell alone that none does, without the rest of the text.
    """

    def __init__(self, cutter: Truncator, text: str | bytes, most: int) -> None:
        self.cutter, self.text, self.most = cutter, text, most
        self.ends = [0] * cutter.n_splits()
        self.last = 0  # the last of them
        self.read_ends = self.ends.copy()  # so much of the text was read to find them: it is not read again

    def around(self, end: int) -> int:
        """The splits, one bit each, whose gap holds the text up to `end`."""
        if end > self.last:
            return 0
        return sum(1 << split for split, gap_end in enumerate(self.ends) if gap_end >= end)

    def read(self, begin: int, end: int) -> bool:
        """Read on from `begin`; whether the text up to `end` is in a gap of more splits than before."""
        known = self.around(end)
        for split, read_end in enumerate(self.read_ends):
            if begin >= read_end:
                self.read_split(split, begin)
        return self.around(end) != known

    def read_split(self, split: int, begin: int) -> None:
        end, read_end, size = begin, -1, MIN_PART
        while read_end < 0:
            part, is_last = self.text[end : end + size], end + size >= len(self.text)
            gap, read = self.cutter.first_match(part, is_last, split)
            if read < 0 and size > 2 * self.most:  # no span is so long
                gap = read = size - self.most
            read_end = -1 if read < 0 else max(end + read, end + gap)
            end += gap
            size *= 2
        self.ends[split], self.read_ends[split] = end, max(read_end, begin + 1)
        self.last = max(self.ends)


def cut_all(
    engine: Limits, text: str | bytes, limit: int, overlap: int, boundary: int, n_added: int
) -> Iterator[tuple[int, int]]:
    """Yield the spans of `chunks`. limit: ids of a span without the added ones."""
    cutter = engine.cutter()
    begin = last_end = 0
    context = end_context = 0  # of graphemes: what is before `begin` and before `last_end`
    size, most = guess(limit), max(LONG_PART, LONG_IDS * limit)
    word = LastWord(cutter, text)
    gaps = Gaps(cutter, text, most) if cutter.n_splits() else None
    while last_end < len(text):
        end = look(cutter, cutter.cut, text, limit, (boundary, context), begin, size, most, word, gaps)
        if end == 0 and begin == last_end and boundary == GRAPHEME:  # the first one alone has too many ids
            end = look(cutter, cutter.cut, text, limit, (ANY_CHAR,), begin, size, most, word, gaps)
        if begin + end <= last_end:
            if begin < last_end:  # the overlap takes all ids of the span: go on without it
                begin, context = last_end, end_context
                continue
            raise_too_small(engine.encoder, text, begin, limit, n_added)
        last_end = begin + end
        yield begin, last_end
        size = max(MIN_PART, end + end // 4)
        span, shared = text[begin:last_end], end
        if overlap and last_end < len(text):
            shared = first_shared(engine.encoder, span, overlap)
        if boundary == GRAPHEME:  # the next span begins where a grapheme does
            _, shared, end_context = cutter.graphemes_around(span, shared, context)
        begin, context = begin + shared, end_context if shared == end else 0


def first_shared(encoder: Encoder, span: str | bytes, overlap: int) -> int:
    """Where the last `overlap` ids of a span begin; its length if they are all that it has."""
    spans = places.spans_of(encoder, span, int(isinstance(span, str)))
    return spans[-overlap][0] if len(spans) > overlap and spans[-overlap][0] > 0 else len(span)


def look(
    cutter: Truncator,
    method: Callable[..., int],
    text: str | bytes,
    limit: int,
    options: tuple[int, ...] = (),
    begin: int = 0,
    size: int = 0,
    most: int = 0,
    word: LastWord | None = None,
    gaps: Gaps | None = None,
) -> int:
    """The result of a method of the cutter for text[begin:], of which it gets no more than it needs.

    size: length of the part that is looked at first; it doubles until the result is sure.
    most: length from which on a part is taken for the whole text; 0: no limit. word, gaps: for `cut`.
    """
    first = size = size or guess(limit)
    while True:
        is_last = begin + size >= len(text)
        part = text[begin : begin + size]
        is_enough = most > 0 and size >= most
        if is_enough and not is_last:
            part = whole_part(cutter, part, *options)
        bits = 0 if gaps is None else gaps.around(begin + size)
        known = {"gaps": bits} if bits else {}
        try:
            found = method(part, limit, is_last, *options, **known)
            if found < 0 and word is not None:
                place = cutter.word_beyond(part, limit)
                if place >= 0 and word.is_known(begin + place, 2 * most):
                    found = method(part, limit, False, *options, stays_known=True, **known)
            if found < 0 and is_enough:
                found = method(part, limit, True, *options)
            # Twice the first length is mostly enough, and costs less than to look for a gap.
            knows_more = found < 0 and gaps is not None and size > first and gaps.read(begin, begin + size)
        except TextError:
            cutter.check(text)
            raise
        if found >= 0:
            return found
        if not knows_more:
            size *= 2


def whole_part(cutter: Truncator, part: str | bytes, boundary: int = ANY_CHAR, context: int = 0) -> str | bytes:
    """A part of a text without an incomplete character or grapheme at its end."""
    if isinstance(part, bytes):
        part = whole_characters(part)
    if boundary == GRAPHEME:  # the last one may go on after the part; one that is all of it is cut
        part = part[: cutter.graphemes_around(part, len(part) - 1, context)[0]] or part
    return part


def whole_characters(part: bytes) -> bytes:
    """A part of a text without an incomplete UTF-8 character at its end."""
    for n in range(1, min(4, len(part)) + 1):
        byte = part[-n]
        if byte >= 0xC0:
            return part[:-n] if n < (2 if byte < 0xE0 else 3 if byte < 0xF0 else 4) else part
        if byte < 0x80:
            break
    return part


def raise_too_small(encoder: Encoder, text: str | bytes, begin: int, limit: int, n_added: int) -> None:
    """Raise the error for a character that alone has more than `limit` ids."""
    part: str | bytes = text[begin : begin + 1]
    if isinstance(text, bytes):
        for n in range(4, 1, -1):
            try:
                if len(text[begin : begin + n].decode()) == 1:
                    part = text[begin : begin + n]
                    break
            except UnicodeDecodeError:
                continue
    cost = len(encoder.encode(part)) + n_added
    raise OptionError(
        f"max_tokens {limit + n_added} is less than the {cost} ids of {part!r} at {begin}: pass {cost} or more"
    )


def guess(limit: int) -> int:
    return max(MIN_PART, FIRST_GUESS * limit)


def str_or_bytes(text: Any) -> Any:
    if not isinstance(text, (str, bytes)):
        raise ArgumentTypeError(f"the text is {type(text).__name__}, not str or bytes")
    return text


def as_boundary(boundary: Any) -> int:
    """The number of a boundary. Raises OptionError."""
    if (boundary is not None and not isinstance(boundary, str)) or boundary not in BOUNDARIES:
        raise OptionError(f"boundary {boundary!r:.40}: must be one of {', '.join(map(repr, BOUNDARIES))}")
    return BOUNDARIES.index(boundary)


def as_limit(value: Any, name: str, lowest: int) -> int:
    """A number of ids, at least `lowest`; numbers larger than any text can have become MAX_LIMIT."""
    number = as_int(value, name)
    if number < lowest:
        raise OptionError(f"{name} {number} is below {lowest}: pass {lowest} or more")
    return min(number, MAX_LIMIT)
