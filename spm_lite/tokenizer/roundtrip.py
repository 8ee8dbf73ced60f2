"""Round-trip report: which texts decoding does not give back, and which step changed them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from spm_lite.arguments import as_int, as_iterable, with_surrogates
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.kinds import SPACE
from spm_lite.normalize.component_steps import adds_space
from spm_lite.texts.inputs import SOME_TEXTS, column_of_texts

if TYPE_CHECKING:
    from spm_lite.tokenizer.tokenizer import Tokenizer

FEW = 100  # texts
BLOCK = 4096  # texts encoded and decoded at once
SHOWN = 12  # most code points or bytes of a change in its printed form
REASONS = {  # in the order of the steps; of several reasons the first counts
    "lone surrogates": "a str with a lone surrogate, which encoding refuses",
    "ill-formed bytes": "bytes that are not UTF-8",
    "U+2581": "taken for a space",
    "whitespace": "spaces removed or merged",
    "normalization": "rewritten by the rules of the model",
    "unknown": "these characters have neither pieces nor bytes",
    "decoding": "changed by decoding",
}

Stretch: TypeAlias = tuple[int, int, str, str]  # bytes [begin, end) of a text, given text, what it became


@dataclass(frozen=True)
class Change:
    """One part of a text that decoding does not give back as it was.

    Attributes:
        text: the index of the text among all texts.
        begin, end: where the part is: code points of a str, bytes of a bytes object; half-open.
        given: the part of the text.
        became: what decoding gave instead.
        reason: a key of `RoundTripReport.changes`.
    """

    text: int
    begin: int
    end: int
    given: str | bytes
    became: str | bytes
    reason: str  # one of REASONS

    def __str__(self) -> str:
        place = f"text {self.text}, {self.begin}-{self.end}"
        return f"{place}: {printed_form(self.given)} became {printed_form(self.became)} ({self.reason})"


@dataclass(frozen=True)
class RoundTripReport:
    """How texts changed on the way to ids and back. `str(report)` is a table for people.

    Attributes:
        texts: the number of texts.
        changed: the number of texts that did not come back as they were.
        changes: the number of changes for each reason: "lone surrogates", "ill-formed bytes", "U+2581", "whitespace",
            "normalization", "unknown" and "decoding".
        characters: pairs of a character within changes and its count, the most frequent first; no ill-formed bytes.
        examples: the first changes. Each has the index of its `text`, and its place: `begin` and `end`. It also has
            what was `given`, what it `became`, and the `reason`.
    """

    __module__ = "spm_lite"  # where users find it; a pickle names this place

    texts: int
    changed: int
    changes: dict[str, int]
    characters: tuple[tuple[str, int], ...]
    examples: tuple[Change, ...]

    @property
    def is_lossless(self) -> bool:
        """Whether every text came back as it was."""
        return self.changed == 0

    def _repr_html_(self) -> str:
        from spm_lite.cards import card

        title, _, rest = str(self).partition("\n")
        rows = [(reason, f"{count:,}: {REASONS[reason]}") for reason, count in self.changes.items()]
        rows += [("characters", rest.partition("characters: ")[2].partition("\n")[0])] * bool(self.characters)
        return card(title, [*rows, *(("for example", str(example)) for example in self.examples)])

    def __str__(self) -> str:
        if self.is_lossless:
            return f"{self.texts:,} texts, all came back as they were"
        lines = [f"{self.texts:,} texts, {self.changed:,} came back changed"]
        lines += [f"{count:>9,} {reason}: {REASONS[reason]}" for reason, count in self.changes.items()]
        if self.characters:
            common = ", ".join(f"{printed_form(text)} {count:,}" for text, count in self.characters[:SHOWN])
            lines.append(f"characters: {common}")
        lines += [f"    {example}" for example in self.examples]
        return "\n".join(lines)


def roundtrip_report(
    tok: Tokenizer, texts: Iterable[str | bytes], n_examples: int, num_threads: int | None
) -> RoundTripReport:
    """Encode and decode all texts, and report the changes; see `Tokenizer.roundtrip_report`."""
    if isinstance(texts, (str, bytes)):
        raise ArgumentTypeError(f"texts is one {type(texts).__name__}: pass {SOME_TEXTS}")
    limit = as_int(n_examples, "n_examples")
    if limit < 0:
        raise OptionError(f"n_examples {limit} is negative: pass 0 or more")
    column = column_of_texts(texts)
    rest = iter(as_iterable(texts, "texts", SOME_TEXTS)) if column is None else column.as_objects()
    n_texts = n_changed = 0
    reasons: Counter[str] = Counter()
    characters: Counter[str] = Counter()
    examples: list[Change] = []
    while block := list(islice(rest, BLOCK)):
        for place, text in changed_texts(tok, block, num_threads):
            n_changed += 1
            for change in changes_of(tok, text, n_texts + place):
                reasons[change.reason] += 1
                if isinstance(change.given, str):
                    characters.update(change.given)
                else:
                    characters.update(c for c in escaped_str(change.given) if not is_escaped(c))
                if len(examples) < limit:
                    examples.append(change)
        n_texts += len(block)
    counts = {reason: reasons[reason] for reason in REASONS if reason in reasons}
    return RoundTripReport(n_texts, n_changed, counts, tuple(by_frequency(characters)), tuple(examples))


def by_frequency(counts: Counter[str]) -> list[tuple[str, int]]:
    """(character, count), the most frequent first; of equal counts the smallest code point first."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def changed_texts(
    tok: Tokenizer, block: list[str | bytes], num_threads: int | None
) -> Iterator[tuple[int, str | bytes]]:
    """(index in the block, text) of each text that does not come back as it was."""
    batch = tok.encode_batch(block, num_threads=num_threads, errors="surrogatepass")
    decoded = tok.decode_batch(batch, num_threads=num_threads)
    rows = batch.to_lists() if len(block) <= FEW else batch  # lists do without numpy, which takes long to import
    for place, (text, back) in enumerate(zip(block, decoded, strict=True)):
        same = back == text if isinstance(text, str) else tok.decode_bytes(rows[place]) == text
        if not same:
            yield place, text


