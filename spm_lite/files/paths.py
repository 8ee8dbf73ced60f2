"""Which files an input names: a path, a folder, a pattern or an address; their size, and files named twice."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path

from spm_lite.errors import FileError, MissingFileError, OptionError
from spm_lite.files.compressed import SUFFIXES
from spm_lite.files.path_patterns import TEXT_ENDINGS, files_of_folder, is_text_name, matching_files
from spm_lite.files.record_files import format_by_name
from spm_lite.files.remote import AnyFile, expand_remote, is_remote

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
        raise MissingFileError(missing)
    return [*files]


def names_file(item: object) -> bool:
    """Whether the first item of a list makes it a list of paths."""
    if isinstance(item, os.PathLike):
        return True
    if not isinstance(item, str) or len(item) > 4096 or "\0" in item:
        return False
    try:
        if is_remote(item):
            return bool(FILE_NAME.fullmatch(item))
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
    """Bytes of all files; 0 if one is no regular file (a pipe, say) or has no readable status."""
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
