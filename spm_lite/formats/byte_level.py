"""Models of byte-level BPE from the vocabularies of other programs, and back to their pieces."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import OptionError
from spm_lite.formats.ranks.rank_file import check_reachable
from spm_lite.formats.split_patterns import RAW, SUFFIX, WHOLE, check_fit
from spm_lite.kinds import CONTROL, NORMAL, UNUSED, USER_DEFINED
from spm_lite.vocab.byte_model_writer import OWN_PIECES, write_byte_model
from spm_lite.vocab.wire import write_pieces

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from spm_lite.formats.ranks.rank_table import RankTable
    from spm_lite.formats.text_splits import Cuts
    from spm_lite.vocab.merge_list import MergeList
    from spm_lite.vocab.model_file import ModelFile


def model_of_ranks(pieces: RankTable, special: dict[int, str], pattern: Cuts, form: str, name: str) -> bytes:
    """The model of a rank file. special: by id. form: as in `written_model`. name: of the source."""
    check_fit(pattern, pieces.items())
    if pattern in RAW:
        check_reachable(list(pieces.values()), name)
    return written_model(pieces.write(special, OWN_PIECES), len(pieces) + len(special), pattern, form)


def entries_of_merges(pieces: list[bytes | str], ranks: Mapping[bytes, int]) -> list[tuple[str | bytes, float, int]]:
    """(text, score, type) of each id. ranks: piece -> rank of its merge.

    pieces: by id, str for special ones, empty for an id without a piece.
    """
    single = (-float(rank) for rank in range(len(ranks), len(ranks) + 256))
    return [
        (piece, 0.0, CONTROL)
        if isinstance(piece, str)
        else (piece, 0.0, UNUSED)  # none has the id
        if not piece
        else (piece, next(single) if len(piece) == 1 else -float(ranks[piece]), NORMAL)
        for piece in pieces
    ]


def byte_level_model(
    entries: list[tuple[str | bytes, float, int]],
    pattern: Cuts,
    form: str = "",
    roles: Mapping[str, Any] | None = None,
    merges: MergeList | None = None,
    lacks_bytes: bool = False,
) -> bytes:
    """The bytes of a model. entries: (text, score, type) of each id. `written_model` explains the other arguments."""
    has_empty = any(not text for text, _, _ in entries)
    pieces = write_pieces(entries, OWN_PIECES)
    return written_model(pieces, len(entries), pattern, form, roles, merges, lacks_bytes, has_empty)


def written_model(
    pieces: bytes,
    n: int,
    pattern: Cuts,
    form: str = "",
    roles: Mapping[str, Any] | None = None,
    merges: MergeList | None = None,
    lacks_bytes: bool = False,
    has_empty: bool = False,
) -> bytes:
    """Our model file of a byte-level BPE.

    pieces: n of them, as `write_pieces` writes them. pattern: a raw or a split pattern, or splits. form: of
    Unicode, which a text gets before it is cut; empty: none. roles: fields of the TrainerSpec that name special pieces.
    merges: where scores do not say how pieces merge. lacks_bytes: some texts are lost. has_empty: an id has no piece.
    """
    settings = {
        "split_by_whitespace": pattern != WHOLE,
        "treat_whitespace_as_suffix": pattern == SUFFIX,
        "allow_whitespace_only_pieces": True,
        **dict.fromkeys(("unk_id", "bos_id", "eos_id"), -1),
        **(roles or {}),
    }
    listed = None if merges is None else merges.serialize()
    if isinstance(pattern, tuple):
        return write_byte_model(pieces, n, settings, None, form, pattern, listed, not lacks_bytes, has_empty)
    split = None if pattern in RAW else pattern
    return write_byte_model(pieces, n, settings, split, form, (), listed, not lacks_bytes, has_empty)


def refuse_listed(file: ModelFile, what: str) -> None:
    """Raise OptionError for a model with a list of merges. what: the file that cannot hold it, in messages."""
    if file.vocab.merge_list is not None:
        raise OptionError(
            f"the model keeps a list of its merges, since scores of pieces cannot say what they do: {what} cannot "
            "express that. Use to_hf"
        )


def ranked_pieces(file: ModelFile, what: str) -> dict[int, bytes]:
    """The pieces that are not special, by id. Raises OptionError for a model that a file of ranks cannot hold.

    what: the file, in messages.
    """
    vocab = file.vocab
    if not vocab.is_bytes or file.model_type == "byte":
        raise OptionError(f"{what} can hold only byte-level BPE, and this model is of type {file.model_type!r}")
    if file.settings.normalizer.has_rules:
        raise OptionError(f"the model normalizes a text first, and {what} cannot express that: use to_hf")
    refuse_listed(file, what)
    pieces: dict[int, bytes] = {}
    last = float("inf")
    for i in range(vocab.size):
        kind = vocab.type(i)
        if kind == UNUSED and not vocab.text(i):
            continue  # an id without a piece
        if kind in (UNUSED, USER_DEFINED):
            reason = "is unused" if kind == UNUSED else "is user-defined: it matches in every text"
            remedy = "" if kind == UNUSED else ". Use to_hf"
            raise OptionError(f"the piece {i}, {vocab.text(i)!r:.60}, {reason}: {what} cannot express that{remedy}")
        if kind != NORMAL:
            continue
        pieces[i] = vocab.text(i)
        if len(pieces[i]) > 1:
            if vocab.score(i) > last:
                raise OptionError(f"ids do not rise with the order of merges: {what} cannot express that")
            last = vocab.score(i)
    if vocab.split_pattern is None and not vocab.splits and max(pieces) != len(pieces) - 1:
        special = next(i for i in range(vocab.size) if i not in pieces)
        raise OptionError(
            f"the piece {max(pieces)}, {pieces[max(pieces)]!r:.60}, has a higher id than the special piece {special}: "
            f"{what} cannot express that"
        )
    return pieces