def changes_of(tok: Tokenizer, text: str | bytes, place: int) -> Iterator[Change]:
    """The changes of a text that does not come back as it was, in text order. place: index of the text."""
    data = with_surrogates(text)
    if isinstance(text, str) and isinstance(data, bytes):
        for position, character in enumerate(text):
            if "\ud800" <= character <= "\udfff":
                yield Change(place, position, position + 1, character, "\ufffd", "lone surrogates")
        return
    if isinstance(data, str):
        data = data.encode()
    back = tok.decode_bytes(tok.encode(data)) if isinstance(text, bytes) else tok.decode(tok.encode(data)).encode()
    unknown = list(unknown_stretches(tok, data))
    found = sorted([*unknown, *outside(unknown, normalized_stretches(tok, data))])
    if with_changes(data, found) != back:  # changes overlap, or decoding changed spaces
        reason = min((reason for _, reason in found), key=list(REASONS).index, default="decoding")
        found = [(narrowed(0, escaped_str(data), escaped_str(back)), reason)]
    n_bytes = n_characters = 0
    for (begin, end, given, became), reason in found:
        if isinstance(text, bytes):
            yield Change(place, begin, end, as_bytes(given), as_bytes(became), reason)
            continue
        n_characters += len(data[n_bytes:begin].decode())
        n_bytes = begin
        yield Change(place, n_characters, n_characters + len(given), given, became, reason)


def outside(lost: list[tuple[Stretch, str]], parts: Iterable[tuple[Stretch, str]]) -> Iterator[tuple[Stretch, str]]:
    """The parts that do not begin in a lost one; both are in text order."""
    k = 0
    for part in parts:
        while k < len(lost) and lost[k][0][1] <= part[0][0]:
            k += 1
        if k == len(lost) or part[0][0] < lost[k][0][0]:
            yield part


def with_changes(data: bytes, found: list[tuple[Stretch, str]]) -> bytes:
    """The text after these changes."""
    parts, pos = [], 0
    for (begin, end, _, became), _ in found:
        parts += [data[pos:begin], as_bytes(became)]
        pos = end
    return b"".join([*parts, data[pos:]])


def unknown_stretches(tok: Tokenizer, data: bytes) -> Iterator[tuple[Stretch, str]]:
    """The parts of a text that became the unknown piece, with their reasons."""
    encoded = tok._encoder.encode_text(data)
    for piece_id, (begin, end) in zip(encoded.ids(), encoded.byte_offsets(), strict=True):
        if piece_id == tok.unk_id and begin < end:
            given = escaped_str(data[begin:end])
            reason = "ill-formed bytes" if any(map(is_escaped, given)) else "unknown"
            yield (begin, end, given, tok.decode([piece_id])), reason


