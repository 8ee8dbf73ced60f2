"""A text that grows, is edited and branches, with its ids: of text as `encode` gives them, and ids that are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, final

from spm_lite.arguments import as_flag, as_id, as_ids, as_int
from spm_lite.decode.stream import TextStream
from spm_lite.encode.growing_part import GrowingPart
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.kinds import CONTROL
from spm_lite.tokenizer import offsets
from spm_lite.tokenizer.parts import NO_PREFIX
from spm_lite.tokenizer.specials import are_alike, keeps_a_space, special_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from spm_lite.encode.encoder import Encoder
    from spm_lite.normalize.added_tokens import AddedTokens
    from spm_lite.tokenizer.tokenizer import Tokenizer

HEAD = 64  # characters that tell whether a later text keeps a space at its start: see `keeps_a_space`
Span = tuple[int, int]


class Changed(NamedTuple):
    """The ids that an edit changed: ids[begin:old_end] became ids[begin:new_end].

    Attributes:
        begin: the number of the first id that is another one now.
        old_end, new_end: where the changed ids end, before and after the edit.
    """

    begin: int
    old_end: int
    new_end: int


class Drift(NamedTuple):
    """Kept ids that are not those of their text.

    Attributes:
        begin, end: their characters in the text.
        first: the number of the first of these ids.
        ids: the kept ids.
        canonical: what encoding gives for the same characters.
    """

    begin: int
    end: int
    first: int
    ids: list[int]
    canonical: list[int]


class Region(NamedTuple):
    """Kept ids without special tokens between them, with drift somewhere.

    Attributes:
        at: where its text begins.
        first: the number of its first id.
        places: the characters of each id, in the whole text.
    """

    at: int
    text: str
    encoder: Encoder
    first: int
    ids: list[int]
    places: NDArray[np.int64]
    canonical: list[int]


Changed.__module__ = Drift.__module__ = "spm_lite"  # where users find them; a pickle names this place


class Encoders(NamedTuple):
    """The encoder of a text, and another one for texts that hold no added token.

    Attributes:
        whole: finds added tokens; it may have to look at all of a text.
        plain: gives the same ids for text without added tokens, and can go on from a place; None: there is none.
        tokens: the added tokens.
        reach: bytes of the longest of them.
    """

    whole: Encoder
    plain: Encoder | None = None
    tokens: tuple[AddedTokens, ...] = ()
    reach: int = 0

    def begin(self, text: str) -> tuple[Encoder, GrowingPart]:
        """The encoder for a text, and a new part with it."""
        encoder = self.whole
        if self.plain is not None and not self.may_hold(text.encode("utf-8", "surrogatepass")):
            encoder = self.plain
        part = GrowingPart(encoder)
        part.append(text)
        return encoder, part

    def may_hold(self, text: bytes) -> bool:
        """Whether an added token may be in a text."""
        return any(tokens.may_hold(text) for tokens in self.tokens)


def encoders_of(tok: Tokenizer, prefix_space: Any, user_defined: Any) -> Encoders:
    """The encoders of a tokenizer for one set of options."""
    whole = tok._variants.encoder(prefix_space, user_defined)
    normalizer = whole.normalizer
    tokens = tuple(one for one in (normalizer.added, normalizer.later) if one is not None)
    if not tokens or GrowingPart(whole).resumes:
        return Encoders(whole)
    if normalizer.later is not None and not (normalizer.form is None and not normalizer.charsmap.blob):
        return Encoders(whole)  # these are found in normalized text
    plain = tok._variants.encoder(prefix_space, user_defined, is_part=True)
    if not GrowingPart(plain).resumes:
        return Encoders(whole)
    return Encoders(whole, plain, tokens, max(len(token[0]) for one in tokens for token in one.tokens))


class TextSegment:
    """Text between kept ids. is_first: nothing stands before it."""

    def __init__(self, encoders: tuple[Encoders, Encoders], is_first: bool) -> None:
        self.encoders = encoders
        self.is_first = is_first
        self.first_id: int | None = None  # the number of its first id; None: not known now
        own = self.encoders_for("")
        self.state = (own, *own.begin(""))  # in one, so that no interrupt comes between

    @property
    def own(self) -> Encoders:
        """Encoders that fit how the text begins."""
        return self.state[0]

    @property
    def encoder(self) -> Encoder:
        """The one that is used."""
        return self.state[1]

    @property
    def part(self) -> GrowingPart:
        """The text with its ids."""
        return self.state[2]

    def encoders_for(self, text: str) -> Encoders:
        """The encoders of a text, of which the first characters are enough."""
        first, later = self.encoders
        is_like_first = self.is_first or first is later or keeps_a_space(first.whole.normalizer, text)
        return first if is_like_first else later

    @property
    def n_ids(self) -> int:
        return self.part.n_ids

    def text(self) -> str:
        return self.part.text().decode()

    def begin_anew(self, text: str) -> tuple[int, int, int]:
        """Encode all of a text, as the encoder was the wrong one; return as `replace`."""
        own = self.encoders_for(text)
        encoder, part = own.begin(text)
        before, after = flat_ids(self.part), flat_ids(part)
        self.state = own, encoder, part
        n = min(len(before), len(after))
        start = next((i for i in range(n) if before[i] != after[i]), n)
        end = next((i for i in range(n - start) if before[-1 - i] != after[-1 - i]), n - start)
        return start, len(before) - end, len(after) - end

    def is_wrong(self, begin: int, end: int, text: str) -> bool:
        """Whether text in the place of some bytes makes an added token that the encoder would not find."""
        if self.encoder is self.own.whole:
            return False
        reach = self.own.reach
        middle = text.encode("utf-8", "surrogatepass")
        return self.own.may_hold(self.part.near(begin - reach, begin) + middle + self.part.near(end, end + reach))

    def append(self, text: str) -> int:
        """Add text; return the number of the first id that changed."""
        is_at_head = self.part.n_chars < HEAD and not self.is_first
        size = self.part.n_bytes
        if (is_at_head and self.encoders_for(self.text() + text) is not self.own) or self.is_wrong(size, size, text):
            return self.begin_anew(self.text() + text)[0]
        return self.part.append(text)

    def replace(self, begin: int, end: int, text: str) -> tuple[int, int, int]:
        """Put text in the place of some characters; return (first, old, new) as `GrowingPart.replace`."""
        is_ascii = self.part.n_chars == self.part.n_bytes
        places = (begin, end) if is_ascii else (self.part.byte_of(begin), self.part.byte_of(end))
        is_wrong = self.is_wrong(*places, text)
        if is_wrong or (begin < HEAD and not self.is_first):
            before = self.text()
            whole = before[:begin] + text + before[end:]
            is_wrong = is_wrong or self.encoders_for(whole) is not self.own
        return self.begin_anew(whole) if is_wrong else self.part.replace(*places, text)

    def branch(self) -> TextSegment:
        other = TextSegment.__new__(TextSegment)
        other.__dict__.update(self.__dict__)
        other.state = *self.state[:2], self.part.branch()
        return other


class KeptSegment:
    """Ids that stay as they are."""

    def __init__(self, ids: list[int]) -> None:
        self.ids = ids
        self.is_shared = False
        self.first_id: int | None = None  # the number of its first id; None: not known now

    @property
    def n_ids(self) -> int:
        return len(self.ids)

    def extend(self, ids: list[int]) -> None:
        """Add ids."""
        if self.is_shared:
            self.ids, self.is_shared = list(self.ids), False
        self.ids += ids

    def branch(self) -> KeptSegment:
        self.is_shared = True
        other = KeptSegment(self.ids)
        other.is_shared, other.first_id = True, self.first_id
        return other


@final
class GrowingText:
    """A text that grows and is edited, with its ids; `Tokenizer.growing` makes it.

    Without kept ids, the ids after each call are exactly `encode` of the whole text. Only what may change is encoded
    anew. Kept ids never change; text after them is encoded as a later text of `encode_segments`. One thread at a time
    may use it; branches may be used by other threads. A pickle holds the texts and the kept ids.

    >>> import spm_lite
    >>> tok = spm_lite.byte_tokenizer()
    >>> growing = tok.growing("a prompt")
    >>> growing.append(" and more"), growing.ids.tolist() == tok.encode("a prompt and more")
    (8, True)
    """

    __module__ = "spm_lite"  # where users find it; a pickle names this place

    __slots__ = ("_encoders", "_options", "_segments", "_tok")

    def __init__(self, tok: Tokenizer, text: str = "", *, prefix_space: bool | None = None, user_defined: bool = True):
        if not hasattr(tok, "_variants"):
            raise ArgumentTypeError(
                f"tok is {type(tok).__name__}, not a Tokenizer: Tokenizer.growing makes this object"
            )
        self._tok = tok
        self._options = prefix_space, as_flag(user_defined, "user_defined")
        first = encoders_of(tok, prefix_space, user_defined)
        self._encoders = (
            first,
            (first if are_alike(tok._file, first.whole.normalizer) else encoders_of(tok, NO_PREFIX, user_defined)),
        )
        self._segments: list[TextSegment | KeptSegment] = []
        self.append(text)

    @staticmethod
    def from_ids(tok: Tokenizer, ids: Iterable[int]) -> GrowingText:
        """A GrowingText that keeps ids, such as those of a prompt and its answer.

        Args:
            tok: the Tokenizer.
            ids: a list, tuple, range or integer array.
        Returns:
            A GrowingText.
        Raises:
            IdError: an id is outside the vocabulary.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> spm_lite.GrowingText.from_ids(tok, tok.encode("abc")).text
        'abc'
        """
        found = GrowingText(tok)
        found.append_ids(ids)
        return found

    # Growing

    def append(self, text: str) -> int:
        """Add text at the end.

        Args:
            text: a str.
        Returns:
            The number of the first id that is new, or another one than before. A cache of keys and values keeps what
            it has before that.
        Raises:
            TextError: the text holds a lone surrogate. Nothing is added then.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=272)
        >>> growing = tok.growing("the ca")
        >>> growing.append("t sat")
        2
        """
        if not isinstance(text, str):
            raise ArgumentTypeError(f"text is {type(text).__name__}, not str: append_ids takes ids")
        if not text:
            return len(self)
        last = self._segments[-1] if self._segments else None
        if isinstance(last, TextSegment):
            return len(self) - last.n_ids + last.append(text)
        before = len(self)
        segment = TextSegment(self._encoders, not self._segments)
        segment.append(text)
        segment.first_id = before
        self._segments.append(segment)
        return before

    def append_ids(self, ids: Iterable[int]) -> int:
        """Add ids at the end, and keep them: later calls never change them.

        Args:
            ids: a list, tuple, range or integer array.
        Returns:
            The number of the first of these ids.
        Raises:
            IdError: an id is outside the vocabulary. Nothing is added then.
            ArgumentTypeError: an item is not an integer.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> growing = tok.growing("a")
        >>> growing.append_ids(tok.encode("bc")), growing.text
        (1, 'abc')
        """
        size = self._tok.vocab_size
        kept = [as_id(i, size) for i in as_ids(ids)]
        before = len(self)
        if not kept:
            return before
        last = self._segments[-1] if self._segments else None
        if isinstance(last, KeptSegment):
            last.extend(kept)
        else:
            segment = KeptSegment(kept)
            segment.first_id = before
            self._segments.append(segment)
        return before

    def append_special(self, name: str) -> int:
        """Add the id of a special piece.

        Args:
            name: of a control piece, a user-defined piece or the unknown piece.
        Returns:
            The number of its id.
        Raises:
            OptionError: no special piece has the name.

        >>> import spm_lite
        >>> growing = spm_lite.byte_tokenizer().growing()
        >>> growing.append_special("</s>"), len(growing)
        (0, 1)
        """
        return self.append_ids([special_id(self._tok._file.vocab, name)])

    # Editing

    def replace(self, begin: int, end: int, text: str) -> Changed:
        """Put text in the place of some characters.

        Args:
            begin, end: characters of `text`, between two kept ids.
            text: a str; "" removes the characters.
        Returns:
            A Changed: the ids that are others now.
        Raises:
            OptionError: the range is not in the text, or holds text of kept ids.
            TextError: the text holds a lone surrogate. Nothing changes then.

        >>> import spm_lite
        >>> growing = spm_lite.byte_tokenizer().growing("a cat sat")
        >>> growing.replace(2, 5, "dog"), growing.text
        (Changed(begin=2, old_end=5, new_end=5), 'a dog sat')
        """
        if not isinstance(text, str):
            raise ArgumentTypeError(f"text is {type(text).__name__}, not str")
        texts = self._texts()
        begin, end = as_range(begin, end, sum(map(len, texts)))
        at = first_id = 0
        for k, (segment, own) in enumerate(zip(self._segments, texts, strict=True)):
            if isinstance(segment, TextSegment) and at <= begin and end <= at + len(own):
                for later in self._segments[k + 1 :]:
                    later.first_id = None
                first, old, new = segment.replace(begin - at, end - at, text)
                self._join_around(k)
                return Changed(first_id + first, first_id + old, first_id + new)
            at += len(own)
            first_id += segment.n_ids
        if not self._segments:
            self.append(text)
            return Changed(0, 0, len(self))
        raise OptionError(
            f"characters {begin} to {end} are not in one text between kept ids: replace a part of such a text, or "
            "truncate before it and append"
        )

    def _join_around(self, k: int) -> None:
        """Make one of the kept ids on both sides of a text that is empty now."""
        around = self._segments[max(k - 1, 0) : k + 2]
        if len(around) == 3 and isinstance(around[1], TextSegment) and around[1].part.n_chars == 0:
            before, _, after = around
            if isinstance(before, KeptSegment) and isinstance(after, KeptSegment):
                self._segments[k - 1 : k + 2] = [KeptSegment([*before.ids, *after.ids])]

    def truncate(self, end: int | None = None, *, n_ids: int | None = None) -> int:
        """Keep only the start: so many characters, or so many ids.

        Args:
            end: characters to keep. What remains of a text is encoded as a whole text; kept ids stay as they are, so
                `end` may not be inside one. Ids without text after the last character go.
            n_ids: ids to keep, instead; those of a text become kept ids if some of them go.
        Returns:
            The number of the first id that is gone, or another one than before.
        Raises:
            OptionError: neither or both are given, one is out of range, or `end` is inside the text of a kept id.

        >>> import spm_lite
        >>> growing = spm_lite.byte_tokenizer().growing("a cat sat")
        >>> growing.truncate(5), growing.text
        (5, 'a cat')
        """
        if (end is None) == (n_ids is None):
            raise OptionError("give one of end and n_ids: how many characters, or how many ids, stay")
        if n_ids is not None:
            return self._truncate_ids(as_int(n_ids, "n_ids"))
        texts = self._texts()
        _, end = as_range(0, end, sum(map(len, texts)))
        at = first_id = 0
        if not self._segments:
            return 0
        i = 0
        while end > at + len(texts[i]):
            at += len(texts[i])
            first_id += self._segments[i].n_ids
            i += 1
        segment = self._segments[i]
        if isinstance(segment, TextSegment):
            first_id += segment.replace(end - at, segment.part.n_chars, "")[0]
            n_kept = 1 if end > at else 0
        else:
            places = self._kept_places(i, texts)
            n = int(((places[:, 1] <= end - at) & (places[:, 0] < end - at)).sum())
            if end > at and (n == 0 or places[n - 1, 1] != end - at):
                raise OptionError(f"end={end} is inside the text of a kept id: it begins at {at + places[n, 0]}")
            first_id += n
            self._segments[i] = KeptSegment(segment.ids[:n])
            n_kept = 1 if n else 0
        del self._segments[i + n_kept :]
        return first_id

    def _truncate_ids(self, n: int) -> int:
        if not 0 <= n <= len(self):
            raise OptionError(f"n_ids={n}: there are {len(self)} ids")
        left = n
        for i, segment in enumerate(self._segments):
            if left < segment.n_ids:
                ids = segment.ids if isinstance(segment, KeptSegment) else flat_ids(segment.part)
                kept = list(ids[:left])
                before = self._segments[i - 1] if i else None
                if kept and isinstance(before, KeptSegment):
                    self._segments[i - 1 :] = [KeptSegment([*before.ids, *kept])]
                else:
                    self._segments[i:] = [KeptSegment(kept)] if kept else []
                break
            left -= segment.n_ids
        return n

    def branch(self) -> GrowingText:
        """A copy to continue in another way. It shares what is there, and takes a few microseconds.

        Returns:
            A GrowingText.

        >>> import spm_lite
        >>> growing = spm_lite.byte_tokenizer().growing("a")
        >>> other = growing.branch()
        >>> _ = other.append("b")
        >>> growing.text, other.text
        ('a', 'ab')
        """
        other = object.__new__(GrowingText)
        other._tok, other._options, other._encoders = self._tok, self._options, self._encoders
        other._segments = [segment.branch() for segment in self._segments]
        return other

    __copy__ = branch

    def __deepcopy__(self, memo: Any) -> GrowingText:
        return self.branch()

    def __reduce__(self) -> Any:
        parts = [segment.text() if isinstance(segment, TextSegment) else segment.ids for segment in self._segments]
        return rebuilt, (self._tok, self._options, parts)

    # What is there

    def __len__(self) -> int:
        if not self._segments:
            return 0
        last = self._segments[-1]
        if last.first_id is None:
            at = 0
            for segment in self._segments:
                segment.first_id = at
                at += segment.n_ids
        assert last.first_id is not None
        return last.first_id + last.n_ids

    def __repr__(self) -> str:
        return f"GrowingText({len(self)} ids, {self.text[-40:]!r} at the end)"

    @property
    def ids(self) -> NDArray[np.int32]:
        """All ids, as an array of int32 that cannot be written.

        It may show memory of this object: it is right until the next change. Copy it to keep it.
        """
        import numpy as np

        found: list[Any] = []
        for segment in self._segments:
            if isinstance(segment, TextSegment):
                found += shown_ids(segment.part)
            else:
                found.append(np.array(segment.ids, np.int32))
        array: NDArray[np.int32] = found[0] if len(found) == 1 else np.concatenate([np.empty(0, np.int32), *found])
        array.flags.writeable = False
        return array

    @property
    def text(self) -> str:
        """The whole text. Kept ids add what `decode` makes of them; an incomplete character at the end is left out."""
        return "".join(self._texts())

    @property
    def spans(self) -> list[Span]:
        """The place (begin, end) of each id in `text`, in characters."""
        places = self._places(self._texts())
        return list(zip(places[:, 0].tolist(), places[:, 1].tolist(), strict=True))

    @property
    def drift(self) -> list[Drift]:
        """Where kept ids are not those that encoding gives, with both; special tokens are no part of any text.

        Ids of an incomplete character at the end count for nothing yet. After special tokens alone, the ids of `encode`
        with `bos=True` are right, and so are those of `encode_segments`.
        """
        found: list[Drift] = []
        for region in self._drifting():
            spans = [(begin - region.at, end - region.at) for begin, end in region.places.tolist()]
            others = offsets.spans(region.encoder, region.text, "char")
            for begin, end, first, ids, canonical in differing(region.ids, spans, region.canonical, others):
                found.append(Drift(region.at + begin, region.at + end, region.first + first, ids, canonical))
        return found

    def _drifting(self) -> Iterator[Region]:
        """The regions with drift, without looking where in them it is."""
        texts = self._texts()
        ids, places, text = self.ids.tolist(), self._places(texts), "".join(texts)
        for begin, end in self._regions(ids):
            at, stop = int(places[begin, 0]), int(places[end - 1, 1])
            part = text[at:stop]
            encoder = TextSegment(self._encoders, begin == 0).encoders_for(part).whole
            canonical = encoder.encode(part)
            own = ids[begin:end]
            if own != canonical and not (at == 0 and own == self._encoders[0].whole.encode(part)):
                yield Region(at, part, encoder, begin, own, places[begin:end], canonical)

    # Parts

    def _texts(self) -> list[str]:
        """The text of each segment."""
        found: list[str] = []
        has_text = False
        for i, segment in enumerate(self._segments):
            if isinstance(segment, TextSegment):
                found.append(segment.text())
            else:
                stream = TextStream(self._tok._variants.decoder(False if has_text else None))
                text = stream.push_many(segment.ids)
                found.append(text if i + 1 == len(self._segments) else text + stream.flush())
            has_text = has_text or bool(found[-1])
        return found

    def _places(self, texts: list[str]) -> NDArray[np.int64]:
        """The `spans`, as rows of an array: the collector takes long over many tuples. texts: of the segments."""
        import numpy as np

        found = [np.empty((0, 2), np.int64)]
        at = 0
        for i, (segment, own) in enumerate(zip(self._segments, texts, strict=True)):
            if isinstance(segment, TextSegment):
                places = offsets.spans_batch(segment.encoder, [own], "char", 1, 0)[1]
            else:
                places = self._kept_places(i, texts)
            # An incomplete character at the end is not shown.
            found.append(at + np.minimum(places, len(own), dtype=np.int64))
            at += len(own)
        return np.concatenate(found)

    def _kept_places(self, i: int, texts: list[str]) -> NDArray[np.int32]:
        """The places of the ids of a KeptSegment in its text, a row for each."""
        segment = self._segments[i]
        assert isinstance(segment, KeptSegment)
        has_text = next((k for k, text in enumerate(texts) if text), i) < i
        decoder = self._tok._variants.decoder(False if has_text else None)
        return offsets.decode_spans_batch(decoder, [segment.ids], "char", 1)[1]

    def _regions(self, ids: list[int]) -> list[Span]:
        """Ranges of ids that hold kept ones, between special tokens, without ids of an incomplete character."""
        vocab = self._tok._file.vocab
        found: list[Span] = []
        at = begin = 0
        has_kept = False
        for segment in self._segments:
            if isinstance(segment, TextSegment):
                at += segment.n_ids
                continue
            for piece_id in segment.ids:
                if vocab.type(piece_id) == CONTROL:
                    if has_kept and begin < at:
                        found.append((begin, at))
                    begin, has_kept = at + 1, False
                else:
                    has_kept = True
                at += 1
        if has_kept and begin < at:
            n = self._n_pending()
            if begin < at - n:
                found.append((begin, at - n))
        return found

    def _n_pending(self) -> int:
        """How many ids at the end belong to a character that is not complete."""
        last = self._segments[-1] if self._segments else None
        if not isinstance(last, KeptSegment):
            return 0
        ids, n = last.ids, 0
        whole = TextStream(self._tok._variants.decoder(False)).push_many(ids)
        while n < min(4, len(ids)) and TextStream(self._tok._variants.decoder(False)).push_many(ids[: -n - 1]) == whole:
            n += 1
        if n and not self._tok._variants.decoder(False).decode(ids[-n:]):
            return 0
        return n


def rebuilt(tok: Tokenizer, options: tuple[Any, Any], parts: list[str | list[int]]) -> GrowingText:
    """The GrowingText of a pickle."""
    found = GrowingText(tok, prefix_space=options[0], user_defined=options[1])
    for part in parts:
        if isinstance(part, str):
            found.append(part)
        else:
            found.append_ids(part)
    return found


def flat_ids(part: GrowingPart) -> list[int]:
    """All ids of one text, copied."""
    return [i for ids in shown_ids(part) for i in ids.tolist()]


def shown_ids(part: GrowingPart) -> list[NDArray[np.int32]]:
    """Arrays that show the ids of a text, one after the other."""
    import numpy as np

    return [np.frombuffer(block, np.int32, n) for block, n in part.ids()]  # type: ignore[call-overload]


def as_range(begin: Any, end: Any, size: int) -> Span:
    """`begin` and `end` as places in a text of `size` characters. Raises OptionError."""
    begin, end = as_int(begin, "begin"), as_int(end, "end")
    if not 0 <= begin <= end <= size:
        raise OptionError(f"characters {begin} to {end} are not a range of the text, which has {size}")
    return begin, end


def units(ids: list[int], spans: list[Span]) -> list[tuple[int, list[int]]]:
    """(end, ids) of what stands for text: ids without text join the next one that has some."""
    found: list[tuple[int, list[int]]] = []
    waiting: list[int] = []
    for piece_id, (begin, end) in zip(ids, spans, strict=True):
        waiting.append(piece_id)
        if begin < end:
            found.append((end, waiting))
            waiting = []
    if waiting:
        found.append((spans[-1][1], waiting))
    return found


def differing(
    ids: list[int], spans: list[Span], canonical: list[int], others: list[Span]
) -> list[tuple[int, int, int, list[int], list[int]]]:
    """(begin, end, first, ids, canonical) of each smallest stretch of a text in which two lists of ids differ."""
    own, wanted = units(ids, spans), units(canonical, others)
    found = []
    i = k = at = first = 0
    while i < len(own) or k < len(wanted):
        a: list[int] = []
        b: list[int] = []
        end = -1
        while True:
            ends = own[i][0] if i < len(own) else None, wanted[k][0] if k < len(wanted) else None
            if ends[1] is None or (ends[0] is not None and ends[0] <= ends[1]):
                if ends[0] is None:
                    break
                end = ends[0]
                a += own[i][1]
                i += 1
                if ends[0] == ends[1]:
                    b += wanted[k][1]
                    k += 1
                    break
            else:
                end = ends[1]
                b += wanted[k][1]
                k += 1
        if a != b:
            found.append((at, end, first, a, b))
        at = end
        first += len(a)
    return found
