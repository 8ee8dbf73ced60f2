"""Model files with further pieces at the end, and scores for plain ones, below those of all merges."""

from __future__ import annotations

import struct

from spm_lite._typing import TYPE_CHECKING
from spm_lite.kinds import NORMAL
from spm_lite.vocab.byte_model_writer import EXTENSION, OWN_PIECES
from spm_lite.vocab.merge_list import MergeList
from spm_lite.vocab.wire import write_message, write_pieces

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from spm_lite.vocab.model_file import ModelFile
    from spm_lite.vocab.vocab import Vocab

FIRST_FIELDS = ("format_version", "lossless", "family")  # of the extension, which stand before its pieces
LEAST_RANK = -1e8  # runs of spaces of Llama 2 score -1e9, where float32 has steps of 64: that is no rank


def last_rank(vocab: Vocab) -> float:
    """The lowest score of a piece that is the rank of a merge; 0.0: there is none."""
    scores = (vocab.score(i) for i in range(len(vocab)) if vocab.type(i) == NORMAL)
    return min((score for score in scores if score > LEAST_RANK), default=0.0)


def further_ranks(last: float, n: int) -> Iterator[float]:
    """n scores below `last`, one apart, or more where float32 has larger steps: each is below the one before.

    >>> list(further_ranks(-3.0, 2)), list(further_ranks(-16777216.0, 2))
    ([-4.0, -5.0], [-16777218.0, -16777220.0])
    """
    for _ in range(n):
        step = 1.0
        while (below := float32(last - step)) >= last:
            step *= 2
        last = below
        yield last


def float32(value: float) -> float:
    """A number rounded to single precision."""
    number: float = struct.unpack("<f", struct.pack("<f", value))[0]
    return number


def with_plain_pieces(
    file: ModelFile, pieces: Sequence[tuple[str | bytes, float]], merges: Iterable[tuple[int, int, int]] = ()
) -> bytes:
    """The bytes of a model with further plain pieces (text, score), whose ids come after all others.

    merges: ids of the left part, the right part and the whole, for a model that keeps a list of merges.
    """
    entries = ((text.encode() if isinstance(text, str) else text, score, NORMAL) for text, score in pieces)
    return with_appended(file, entries, len(pieces), merges)


def with_appended(
    file: ModelFile, entries: Iterable[tuple[bytes, float, int]], n: int, merges: Iterable[tuple[int, int, int]] = ()
) -> bytes:
    """The bytes of a model with `n` further pieces (text, score, type). merges: as of `with_plain_pieces`."""
    from spm_lite.vocab.messages import extension_field, extension_of, serialize  # here, since it takes long to import

    message = file.message()
    message.trainer_spec.vocab_size = len(file.vocab) + n
    if not file.has_own_pieces:
        return joined(message, (), write_pieces(entries, with_types=True))
    own, listed = extension_of(message), file.vocab.merge_list
    if listed is not None and merges:
        ids = [*listed.ids(), *(one for merge in merges for one in merge)]
        longer = MergeList(ids, listed.fuse_unknown, listed.whole_pieces)
        own.ClearField("merge_list")
        own.merge_list.MergeFromString(longer.serialize())
    data = joined(own, FIRST_FIELDS, write_pieces(entries, OWN_PIECES, with_types=True))
    message.ClearExtension(extension_field())
    return serialize(message) + write_message(EXTENSION, data)


def joined(holder: Any, first: tuple[str, ...], new: bytes) -> bytes:
    """Serialize a message with further pieces at their place; `holder` changes. first: fields before its pieces."""
    from spm_lite.vocab.messages import serialize

    head = type(holder)()
    for name in first:
        if holder.HasField(name):
            setattr(head, name, getattr(holder, name))
            holder.ClearField(name)
    head.pieces.extend(holder.pieces)
    del holder.pieces[:]
    return serialize(head) + new + serialize(holder)
