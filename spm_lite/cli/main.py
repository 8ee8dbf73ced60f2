"""`spm-lite COMMAND ...`: runs the command, and turns every error into one line and an exit code.

Exit codes: 0 done; 1 bad data (a file, a model, a corpus); 2 bad usage; 130 interrupted; 141 the reader of the output
closed it; 128 + N ended by signal N.
"""

from __future__ import annotations

import os
import signal
import sys

from spm_lite._version import __version__
from spm_lite.cli.command_names import COMMANDS, HELP, PROGRAM, UsageError, module_of
from spm_lite.cli.console import discard, flush_output, give_up_unwritten, say, write_text
from spm_lite.cli.termination import clean_exit, few_collections


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code. argv: arguments without the program's name; default: sys.argv."""
    arguments = sys.argv[1:] if argv is None else argv
    try:
        with few_collections(argv is None), clean_exit(argv is None):
            code = run(arguments)
            flush_output()
        return code
    except UsageError as error:
        return complain(str(error), 2)
    except BrokenPipeError:
        return leave_quietly(argv is None)
    except KeyboardInterrupt:
        say(f"{PROGRAM}: interrupted\n")
        return 128 + signal.SIGINT
    except SystemExit as leaving:  # argparse after --help, or a signal
        return leaving.code if isinstance(leaving.code, int) else 0
    except Exception as error:
        if os.environ.get("SPM_LITE_TRACEBACK") == "1":
            raise
        return complain(*describe(error, arguments[:1]))
    finally:
        if argv is None:  # a call within another program leaves its streams as they are
            give_up_unwritten()


def run(argv: list[str]) -> int:
    """Import the module of the command and pass it the arguments."""
    if not argv:
        write_help()
        return 2
    name = argv[0]
    if name in ("-h", "--help"):
        write_help()
        return 0
    if name in ("-V", "--version"):
        write_text(f"{PROGRAM} {__version__}\n")
        return 0
    if name not in COMMANDS:
        raise UsageError(f"{unknown_command(name)} (see '{PROGRAM} --help')")
    command = module_of(name)
    parser = command.make_parser()
    code: int = command.run(*parser.parse(argv[1:]))
    return code


def write_help() -> None:
    """Write the help of the program."""
    from spm_lite.cli.console import fitted, width_of_help

    write_text(fitted(HELP, width_of_help()))


def unknown_command(name: str) -> str:
    """The message for a first argument that is not a command."""
    from spm_lite.cli.options.other_flags import OTHER_COMMANDS, TOOLS
    from spm_lite.cli.options.parsing import nearest

    if meant := TOOLS.get(name) or OTHER_COMMANDS.get(name.replace("_", "-")):
        return f"unknown command {name!r}: {meant}"
    if not name.startswith("-"):
        return f"unknown command {name!r}{nearest(name, list(COMMANDS))}"
    hint = nearest(name, ["--help", "--version"]) or f": a command comes first, one of {', '.join(COMMANDS)}"
    return f"unknown option {name!r}{hint}"


def describe(error: Exception, command: list[str]) -> tuple[str, int]:
    """The message for an error, and the exit code. command: the name of the command that raised it, as a list."""
    from spm_lite.cli.options.other_flags import as_typed
    from spm_lite.errors import OptionError, SpmLiteError

    if isinstance(error, OptionError):
        return as_typed(str(error), command), 2
    if isinstance(error, OSError) and error.strerror:
        if not isinstance(error.filename, (str, bytes)):
            return error.strerror, 1
        return in_one_wording(os.fsdecode(error.filename), as_typed(error.strerror, command)), 1
    if isinstance(error, (SpmLiteError, ImportError)):
        return as_typed(str(error), command), 1
    if isinstance(error, MemoryError):
        return f"out of memory {error}".rstrip(), 1
    return f"unexpected {type(error).__name__}: {error} (set SPM_LITE_TRACEBACK=1 to see where, and report it)", 1


def in_one_wording(name: str, reason: str) -> str:
    """The error of a file; `cannot read NAME: REASON` also where the library says that the file cannot be read."""
    for done in ("read", "written"):
        start = f"the file cannot be {done}: "
        if reason.startswith(start):
            return f"cannot {done.replace('written', 'write')} {name}: {reason.removeprefix(start)}"
    return f"{name}: {reason}"


def complain(message: str, code: int) -> int:
    """Write the message as one line to standard error; return the code."""
    say(f"{PROGRAM}: error: {' '.join(message.splitlines())}\n")
    return code


def leave_quietly(is_whole_process: bool) -> int:
    """End without a message after the reader closed the output; Python's last flush must not fail either."""
    if is_whole_process and sys.stdout is not None:
        discard(sys.stdout)
    return 128 + 13  # as for a program ended by SIGPIPE


if __name__ == "__main__":
    sys.exit(main())
