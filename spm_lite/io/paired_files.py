"""Two files that belong together, replaced by a process that was killed in between: the pair is made whole again."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from spm_lite.io.temporary_files import NAME, OLD_SUFFIX, abandoned, path_beside, put_back


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
