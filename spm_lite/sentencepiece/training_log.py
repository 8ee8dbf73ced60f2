"""The log of a training: where its lines go. To a file that the caller gives, to `logging`, or to standard error."""

from __future__ import annotations

import logging
import os
import sys
import time
from typing import Any

from spm_lite.printable import visible
from spm_lite.progress.screens import QuietStream
from spm_lite.sentencepiece import settings

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
        settings.logger().log(level, "%s", text)
        if level < settings.logging_level():
            return
        line = f"{prefix(level)} {text}\n"
        if self.stream is None:
            if not is_handled():
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


def is_handled() -> bool:
    """Whether the program handles the records of the logger "spm_lite"."""
    logger: logging.Logger | None = settings.logger()
    while logger is not None:
        if any(not isinstance(handler, logging.NullHandler) for handler in logger.handlers):
            return True
        logger = logger.parent if logger.propagate else None
    return False
