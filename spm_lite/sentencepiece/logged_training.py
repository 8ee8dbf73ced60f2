"""A training that says what it does, in the words of sentencepiece's log.

`TrainingLog` is where its lines go: to a file that the caller gives, to `logging`, or to standard error.
"""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

from spm_lite.files.documents import Source
from spm_lite.printable import visible
from spm_lite.progress.screens import QuietStream
from spm_lite.sentencepiece import settings
from spm_lite.sentencepiece.trainer_flags import TrainingRequest
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.steps import Read, Training
from spm_lite.training.trainer_interface import Alphabet, Trainer

LETTERS = {logging.INFO: "I", logging.WARNING: "W", logging.ERROR: "E"}


class TrainingLog:
    """The log of one training, from the level of `settings.set_min_log_level` on.

    Each message is a record of the logger "spm_lite". As in sentencepiece, it is also a line on standard error, unless
    the caller gave a file, or the program handles the records.
    """

    def __init__(self, stream: Any = None) -> None:
        """stream: a text or binary file, open for writing. It is flushed at the end, and stays open."""
        self.stream = stream
        if stream is not None:
            stream.flush()  # a closed file raises now, not after hours

    def info(self, text: str) -> None:
        self.write(logging.INFO, text)

    def warning(self, text: str) -> None:
        self.write(logging.WARNING, text)

    def write(self, level: int, text: str) -> None:
        """Write a message of one or more lines."""
        is_handled = settings.log(level, text)
        if level < settings.logging_level():
            return
        line = f"{prefix(level)} {text}\n"
        if self.stream is None:
            if not is_handled:
                QuietStream(sys.stderr).write(visible(line, but="\n"))
            return
        try:
            self.stream.write(line)
        except TypeError:  # a binary file
            self.stream.write(line.encode("utf-8", "replace"))

    def close(self) -> None:
        """Flush the file."""
        if self.stream is not None:
            self.stream.flush()


def prefix(level: int) -> str:
    """The beginning of a line: the letter of its level, date, time, process and program, as sentencepiece has them."""
    now = time.time()
    fraction = f"{now % 1:.6f}"[1:]
    return f"{LETTERS[level]}{time.strftime('%m%d %H:%M:%S', time.localtime(now))}{fraction} {os.getpid():7} spm_lite]"


FIELDS = (  # of the options, in the order of the log
    "input", "input_format", "model_prefix", "model_type", "vocab_size", "character_coverage", "input_sentence_size",
    "shuffle_input_sentence", "seed_sentencepiece_size", "shrinking_factor", "max_sentence_length", "num_threads",
    "num_sub_iterations", "max_sentencepiece_length", "split_by_unicode_script", "split_by_number",
    "split_by_whitespace", "split_digits", "pretokenization_delimiter", "treat_whitespace_as_suffix",
    "allow_whitespace_only_pieces", "control_symbols", "user_defined_symbols", "required_chars", "byte_fallback",
    "auto_character_coverage", "vocabulary_output_piece_score", "seed_sentencepieces_file", "hard_vocab_limit",
    "use_all_vocab", "unk_id", "bos_id", "eos_id", "pad_id", "unk_piece", "bos_piece", "eos_piece", "pad_piece",
    "unk_surface", "name", "add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces",
    "normalization_rule_tsv",
)  # fmt: skip


class LoggedTraining(Training):
    """Writes what each step does to standard error, in the words of sentencepiece's log."""

    log: TrainingLog

    def count_once(self, source: Read, seed: int) -> ChunkTable:
        """Count the text, and log what was read."""
        spec, log = self.spec, self.log
        if spec.input_sentence_size and not spec.shuffle_input_sentence:
            log.info(f"First {spec.input_sentence_size} sentences are selected. Remaining sentences are discarded.")
        if isinstance(source, Source) and source.paths is not None:
            log.info("SentenceIterator is not specified. Using MultiFileSentenceIterator.")
            for path in source.paths:
                log.info(f"Loading corpus: {path}")
        counts = super().count_once(source, seed)
        self.log_lines()
        for piece in self.meta.values():
            log.info(f"Adding meta_piece: {piece.text}")
        log.info("Normalizing sentences...")
        return counts

    def log_lines(self) -> None:
        """Log how many lines were taken and left out."""
        figures, log = self.counting.reading_figures(), self.log
        too_long, marked = figures["lines_too_long"], figures["lines_marked"]
        if too_long:
            log.warning(f"Found too long lines (> {self.spec.max_sentence_length}).")
            log.warning("Too long lines are skipped in the training.")
            log.warning("The maximum length can be changed with --max_sentence_length=<size> flag.")
        if marked:
            log.info(f"Reserved chars are found. Skipped: {marked} sentences with U+2585")
        n_lines = figures["lines_used"] + figures["lines_blank"]
        if figures["lines_not_selected"] and self.spec.shuffle_input_sentence:
            log.info(f"Sampled {n_lines} sentences from {n_lines + figures['lines_not_selected']} sentences.")
        else:
            log.info(f"Loaded all {n_lines} sentences")
        if too_long:
            log.info(f"Skipped {too_long} too long sentences.")

    def chosen_alphabet(self, counts: ChunkTable) -> Alphabet:
        """Choose the alphabet, and log how much of the text it covers."""
        alphabet, log = super().chosen_alphabet(counts), self.log
        covered = sum(count for _, count in alphabet.items())
        everything = covered + alphabet.n_other_characters
        if not self.spec.auto_character_coverage:
            log.info(f"all chars count={everything}")
            if alphabet.n_other_characters:
                log.info(f"Done: {100 * covered / everything:g}% characters are covered.")
            log.info(f"Alphabet size={len(alphabet)}")
            log.info(f"Final character coverage={covered / max(everything, 1):g}")
        return alphabet

    def new_trainer(self) -> Trainer:
        """A trainer that logs what it learns."""
        self.log.info(f"Done! preprocessed {self.counting.reading_figures()['lines_used']} sentences.")
        trainer = super().new_trainer()
        trainer.log = self.log.info
        return trainer


def spec_text(request: TrainingRequest) -> str:
    """The options of a training, as the log begins with them."""
    blocks = [
        ("trainer_spec", request.trainer),
        ("normalizer_spec", request.normalizer),
        ("denormalizer_spec", request.denormalizer if request.denormalizer.ByteSize() else None),
    ]
    return "\n".join(f"{name} {{{''.join(field_lines(message))}}}" for name, message in blocks)


def field_lines(message: Any) -> Iterator[str]:
    """The fields of a message, defaults included, each as a line; nothing for None."""
    if message is None:
        return
    fields = message.DESCRIPTOR.fields_by_name
    for name in FIELDS:
        if name in fields:
            value = getattr(message, name)
            for item in [value] if isinstance(value, (str, int, float)) else value:
                yield f"\n  {name}: {shown_value(fields[name], item)}"
    yield "\n"


def shown_value(field: Any, value: Any) -> str:
    """A value as it stands in the log."""
    if field.enum_type is not None:
        name: str = field.enum_type.values_by_number[value].name
        return name
    if isinstance(value, bool):
        return str(int(value))
    return f"{value:g}" if isinstance(value, float) else str(value)
