"""Files that belong together, replaced by a process that was killed in between: the set is made whole again."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import FileError, OptionError
from spm_lite.files.new_files import NewFile, is_stream, new_file, write_atomically
from spm_lite.files.open_files import AnyPath, checked_path, typed
from spm_lite.files.temporary_files import NAME, OLD_SUFFIX, abandoned, new_tag, path_beside, put_back, remove_abandoned

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


def settle_files(leader: str, *followers: str) -> None:
    """Make a set of files whole again whose leader is missing since the death of a process.

    That process took the old leader out of its place, put the new followers there, and then the new leader. If all new
    followers are still to come, the old leader goes back; otherwise the new files take their places.
    """
    first, *others = (Path(os.path.realpath(name)) for name in (leader, *followers))
    if os.path.lexists(first):
        return
    with suppress(OSError):
        for old in abandoned(first):
            name = NAME.fullmatch(old.name)
            if name is None or not old.name.endswith(OLD_SUFFIX):
                continue
            waiting = [path for path in others if os.path.lexists(path_beside(path, name["tag"]))]
            if len(waiting) == len(others):
                put_back(old, first)
                continue
            for path in (*waiting, first):
                path_beside(path, name["tag"]).replace(path)


@contextmanager
def naming(path: AnyPath) -> Iterator[None]:
    """Turn an OSError within the block into a FileError that names the file, which is written."""
    try:
        yield
    except FileError:
        raise
    except OSError as error:
        raise typed(error, path, "written") from error


def commit_files(files: Sequence[NewFile], paths: Sequence[str]) -> None:
    """Put complete files in their places; the first is the leader. For a moment its place is empty.

    The old leader goes first and the new one comes last: at any moment, a leader that is there has its own followers.
    Raises FileError, which names one of the paths; then the old files are back.
    """
    leader, *followers = files
    begun: list[NewFile] = []
    try:
        if followers:
            with naming(paths[0]):
                leader.set_aside()
        for follower, path in zip(followers, paths[1:], strict=True):
            begun.append(follower)
            with naming(path):
                follower.back_up()
                follower.commit()
        with naming(paths[0]):
            leader.commit()
    except BaseException:
        if not leader.is_committed():
            for follower in reversed(begun):
                follower.roll_back()
            leader.roll_back()
        raise
    for file in files:
        file.sync_place()


def write_pair(paths: tuple[str, str], contents: tuple[bytes, bytes]) -> None:
    """Write two small files that belong together: both or none. The first is the leader of `settle_files`."""
    write_set(dict(zip(paths, contents, strict=True)))


def check_two_files(path: str, companion: str) -> None:
    """Raise OptionError for two paths that are one file: by the same name, or by a link."""
    if os.path.realpath(path) == os.path.realpath(companion):
        what = "have the same path" if path == companion else f"are one file, since {companion!r} leads to it"
        raise OptionError(f"the model {path!r} and the list of its pieces {what}: choose another name for one of them")


def write_with_companion(path: str, data: bytes, companion: str, description: bytes) -> None:
    """Write a file and another one that describes it: both or none. The file is there at every moment, old or new.

    A process that is killed meanwhile leaves the companion of that file, or none. If one of them is a device or a pipe,
    each is written on its own.
    """
    if is_stream(path) or is_stream(companion):
        write_atomically(path, data)
        write_atomically(companion, description)
    else:
        write_pair((companion, path), (description, data))


def write_set(contents: Mapping[str, bytes], others: Sequence[str] = ()) -> None:
    """Write small files that belong together, path -> content: all or none. The first is the leader of `settle_files`.

    others: files that an earlier call may have written with these. They stay. If that call was killed, the temporary
    files that it left beside them go.
    """
    paths = list(contents)
    settle_files(*paths, *others)
    for path in others:
        remove_abandoned(Path(os.path.realpath(path)))
    tag = new_tag()
    with ExitStack() as stack:
        files = []
        for path, data in contents.items():
            file = new_file(path, tag)
            files.append(file)
            stack.push(file)  # before it is opened: Ctrl-C may come at any moment
            with naming(path):
                file.__enter__()
                file.stream.write(data)
                file.complete()
        commit_files(files, paths)


def write_pair_in(folder: str, files: Mapping[str, bytes]) -> None:
    """Write two files, name -> content, into a folder, which is made if it does not exist: both or none."""
    target = Path(checked_path(folder, "written"))
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise typed(error, target, "written") from error
    (leader, first), (follower, second) = files.items()
    write_pair((str(target / leader), str(target / follower)), (first, second))
