"""Reading whole files and checking paths; errors are FileErrors.

An address, such as s3://bucket/m.model, is refused except where a whole file is read or written.
"""

from __future__ import annotations

import errno
import os

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import ArgumentTypeError, FileError, FilePermissionError, MissingFileError
from spm_lite.near_names import meant_file

if TYPE_CHECKING:
    from typing import Any, TypeAlias

AnyPath: TypeAlias = "str | bytes | os.PathLike[str] | os.PathLike[bytes]"


def read_bytes(path: AnyPath, most: int = -1) -> bytes:
    """The content of a file, or of an address. Raises MissingFileError, FilePermissionError or FileError.

    most: bytes of a local file that are read; -1: all.
    """
    name = checked_path(path, "read", allows_address=True)
    if is_address(name):
        from spm_lite.files.remote import RemoteFile

        return RemoteFile(name).read_bytes()
    try:
        with open(name, "rb") as file:  # noqa: PTH123  (pathlib takes longer to import than a model to load)
            return file.read(most)
    except OSError as error:
        raise typed(error, path, "read") from error


def read_stream(file: Any) -> tuple[bytes, str]:
    """The rest of an open binary file, and its name. Raises FileError, or ArgumentTypeError for a text file."""
    name = getattr(file, "name", None)
    name = os.fsdecode(name) if isinstance(name, (str, bytes)) else f"<{type(file).__name__}>"
    try:
        data = file.read()
    except UnicodeDecodeError:
        raise ArgumentTypeError(f"the file {name!r} is open as text: open it with mode 'rb'") from None
    except ValueError as error:  # closed, or open for writing
        raise FileError(errno.EBADF, f"the file cannot be read: {error}. Open it with mode 'rb'", name) from error
    except OSError as error:
        raise typed(error, name, "read") from error
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise ArgumentTypeError(f"the file {name!r} gave {type(data).__name__}, not bytes: open it with mode 'rb'")
    if not data:
        place = position(file)
        if place > 0:
            raise FileError(errno.EINVAL, f"the file is read already, up to byte {place}: seek(0) first", name)
    return bytes(data), name


def position(file: Any) -> int:
    """The place in an open file, in bytes; 0 if it does not tell."""
    try:
        return int(file.tell())
    except (AttributeError, OSError, TypeError, ValueError):
        return 0


def checked_path(path: AnyPath, done: str, allows_address: bool = False) -> str:
    """A path as str. Raises FileError for an impossible path: empty, with NUL, or with characters it cannot encode.

    done: the verb of error messages, such as "read" or "written". allows_address: otherwise an address is an error too.
    """
    try:
        name = os.fsdecode(path)
    except TypeError as error:  # an os.PathLike that gives something else
        raise ArgumentTypeError(f"a path is str, bytes or PathLike: {error}") from None
    if not name:
        raise FileError(errno.ENOENT, f"the file cannot be {done}: its path is empty, give one", name)
    if "\0" in name:
        raise FileError(errno.EINVAL, f"the file cannot be {done}: its path holds a NUL, leave it out", name)
    try:
        os.fsencode(name)
    except UnicodeEncodeError as error:
        reason = f"its path holds {name[error.start]!a}, which {error.encoding} lacks: use another path"
        raise FileError(errno.EINVAL, f"the file cannot be {done}: {reason}", name) from None
    if not allows_address and is_address(name):
        raise FileError(
            errno.EINVAL,
            f"the file or folder cannot be {done}: this is an address, and here only local paths are taken. Name a "
            "local path, and copy it from or to the address with fsspec",
            name,
        )
    return name


def is_address(name: str) -> bool:
    """Whether a name is an address such as s3://bucket/m.model. Most names are not, and are told without a pattern."""
    if "://" not in name:
        return False
    from spm_lite.files.remote import is_remote

    return is_remote(name)


def typed(error: OSError, path: AnyPath, done: str) -> FileError:
    """Convert `error` to the FileError of its kind, which names the file and what failed (`done`)."""
    kind = FileError
    if isinstance(error, FileNotFoundError):
        kind = MissingFileError
    elif isinstance(error, PermissionError):
        kind = FilePermissionError
    name = os.fsdecode(path)
    meant = meant_file(name) if kind is MissingFileError and done == "read" else ""
    reason = f"the file cannot be {done}: {error.strerror or error}{meant}"
    return kind(error.errno or 0, reason, name)


def as_path(path: Any, name: str, allows_address: bool = False) -> str:
    """Check the path of a file, and return it as str. name: of the argument, for messages. Else as `checked_path`."""
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentTypeError(f"{name} is str or PathLike, not {type(path).__name__} {path!r:.40}")
    if path == "":
        raise FileError(errno.ENOENT, f"{name} is empty: name a {'folder' if name == 'folder' else 'file'}", "")
    return checked_path(path, "opened", allows_address)


def as_vocab_path(vocab: Any, model_path: str) -> str | None:
    """The path of the `.vocab` file: beside the model if `vocab` is True; None: no such file."""
    if vocab is None or vocab is False:
        return None
    if vocab is True:
        return os.path.splitext(model_path.rstrip(os.sep))[0] + ".vocab"  # noqa: PTH122
    return as_path(vocab, "vocab")
