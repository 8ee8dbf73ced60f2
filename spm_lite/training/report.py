"""TrainingReport: what a training read, used, left out and made. Its table has a row only for what there is to say."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from spm_lite.kinds import BYTE_LEVEL
from spm_lite.printable import visible
from spm_lite.training.weighted_sources import SourceFigures

LINE_FIGURES = (  # figures that are unknown when the source is a count table
    "files", "bytes_read", "lines_read", "lines_used", "lines_empty", "lines_blank", "lines_too_long", "lines_marked",
    "lines_not_selected", "lines_cut", "records_skipped", "ill_formed", "literal_space_marks", "nuls", "bytes_used",
)  # fmt: skip


@dataclass(frozen=True, repr=False)
class TrainingReport:
    """The numbers of one training. `str(report)` is a table for people.

    The figures from `files` to `bytes_used` are None if the source was a count table.

    Attributes:
        model_type: the type of the model.
        vocab_size: the number of pieces, meta pieces included.
        meta_pieces: the number of special pieces and byte pieces.
        alphabet: all characters of the learned pieces, the most frequent first.
        pieces_by_origin: the number of pieces of "meta", "characters" and "learned".
        lossless: True: decoding gives back every text.
        byte_fallback: True: text that no piece covers becomes bytes. False: it is unknown.
        notes: decisions made for the user, with their reasons.
        files: the names of the files.
        bytes_read: bytes of text read.
        lines_read: lines, or texts, read.
        lines_used: lines that were learned from.
        lines_empty: lines that were empty.
        lines_blank: lines that were empty after normalization.
        lines_too_long: lines with more bytes than `max_sentence_length`.
        lines_marked: lines with U+2585, under `reference_rules`.
        lines_not_selected: lines left out because of `input_sentence_size`.
        lines_cut: lines so long that they were read in parts.
        records_skipped: with `on_error="skip"`: bad lines of JSON, rows without a text and the like.
        ill_formed: ill-formed bytes; in a lossy model also every U+FFFD, which replaces them.
        literal_space_marks: U+2581 in the text, for lossless models, where no piece holds it.
        nuls: U+0000 in the text, which no piece holds.
        bytes_used: bytes of the lines that were learned from; a line with a count has as many times its bytes.
        distinct_chunks: the number of different chunks.
        chunk_bytes: the bytes of all distinct chunks.
        chunks_left_out: the number of chunks, the rarest, left out because of `memory_limit`.
        bytes_left_out: bytes of text in all occurrences of these.
        share_left_out: `bytes_left_out` as a share of all text in chunks, 0 to 1.
        characters_outside: occurrences of characters outside the alphabet.
        seconds: the time of each phase.
        peak_memory: bytes, of the whole process so far; None: the system does not say.
        peak_memory_after: for each phase, the peak memory so far at its end, in bytes.
        num_threads: the number of threads.
        figures: figures of the trainer: merges (BPE), EM rounds and others (Unigram).
        data_digest: the SHA-256 of the chunks and their counts. Under the native rules it does not depend on the order
            of texts.
        digest: the SHA-256 of the model file.
        sources: figures of each source by its name, where there are several.
        share_of: the unit of their shares: "bytes", "characters" or "texts"; "" without sources.
        rare_pieces: the number of pieces that occur fewer than 5 times in the text that was learned from, before
            weights. BPE and WordPiece count a piece when they make it, so as often as `min_count` sees it. Not counted
            under `reference_rules`.
        rare_by_source: how many of these come from each source; a piece of several sources counts for each.
    """

    __module__ = "spm_lite"  # where users find it; a pickle names this place

    model_type: str
    vocab_size: int
    meta_pieces: int
    alphabet: str
    pieces_by_origin: dict[str, int]
    lossless: bool
    byte_fallback: bool
    notes: tuple[str, ...]
    files: tuple[str, ...] | None
    bytes_read: int | None
    lines_read: int | None
    lines_used: int | None
    lines_empty: int | None
    lines_blank: int | None
    lines_too_long: int | None
    lines_marked: int | None
    lines_not_selected: int | None
    lines_cut: int | None
    records_skipped: int | None
    ill_formed: int | None
    literal_space_marks: int | None
    nuls: int | None
    bytes_used: int | None
    distinct_chunks: int
    chunk_bytes: int
    chunks_left_out: int
    bytes_left_out: int
    share_left_out: float
    characters_outside: int
    seconds: dict[str, float]
    peak_memory: int | None
    peak_memory_after: dict[str, int]
    num_threads: int
    figures: dict[str, Any]
    data_digest: str
    digest: str
    sources: dict[str, SourceFigures] = field(default_factory=dict)
    share_of: str = ""
    rare_pieces: int = 0
    rare_by_source: dict[str, int] = field(default_factory=dict)

    def _rows(self) -> dict[str, str]:
        """The rows of the table, by title."""
        rows = {
            "model": f"{self.model_type}, {self.vocab_size:,} pieces, {'' if self.lossless else 'not '}lossless",
            "vocabulary": self._described_vocabulary(),
            "text": self._described_text(),
            **{f"source {name}": described_source(figures, self.share_of) for name, figures in self.sources.items()},
            "skipped": self._skipped_lines(),
            "left out": self._left_out_by_memory(),
            "uncovered": self._uncovered_text(),
            "rare": self._described_rare(),
            "training": described_training(self.figures),
            "time": described_time(self.seconds),
            "memory": "" if self.peak_memory is None else f"{self.peak_memory / 1e6:,.0f} MB at most",
            "corpus id": self.data_digest,
            "model id": self.digest,
        }
        return {name: value for name, value in rows.items() if value}

    def __str__(self) -> str:
        lines = [f"{visible(name):<12} {value}" for name, value in self._rows().items()]
        return "\n".join(lines + [f"{'note':<12} {note}" for note in self.notes])

    def __repr__(self) -> str:
        return f"<TrainingReport: {self._rows()['model']}; print it for the whole>"

    def _repr_html_(self) -> str:
        from spm_lite.cards import card

        return card("TrainingReport", [*self._rows().items(), *(("note", note) for note in self.notes)])

    def _described_vocabulary(self) -> str:
        """Where the pieces come from."""
        names = {"meta": "special and byte pieces" if self.byte_fallback else "special pieces"}
        origins = reversed(self.pieces_by_origin.items())
        return " + ".join(f"{count:,} {names.get(origin, origin)}" for origin, count in origins if count)

    def _described_text(self) -> str:
        """What was read."""
        if self.files is None:
            return "a count table; its files and lines are not known"
        files = f" in {plural(len(self.files), 'file')}" if self.files else ""
        text = f"{self.bytes_read:,} bytes, {plural(self.lines_read or 0, 'line')}{files}"
        return f"{text}; very long lines were cut {self.lines_cut:,} times" if self.lines_cut else text

    def _skipped_lines(self) -> str:
        """How many lines were not used, and why; "" if all were."""
        reasons = {
            "empty": self.lines_empty,
            "empty after normalization": self.lines_blank,
            "longer than max_sentence_length": self.lines_too_long,
            "holding U+2585": self.lines_marked,
            "not sampled": self.lines_not_selected,
        }
        found = ", ".join(f"{count:,} {why}" for why, count in reasons.items() if count)
        parts = [f"lines: {found}" if found else ""]
        parts.append(plural(self.records_skipped, "bad record") if self.records_skipped else "")
        return "; ".join(filter(None, parts))

    def _left_out_by_memory(self) -> str:
        """What memory_limit left out; "" if nothing."""
        if not self.chunks_left_out:
            return ""
        return (
            f"{self.chunks_left_out:,} of the rarest chunks, {self.share_left_out:.3%} of the text "
            f"({self.bytes_left_out:,} bytes), to keep to memory_limit"
        )

    def _described_rare(self) -> str:
        """How many pieces are rare, and where they come from; "" if none is."""
        if not self.rare_pieces:
            return ""
        of = ", ".join(f"{count:,} in {name}" for name, count in self.rare_by_source.items())
        verb = "occurs" if self.rare_pieces == 1 else "occur"
        return f"{plural(self.rare_pieces, 'piece')} {verb} fewer than 5 times" + (f": {of}" if of else "")

    def _uncovered_text(self) -> str:
        """The counts of what no piece covers, and what becomes of it; "" if pieces cover the whole text."""
        if self.model_type in BYTE_LEVEL:
            return ""
        ill_formed = plural(self.ill_formed or 0, "ill-formed byte") + ("" if self.lossless else " (as U+FFFD)")
        found = [
            plural(self.characters_outside, "rare character") if self.characters_outside else "",
            ill_formed if self.ill_formed else "",
            f"{self.literal_space_marks:,} literal U+2581" if self.literal_space_marks else "",
            f"{self.nuls:,} U+0000" if self.nuls else "",
        ]
        text = ", ".join(filter(None, found))
        return f"{text}: {'they become bytes' if self.byte_fallback else 'they are unknown'}" if text else ""


def described_source(figures: SourceFigures, share_of: str) -> str:
    """What was read of one source, and its share."""
    times = f", counted {figures.factor:,} times" if figures.factor > 1 else ""
    asked = "" if figures.asked is None else f" ({figures.asked:.1%} asked)"
    return f"{figures.bytes_used:,} bytes of text{times}: {figures.share:.1%} of the {share_of}{asked}"


def plural(count: int, noun: str) -> str:
    """`count` with commas, and the noun, with an "s" unless the count is 1."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def described_training(figures: dict[str, Any]) -> str:
    """The figures of a Unigram trainer; "" for other types, whose figures the vocabulary shows."""
    parts = [f"{figures['seeds']:,} seed pieces"] if "seeds" in figures else []
    if figures.get("pruned"):
        parts.append(f"pruned in {plural(len(figures['pruned']), 'round')}")
    if figures.get("em_objectives") and figures.get("bytes_per_character"):
        loss = figures["em_objectives"][-1] / math.log(2) / figures["bytes_per_character"]
        parts.append(f"final loss {loss:.4f} bits per byte")
    return ", ".join(parts)


def described_time(seconds: dict[str, float]) -> str:
    """The time in all, and that of the phases that took long."""
    total = sum(seconds.values())
    names = {"count": "counting", "learn": "learning", "write": "writing"}
    long = [f"{names.get(phase, phase)} {time:.1f}" for phase, time in seconds.items() if time >= 0.1]
    shown = f"{total:.1f} s" if total >= 1 else f"{total:.2f} s"
    return shown + (f" ({', '.join(long)})" if len(long) > 1 else "")
