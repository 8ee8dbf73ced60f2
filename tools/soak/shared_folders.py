"""Folders that several processes write to at once, and folders that nobody may write to.

Writers of two inputs at once leave whole files, and at the end no temporary one. In a folder that is read-only, a
writer raises an error that names the file and the reason, and works again as soon as it may write.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from common import Result, run
from kills import Expected
from writers import IN_STEPS, WRITERS, CommandError, Inputs, files_below

from spm_lite import FileError

N_WRITERS = 3
N_TIMES = 4  # that each of them writes
OWN_FOLDER = {"to_gpt2"}  # which the writer here makes itself
NOBODY = 65534
GUARD = 300  # seconds, against hanging
RIGHT, FAILED, NO_ERROR, STRANGE = 0, 10, 11, 12
ENDS = {FAILED: "failed", NO_ERROR: "wrote where nobody may", STRANGE: "another error"}


def write_often(kind: str, inputs: Inputs, out: Path, first: int) -> tuple[int, str]:
    """Write the files of both inputs in turn."""
    try:
        for i in range(N_TIMES):
            WRITERS[kind](inputs, out, (first + i) % 2)
    except BaseException as error:
        return FAILED, f"{type(error).__name__}: {error}"
    return RIGHT, ""


def write_where_nobody_may(kind: str, inputs: Inputs, out: Path) -> tuple[int, str]:
    """Write into a folder that this process, which is nobody's from here on, may only read."""
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    try:
        WRITERS[kind](inputs, out, 1)
    except (FileError, CommandError) as error:
        is_told = "Permission denied" in str(error) and "out" in str(error)
        return (RIGHT, "") if is_told else (STRANGE, str(error))
    except BaseException as error:
        return STRANGE, f"{type(error).__name__}: {error}"
    return NO_ERROR, ""


def start(work: object, *arguments: object) -> tuple[int, int]:
    """A child that does some work: its number, and where to read what it says."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        code, why = work(*arguments)  # type: ignore[operator]
        os.write(writer, why[:1000].encode(errors="replace"))
        os._exit(code)
    os.close(writer)
    return pid, reader


def end_of(pid: int, reader: int) -> str:
    """What is wrong with the end of a child; empty: nothing."""
    end = time.monotonic() + GUARD
    while not (found := os.waitpid(pid, os.WNOHANG))[0]:
        if time.monotonic() > end:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return "hangs"
        time.sleep(0.002)
    with os.fdopen(reader, "rb") as file:
        said = file.read().decode(errors="replace")
    code = os.waitstatus_to_exitcode(found[1])
    return "" if code == RIGHT else f"{ENDS.get(code, f'ended with {code}')} {said}"


def together(kind: str, inputs: Inputs, expected: Expected, out: Path) -> None:
    """Let some processes write at once, and look at the files. Raises AssertionError for a loss."""
    children = [start(write_often, kind, inputs, out, k) for k in range(N_WRITERS)]
    wrong = [found for found in (end_of(*child) for child in children) if found]
    if wrong:
        raise AssertionError(f"a writer beside others {wrong[0]}")
    names = expected.names(kind)
    present = files_below(out)
    for name, data in present.items():
        if name in names and data not in [whole.get(name) for whole in expected.contents[kind]]:
            raise AssertionError(f"{name} is of no single writer: {len(data)} bytes")
    WRITERS[kind](inputs, out, 1)
    expected.check(kind, out, is_finished=True)
    left = set(files_below(out)) - names
    if left:
        raise AssertionError(f"left behind: {sorted(left)}")


def forbidden(kind: str, inputs: Inputs, expected: Expected, out: Path) -> None:
    """Write where nobody may, first without and then with older files there. Raises AssertionError for a loss."""
    for is_there in (False, True):
        if is_there:
            WRITERS[kind](inputs, out, 0)
        before = files_below(out)
        folders = [out, *(path for path in out.rglob("*") if path.is_dir())]
        for folder in folders:
            folder.chmod(0o555)
        wrong = end_of(*start(write_where_nobody_may, kind, inputs, out))
        for folder in folders:
            folder.chmod(0o755)
        if wrong:
            raise AssertionError(f"in a read-only folder {wrong}")
        if files_below(out) != before:
            raise AssertionError("a read-only folder has changed")
    WRITERS[kind](inputs, out, 1)
    expected.check(kind, out, is_finished=True)


def attack(result: Result, rng: random.Random, rounds: Iterator[int]) -> None:
    """Each round takes one kind of files, and one of the two folders."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        inputs = Inputs(Path(folder))
        inputs.make()
        expected = Expected(inputs)
        kinds = [kind for kind in WRITERS if kind not in IN_STEPS]
        for number in rounds:
            kind, act = kinds[number // 2 % len(kinds)], (together, forbidden)[number % 2]
            if kind in OWN_FOLDER:
                act = together
            result.count(calls=1, faults=N_WRITERS - 1 if act is together else 2)
            with tempfile.TemporaryDirectory() as place:
                Path(place).chmod(0o755)
                try:
                    act(kind, inputs, expected, Path(place))
                except Exception as error:  # whatever goes wrong is a finding
                    result.lose(f"{kind}, {act.__name__}: {type(error).__name__}: {error}")


def main(argv: list[str] | None = None) -> int:
    """Run this part."""
    return run("shared_folders", attack, argv)


if __name__ == "__main__":
    sys.exit(main())
