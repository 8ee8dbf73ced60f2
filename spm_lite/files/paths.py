"""Which files an input names: a path, a folder, a pattern or an address; their size, and files named twice.

A pattern matches as in a shell. What cannot be looked at is an error, never left out.
"""

from __future__ import annotations

import fnmatch
import glob
import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from spm_lite.errors import FileError, MissingFileError, OptionError
from spm_lite.files.compressed import SUFFIXES
from spm_lite.files.open_files import typed
from spm_lite.files.record_files import ENDINGS, format_by_name
from spm_lite.files.remote import AnyFile, expand_remote, is_remote
from spm_lite.near_names import meant_file

ANY_DEPTH = "**"  # matches the folder itself and all folders below it, each once, without hidden ones


def has_wildcards(name: str) -> bool:
    """Whether a name holds *, ? or [...]."""
    return glob.has_magic(name)


def matching_files(pattern: str) -> list[Path]:
    """The files that a pattern matches, sorted by name; none for a text without wildcards.

    Folders do not count. Hidden names match only where the pattern has the dot.

    Raises FileError, or a kind of it, for a folder that cannot be read and for a link that leads nowhere.
    """
    parts = list(Path(pattern).parts)
    if not has_wildcards(pattern) or pattern.endswith(("/", os.sep)):  # the latter: folders only
        return []
    if parts and parts[-1] == ANY_DEPTH:
        parts.append("*")
    found = dict.fromkeys(path for path in matches(Path(), parts) if is_file(path))
    return sorted(found, key=str)


TEXT_ENDINGS = (".txt", ".text", ".md", *ENDINGS)  # of files that a folder is read for


def files_of_folder(folder: Path) -> list[Path]:
    """The files below a folder whose names end as names of texts do, in the order of the bytes of their paths.

    Hidden files and folders are left out, and so are links. Raises FileError if a folder cannot be read.
    """
    found: list[Path] = []
    folders = [folder]
    while folders:
        for path in entries(folders.pop()):
            if path.name.startswith(".") or path.is_symlink():
                continue
            if is_folder(path):
                folders.append(path)
            elif is_text_name(path.name) and path.is_file():
                found.append(path)
    return sorted(found, key=lambda path: os.fsencode(path))


def is_text_name(name: str) -> bool:
    """Whether the name of a file ends as names of texts do, compressed or not."""
    packed = next(filter(name.lower().endswith, SUFFIXES), "")
    return name.lower().removesuffix(packed).endswith(TEXT_ENDINGS)


def matches(folder: Path, parts: list[str]) -> Iterator[Path]:
    """Yield the paths below a folder that match the parts."""
    if not parts:
        yield folder
        return
    part, rest = parts[0], parts[1:]
    if part == ANY_DEPTH:
        for path in folders_below(folder):
            yield from matches(path, rest)
    elif has_wildcards(part):
        for path in entries(folder):
            is_shown = not path.name.startswith(".") or part.startswith(".")
            if is_shown and fnmatch.fnmatch(path.name, part) and (not rest or is_folder(path)):
                yield from matches(path, rest)
    else:
        path = folder / part
        if is_folder(path) if rest else os.path.lexists(path):
            yield from matches(path, rest)


def folders_below(folder: Path) -> Iterator[Path]:
    """Yield a folder and those below it that are not hidden, each once whatever links lead to it.

    Links are followed last, so that a folder bears its own name if it has one here.
    """
    seen: set[tuple[int, int]] = set()
    folders: list[Path] = [folder]
    links: list[Path] = []
    while folders or links:
        here = folders.pop() if folders else links.pop(0)
        found = identity(here)
        if found in seen:
            continue
        seen.add(found)
        yield here
        for path in entries(here):
            if not path.name.startswith(".") and is_folder(path):
                (links if path.is_symlink() else folders).append(path)


def entries(folder: Path) -> list[Path]:
    """The entries of a folder, sorted. Raises FileError if it cannot be read."""
    try:
        return [folder / name for name in sorted(os.listdir(folder))]  # noqa: PTH208  (paths without "./")
    except NotADirectoryError:
        return []
    except FileNotFoundError:
        return []  # removed meanwhile, or never there
    except OSError as error:
        raise typed(error, folder, "read") from error


def identity(folder: Path) -> tuple[int, int]:
    """What tells a folder from all others."""
    found = look_at(folder)
    return (-1, -1) if found is None else (found.st_dev, found.st_ino)


