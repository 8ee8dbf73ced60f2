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
    from spm_lite.vocab.model_file import ModelFile


def model_of_ranks(pieces: RankTable, special: dict[int, str], pattern: Cuts, form: str, name: str) -> bytes:
    """The model of a rank file. special: by id. form: as in `written_model`. name: of the source."""
    check_fit(pattern, pieces.items())
    if pattern in RAW:
        check_reachable(list(pieces.values()), name)
    return written_model(pieces.write(special, OWN_PIECES), len(pieces) + len(special), pattern, form)


def entries_of_merges(pieces: list[bytes | str], ranks: Mapping[bytes, int]) -> list[tuple[str | bytes, float, int]]:
    """(text, score, type) of each id. pieces: by id, str for special ones. ranks: piece -> rank of its merge."""
    single = (-float(rank) for rank in range(len(ranks), len(ranks) + 256))
    return [
        (piece, 0.0, CONTROL)
        if isinstance(piece, str)
        else (piece, next(single) if len(piece) == 1 else -float(ranks[piece]), NORMAL)
        for piece in pieces
    ]


def byte_level_model(
    entries: list[tuple[str | bytes, float, int]],
    pattern: Cuts,
    form: str = "",
    roles: Mapping[str, Any] | None = None,
) -> bytes:
    """The bytes of a model. entries: (text, score, type) of each id. `written_model` explains the other arguments."""
    return written_model(write_pieces(entries, OWN_PIECES), len(entries), pattern, form, roles)


def written_model(
    pieces: bytes, n: int, pattern: Cuts, form: str = "", roles: Mapping[str, Any] | None = None
) -> bytes:
    """Our model file of a byte-level BPE.

    pieces: n of them, as `write_pieces` writes them. pattern: a raw or a split pattern, or splits. form: of
    Unicode, which a text gets before it is cut; empty: none. roles: fields of the TrainerSpec that name special pieces.
    """
    settings = {
        "split_by_whitespace": pattern != WHOLE,
        "treat_whitespace_as_suffix": pattern == SUFFIX,
        "allow_whitespace_only_pieces": True,
        **dict.fromkeys(("unk_id", "bos_id", "eos_id"), -1),
        **(roles or {}),
    }
    if isinstance(pattern, tuple):
        return write_byte_model(pieces, n, settings, None, form, pattern)
    return write_byte_model(pieces, n, settings, None if pattern in RAW else pattern, form)


def ranked_pieces(file: ModelFile, what: str) -> dict[int, bytes]:
    """The pieces that are not special, by id. Raises OptionError for a model that a file of ranks cannot hold.

    what: the file, in messages.
    """
    vocab = file.vocab
    if not vocab.is_bytes or file.model_type == "byte":
        raise OptionError(f"{what} can hold only byte-level BPE, and this model is of type {file.model_type!r}")
    if file.settings.normalizer.has_rules:
        raise OptionError(f"the model normalizes a text first, and {what} cannot express that: use to_hf")
    pieces: dict[int, bytes] = {}
    last = float("inf")
    for i in range(vocab.size):
        kind = vocab.type(i)
        if kind in (UNUSED, USER_DEFINED):
            reason = "is unused" if kind == UNUSED else "is user-defined: it matches in every text"
            raise OptionError(f"the piece {i}, {vocab.text(i)!r:.60}, {reason}: {what} cannot express that")
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
