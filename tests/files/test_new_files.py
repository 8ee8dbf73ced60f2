"""Files that are replaced: never torn, their owner's settings kept, nothing left behind by dead processes."""

import os
import signal
from itertools import pairwise
from pathlib import Path

import pytest
from oracle.processes import dying_at_rename, start

import spm_lite
from spm_lite.files.new_files import new_file, write_atomically
from spm_lite.files.temporary_files import remove_abandoned

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX only")


def names_in(folder: Path) -> list[str]:
    """The names of the files in a folder, sorted."""
    return sorted(path.name for path in folder.iterdir())


WRITER = """
import sys
from spm_lite.files.new_files import write_atomically
for _ in range(400):
    write_atomically(sys.argv[1], sys.argv[2].encode() * int(sys.argv[3]))
"""


@pytest.mark.slow
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
from spm_lite.files.new_files import new_file
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
from spm_lite.files.new_files import new_file
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
    process = start(WAITING, path, pipes=True)
    process.stdout.readline()
    if is_elsewhere:  # its process number means nothing here
        monkeypatch.setattr("spm_lite.files.temporary_files.is_alive", lambda pid: False)
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
    with pytest.raises(OSError, match="previous content is in"), new_file(path) as new:
        new.set_aside()
        monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError(5, "no luck")))
        new.roll_back()
    monkeypatch.undo()
    (kept,) = tmp_path.iterdir()
    assert kept.read_bytes() == b"old"


ENCODING = """
import sys
from spm_lite import Tokenizer
Tokenizer.load(sys.argv[1]).encode_files(sys.argv[2], "o.npy")
"""


@pytest.mark.slow
@posix
@pytest.mark.parametrize("fails", [True, False])
@pytest.mark.parametrize("step", [0, 1, 2])
def test_a_pair_of_a_dead_process(step, fails, tmp_path, monkeypatch):
    """Whether the next call works or not, ids and offsets that are there belong together."""
    np = pytest.importorskip("numpy")
    monkeypatch.chdir(tmp_path)
    tok = spm_lite.train(["aa bb cc dd"] * 9, vocab_size=270, hard_vocab_limit=False)
    tok.save("m.model")
    texts = {"old": "aa bb cc dd\n" * 1000, "new": "aa\n" * 500, "bad": "aa\n"}
    for name, text in texts.items():
        Path(f"{name}.txt").write_text(text, encoding="utf-8")
    tok.encode_files("old.txt", "o.npy")
    assert dying_at_rename(ENCODING, "m.model", "new.txt", step=step, cwd=tmp_path) == -signal.SIGKILL
    if fails:
        with pytest.raises(RuntimeError, match="no more"):
            tok.encode_files("bad.txt", "o.npy", progress=refuse)
        wanted = texts["new" if step == 2 else "old"]
    else:
        tok.encode_files("bad.txt", "o.npy")
        wanted = texts["bad"]
    ids, offsets = np.load("o.npy"), np.load("o.offsets.npy")
    documents = [tok.decode(ids[begin:end]) for begin, end in pairwise(offsets)]
    assert documents == wanted.splitlines()
    assert names_in(tmp_path) == ["bad.txt", "m.model", "new.txt", "o.npy", "o.offsets.npy", "old.txt"]


def refuse(_):
    raise RuntimeError("no more")


SET_ASIDE = """
import os, signal, sys
from spm_lite.files.new_files import new_file
with new_file(sys.argv[1]) as new:
    new.stream.write(b"new")
    new.complete()
    new.set_aside()
    if sys.argv[2] == "wait":
        print(flush=True)
        sys.stdin.read()
        new.commit()
    else:
        os.kill(os.getpid(), signal.SIGKILL)
"""


@posix
def test_a_file_that_a_dead_process_set_aside(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    assert start(SET_ASIDE, path, "kill").wait() == -signal.SIGKILL
    assert not path.exists()
    with pytest.raises(RuntimeError), new_file(path):
        assert path.read_bytes() == b"old"
        raise RuntimeError
    assert names_in(tmp_path) == ["file"]


@posix
def test_a_living_process_elsewhere_keeps_what_it_set_aside(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    process = start(SET_ASIDE, path, "wait", pipes=True)
    process.stdout.readline()
    monkeypatch.setattr("spm_lite.files.temporary_files.is_alive", lambda pid: False)
    with pytest.raises(RuntimeError), new_file(path):
        assert len(names_in(tmp_path)) == 3  # two new files and the old one; ours replaces nothing
        raise RuntimeError
    assert [name.rpartition(".")[2] for name in names_in(tmp_path)] == ["tmp", "old"]
    process.communicate()
    assert process.returncode == 0
    assert path.read_bytes() == b"new"
    assert names_in(tmp_path) == ["file"]


@posix
def test_without_locks_a_young_file_that_was_set_aside_stays(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"now")
    kept = tmp_path / f".file.{2**22 + 1}-{'0' * 16}.tmp.old"
    kept.write_bytes(b"old")
    monkeypatch.setattr("spm_lite.files.temporary_files.is_alive", lambda pid: False)
    monkeypatch.setattr("spm_lite.files.temporary_files.is_locked", lambda handle: None)
    write_atomically(path, b"new")
    assert names_in(tmp_path) == [kept.name, "file"]
    monkeypatch.setattr("spm_lite.files.temporary_files.LONG_AGO", -1.0)
    write_atomically(path, b"new")
    assert names_in(tmp_path) == ["file"]


@posix
def test_the_file_is_locked_until_all_is_done(tmp_path, monkeypatch):
    """Nobody may take it for abandoned, under its temporary name or in its place."""
    path = tmp_path / "file"
    path.write_bytes(b"old")
    monkeypatch.setattr("spm_lite.files.temporary_files.is_alive", lambda pid: False)
    with new_file(path) as new:
        new.stream.write(b"new")
        new.complete()
        new.back_up()
        remove_abandoned(path)
        assert len(names_in(tmp_path)) == 3
        new.commit()
        remove_abandoned(path)
        assert len(names_in(tmp_path)) == 2
        new.roll_back()
    assert path.read_bytes() == b"old"
    assert names_in(tmp_path) == ["file"]


@posix
def test_a_forked_child_leaves_the_file_alone(tmp_path):
    path = tmp_path / "file"
    with new_file(path) as new:
        new.stream.write(b"begin ")
        child = os.fork()
        if child == 0:
            code = 1
            try:
                new.__exit__()
                code = 0
            finally:
                os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
        new.stream.write(b"end")
        new.finish()
    assert path.read_bytes() == b"begin end"


@posix
def test_a_forked_child_cannot_finish_the_file(tmp_path):
    with new_file(tmp_path / "file") as new:
        new.stream.write(b"text")
        child = os.fork()
        if child == 0:
            code = 1
            try:
                new.finish()
            except OSError as error:
                code = 0 if "forked" in str(error) else 2
            finally:
                os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
        new.finish()
    assert (tmp_path / "file").read_bytes() == b"text"


@posix
def test_long_names_are_told_apart(tmp_path):
    """Names of temporary files hold the beginning of a long name only, and yet those of another file stay."""
    first, second = tmp_path / ("x" * 150 + "1"), tmp_path / ("x" * 150 + "2")
    for path in (first, second):
        path.write_bytes(b"old")
    assert start(SET_ASIDE, first, "kill").wait() == -signal.SIGKILL
    second.unlink()
    write_atomically(second, b"new")
    assert not first.exists()
    assert len(names_in(tmp_path)) == 3
    with pytest.raises(RuntimeError), new_file(first):
        raise RuntimeError
    assert first.read_bytes() == b"old"
