"""Files that are replaced: never torn, their owner's settings kept, nothing left behind by dead processes."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import spm_lite
from spm_lite.io.new_files import new_file, write_atomically

FOLDER = str(Path(spm_lite.__file__).parent.parent)
posix = pytest.mark.skipif(os.name != "posix", reason="POSIX only")


def start(program: str, *arguments: object) -> subprocess.Popen:
    """A Python process that runs a program with arguments."""
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        cwd=sys.prefix, env={**os.environ, "PYTHONPATH": FOLDER},
    )  # fmt: skip


def names_in(folder: Path) -> list[str]:
    """The names of the files in a folder, sorted."""
    return sorted(path.name for path in folder.iterdir())


WRITER = """
import sys
from spm_lite.io.new_files import write_atomically
for _ in range(400):
    write_atomically(sys.argv[1], sys.argv[2].encode() * int(sys.argv[3]))
"""


@posix
def test_readers_see_whole_files(tmp_path):
    path = tmp_path / "file"
    whole = {b"a" * 5000, b"b" * 70_000, b"c" * 300}
    path.write_bytes(b"c" * 300)
    writers = [start(WRITER, path, chr(data[0]), len(data)) for data in whole]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        seen.add(path.read_bytes())
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert seen <= whole
    assert names_in(tmp_path) == ["file"]


KILLED = """
import os, signal, sys
from spm_lite.io.new_files import new_file
with new_file(sys.argv[1]) as new:
    new.stream.write(b"x" * 100000)
    new.stream.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@posix
def test_a_dead_process_leaves_nothing_for_long(tmp_path):
    path = tmp_path / "file"
    for _ in range(3):
        assert start(KILLED, path).wait() == -signal.SIGKILL
    assert [name.endswith(".tmp") for name in names_in(tmp_path)] == [True]  # each removed the one before
    (tmp_path / ".other.1.tmp").write_bytes(b"")
    write_atomically(path, b"done")
    assert names_in(tmp_path) == [".other.1.tmp", "file"]


WAITING = """
import sys
from spm_lite.io.new_files import new_file
with new_file(sys.argv[1]) as new:
    new.stream.write(b"slow")
    print(flush=True)
    sys.stdin.read()
    new.finish()
"""


@posix
@pytest.mark.parametrize("is_elsewhere", [False, True])
def test_a_living_process_keeps_its_file(tmp_path, monkeypatch, is_elsewhere):
    path = tmp_path / "file"
    process = subprocess.Popen(
        [sys.executable, "-c", WAITING, str(path)], cwd=sys.prefix, env={**os.environ, "PYTHONPATH": FOLDER},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    process.stdout.readline()
    if is_elsewhere:  # its process number means nothing here
        monkeypatch.setattr("spm_lite.io.temporary_files.is_alive", lambda pid: False)
    write_atomically(path, b"quick")
    process.communicate()
    assert process.returncode == 0
    assert path.read_bytes() == b"slow"


@posix
def test_mode_owner_and_group(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o6750)
    if os.geteuid() == 0:
        os.chown(path, 12345, 23456)
        path.chmod(0o6750)
    before = path.stat()
    write_atomically(path, b"new")
    after = path.stat()
    assert after.st_mode & 0o7777 == 0o750
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)


@posix
def test_another_hard_link_keeps_the_old_content(tmp_path):
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "link").hardlink_to(tmp_path / "file")
    write_atomically(tmp_path / "file", b"new")
    assert (tmp_path / "link").read_bytes() == b"old"


def test_what_cannot_be_restored_is_named(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(OSError, match="former content is"), new_file(path) as new:
        new.set_aside()
        monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError(5, "no luck")))
        new.roll_back()
    monkeypatch.undo()
    (kept,) = tmp_path.iterdir()
    assert kept.read_bytes() == b"old"
