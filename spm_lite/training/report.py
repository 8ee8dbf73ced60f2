"""TrainingReport: what a training read, used, left out and made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

LINE_FIGURES = (  # figures that are unknown when the source is a count table
    "files", "bytes_read", "lines_read", "lines_used", "lines_empty", "lines_blank", "lines_too_long", "lines_marked",
    "lines_not_selected", "lines_cut", "ill_formed", "literal_space_marks", "nuls", "bytes_used",
)  # fmt: skip
SHOWN_CHARACTERS = 40


@dataclass(frozen=True)
class TrainingReport:
    """The numbers of one training. `str(report)` is a table for people."""

    __module__ = "spm_lite"  # where users find it; a pickle names this place

    model_type: str
    vocab_size: int  # pieces, meta pieces included
    meta_pieces: int
    alphabet: str  # all characters of the learned pieces, the most frequent first
    pieces_by_origin: dict[str, int]  # number of pieces of "meta", "characters" and "learned"
    lossless: bool
    notes: tuple[str, ...]  # decisions made for the user, with their reasons
    files: tuple[str, ...] | None  # from here to bytes_used: None if the source was a count table
    bytes_read: int | None
    lines_read: int | None
    lines_used: int | None
    lines_empty: int | None
    lines_blank: int | None  # empty after normalization
    lines_too_long: int | None  # more bytes than max_sentence_length
    lines_marked: int | None  # held U+2585, under reference_rules
    lines_not_selected: int | None  # left out because of input_sentence_size
    lines_cut: int | None  # so long that they were read in parts
    ill_formed: int | None  # ill-formed bytes; in a lossy model U+FFFD too, which stands for them
    literal_space_marks: int | None  # U+2581 in the text; lossless models only, where no piece holds it
    nuls: int | None  # U+0000, which no piece holds
    bytes_used: int | None
    distinct_chunks: int
    chunk_bytes: int  # bytes of all distinct chunks
    chunks_left_out: int  # the rarest ones, because of memory_limit
    bytes_left_out: int  # bytes of text that these stand for
    share_left_out: float  # bytes_left_out as a share of all text in chunks, 0 to 1
    characters_outside: int  # occurrences of characters outside the alphabet
    seconds: dict[str, float]  # by phase
    peak_memory: int | None  # bytes, of the whole process so far; None if the system does not say
    peak_memory_after: dict[str, int]  # phase -> peak memory so far at its end, bytes
    num_threads: int
    figures: dict[str, Any]  # figures of the trainer: merges (BPE), EM rounds and others (Unigram)
    data_digest: (
        str  # SHA-256 of the chunks and their counts; under the native rules it does not depend on the order of texts
    )
    digest: str  # SHA-256 of the model file

    def __str__(self) -> str:
        memory = "unknown" if self.peak_memory is None else f"{self.peak_memory / 1e6:,.0f} MB"
        kind = "lossless" if self.lossless else "not lossless"
        chunks = f"{self.distinct_chunks:,} distinct, {self.chunk_bytes:,} bytes"
        if self.chunks_left_out:
            chunks += (
                f"; {self.chunks_left_out:,} of the rarest left out to keep to memory_limit, "
                f"{self.share_left_out:.3%} of the text ({self.bytes_left_out:,} bytes)"
            )
        rows = {
            "model": f"{self.model_type}, {self.vocab_size:,} pieces, {kind}",
            "of them": ", ".join(f"{count:,} {origin}" for origin, count in self.pieces_by_origin.items()),
            "alphabet": f"{len(self.alphabet):,} characters: {shortened(self.alphabet)}"
            if self.alphabet
            else "all bytes",
            **self.reading_rows(),
            "chunks": chunks,
            "outside": f"{self.characters_outside:,} characters outside the alphabet",
            "learning": describe_learning(self.figures) or "-",
            "seconds": ", ".join(f"{phase} {seconds:.2f}" for phase, seconds in self.seconds.items()),
            "peak memory": f"{memory}, {self.num_threads} threads",
            "of the data": self.data_digest,
            "digest": self.digest,
        }
        lines = [f"{name:<12} {value}" for name, value in rows.items()]
        return "\n".join(lines + [f"{'note':<12} {note}" for note in self.notes])

    def reading_rows(self) -> dict[str, str]:
        """The rows on what was read and used; a single row if the source was a count table."""
        if self.files is None:
            return {"read": "a count table: files, lines, and what was in no piece are not known"}
        left_out = {
            "empty": self.lines_empty,
            "blank": self.lines_blank,
            "too long": self.lines_too_long,
            "holding U+2585": self.lines_marked,
            "not selected": self.lines_not_selected,
        }
        missed = ", ".join(f"{count:,} {why}" for why, count in left_out.items() if count) or "no line"
        if self.chunks_left_out:
            missed += f"; {self.share_left_out:.3%} of the text to keep to memory_limit (see chunks)"
        return {
            "read": f"{self.bytes_read:,} bytes, {self.lines_read:,} lines, {len(self.files):,} files",
            "used": f"{self.bytes_used:,} bytes, {self.lines_used:,} lines",
            "left out": missed,
            "cut": f"{self.lines_cut:,} times in very long lines",
            "in no piece": self.odd_characters() or "nothing but what is outside the alphabet",
        }

    def odd_characters(self) -> str:
        """The counts of characters in the text that no piece can hold, in words."""
        found = {
            "ill-formed bytes" if self.lossless else "ill-formed bytes (as U+FFFD)": self.ill_formed,
            "literal U+2581": self.literal_space_marks,
            "U+0000": self.nuls,
        }
        return ", ".join(f"{count:,} {what}" for what, count in found.items() if count)


def describe_learning(figures: dict[str, Any]) -> str:
    """The figures of a trainer, in words."""
    words = {name.replace("_", " "): f"{value:,}" for name, value in figures.items() if isinstance(value, int)}
    parts = [f"{value} {name.removeprefix('n ')}" for name, value in words.items()]
    if figures.get("pruned"):
        parts.append("pruned to " + ", ".join(f"{size:,}" for size in figures["pruned"]))
    if figures.get("em_objectives"):
        parts.append(f"{figures['em_objectives'][-1]:.4f} nats per character")
    return "; ".join(parts)


def shortened(alphabet: str) -> str:
    """The first printable characters of an alphabet, at most SHOWN_CHARACTERS."""
    shown = [character for character in alphabet if character.isprintable()]
    return "".join(shown[:SHOWN_CHARACTERS]) + (" ..." if len(shown) > SHOWN_CHARACTERS else "")
