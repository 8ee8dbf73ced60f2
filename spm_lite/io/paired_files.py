"""Two files that belong together, replaced by a process that was killed in between: the pair is made whole again."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from spm_lite._typing import TYPE_CHECKING
from spm_lite.io.files import typed
from spm_lite.io.new_files import NewFile, new_file
from spm_lite.io.temporary_files import NAME, OLD_SUFFIX, abandoned, new_tag, path_beside, put_back

if TYPE_CHECKING:
    from collections.abc import Iterator


def settle_pair(leader: str, follower: str) -> None:
    """Make a pair whole again whose leader is missing since the death of a process.

    That process took the old leader out of its place, put the new follower there, and then the new leader. If the new
    follower is still to come, the old leader goes back; otherwise the new leader takes its place.
    """
    first, second = (Path(os.path.realpath(name)) for name in (leader, follower))
    if os.path.lexists(first):
        return
    with suppress(OSError):
        for old in abandoned(first):
            name = NAME.fullmatch(old.name)
            if name is None or not old.name.endswith(OLD_SUFFIX):
                continue
            if os.path.lexists(path_beside(second, name["tag"])):
                put_back(old, first)
            else:
                path_beside(first, name["tag"]).replace(first)


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Turn an OSError within the block into a FileError that names the file."""
    try:
        yield
    except OSError as error:
        raise typed(error, path, "written") from error


def commit_pair(leader: NewFile, follower: NewFile, paths: tuple[str, str]) -> None:
    """Put two complete files in their places. For a moment the place of the leader is empty.

    The old leader goes first and the new one comes last: at any moment, a leader that is there has its own follower.
    Raises FileError, which names one of the paths; then the old files are back.
    """
    try:
        with naming(paths[0]):
            leader.set_aside()
        with naming(paths[1]):
            follower.back_up()
            follower.commit()
        with naming(paths[0]):
            leader.commit()
    except BaseException:
        if not leader.is_committed():
            follower.roll_back()
            leader.roll_back()
        raise
    for file in (leader, follower):
        file.sync_place()


def write_pair(paths: tuple[str, str], contents: tuple[bytes, bytes]) -> None:
    """Write two small files that belong together: both or none. The first is the leader of `settle_pair`."""
    settle_pair(*paths)
    tag = new_tag()
    with ExitStack() as stack:
        files = []
        for path, data in zip(paths, contents, strict=True):
            file = new_file(path, tag)
            files.append(file)
            stack.push(file)  # before it is opened: Ctrl-C may come at any moment
            with naming(path):
                file.__enter__()
                file.stream.write(data)
                file.complete()
        commit_pair(files[0], files[1], paths)
