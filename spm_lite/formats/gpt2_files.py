"""The two files of GPT-2: vocab.json (piece -> id) and merges.txt (two parts a line), in the byte alphabet."""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping, Sequence

from spm_lite.errors import ModelError, OptionError
from spm_lite.formats.byte_spelling import unspell
from spm_lite.formats.json_file import parse
from spm_lite.formats.ranks.merge_parts import merge_parts
from spm_lite.formats.special_tokens import check_name, refuse_unmerged

VOCAB, MERGES = "vocab.json", "merges.txt"
MOST = 4_000_000  # pieces
HEADER = "#version"  # a line that begins so holds no merge


def byte_alphabet() -> dict[int, str]:
    """The character for each byte: itself if it is visible in Latin-1, else one from U+0100 on."""
    visible = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in set(visible)]
    return {byte: chr(byte) for byte in visible} | {byte: chr(0x100 + i) for i, byte in enumerate(others)}


SPELLING = byte_alphabet()
BYTES = {character: byte for byte, character in SPELLING.items()}


def spell(piece: bytes) -> str:
    """A piece in the byte alphabet."""
    return "".join(map(SPELLING.__getitem__, piece))


def merges_of(pieces: Mapping[int, bytes]) -> list[tuple[str, str]]:
    """The two parts of each piece of several bytes, spelled. Raises OptionError for a piece that has not two.

    pieces: by rank.
    """
    ranks = {piece: rank for rank, piece in pieces.items()}
    found = []
    for rank, piece in pieces.items():
        if len(piece) == 1:
            continue
        parts = merge_parts(piece, ranks, rank)
        if len(parts) != 2:
            raise OptionError(f"the piece {rank}, {piece!r:.60}, is not a merge of two pieces with lower ranks")
        found.append((spell(parts[0]), spell(parts[1])))
    return found


def gpt2_files(pieces: Mapping[int, bytes], others: Mapping[str, int]) -> tuple[bytes, bytes]:
    """(vocab.json, merges.txt) of the pieces of a model, whose ids are their ranks.

    pieces: by id, in order. others: special piece -> id. Raises OptionError for a piece without two parts, and for a
    merge that reads like the header.
    """
    merges = merges_of(pieces)
    lost = next((left + right for left, right in merges if left.startswith(HEADER)), None)
    if lost is not None:
        raise OptionError(f"the merge of {lost!r:.60} begins with {HEADER}: programs skip such a line of {MERGES}")
    lines = [f"{HEADER}: 0.2", *map(" ".join, merges)]
    vocab = {spell(piece): rank for rank, piece in pieces.items()}
    for text, piece_id in others.items():
        if text in vocab:
            raise OptionError(f"the special piece {text!r} has the spelling of the piece {vocab[text]} in {VOCAB}")
        vocab[text] = piece_id
    return json.dumps(vocab, ensure_ascii=False).encode(), "\n".join([*lines, ""]).encode()


def read_gpt2(
    vocab: bytes, merges: bytes, names: tuple[str, str], special: Sequence[str] = ()
) -> tuple[list[bytes | str], dict[bytes, int]]:
    """(the pieces by id: bytes, or str for a special piece; piece -> rank of its merge). Raises ModelError.

    An id without a piece has an empty one. names: of both files, in messages. special: names of special pieces. Raises
    OptionError for a piece without a merge that is none of these and does not look like one.
    """
    ids = read_vocab_json(vocab, names[0])
    ranks = read_merges(merges, names[1], ids)
    pieces: list[bytes | str] = []
    unmerged: list[str] = []
    named = set(special)
    if named - ids.keys():
        raise OptionError(f"special_tokens: {min(named - ids.keys())!r:.60} is not in {names[0]}")
    for text, piece_id in sorted(ids.items(), key=lambda item: item[1]):
        pieces += [b""] * (piece_id - len(pieces))
        data = unspell(text)
        if not text:  # no text holds it
            pieces.append(b"")
            continue
        if data is not None and text in named and (len(data) == 1 or data in ranks):
            raise OptionError(
                f"special_tokens: {text!r:.60} is a byte or made by a merge, so it is not a special token"
            )
        is_special = data is None or text in named or (len(data) > 1 and data not in ranks)
        pieces.append(text if is_special else data)  # type: ignore[arg-type]
        if is_special and text not in named:
            check_name(text, names[0])
            if data is not None:
                unmerged.append(text)
    refuse_unmerged(unmerged, names[1])
    known = {piece for piece in pieces if isinstance(piece, bytes)}
    for byte in range(256):
        if bytes([byte]) not in known:
            raise ModelError(f"{names[0]}: the byte 0x{byte:02X} is not a piece: it is not a file of byte-level BPE")
    return pieces, ranks


def read_vocab_json(data: bytes, name: str) -> dict[str, int]:
    """Text -> id, each once. Raises ModelError."""
    ids = parse(data, name)
    if not all(type(i) is int for i in ids.values()):
        raise ModelError(f"{name} is not an object of texts and ids")
    numbers = {0, *ids.values()}
    if len(set(ids.values())) < len(ids) or min(numbers) < 0 or max(numbers) >= MOST:
        raise ModelError(f"{name}: the ids of {len(ids)} pieces are not numbers from 0 to {MOST - 1}, each once")
    return ids


def read_merges(data: bytes, name: str, ids: Mapping[str, int]) -> dict[bytes, int]:
    """The merged bytes -> the number of the merge. Raises ModelError for a line of any other kind."""
    ranks: dict[bytes, int] = {}
    if data.startswith(codecs.BOM_UTF8):
        raise ModelError(f"{name} begins with a mark of byte order: save it without")
    try:
        lines = merge_lines(data)
    except UnicodeDecodeError as error:
        raise ModelError(f"{name} is not UTF-8: {error}") from None
    for number, line in lines:
        left, space, right = line.partition(" ")
        joined = unspell(left + right)
        if not space or joined is None or not (left in ids and right in ids and left + right in ids):
            raise ModelError(f"{name}, line {number}: {line[:60]!r} is not two pieces whose join is a piece")
        if joined in ranks:
            raise ModelError(f"{name}, line {number}: {left + right!r:.60} is made by two merges: one rank is needed")
        ranks[joined] = len(ranks)
        expected = merge_parts(joined, ranks, len(ranks) - 1)
        if expected != [unspell(left), unspell(right)]:
            raise ModelError(
                f"{name}, line {number}: the merges before it make {[spell(part) for part in expected]!r:.80} of "
                f"{left + right!r:.40}, so the merge of {line[:60]!r} is never reached"
            )
    return ranks


def merge_pairs(data: bytes) -> list[tuple[str, str]]:
    """The two parts of each line of a valid merges.txt."""
    return [(left, right) for left, _, right in (line.partition(" ") for _, line in merge_lines(data))]


def merge_lines(data: bytes) -> list[tuple[int, str]]:
    """(number, line) of each line of a merges.txt that has a merge; a CR at its end is dropped.

    A header is skipped wherever it stands, as in tokenizers.
    """
    lines = [line.removesuffix("\r") for line in data.decode("utf-8").split("\n")]
    return [(number, line) for number, line in enumerate(lines, 1) if line and not line.startswith(HEADER)]
