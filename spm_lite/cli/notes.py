"""Notes of the library, such as on files that look like another format, on standard error."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator

from spm_lite.cli.command_names import PROGRAM
from spm_lite.cli.console import say


def show_notes(notes: Iterable[str], quiet: bool) -> None:
    """Write each note as one line, unless `quiet`."""
    for note in () if quiet else notes:
        say(f"{PROGRAM}: note: {' '.join(note.splitlines())}\n")


@contextlib.contextmanager
def shown_notes(quiet: bool) -> Iterator[None]:
    """Show what the library logs within, unless `quiet`."""
    import logging  # here, since importing it takes longer than loading most models

    def shown(record: logging.LogRecord) -> bool:
        show_notes([record.getMessage()], quiet)
        return False  # no handler needs to show it again

    logger = logging.getLogger("spm_lite")
    logger.addFilter(shown)
    try:
        yield
    finally:
        logger.removeFilter(shown)
