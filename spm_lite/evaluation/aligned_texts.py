"""The public `align`: two tokenizers and texts in, groups of tokens that cover the same bytes out, as arrays."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from spm_lite.arguments import as_flag
from spm_lite.encode.spans import spans_batch
from spm_lite.errors import ArgumentTypeError, IdError
from spm_lite.evaluation.aligned_groups import group_tokens, strings_of
from spm_lite.evaluation.audit_texts import own_name
from spm_lite.evaluation.figures.foreign import are_ids, as_subject
from spm_lite.texts.batch import Batch, as_numpy
from spm_lite.texts.inputs import texts_and_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spm_lite.evaluation.figures.subjects import Subject
    from spm_lite.texts.text_view import Texts

BYTES = 0  # unit of `spans_batch`
BLOCK_BYTES = 1 << 20  # of text that a tokenizer of another package gets at once


class AlignedGroup(NamedTuple):
    """The tokens of two tokenizers that cover the same bytes of a text.

    Attributes:
        a: ids of the first tokenizer; []: it has no token here.
        b: ids of the second one.
        begin: the first byte of the group in the UTF-8 of the text.
        end: the byte after the last one.
    """

    a: list[int]
    b: list[int]
    begin: int
    end: int


AlignedGroup.__module__ = "spm_lite"  # where users find it; a pickle names this place


@dataclass(frozen=True, eq=False, repr=False)
class Alignment:
    """The tokens of two tokenizers, in groups that cover the same bytes. Made by `spm_lite.align`.

    It has one entry for each text: `alignment[i]` is the list of its AlignedGroups. `str(alignment)` counts the kinds
    of groups.

    Attributes:
        a: a Batch of the ids of the first tokenizer, as `encode_batch` gives them.
        b: the same of the second one.
        offsets: int64 of shape (texts + 1,). Text i has the groups `offsets[i]` to `offsets[i + 1] - 1`.
        a_offsets: int64 of shape (groups + 1,). Group g has the ids `a.ids[a_offsets[g] : a_offsets[g + 1]]`.
        b_offsets: the same for `b.ids`.
        spans: int32 of shape (groups, 2): begin and end of each group, in bytes of the UTF-8 of its text.
        a_uncovered: int64 of shape (n, 3): text, begin and end of bytes that no token of the first tokenizer covers.
        b_uncovered: the same of the second one. Bytes that neither covers are in both.

    >>> import spm_lite
    >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=272)
    >>> spm_lite.align(tok, spm_lite.byte_tokenizer(), ["the cat"])
    Alignment(1 text, 3 groups: 1 1:1, 2 1:n)
    """

    __module__ = "spm_lite"

    a: Batch
    b: Batch
    offsets: NDArray[np.int64]
    a_offsets: NDArray[np.int64]
    b_offsets: NDArray[np.int64]
    spans: NDArray[np.int32]
    a_uncovered: NDArray[np.int64]
    b_uncovered: NDArray[np.int64]

    def kinds(self) -> dict[str, int]:
        """How many groups there are of each kind, by their tokens of the first and of the second tokenizer.

        Returns:
            A dict with the keys "1:1", "1:n", "n:1", "n:m", "a only" and "b only"; n and m are 2 or more.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=272)
        >>> spm_lite.align(tok, spm_lite.byte_tokenizer(), ["the cat"]).kinds()["1:n"]
        2
        """
        a, b = (np.minimum(np.diff(offsets), 2) for offsets in (self.a_offsets, self.b_offsets))
        n = np.bincount(3 * a + b, minlength=9).tolist()
        return {"1:1": n[4], "1:n": n[5], "n:1": n[7], "n:m": n[8], "a only": n[3] + n[6], "b only": n[1] + n[2]}

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, key: int) -> list[AlignedGroup]:
        """The groups of one text, in their order."""
        try:
            number = index(key)
        except TypeError:
            raise ArgumentTypeError(
                f"an Alignment is indexed by the number of a text, not by {type(key).__name__}"
            ) from None
        if not -len(self) <= number < len(self):
            raise IdError(f"text {number} is outside the alignment: it has {len(self)} texts, counted from 0")
        number %= len(self)
        first, end = self.offsets[number : number + 2].tolist()
        a, b = (offsets[first : end + 1].tolist() for offsets in (self.a_offsets, self.b_offsets))
        return [
            AlignedGroup(self.a.ids[a[g] : a[g + 1]].tolist(), self.b.ids[b[g] : b[g + 1]].tolist(), *span)
            for g, span in enumerate(self.spans[first:end].tolist())
        ]

    def __iter__(self) -> Iterator[list[AlignedGroup]]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        texts = f"{len(self):,} text{'' if len(self) == 1 else 's'}"
        groups = f"{len(self.spans):,} group{'' if len(self.spans) == 1 else 's'}"
        kinds = ", ".join(f"{n:,} {kind}" for kind, n in self.kinds().items() if n)
        return f"Alignment({texts}, {groups}{kinds and ': '}{kinds})"


class Coverage(NamedTuple):
    """The ids of all texts by one tokenizer, and the bytes that each covers: begin and end, one after the other."""

    batch: Batch
    places: NDArray[np.int32]


def align(
    a: Any,
    b: Any,
    texts: Iterable[str | bytes],
    *,
    words: bool = False,
    num_threads: int | None = None,
) -> Alignment:
    """Align the tokens of two tokenizers by the bytes that they cover, in the smallest groups that there are.

    Distillation between models with different vocabularies compares their tokens group by group. A group ends at the
    next byte where no token of either tokenizer goes on. Its tokens follow each other in both, and each token is in one
    group.

    A token covers the bytes that it stands for. If a character becomes others before it is cut, each token made of it
    covers all of it. Dropped white space is covered by no token, or in WordPiece by the token after it; another dropped
    character is covered by the token before it. Tokens without a byte, such as a space put before the text, are in the
    group of the next token of their tokenizer, or of its last one. If a text has no other token of their tokenizer,
    they are in its first group.

    Bytes without a token of one tokenizer are in the group of what the other one has there, alone if need be. Bytes
    without any token are in no group, except between groups that `words` joins.

    Args:
        a: the first tokenizer: a Tokenizer, whatever `load` takes, or whatever `as_tokenizer` takes. Those of other
            packages tell what a token covers by its bytes or by spans. No special ids are added.
        b: the second one.
        texts: any iterable of str or bytes, as in `encode_batch`. Tokenizers of other packages take only UTF-8.
        words: True joins groups until a word ends. A word is a run of characters that are not white space, with the
            white space before it.
        num_threads: None for all CPUs that this process may use.
    Returns:
        An Alignment.
    Raises:
        OptionError: a tokenizer does not tell what its tokens cover, or adds special ids.
        TextError: as in `encode_batch`; or bytes are not UTF-8, and a tokenizer is of another package.
        ArgumentTypeError: a tokenizer or the texts are of another type.

    >>> import spm_lite
    >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=272)
    >>> tok.pieces("the cat")
    ['▁t', 'he', '▁cat']
    >>> for group in spm_lite.align(tok, spm_lite.byte_tokenizer(), ["the cat"])[0]:
    ...     print(group)
    AlignedGroup(a=[263], b=[119], begin=0, end=1)
    AlignedGroup(a=[260], b=[107, 104], begin=1, end=3)
    AlignedGroup(a=[264], b=[35, 102, 100, 119], begin=3, end=7)
    """
    joins_words = as_flag(words, "words")
    subjects = [subject_of(a, "a"), subject_of(b, "b")]
    items, threads = texts_and_threads(texts, num_threads)
    first, second = (coverage(subject, items, threads) for subject in subjects)
    found = group_tokens(
        items, first.places, first.batch.offsets, second.places, second.batch.offsets, joins_words, threads
    )
    return Alignment(
        a=first.batch,
        b=second.batch,
        offsets=as_numpy(found.offsets, "int64"),
        a_offsets=running_totals(as_numpy(found.a_counts, "int32")),
        b_offsets=running_totals(as_numpy(found.b_counts, "int32")),
        spans=as_numpy(found.spans, "int32").reshape(-1, 2),
        a_uncovered=with_texts(as_numpy(found.a_gaps, "int32"), as_numpy(found.a_gap_offsets, "int64")),
        b_uncovered=with_texts(as_numpy(found.b_gaps, "int32"), as_numpy(found.b_gap_offsets, "int64")),
    )


def subject_of(obj: Any, name: str) -> Subject:
    """A tokenizer of any kind. name: for messages, if it has none."""
    from spm_lite.tokenizer.tokenizer import Tokenizer

    is_file = isinstance(obj, (bytes, bytearray, memoryview)) or callable(getattr(obj, "read", None))
    if is_file or (isinstance(obj, Mapping) and not are_ids(obj)):
        obj = Tokenizer.load(obj)
    return as_subject(obj, own_name(obj) or name)


def coverage(subject: Subject, texts: Texts, num_threads: int) -> Coverage:
    """The tokens of one tokenizer."""
    if subject.own is None:
        return foreign_coverage(subject, texts)
    ids, offsets, places = spans_batch(subject.own._encoder, texts, BYTES, num_threads, True)
    return Coverage(Batch._from_vectors(ids, offsets, subject.own.pad_id), as_numpy(places, "int32"))


def foreign_coverage(subject: Subject, texts: Texts) -> Coverage:
    """The tokens of a tokenizer of another package, which gets one block of texts after the other."""
    ids, places, counts = array("i"), array("i"), array("q")
    begin = 0
    while begin < len(texts):
        strings = strings_of(texts, begin, BLOCK_BYTES)
        found = subject.covered(strings, begin)
        assert found.places is not None
        ids.frombytes(found.ids.tobytes())
        places.frombytes(found.places.tobytes())
        counts.frombytes(np.diff(found.offsets).tobytes())
        begin += len(strings)
    batch = Batch(np.array(ids, np.int32), running_totals(np.array(counts, np.int64)))
    return Coverage(batch, np.array(places, np.int32))


def running_totals(counts: NDArray[Any]) -> NDArray[np.int64]:
    """0, and the sums of the first counts, as offsets."""
    totals = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=totals[1:])
    return totals


def with_texts(gaps: NDArray[np.int32], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rows of text, begin and end. gaps: begin and end of all texts; offsets: of each text into the gaps."""
    numbers = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return np.column_stack([numbers, gaps.reshape(-1, 2)]).astype(np.int64, copy=False)
