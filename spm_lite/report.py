"""What a training read, used, left out and made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class TrainingReport:
    """Numbers of one training. `str(report)` is a table for people."""

    model_type: str
    vocab_size: int  # pieces, meta pieces included
    meta_pieces: int
    alphabet_size: int  # characters that pieces are made of
    lossless: bool
    notes: tuple[str, ...]  # what was decided for the user, and why
    files: tuple[str, ...]
    bytes_read: int
    lines_read: int
    lines_used: int
    lines_empty: int
    lines_blank: int  # nothing left after normalization
    lines_too_long: int  # more bytes than max_sentence_length
    lines_marked: int  # held U+2585, under reference_rules
    lines_not_selected: int  # because of input_sentence_size
    lines_cut: int  # so long that they were read in parts
    ill_formed: int  # bytes that are no UTF-8; in models that are not lossless, U+FFFD too, which stands for them
    literal_space_marks: int  # U+2581 in the text of a lossless model, which no piece holds
    nuls: int  # U+0000, which no piece holds
    bytes_used: int
    distinct_chunks: int
    chunk_bytes: int  # of all distinct chunks
    characters_outside: int  # occurrences of characters outside the alphabet
    seconds: dict[str, float]  # per phase
    peak_memory: int | None  # bytes, of the whole process so far; None where the system does not tell
    num_threads: int
    figures: dict[str, Any]  # of the trainer: merges, or EM rounds and the like
    digest: str  # SHA-256 of the model

    def __str__(self) -> str:
        left_out = {
            "empty": self.lines_empty,
            "blank": self.lines_blank,
            "too long": self.lines_too_long,
            "holding U+2585": self.lines_marked,
            "not selected": self.lines_not_selected,
        }
        missed = ", ".join(f"{count:,} {why}" for why, count in left_out.items() if count) or "none"
        memory = "unknown" if self.peak_memory is None else f"{self.peak_memory / 1e6:,.0f} MB"
        kind = "lossless" if self.lossless else "not lossless"
        rows = {
            "model": f"{self.model_type}, {self.vocab_size:,} pieces, {kind}",
            "of them": f"{self.meta_pieces:,} meta pieces, an alphabet of {self.alphabet_size:,}",
            "read": f"{self.bytes_read:,} bytes, {self.lines_read:,} lines, {len(self.files):,} files",
            "used": f"{self.bytes_used:,} bytes, {self.lines_used:,} lines",
            "left out": missed,
            "cut": f"{self.lines_cut:,} times in very long lines",
            "chunks": f"{self.distinct_chunks:,} distinct, {self.chunk_bytes:,} bytes",
            "in no piece": self.odd_characters() or "nothing but what is outside the alphabet",
            "outside": f"{self.characters_outside:,} characters outside the alphabet",
            "learning": describe_learning(self.figures) or "-",
            "seconds": ", ".join(f"{phase} {seconds:.2f}" for phase, seconds in self.seconds.items()),
            "peak memory": f"{memory}, {self.num_threads} threads",
            "digest": self.digest,
        }
        lines = [f"{name:<12} {value}" for name, value in rows.items()]
        return "\n".join(lines + [f"{'note':<12} {note}" for note in self.notes])

    def odd_characters(self) -> str:
        """What was in the text but can be in no piece."""
        found = {
            "ill-formed bytes" if self.lossless else "ill-formed bytes (as U+FFFD)": self.ill_formed,
            "literal U+2581": self.literal_space_marks,
            "U+0000": self.nuls,
        }
        return ", ".join(f"{count:,} {what}" for what, count in found.items() if count)


def describe_learning(figures: dict[str, Any]) -> str:
    """What a trainer told of its work, in words."""
    words = {name.replace("_", " "): f"{value:,}" for name, value in figures.items() if isinstance(value, int)}
    parts = [f"{value} {name.removeprefix('n ')}" for name, value in words.items()]
    if figures.get("pruned"):
        parts.append("pruned to " + ", ".join(f"{size:,}" for size in figures["pruned"]))
    if figures.get("em_objectives"):
        parts.append(f"{figures['em_objectives'][-1]:.4f} nats per character")
    return "; ".join(parts)
