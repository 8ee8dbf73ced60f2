import errno
import os
import stat
import sys
from pathlib import Path

import pytest

from spm_lite.errors import FileError, FilePermissionError, MissingFileError
from spm_lite.files import new_files
from spm_lite.files.new_files import write_atomically
from spm_lite.files.open_files import read_bytes

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions and links")


@pytest.mark.parametrize("kind", [Path, str, os.fsencode])
def test_write_and_read(tmp_path, kind):
    path = kind(str(tmp_path / "ä model"))
    write_atomically(path, b"one")
    write_atomically(path, b"two\0")
    assert read_bytes(path) == b"two\0"
    assert [entry.name for entry in tmp_path.iterdir()] == ["ä model"]


def test_missing(tmp_path):
    with pytest.raises(MissingFileError, match="the file cannot be read: No such file") as caught:
        read_bytes(tmp_path / "none")
    assert caught.value.errno == errno.ENOENT
    assert caught.value.filename == str(tmp_path / "none")
    assert isinstance(caught.value, FileNotFoundError)
    with pytest.raises(FileError, match="its path is empty, give one"):
        write_atomically("", b"")
    with pytest.raises(MissingFileError, match="cannot be written"):
        write_atomically(tmp_path / "none" / "model", b"")


def test_folder(tmp_path):
    with pytest.raises(FileError):
        read_bytes(tmp_path)
    with pytest.raises(FileError):
        write_atomically(tmp_path, b"")
    assert list(tmp_path.iterdir()) == []


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may do all")
def test_not_permitted(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(b"old")
    path.chmod(0)
    with pytest.raises(FilePermissionError):
        read_bytes(path)


def test_permission_error_is_typed(monkeypatch, tmp_path):
    def refuse(*_args, **_others):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(FilePermissionError, match="cannot be written: Permission denied"):
        write_atomically(tmp_path / "model", b"new")


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_failed_save_leaves_the_old_file(monkeypatch, tmp_path, step):
    path = tmp_path / "model"
    write_atomically(path, b"old")

    def full(*_args):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(*((os, "fsync") if step == "fsync" else (Path, "replace")), full)
    with pytest.raises(FileError, match="cannot be written: No space left on device"):
        write_atomically(path, b"new")
    monkeypatch.undo()
    assert read_bytes(path) == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["model"]


@posix
@pytest.mark.thread_unsafe
def test_permissions(tmp_path):
    path = tmp_path / "model"
    mask = os.umask(0o027)
    try:
        write_atomically(path, b"new")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o604)
        write_atomically(path, b"newer")
        assert stat.S_IMODE(path.stat().st_mode) == 0o604
    finally:
        os.umask(mask)


@posix
def test_link_stays_a_link(tmp_path):
    (tmp_path / "model").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "model")
    write_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "model").read_bytes() == b"new"


@posix
def test_device(null_device):
    write_atomically(null_device, b"new")
    assert null_device.is_char_device()


@posix
def test_folders_are_brought_to_the_disk(tmp_path, monkeypatch):
    """Else an old file may come back when the machine stops."""
    synced = []
    monkeypatch.setattr(new_files, "sync_folder", synced.append)
    write_atomically(tmp_path / "model", b"new")
    assert synced == [tmp_path]


@posix
def test_pipes_and_deleted_files_are_written_directly(tmp_path):
    reader, writer = os.pipe()
    write_atomically(f"/dev/fd/{writer}", b"new")
    os.close(writer)
    assert os.read(reader, 9) == b"new"
    os.close(reader)
    if Path("/proc/self/fd").is_dir():
        with (tmp_path / "gone").open("w+b") as file:
            Path(file.name).unlink()
            write_atomically(f"/proc/self/fd/{file.fileno()}", b"new")
            assert file.read() == b"new"
        assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "darwin", reason="counts otherwise")
@pytest.mark.parametrize("name", ["日" * 82, "a" + "日" * 82, "a" * 250])
def test_long_names(tmp_path, name):
    write_atomically(tmp_path / name, b"new")
    assert [entry.name for entry in tmp_path.iterdir()] == [name]
