"""Seed pieces from a file: lines of piece, TAB, frequency. Text after another TAB is ignored."""

from __future__ import annotations

from pathlib import Path

from spm_lite.errors import TrainingError
from spm_lite.files.text_lines import split_lines
from spm_lite.specs import TrainerSpec
from spm_lite.training.counts.cut_rules import is_valid_piece
from spm_lite.training.reference.single_precision import rounded

MAX_DIGITS = 40  # of a frequency, including leading zeros


def read_seed_file(
    path: str, characters: list[tuple[str, int]], spec: TrainerSpec, n_seeds: int
) -> list[tuple[bytes, float]]:
    """Return characters with their counts, and pieces of a file with their scores: `n_seeds` in all, best first.

    As in the original, a missing file counts as empty, and invalid or repeated pieces are left out. The score,
    frequency times characters, is a 64-bit number that wraps around. Pieces that are not UTF-8 are left out too.
    A BOM is dropped, while the original takes it for the beginning of the first piece.
    Raises TrainingError for an invalid line.
    """
    scores = {character.encode(): rounded(count) for character, count in characters}
    lines = split_lines(Path(path).read_bytes()) if Path(path).is_file() else []
    for number, line in enumerate(lines, 1):
        piece, frequency = split_line(line, path, number)
        if len(scores) >= n_seeds:
            break
        text = decoded(piece)
        if text is not None and piece not in scores and is_valid_piece(text, spec, True):
            scores[piece] = rounded(frequency * len(text) % 2**64)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def decoded(piece: bytes) -> str | None:
    """Return a piece as text; None if it is not UTF-8, so that no model can have it."""
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return None


def split_line(line: bytes, path: str, number: int) -> tuple[bytes, int]:
    """Return piece and frequency of a line. Raises TrainingError for an invalid one."""
    piece, *rest = line.split(b"\t")
    digits = rest[0].strip().removeprefix(b"+") if rest else b""
    if not digits.isdigit() or len(digits) > MAX_DIGITS or not 1 <= int(digits) < 2**63:
        raise TrainingError(
            f"seed_sentencepieces_file {path!r:.200}, line {number}: {line[:80].decode('utf-8', 'replace')!r} is not a "
            "piece, TAB, and a frequency of 1 or more; the numbers of a .vocab are scores, not frequencies"
        )
    return piece, int(digits)
