"""Runs a program: parses its flags, and turns every error into one line and an exit code.

Exit codes: 0 done; 1 bad data; 2 bad usage; 130 interrupted; 141 the reader of the output closed it; 128 + N ended by
signal N. Those of the original say no more than that something failed.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import NamedTuple

from spm_lite._version import __version__
from spm_lite.cli.console import discard, flush_output, give_up_unwritten, say, write_text
from spm_lite.cli.termination import clean_exit, few_collections
from spm_lite.errors import OptionError, SpmLiteError
from spm_lite.sentencepiece.programs.flags import Arguments, Flag, help_text

ORIGINAL = "0.2.3"  # the version of sentencepiece whose flags and results these are


class Program(NamedTuple):
    """A program: its name, one sentence on it, its flags, and the function that does its work."""

    name: str
    summary: str
    flags: tuple[Flag, ...]
    work: Callable[[Arguments], None]


def run_program(program: Program, argv: list[str] | None = None) -> int:
    """Run a program and return its exit code. argv: the arguments without its name; None: those of the process."""
    try:
        with few_collections(argv is None), clean_exit(argv is None):
            run(program, sys.argv[1:] if argv is None else argv)
            flush_output()
        return 0
    except BrokenPipeError:
        if argv is None and sys.stdout is not None:
            discard(sys.stdout)
        return 128 + 13  # as for a program ended by SIGPIPE
    except KeyboardInterrupt:
        say(f"{program.name}: interrupted\n")
        return 128 + signal.SIGINT
    except SystemExit as leaving:  # a signal
        return leaving.code if isinstance(leaving.code, int) else 0
    except Exception as error:
        if os.environ.get("SPM_LITE_TRACEBACK") == "1":
            raise
        say(f"{program.name}: error: {' '.join(words_of(error).splitlines())}\n")
        return 2 if isinstance(error, OptionError) else 1
    finally:
        if argv is None:
            give_up_unwritten()


def run(program: Program, arguments: list[str]) -> None:
    """Parse the arguments and do the work."""
    parsed = Arguments(program.flags, arguments)
    if parsed.values["help"]:
        write_text(help_text(program.name, program.summary, program.flags))
    elif parsed.values["version"]:
        write_text(f"sentencepiece {ORIGINAL} (spm_lite {__version__})\n")
    else:
        program.work(parsed)


def required(arguments: Arguments, *names: str) -> None:
    """Raise OptionError unless these flags have values; all that lack one are named at once."""
    missing = [f"--{name}" for name in names if not arguments.values[name]]
    if missing:
        raise OptionError(f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing (see --help)")


def words_of(error: Exception) -> str:
    """The message for an error."""
    if isinstance(error, OSError) and error.strerror:
        where = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, (str, bytes)) else ""
        return f"{where}{error.strerror}"
    if isinstance(error, (SpmLiteError, ImportError)):
        return str(error)
    if isinstance(error, MemoryError):
        return f"out of memory {error}".rstrip()
    return f"unexpected {type(error).__name__}: {error} (set SPM_LITE_TRACEBACK=1 to see where, and report it)"