def is_folder(path: Path) -> bool:
    """Whether a path leads to a folder. Raises FileError for a link that leads nowhere."""
    found = status_of(path)
    return found is not None and stat.S_ISDIR(found.st_mode)


def is_file(path: Path) -> bool:
    """Whether a matching path leads to something to read. Raises FileError for a link that leads nowhere."""
    found = status_of(path)
    return found is not None and not stat.S_ISDIR(found.st_mode)


def status_of(path: Path) -> os.stat_result | None:
    """What the system says of what a path leads to; None: it was removed meanwhile, or was never there."""
    found = look_at(path)
    if found is None and path.is_symlink():
        raise FileError(
            f"{str(path)!r} is a link that leads nowhere ({str(path.readlink())!r}): remove it, or name files"
        )
    return found


def look_at(path: Path) -> os.stat_result | None:
    """What the system says of what a path leads to; None: there is nothing. Raises FileError if it cannot say."""
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise typed(error, path, "read") from error


FILE_NAME = re.compile(r"\S+\.(txt|text|tsv|csv|json|jsonl|md|log|gz|bz2|xz|zst|zip|parquet)", re.IGNORECASE)


def expand(path: str | os.PathLike[str], missing: str) -> list[AnyFile]:
    """The file itself, the files of text in a folder, or those that a glob matches. missing: if there are none."""
    name = os.fspath(path)
    if not name:
        raise MissingFileError("the path is empty: name a file")
    if is_remote(name):
        found = expand_remote(name, is_text_name)
        if not found:
            raise MissingFileError(missing)
        return [*found]
    try:
        if Path(name).is_dir():
            files = files_of_folder(Path(name))
            if not files:
                raise FileError(
                    f"{name!r} is a folder without files of text ({', '.join(TEXT_ENDINGS)}, also compressed): name "
                    f"other files in it, such as {os.path.join(name, '*')!r}"  # noqa: PTH118
                )
            return [*files]
        if Path(name).exists():
            return [Path(name)]
        files = matching_files(name)
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        files = []  # too long for a path, or with a NUL
    if not files:
        raise MissingFileError(missing + meant_file(name))
    return [*files]


def names_file(item: object) -> bool:
    """Whether the first item of a list makes it a list of paths."""
    if isinstance(item, os.PathLike):
        return True
    if not isinstance(item, str) or len(item) > 4096 or "\0" in item:
        return False
    try:
        if is_remote(item):
            return not re.search(r"\s", item)
        return Path(item).is_file() or bool(FILE_NAME.fullmatch(item)) or is_matching_pattern(item)
    except FileError:  # what a pattern matches cannot be read
        raise
    except (OSError, ValueError):  # no path can be this text
        return False


def is_matching_pattern(item: str) -> bool:
    """Whether a text is a glob that matches a file; not with ** (comments begin with "/**") or white space."""
    return "*" in item and "**" not in item and not re.search(r"\s", item) and bool(matching_files(item))


def check_once(paths: Sequence[AnyFile]) -> None:
    """Raise OptionError for a file that is named twice."""
    seen: dict[tuple[int, int], AnyFile] = {}
    for path in paths:
        try:
            status = path.stat()
        except OSError:
            continue  # reading it will tell
        place = (status.st_dev, status.st_ino)
        if stat.S_ISREG(status.st_mode) and status.st_ino and place in seen:
            same = "" if seen[place] == path else f", and as {str(seen[place])!r}"
            raise OptionError(f"the file {str(path)!r} is named twice{same}: its text would count twice; name it once")
        seen[place] = path


def total_size(paths: Sequence[AnyFile]) -> int:
    """Bytes of all files; 0 if one is not a regular file (a pipe, say) or has no readable status."""
    try:
        states = [path.stat() for path in paths]
    except OSError:
        return 0
    return sum(state.st_size for state in states) if all(stat.S_ISREG(state.st_mode) for state in states) else 0


def is_unlike_its_size(path: AnyFile) -> bool:
    """Whether the name of a file says that it is compressed, or holds records: its size tells little of its text."""
    return path.name.lower().endswith(SUFFIXES) or format_by_name(path) is not None


def shorten(text: str) -> str:
    """The beginning of a text, for messages."""
    return text if len(text) <= 80 else text[:77] + "..."
