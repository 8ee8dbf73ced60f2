"""`spm-lite COMMAND ...`: runs the command, and turns every error into one line and an exit code.

Exit codes: 0 done; 1 bad data (a file, a model, a corpus); 2 bad usage; 130 interrupted; 141 the reader of the output
closed it; 128 + N ended by signal N.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys

from spm_lite._version import __version__
from spm_lite.cli.console import discard, flush_output, give_up_unwritten, say, write_text
from spm_lite.cli.parsing import PROGRAM, UsageError, nearest
from spm_lite.cli.termination import clean_exit

COMMANDS = {  # each is a module of this folder with main(argv) -> exit code
    "train": "learn a tokenizer from text files",
    "encode": "turn text into ids or pieces, line by line",
    "decode": "turn ids or pieces back into text",
    "inspect": "show what a model file holds and what it loses",
    "vocab": "list the pieces of a model by id",
    "demo": "train two small tokenizers and show what they do",
}

HELP = f"""usage: {PROGRAM} COMMAND [options]

Train a subword tokenizer on raw text in any script, and turn text into ids and back without loss.

commands:
{"".join(f"  {name:<10}{meaning}" + chr(10) for name, meaning in COMMANDS.items())}
options:
  --version   show the version and exit
  -h, --help  show this help and exit; '{PROGRAM} COMMAND --help' explains a command

Start with '{PROGRAM} demo', or on your own text:
  {PROGRAM} train corpus.txt --vocab-size 8000 --model-prefix m
  {PROGRAM} encode --model m.model < text.txt > ids.txt
  {PROGRAM} decode --model m.model < ids.txt
"""


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code. argv: arguments without the program's name; default: sys.argv."""
    try:
        with clean_exit():
            code = run(sys.argv[1:] if argv is None else argv)
            flush_output()
        return code
    except UsageError as error:
        return complain(str(error), 2)
    except BrokenPipeError:
        return leave_quietly()
    except KeyboardInterrupt:
        say(f"{PROGRAM}: interrupted\n")
        return 128 + signal.SIGINT
    except SystemExit as leaving:  # argparse after --help, or a signal
        return leaving.code if isinstance(leaving.code, int) else 0
    except Exception as error:
        if os.environ.get("SPM_LITE_TRACEBACK") == "1":
            raise
        return complain(*describe(error))
    finally:
        give_up_unwritten()


def run(argv: list[str]) -> int:
    """Import the module of the command and pass it the arguments."""
    if not argv:
        raise UsageError(f"no command given; one of {', '.join(COMMANDS)} (see '{PROGRAM} --help')")
    name = argv[0]
    if name in ("-h", "--help", "help"):
        write_text(HELP)
        return 0
    if name == "--version":
        write_text(f"{PROGRAM} {__version__}\n")
        return 0
    if name not in COMMANDS:
        what = "option" if name.startswith("-") else "command"
        valid = ["--help", "--version"] if what == "option" else list(COMMANDS)
        raise UsageError(f"unknown {what} {name!r}{nearest(name, valid)} (see '{PROGRAM} --help')")
    code: int = importlib.import_module(f"spm_lite.cli.{name}").main(argv[1:])
    return code


def describe(error: Exception) -> tuple[str, int]:
    """The message for an error, and the exit code."""
    from spm_lite.errors import OptionError, SpmLiteError

    if isinstance(error, OptionError):
        return str(error), 2
    if isinstance(error, OSError) and error.strerror:
        where = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, (str, bytes)) else ""
        return f"{where}{error.strerror}", 1
    if isinstance(error, (SpmLiteError, ImportError)):
        return str(error), 1
    if isinstance(error, MemoryError):
        return f"out of memory {error}".rstrip(), 1
    return f"unexpected {type(error).__name__}: {error} (set SPM_LITE_TRACEBACK=1 to see where, and report it)", 1


def complain(message: str, code: int) -> int:
    """Write the message as one line to standard error; return the code."""
    say(f"{PROGRAM}: error: {' '.join(message.splitlines())}\n")
    return code


def leave_quietly() -> int:
    """End without a message after the reader closed the output; Python's last flush must not fail either."""
    if sys.stdout is not None:
        discard(sys.stdout)
    return 128 + 13  # as for a program ended by SIGPIPE


if __name__ == "__main__":
    sys.exit(main())