def normalized_stretches(tok: Tokenizer, data: bytes) -> Iterator[tuple[Stretch, str]]:
    """The parts that normalization changed and decoding does not restore; neighbours with one reason are joined."""
    if tok._file.lossless:
        return
    denormalizer = tok._decoder.denormalizer
    run: list[Stretch] = []
    run_reason = ""
    for begin, _, given, came in steps(tok, data):
        back = came if denormalizer is None else escaped_str(denormalizer.normalize(as_bytes(came)))
        if back == given:
            continue
        part = narrowed(begin, given, came)
        reason = reason_of(part)
        if run and (run_reason != reason or run[-1][1] != part[0]):
            yield joined(run), run_reason
            run = []
        run.append(part)
        run_reason = reason
    if run:
        yield joined(run), run_reason


def joined(run: list[Stretch]) -> Stretch:
    """One stretch of neighbours."""
    _, _, given, became = zip(*run, strict=True)
    return run[0][0], run[-1][1], "".join(given), "".join(became)


def steps(tok: Tokenizer, data: bytes) -> Iterator[Stretch]:
    """Each part of a text with its normalized form, in which U+2581 is a space again; without the dummy space."""
    normalizer = tok._encoder.normalizer
    normalized, align = normalizer.normalize(data, True)
    has_prefix, has_marks = spaces_of(tok)
    width = len(SPACE.encode()) if has_marks else 1
    pos, last = 0, len(normalized)
    if has_prefix and normalized:
        pos, last = (0, last - width) if normalizer.whitespace_as_suffix else (width, last)
    begin, end = align[pos] if align else len(data), align[-1] if align else len(data)
    if begin > 0:
        yield 0, begin, escaped_str(data[:begin]), ""
    while pos < last:
        begin, first = align[pos], pos
        while pos < last and align[pos] == begin:
            pos += 1
        came = escaped_str(normalized[first:pos])
        if has_marks:
            came = came.replace(SPACE, " ")
        yield begin, align[pos], escaped_str(data[begin : align[pos]]), came
    if end < len(data):
        yield end, len(data), escaped_str(data[end:]), ""


def spaces_of(tok: Tokenizer) -> tuple[bool, bool]:
    """Whether a space is put before a text, and whether U+2581 stands for a space."""
    normalizer = tok._encoder.normalizer
    has_words = adds_space(tok._file.settings.normalizer.steps)
    return normalizer.add_dummy_prefix or has_words, normalizer.escape_whitespaces or has_words


def normalized_text(tok: Tokenizer, data: bytes) -> bytes:
    """What decoding can give back of a text at best: its normalized form without the dummy space, as `steps` has it."""
    normalizer, denormalizer = tok._encoder.normalizer, tok._decoder.denormalizer
    found = normalizer.normalize(data)
    has_prefix, has_marks = spaces_of(tok)
    if has_marks:
        found = found.replace(SPACE.encode(), b" ")
    if has_prefix and found:
        found = found[:-1] if normalizer.whitespace_as_suffix else found[1:]
    return found if denormalizer is None else denormalizer.normalize(found)


def reason_of(part: Stretch) -> str:
    """The reason why normalization changed a part of a text: a key of REASONS."""
    _, _, given, came = part
    if any(map(is_escaped, given)):
        return "ill-formed bytes"
    if SPACE in given and came == given.replace(SPACE, " "):
        return "U+2581"
    return "whitespace" if not given.strip(" ") and not came.strip(" ") else "normalization"


def narrowed(begin: int, given: str, became: str) -> Stretch:
    """A change without the characters at its ends that stay the same. begin: its offset in the text, bytes."""
    n_same, shorter = 0, min(len(given), len(became))
    while n_same < shorter and given[n_same] == became[n_same]:
        n_same += 1
    begin += len(as_bytes(given[:n_same]))
    given, became = given[n_same:], became[n_same:]
    n_same, shorter = 0, min(len(given), len(became))
    while n_same < shorter and given[-1 - n_same] == became[-1 - n_same]:
        n_same += 1
    given, became = given[: len(given) - n_same], became[: len(became) - n_same]
    return begin, begin + len(as_bytes(given)), given, became


def escaped_str(data: bytes) -> str:
    """Bytes as str; ill-formed bytes become lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def is_escaped(character: str) -> bool:
    """Whether a character is the surrogate of an ill-formed byte."""
    return "\udc80" <= character <= "\udcff"


def printed_form(text: str | bytes) -> str:
    """The printed form of a text (with its code points) or of bytes (their values), cut after SHOWN of them."""
    if not text:
        return "nothing"
    more = " ..." if len(text) > SHOWN else ""
    if isinstance(text, bytes):
        return text[:SHOWN].hex(" ").upper() + more
    return f"{text[:SHOWN]!r} ({' '.join(f'U+{ord(c):04X}' for c in text[:SHOWN])}{more})"
