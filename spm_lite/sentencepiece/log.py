"""The log of a training: lines to the logger "spm_lite", and to a file that the caller gives."""

from __future__ import annotations

import logging
from typing import Any

from spm_lite.sentencepiece import settings

PHASES = {  # phase reported by the engine: line of the log
    "count": "Reading, normalizing and counting the corpus ...",
    "alphabet": "Choosing the alphabet ...",
    "seeds": "Collecting seed pieces ...",
    "em": "Learning scores and pruning ...",
    "merges": "Learning merges ...",
}


class TrainingLog:
    """The log of one training. The file gets lines from the level of `settings.set_min_log_level` on."""

    def __init__(self, stream: Any = None) -> None:
        """stream: a text or binary file, open for writing. It is flushed at the end, and stays open."""
        self.stream = stream
        self.phase = ""
        if stream is not None:
            stream.flush()  # a closed file raises now, not after hours

    def info(self, text: str) -> None:
        self.write(logging.INFO, text)

    def warning(self, text: str) -> None:
        self.write(logging.WARNING, text)

    def write(self, level: int, text: str) -> None:
        """Write a message of one or more lines."""
        settings.logger().log(level, "%s", text)
        if self.stream is None or level < settings.logging_level():
            return
        line = f"{logging.getLevelName(level)}: {text}\n"
        try:
            self.stream.write(line)
        except TypeError:  # a binary file
            self.stream.write(line.encode("utf-8", "replace"))

    def progress(self, phase: str, done: int, total: int) -> None:
        """A Reporter for the engine: writes one line when a phase begins."""
        if phase != self.phase:
            self.info(PHASES.get(phase, phase))
        self.phase = phase

    def close(self) -> None:
        """Flush the file."""
        if self.stream is not None:
            self.stream.flush()
