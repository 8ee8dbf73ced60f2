"""The lock of a folder: one holder, freed by its end, untouched by forks and by what happens to the folder."""

import os
import threading

import pytest

from spm_lite.files import folder_lock
from spm_lite.files.folder_lock import LOCK_NAME, FolderLock

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")


def in_child(work) -> None:
    """Run `work` in a forked child; it must return without an error."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0


def refused(folder) -> None:
    with pytest.raises(BlockingIOError):
        FolderLock(folder)


def test_one_holder(tmp_path):
    lock = FolderLock(tmp_path)
    refused(tmp_path)
    lock.release()
    assert not (tmp_path / LOCK_NAME).exists()
    FolderLock(tmp_path).release()


def test_by_all_its_names(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder", target_is_directory=True)
    lock = FolderLock(tmp_path / "folder")
    refused(tmp_path / "link")
    lock.release()


def test_a_lock_file_that_is_left(tmp_path):
    (tmp_path / LOCK_NAME).write_bytes(b"")
    FolderLock(tmp_path).release()
    assert not (tmp_path / LOCK_NAME).exists()


def test_the_lock_file_of_another_is_not_removed(tmp_path):
    """Somebody has removed ours, and another process has made and locked its own."""
    lock = FolderLock(tmp_path)
    (tmp_path / LOCK_NAME).unlink()
    (tmp_path / LOCK_NAME).write_bytes(b"another")
    lock.release()
    assert (tmp_path / LOCK_NAME).read_bytes() == b"another"


@needs_fork
def test_a_child_that_releases(tmp_path):
    """It has a copy of the object, but not the lock."""
    lock = FolderLock(tmp_path)
    in_child(lock.release)
    assert (tmp_path / LOCK_NAME).exists()
    in_child(lambda: refused(tmp_path))
    lock.release()


@needs_fork
def test_a_child_begins_with_a_new_table(tmp_path):
    (tmp_path / "a").mkdir()
    lock = FolderLock(tmp_path / "a")

    def work():
        assert not folder_lock.held
        FolderLock(tmp_path).release()
        refused(tmp_path / "a")

    in_child(work)
    lock.release()


@needs_fork
def test_a_fork_while_another_thread_has_the_table(tmp_path):
    taken, done = threading.Event(), threading.Event()

    def hold():
        with folder_lock.table_lock:
            taken.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    taken.wait()
    try:
        in_child(lambda: FolderLock(tmp_path).release())
    finally:
        done.set()
        thread.join()


@needs_fork
def test_freed_by_a_killed_process(tmp_path):
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        FolderLock(tmp_path)
        os.write(writing, b"x")
        while True:
            os.read(reading, 0)
            threading.Event().wait()
    os.read(reading, 1)
    refused(tmp_path)
    os.kill(child, 9)
    os.waitpid(child, 0)
    FolderLock(tmp_path).release()
