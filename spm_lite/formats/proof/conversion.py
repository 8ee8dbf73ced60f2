"""The result of a conversion: whether every text gets the same ids, or what it must meet, and what was compared.

The texts of a proof are a fixed set of what tokenizers treat differently, and random strings of a model's own pieces.
`Outgoing` holds files that are not written yet, and is compared first; a `SplitPattern` brings its Conversion.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from itertools import islice
from os import PathLike
from typing import Any

from spm_lite.arguments import as_iterable
from spm_lite.errors import ArgumentTypeError, OptionError, TextError
from spm_lite.files.documents import MAX_SIZE
from spm_lite.formats.proof.conditions import Condition, Findings
from spm_lite.formats.proof.partner_programs import FAILED, Partner
from spm_lite.kinds import CONTROL, SPACE, UNKNOWN
from spm_lite.texts.text_view import too_long
from spm_lite.vocab.model_file import found_tokens

SPACES = (
    "", " ", "  ", "   ", " " * 17, "\t", "\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x85", "\xa0", "\u1680", "\u2003",
    "\u200b", "\u2028", "\u202f", "\u205f", "\u2060", "\u3000", "\ufeff", "\u2581", "\u2581\u2581",
)  # fmt: skip
SIGNS = (
    "\0", "\x01", "\x7f", "\x80", "\xad", "\ufffd", "\uffff", "\ue000", "\U000f0000", "\U000f0000\U000f0001",
    "\U000f0000\U000f0002", "\U0010ffff", "e\u0301", "e\u0301\u0323", "\u1ecd\u0301", "a\u0345\u0301", "\u0301",
    "\u0644\u0651\u064e", "\u0644\u064e\u0651", "\uff76\uff9e", "\uff8a\uff9f", "\u3131\u314f", "\u1112\u1161\u11ab",
    "\uac00\u11a8", "\u0e01\u0e33", "\u0915\u094d\u0937", "\u4e16\u754c", "\U00020000", "\U0002b820", "\u0130",
    "\u1e9e", "\u03a3", "\u03c2", "\u01c5", "\ufb01", "\u2460", "\u00bd", "\u2126", "\u212b", "\U0001f30d",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1e9\U0001f1ea", "1\ufe0f\u20e3", "\u05d0\u05b7", "\u200d",
)  # fmt: skip
WORDS = (
    "The quick brown fox jumps over the lazy dog.", "it's I'M we'LL 'Twas don't", "x=1; y  =  [2,3] # ok", "12345678",
    "3.14159 1,000", "a" * 40, "." * 33, "-" * 21, "ab" * 20, "ha ha ha", "\u3053\u3093\u306b\u3061\u306f\u3001\u4e16",
    "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35", "\uc548\ub155 \ud558\uc138\uc694", "\u041f\u0440\u0438\u0432\u0435\u0442",
    "https://example.org/a?b=c&d=%20", "user@example.org", "C:\\dir\\file.txt", "<b>bold</b>", "{{x}}",
    "na\u00efve caf\u00e9", "\u0391\u0392\u0393",
)  # fmt: skip


def hostile_texts() -> list[str]:
    """The fixed set: each space and sign alone, in a word, between words, and at both ends of a text."""
    found = [*WORDS]
    for sign in (*SPACES, *SIGNS):
        found += [sign, f"a{sign}b", f"the {sign} cat", f"{sign}the cat{sign}", f"{sign}{sign} {sign}1"]
    found += [f"{left}{right}" for left in SPACES for right in SPACES]
    return list(dict.fromkeys(found))


def spelled_texts(texts: Iterable[str], n: int = 12) -> Iterator[str]:
    """Texts that spell special pieces, alone and among words."""
    for text in [*texts][:n]:
        yield from (text, f"a{text}b", f"the {text} cat")


def random_texts(pieces: Sequence[str], n: int, seed: int = 0) -> Iterator[str]:
    """Random strings of pieces, of signs, of runs of one character and of any characters. pieces: of a model."""
    rng = random.Random(seed)
    own = [text for text in pieces if text and not any("\ud800" <= sign <= "\udfff" for sign in text)] or ["a"]
    others = (*SPACES, *SIGNS)
    for _ in range(n):
        parts = []
        for _ in range(rng.randrange(1, 12)):
            kind = rng.random()
            if kind < 0.6:
                parts.append(rng.choice(own).replace("\u2581", " " if rng.random() < 0.95 else "\u2581"))
            elif kind < 0.8:
                parts.append(rng.choice(others))
            elif kind < 0.9:
                parts.append(chr(rng.choice((rng.randrange(32, 0x250), rng.randrange(0x250, 0xD800)))))
            elif kind < 0.93:
                parts.append(chr(rng.randrange(0xE000, 0x110000)))
            else:
                parts.append(rng.choice("ab.- 1") * rng.randrange(1, 20))
        yield "".join(parts)


ALL = "all"  # special tokens may be spelled
BLOCK = 4096  # texts compared at once
SHOWN = 40  # most differences that are kept, besides one of each cause
SHOWN_OF_CALLER = 200  # most differences that are kept of texts of the caller
OF_CALLER = 3  # of these, how many a summary shows
N_RANDOM = 1000  # random strings of each proof
DECODING = "decoding: the ids are the same, and the text of them is not"
OTHER = "other"


@dataclass(frozen=True)
class Difference:
    """A text that another program gives other ids, or whose ids it decodes to another text."""

    text: str
    ids: list[int]  # ours
    other_ids: list[int] | str  # of the other program; a str: what it says instead
    cause: str  # the condition that the text does not meet

    def __str__(self) -> str:
        return f"{self.in_short()} ({self.cause})"

    def in_short(self) -> str:
        """The text and its ids, without the cause."""
        return f"{shown_text(self.text)}: {differing(self.ids, self.other_ids)}"


@dataclass(frozen=True)
class Conversion:
    """The result of a conversion. `str(conversion)` is a summary for people.

    Attributes:
        path: the file or folder that was written.
        format: the name of the format.
        exact: True: every text gets the same ids, and the ids decode to the same text.
        conditions: what a text must meet to get the same ids, with the conditions that `allow` lifted.
        compared: the number of texts compared.
        compared_with: the program that they were compared with, and its version.
        differences: the first texts that differ, texts of `verify` before others; the first of each cause is there.
            Each has its `text`, our `ids`, the `other_ids`, and the `cause`.
        n_differences: the number of texts that differ.
        pattern: the split pattern that goes with the file; None: there is none, or the file holds it.
        n_verified: the number of texts that came from `verify`.
        n_verified_differences: the number of these that differ.
    """

    __module__ = "spm_lite"  # where users find it

    path: str
    format: str
    exact: bool
    conditions: list[str]
    compared: int
    compared_with: str
    differences: list[Difference]
    n_differences: int
    pattern: str | None = None
    n_verified: int = 0
    n_verified_differences: int = 0
    _tests: tuple[Condition, ...] = field(default=(), repr=False, compare=False)

    def unmet(self, text: str) -> list[str]:
        """The conditions that a text does not meet; []: its ids are the same.

        Args:
            text: a text.
        Returns:
            A list of str.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=270)
        >>> tok.to_hf("cat", overwrite=True).unmet("the \u2581cat")
        ['no U+2581 in the text']
        """
        return [test.sentence for test in self._tests if not test.is_met(text)]

    def _with_condition(self, sentence: str) -> Conversion:
        """The Conversion with a condition that no text meets; "": it stays."""
        if not sentence:
            return self
        test = Condition("folder", sentence, lambda text: False)
        return replace(self, exact=False, conditions=[*self.conditions, sentence], _tests=(*self._tests, test))

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def __repr__(self) -> str:
        word = "exact" if self.exact else "exact under conditions"
        return (
            f"<Conversion to {self.format}: {word}; {self.n_differences:,} of {self.compared:,} texts differ; print it>"
        )

    def _lines(self, done: str = "") -> Iterator[str]:
        """The summary: the texts of the caller first, then each condition with a text, then the texts made to fail.

        done: "read", "written" or "not written"; an empty str: nothing is said of it.
        """
        place = f"{self.path}: " if self.path else ""
        yield f"{place}{self.format}{done and f', {done}'}: {'exact' if self.exact else 'exact under conditions'}"
        if self.n_verified:
            yield f"  your {of_texts(self.n_verified)}: {how_many_differ(self.n_verified_differences)}"
            own = self.differences[: min(self.n_verified_differences, OF_CALLER)]
            yield from (f"    {difference}" for difference in own)
        by_cause: dict[str, Difference] = {}
        for difference in self.differences:
            by_cause.setdefault(difference.cause, difference)
        for sentence in dict.fromkeys((*self.conditions, *by_cause)):
            yield f"  {'condition' if sentence in self.conditions else 'cause'}: {sentence}"
            if sentence in by_cause:
                yield f"    {by_cause[sentence].in_short()}"
        n_hard, n_differ = self.compared - self.n_verified, self.n_differences - self.n_verified_differences
        yield f"  {n_hard:,} difficult texts, made to fail: {how_many_differ(n_differ)}"
        yield f"  compared with {self.compared_with}"

    def __reduce__(self) -> tuple[Any, ...]:
        return Conversion, tuple(getattr(self, one.name) for one in fields(self) if one.name != "_tests")


def how_many_differ(count: int) -> str:
    """How many texts differ, for people."""
    return f"{count:,} differ" if count else "all the same"


def of_texts(count: int) -> str:
    """A number of texts, for people."""
    return f"{count:,} {'text' if count == 1 else 'texts'}"


def shown_text(text: str, most: int = 60) -> str:
    """The beginning of a text in quotation marks."""
    return repr(text if len(text) <= most else f"{text[: most - 1]}\N{HORIZONTAL ELLIPSIS}")


def differing(ours: list[int], theirs: list[int] | str) -> str:
    """Two lists of ids from the first difference on, for people."""
    if isinstance(theirs, str):
        return theirs
    first = next((k for k, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs)))
    return f"ids {ours[first : first + 4]} are {theirs[first : first + 4]} there, from id {first} on"


def prove(
    tok: Any, partner: Partner, findings: Findings, verify: Any, path: str, format: str, pattern: str | None = None
) -> Conversion:
    """Compare a model with what another program reads, and return the Conversion.

    verify: texts of the caller, or the name of a file or folder, besides the built-in ones.
    Raises OptionError for a difference without a known cause.
    """
    proof = Proof(tok, partner, findings)
    for block in blocks(own_texts(tok)):
        proof.compare(block)
    n_own, n_own_found, own_found = proof.n_texts, proof.n_found, proof.found
    proof.found, proof.most = [], SHOWN_OF_CALLER
    for block in blocks(texts_of_caller(verify)):
        proof.compare(block)
    exact = not findings.conditions and not proof.n_found
    sentences = [condition.sentence for condition in findings.conditions]
    return Conversion(
        path, format, exact, sentences, proof.n_texts, partner.name, proof.found + own_found, proof.n_found, pattern,
        proof.n_texts - n_own, proof.n_found - n_own_found, tuple(findings.conditions),
    )  # fmt: skip


class Proof:
    """A comparison under way."""

    def __init__(self, tok: Any, partner: Partner, findings: Findings) -> None:
        self.tok, self.partner, self.findings = tok, partner, findings
        self.n_texts = self.n_found = 0
        self.most = SHOWN  # differences that are kept
        self.found: list[Difference] = []
        self.causes: set[str] = set()

    def compare(self, texts: list[str]) -> None:
        """Compare the ids of some texts, and the texts of these ids."""
        self.n_texts += len(texts)
        ours = self.tok.encode_lists(texts)
        theirs = self.partner.encode(texts)
        for text, own, other in zip(texts, ours, theirs, strict=True):
            if own != other:
                self.add(text, own, other, self.cause_of(text, own, other))
        decoded = self.partner.decode(ours)
        if decoded is None:
            return
        for i, (own, other) in enumerate(zip(self.tok.decode_batch(ours), decoded, strict=True)):
            if own != other and ours[i] == theirs[i]:
                self.add(texts[i], ours[i], f"decoded to {unmarked(other)!r:.60}, not to {own!r:.60}", DECODING)

    def cause_of(self, text: str, own: list[int], other: Any) -> str:
        """The condition that a text with other ids does not meet. Raises OptionError if it meets all."""
        unmet = next((test for test in self.findings.conditions if not test.is_met(text)), None)
        if unmet is not None:
            return unmet.sentence
        if OTHER not in self.findings.allow:
            raise OptionError(
                f"{self.partner.name} gives {text!r:.200} other ids, without a known cause: "
                f"{differing(own, unmarked(other))}. Nothing is written. Report it, please; allow='other' writes it "
                "all the same",
                remedies=[{"allow": (*self.findings.allow, OTHER)}],
            )
        return OTHER

    def add(self, text: str, own: list[int], other: Any, cause: str) -> None:
        """Count a difference, and keep it if it is one of the first, of all or of its cause."""
        self.n_found += 1
        if len(self.found) < self.most or cause not in self.causes:
            self.causes.add(cause)
            self.found.append(Difference(text, own, unmarked(other), cause))


def unmarked(outcome: Any) -> Any:
    """An outcome without the mark of a failure."""
    return outcome.removeprefix(FAILED) if isinstance(outcome, str) else outcome


def own_texts(tok: Any) -> Iterator[str]:
    """The texts of each proof: the fixed set, special pieces, added tokens, random strings."""
    vocab = tok._file.vocab
    reserved = [vocab.text(i) for i in range(len(vocab)) if vocab.type(i) in (CONTROL, UNKNOWN)]
    yield from hostile_texts()
    yield from spelled_texts(text.decode("utf-8", "replace") for text in reserved)
    added = [tok.id_to_piece(i) for i in found_tokens(tok._file.settings, vocab)]
    yield from spelled_texts(sign + text for text in added for sign in ("", SPACE))
    yield from random_texts([tok.id_to_piece(i) for i in range(len(vocab))], N_RANDOM)


def texts_of_caller(given: Any, name: str = "verify") -> Iterator[str]:
    """The texts of the caller. given: a series of them, or the name of a file or folder. name: of the argument."""
    if isinstance(given, str | PathLike):
        texts: Iterable[Any] = texts_of_files(given)
    else:
        texts = as_iterable(given, name, "a list of str, or the name of a file or folder")
    return (text_of_caller(text, name) for text in texts)


def texts_of_files(path: str | PathLike[str]) -> Iterator[bytes]:
    """The texts of a file, of a folder, or of what a pattern names: as `train` reads them, but with every byte."""
    from spm_lite.files.corpus import FILES, open_source
    from spm_lite.files.documents import CorpusFigures, read_documents, split_block
    from spm_lite.files.read_options import Reading

    with closing(read_documents(open_source(path, Reading(newline="lf"), FILES), CorpusFigures())) as found:
        for part in found:
            yield from split_block(part.documents)


def text_of_caller(text: Any, name: str) -> str:
    """A text of the caller as str. name: of the argument."""
    if isinstance(text, (bytes, str)) and len(text) > MAX_SIZE:  # before it is copied
        raise too_long(-1, len(text), "bytes" if isinstance(text, bytes) else "characters")
    if isinstance(text, bytes):
        try:
            return text.decode()
        except UnicodeDecodeError as error:
            raise TextError(f"{name}: the text {text!r:.60} is not UTF-8: {error.reason}") from None
    if not isinstance(text, str):
        raise ArgumentTypeError(f"{name}: a text is str or bytes, not {type(text).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise TextError(f"{name}: the text {text!a:.60} holds a lone surrogate, which UTF-8 cannot spell") from None
    return text


def blocks(texts: Iterable[str]) -> Iterator[list[str]]:
    """Lists of at most BLOCK texts."""
    rest = iter(texts)
    while block := list(islice(rest, BLOCK)):
        yield block


TURNS = (" where is the cat", "\nwhere is the cat?\n", "on the mat ", "  two  spaces  ", "", "1+1")


def prompts_of(tok: Any) -> list[str]:
    """Prompts of several turns, of special tokens and texts; none for a model without control pieces."""
    vocab = tok._file.vocab
    texts = [vocab.text(i).decode("utf-8", "replace") for i in range(vocab.size) if vocab.type(i) == CONTROL][:40]
    names = [text for text in texts if text.strip(" \u2581")]
    if not names:
        return []
    rng = random.Random(0)
    return ["".join(rng.choice(names) + rng.choice(TURNS) for _ in range(rng.randrange(1, 7))) for _ in range(50)]


FILE = ""  # the name of a file that stands alone: its path is what the caller gives


@dataclass(frozen=True)
class Outgoing:
    """The files of a model in a format. files: name -> content, `FILE` for one that stands alone.

    make_partner: gives the program that reads these files; None: it is not installed.
    make_own: gives the Tokenizer that we read of them, for a comparison without that program.
    pattern: the split pattern that goes with the files, if they do not hold it.
    finds_special: the program turns text into special tokens, so prompts are compared too.
    chats: texts that the chat template makes, which are compared with them.
    """

    format: str
    files: Mapping[str, bytes]
    findings: Findings
    make_partner: Callable[[], Partner | None]
    make_own: Callable[[], Any]
    pattern: str | None = None
    finds_special: bool = False
    chats: Sequence[str] = ()

    def prove(self, tok: Any, place: str, verify: str | PathLike[str] | Iterable[str | bytes] = ()) -> Conversion:
        """Compare the ids of the model with the ids that the files give. Raises OptionError; see `proof.prove`."""
        from spm_lite.formats.proof.partner_programs import made, of_own

        for sentence in tok.info.conditions:  # of the file that the model was read from; a model file keeps them
            self.findings.add("reading", sentence, lambda text: False)
        program = made(self.make_partner, self.format)
        own = self.make_own() if program is None else None
        if self.finds_special:
            self.compare_prompts(tok, own if program is None else program)
        partner = program or of_own(own, self.format)
        return prove(tok, partner, self.findings, verify, place, self.format, self.pattern)

    def compare_prompts(self, tok: Any, reader: Any) -> None:
        """Report how many prompts get other ids. reader: the program, or the Tokenizer that we read of the files."""
        for prompts, name, what in (
            (
                prompts_of(tok),
                "prompts",
                "no text after a special token: {} of {} prompts of several turns get other ids",
            ),
            (
                self.chats,
                "chats",
                "no chat by this template: {} of {} sample chats get other ids than from encode_chat",
            ),
        ):
            if isinstance(reader, Partner):
                theirs = reader.encode(list(prompts))
            else:
                theirs = [reader.encode(prompt, allow_special=ALL) for prompt in prompts]
            ours = [tok.encode(prompt, allow_special=ALL) for prompt in prompts]
            differ = sum(own != other for own, other in zip(ours, theirs, strict=True))
            if differ:
                self.findings.add(name, what.format(differ, len(prompts)), lambda text: True)


class SplitPattern(str):
    """A split pattern: a str with the Conversion of the files that it goes with.

    Attributes:
        conversion: the Conversion: the texts that were compared, and the conditions that a text must meet.
    """

    __module__ = "spm_lite"  # where users find it
    conversion: Conversion

    def __new__(cls, pattern: str, conversion: Conversion) -> SplitPattern:
        found = super().__new__(cls, pattern)
        found.conversion = conversion
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return SplitPattern, (str(self), self.conversion)
