"""Vocabulary restriction: which pieces a list, counts or a file of counts allow, and the model that uses only these.

As in sentencepiece, single characters stay, and so do control, user-defined and unknown pieces; byte pieces stay too.
All others become UNUSED: they keep their ids, and encoding does not give them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from spm_lite._typing import TYPE_CHECKING
from spm_lite.arguments import as_int, as_iterable, as_piece
from spm_lite.errors import ArgumentTypeError, MissingFileError, OptionError
from spm_lite.files.open_files import read_bytes
from spm_lite.files.plain_text import check_plain
from spm_lite.files.text_lines import split_lines, unescape
from spm_lite.kinds import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import Any

    from spm_lite.files.open_files import AnyPath
    from spm_lite.vocab.model_file import ModelFile
    from spm_lite.vocab.vocab import Vocab

TYPES_KEPT = (CONTROL, UNKNOWN, USER_DEFINED, BYTE)  # BYTE: else decoding would lose what they spell
COUNT = re.compile(rb"\s*\+?[0-9]{1,40}\s*")
SCORE = re.compile(rb"\s*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+|inf|nan)(e[-+]?[0-9]+)?\s*", re.IGNORECASE)
WRONG_TAB = re.compile(rb"(.+?)[ ,;|]+[0-9]+\s*")  # a piece and a count with something else between them
HOW_TO_COUNT = (
    "count the pieces of a text: 'spm-lite encode --generate-vocabulary' and 'spm_encode --generate_vocabulary' do"
)
SUBWORD_TYPES = ("unigram", "bpe")


def restricted_model(file: ModelFile, pieces: Any, threshold: Any) -> bytes:
    """The bytes of a model restricted as `Tokenizer.restrict` says."""
    if file.model_type not in SUBWORD_TYPES:
        raise OptionError(f"a {file.model_type} model cannot be restricted: only unigram and bpe models can")
    if file.vocab.merge_list is not None:
        raise OptionError(
            "the model keeps a list of its merges, which tells no splits of pieces: it cannot be restricted"
        )
    if file.vocab.has_parts:
        raise OptionError("the model cuts a text by patterns first: it cannot be restricted")
    least = as_int(threshold, "threshold")
    if isinstance(pieces, (str, os.PathLike)):
        try:
            allowed = pieces_of_file(pieces, least, file.vocab)
        except MissingFileError:
            name = os.fspath(pieces)
            raise MissingFileError(
                f"no file {name!r:.80} to read (pieces are passed as a list: ['\u2581the'])"
            ) from None
    else:
        allowed = enough(counted(pieces), least, file.vocab, "the vocabulary")
    return with_pieces(file, allowed)


def with_pieces(file: ModelFile, allowed: Collection[bytes]) -> bytes:
    """The bytes of a model in which pieces are UNUSED unless they are allowed, single characters, or of a type kept."""
    from spm_lite.vocab.messages import extension_of, serialize  # here, since it takes long to import

    message = file.message()
    pieces = extension_of(message).pieces if file.has_own_pieces else message.pieces
    for i, piece in enumerate(pieces):
        if piece.type not in TYPES_KEPT:
            text = file.vocab.text(i)
            is_single = len(text.decode("utf-8", "surrogateescape")) == 1
            piece.type = NORMAL if text in allowed or is_single else UNUSED
    return serialize(message)


def counted(pieces: Any) -> list[tuple[bytes, int]]:
    """(piece, count) of each item of a mapping; of another iterable, each piece counts 1."""
    if isinstance(pieces, Mapping):
        return [(bytes_of_piece(piece, i), as_count(count, piece)) for i, (piece, count) in enumerate(pieces.items())]
    wanted = "a list of pieces, such as ['\u2581the'], a mapping of piece to count, or the path of a file"
    return [
        (bytes_of_piece(piece, i), 1) for i, piece in enumerate(as_iterable(pieces, "the vocabulary", wanted, False))
    ]


def bytes_of_piece(piece: Any, number: int) -> bytes:
    """The bytes of a piece. Raises ArgumentTypeError for an id or a pair."""
    if not isinstance(piece, (str, bytes)):
        remedy = "pass dict(...) of such pairs" if isinstance(piece, tuple) else "id_to_piece gives the piece of an id"
        raise ArgumentTypeError(
            f"item {number} of the vocabulary is {type(piece).__name__} {piece!r:.40}, not a piece: {remedy}"
        )
    return as_piece(piece)


def as_count(count: Any, piece: Any) -> int:
    """A count as int. Raises OptionError for a score."""
    if isinstance(count, float) or (isinstance(count, int) and count < 0):
        raise OptionError(f"{count!r} of {piece!r:.40} is a score, not a count: {HOW_TO_COUNT}")
    return as_int(count, f"the count of {piece!r:.40}")


def pieces_of_file(path: AnyPath, threshold: int, vocab: Vocab) -> set[bytes]:
    """The pieces that a file of lines `piece TAB count` allows: those whose count is at least `threshold`.

    A missing count is 1, and text after a second TAB is ignored. A BOM is dropped, CR LF ends a line. A piece that is
    written with the escapes of `text_lines` is taken both as it is and without escapes.
    Raises FileError, and OptionError for a file of something else, or one that allows no piece.
    """
    data = read_bytes(path)
    name = os.fsdecode(path)
    check_plain(data, name)
    entries = []
    for number, line in enumerate(split_lines(data), 1):
        piece, tab, rest = line.partition(b"\t")
        if not piece:
            continue
        where = f"{name!r}, line {number}"
        found = WRONG_TAB.fullmatch(piece)
        if found and not tab and not has(vocab, piece) and has(vocab, found[1]):
            raise OptionError(f"{where}: {cited(piece)} has no TAB between the piece and its count: write one")
        count = count_of(rest.partition(b"\t")[0], where, cited(piece)) if tab else 1
        entries += [(text, count) for text in dict.fromkeys((piece, unescape(piece)))]
    return enough(entries, threshold, vocab, repr(name))


def count_of(field: bytes, where: str, piece: str) -> int:
    """The count in a field of a line; 1 if it is empty. Raises OptionError."""
    if not field.strip():
        return 1
    if COUNT.fullmatch(field):
        return int(field)
    if SCORE.fullmatch(field):
        raise OptionError(
            f"{where}: {field.decode().strip()} of {piece} is a score, as in the .vocab of a training, not a count,"
            f"which is an integer of 0 or more: {HOW_TO_COUNT}"
        )
    raise OptionError(f"{where}: the count {field!r:.40} of {piece} is not an integer: a line is piece, TAB and count")


def enough(entries: list[tuple[bytes, int]], threshold: int, vocab: Vocab, name: str) -> set[bytes]:
    """The pieces with at least `threshold`. Raises OptionError if no entry is such a piece of the model."""
    if not entries:
        raise OptionError(f"{name} names no piece: a restriction needs at least one")
    counts = [count for piece, count in entries if has(vocab, piece)]
    if not counts:
        raise OptionError(
            f"{name} names no piece of this model; the first name is {cited(entries[0][0])}. In a piece, \u2581 stands "
            "for a space; in a file, a TAB separates piece and count. Or does it belong to another model?"
        )
    if all(vocab.type(vocab.find_id(piece)) in TYPES_KEPT for piece, _ in entries if has(vocab, piece)):
        raise OptionError(
            f"{name} names only special pieces, such as {cited(entries[0][0])}, and these are used anyway: name pieces "
            "of text, such as '\u2581the'"
        )
    if max(counts) < threshold:
        raise OptionError(
            f"{name} has no piece with a count of {threshold} or more: the highest is {max(counts)}, "
            "lower the threshold"
        )
    if len(counts) < len(entries) / 2:
        log_unknown(name, len({piece for piece, _ in entries}), entries, vocab)
    return {piece for piece, count in entries if count >= threshold}


def log_unknown(name: str, n_names: int, entries: Iterable[tuple[bytes, int]], vocab: Vocab) -> None:
    """Warn that most names of a restriction are not pieces of the model."""
    from spm_lite.files.plain_text import log_notes

    first = next(piece for piece, _ in entries if not has(vocab, piece))
    log_notes(
        [
            f"{name}: most of its {n_names} names are not pieces of this model, such as {cited(first)}: does it belong "
            "to another model?"
        ]
    )


def has(vocab: Vocab, text: bytes) -> bool:
    """Whether a text is a piece of the model."""
    piece_id = vocab.find_id(text)
    return piece_id >= 0 and vocab.text(piece_id) == text


def cited(piece: bytes) -> str:
    """A piece in messages."""
    return f"{piece.decode('utf-8', 'backslashreplace')!r:.60}"
