"""Output files: written completely or not at all, and checked before long work; the two files of a model."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator

from spm_lite._typing import TYPE_CHECKING
from spm_lite.cli.command_names import UsageError
from spm_lite.cli.console import STDOUT, file_error, is_terminal, standard_output, writing
from spm_lite.errors import FileError

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

    from spm_lite.tokenizer.tokenizer import Tokenizer

MOST_LINKS = 40  # links followed in a chain, as on Linux


class ModelFiles:
    """The files `M.model` and `M.vocab`.

    The constructor raises FileError if either could not be written later, and OptionError if both are one file.
    """

    def __init__(self, prefix: str, vocab: bool = True) -> None:
        self.model = prefix + ".model"
        self.vocab = prefix + ".vocab"
        self._with_vocab = vocab
        for path in self.paths:
            check_target(path)
        if vocab:
            from spm_lite.files.paired_files import check_two_files

            check_two_files(self.model, self.vocab)

    @property
    def paths(self) -> list[str]:
        """The files that will be written."""
        return [self.model, self.vocab] if self._with_vocab else [self.model]

    def save(self, tok: Tokenizer) -> None:
        """Write the files, each completely or not at all."""
        tok.save(self.model, vocab=self.vocab if self._with_vocab else False)

    def __str__(self) -> str:
        return " and ".join(self.paths)


@contextlib.contextmanager
def open_output(path: str | None) -> Iterator[BinaryIO]:
    """Open an output: standard output for None, `-` and its other names, else a file that appears when it is complete.

    An open file (/dev/fd/N), a device or a named pipe is written directly. Raises a FileError that names the output,
    and BrokenPipeError if its reader closed it.
    """
    number = 1 if path is None or path == "-" else descriptor(path)
    if path is None or number == 1:
        out = standard_output()
        with writing(STDOUT):
            yield out
            out.flush()
        return
    with writing(path):
        if number is not None:
            with os.fdopen(os.dup(number), "wb") as stream:
                yield stream
        elif is_special(path):
            with os.fdopen(os.open(path, os.O_WRONLY), "wb") as stream:
                yield stream
        else:
            yield from whole_file(path)


def whole_file(path: str) -> Iterator[BinaryIO]:
    """Write a temporary file beside the target; it replaces the target at the end, or is removed after an error.

    At an address, the file system there decides when the file appears.
    """
    from spm_lite.files.new_files import new_file
    from spm_lite.files.open_files import is_address

    if is_address(path):
        from spm_lite.files.remote import RemoteFile

        with RemoteFile(path).writing() as stream:
            yield stream
        return
    check_target(path)
    with new_file(path) as new:
        yield new.stream
        new.finish()


def descriptor(path: str) -> int | None:
    """N if a path names the open file N of this process (/dev/stdout, /dev/fd/N, a link to them), else None.

    The path is not resolved further: the file that it leads to must not be replaced, since others may be writing to it.
    """
    from pathlib import Path  # in functions, since it takes as long as a small model

    own = {os.path.realpath(folder) for folder in ("/dev/fd", "/proc/self/fd", "/proc/thread-self/fd")}
    for _ in range(MOST_LINKS):
        folder = os.path.realpath(os.path.dirname(path))  # noqa: PTH120 - Path would lose what ".." means after a link
        name = os.path.basename(path)  # noqa: PTH119
        if folder in own and re.fullmatch("[0-9]{1,9}", name):
            return int(name)
        link = Path(folder, name)
        if not name or not is_link(link):
            return None
        path = str(Path(folder) / link.readlink())
    return None


def is_link(path: Path) -> bool:
    """Whether a path is a link; False if it cannot be examined."""
    try:
        return path.is_symlink()
    except (OSError, ValueError):
        return False


def is_special(path: str) -> bool:
    """Whether a path exists and is neither a file nor a folder, but a device or a named pipe."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116
    except (OSError, ValueError):
        return False  # it does not exist yet, or opening it will raise the error
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def goes_to_terminal(path: str | None) -> bool:
    """Whether an output appears on the terminal, where a progress bar would disturb it."""
    return (path is None or path == "-" or descriptor(path) == 1) and is_terminal(sys.stdout)


def check_target(path: str) -> None:
    """Raise FileError now if a file could not be written later, after long work."""
    import tempfile
    from pathlib import Path

    target = Path(os.path.realpath(path))
    check_name(target, path)
    try:
        if is_special(path):
            if not os.access(path, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            return
        if target.is_dir():
            raise FileError(f"cannot write {path}: it is a folder; name a file")
        with tempfile.TemporaryFile(dir=target.parent):
            pass
    except FileError:
        raise
    except OSError as error:
        raise file_error(error, path, "write") from None


def check_name(target: Path, path: str) -> None:
    """Raise FileError if the name is longer than its file system allows."""
    try:
        limit = os.pathconf(target.parent, "PC_NAME_MAX")
    except (AttributeError, OSError, ValueError):
        return  # the system does not know a limit, or the folder does not exist
    size = len(os.fsencode(target.name))
    if size > limit:
        shown = f"{path[:20]}...{path[-20:]}"
        raise FileError(
            f"cannot write {shown}: the name has {size} bytes, and {limit} are allowed; choose a shorter one"
        )


def refuse_inputs(outputs: Iterable[str], inputs: Iterable[str]) -> None:
    """Raise UsageError if an output would replace an input. inputs: paths; `-` is standard input."""
    known = {identity(path): path for path in inputs}
    for path in outputs:
        found = identity(path)
        if found is not None and found in known:
            name = known[found] if known[found] != "-" else "standard input"
            raise UsageError(f"{path} would replace the input {name}; choose another name for the output")


def identity(path: str) -> tuple[int, int] | None:
    """(device, inode) of a regular file, equal for all its names; None for anything else."""
    if path == "-" and sys.stdin is None:
        return None
    try:
        status = os.fstat(sys.stdin.fileno()) if path == "-" else os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None
