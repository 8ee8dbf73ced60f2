"""Patterns of file names: what glob finds, and errors for what cannot be looked at."""

import errno
import glob
import os
from pathlib import Path

import pytest

import spm_lite
from spm_lite import FileError
from spm_lite.files.paths import matching_files

NAMES = [
    "a.txt", "b.txt", ".hidden.txt", "a/b.txt", "a/.c/d.txt", "a-b/x.txt", "b/c/d/e.txt", "b/c/f.md", ".d/g.txt",
    "[x].txt", "日本/語.txt",
]  # fmt: skip
PATTERNS = [
    "*.txt", "*", "**", "**/*.txt", "*/*.txt", "a/*", "*/.c/*", ".*", ".*/*", "b/**", "b/**/e.txt", "**/c/**/*.txt",
    "[ab].txt", "[[]x].txt", "?.txt", "none/*", "*/none.txt", "./*.txt", "a/../*.txt", "a.txt/*", "日*/*", "*/", "x",
    "a.txt",
]  # fmt: skip


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A folder of NAMES, in which the test runs."""
    for name in NAMES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("ab abc", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("is_absolute", [False, True])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_as_glob_finds_them(tree, pattern, is_absolute):
    pattern = f"{tree}/{pattern}" if is_absolute else pattern
    found = glob.glob(pattern, recursive=True) if glob.has_magic(pattern) else []  # noqa: PTH207
    assert matching_files(pattern) == [Path(name) for name in sorted(found) if not Path(name).is_dir()]


CALLS = [
    lambda pattern: spm_lite.train(pattern, vocab_size=300),
    lambda pattern: spm_lite.CountTable.count(pattern),
    lambda pattern: spm_lite.evaluate(spm_lite.train(["ab abc"], vocab_size=263), pattern),
    lambda pattern: spm_lite.train(["ab abc"], vocab_size=263).encode_files(pattern, "ids.npy"),
]


@pytest.mark.parametrize("call", CALLS)
def test_a_link_that_leads_nowhere(tree, call):
    (tree / "a" / "gone.txt").symlink_to("nothing.txt")
    with pytest.raises(FileError, match=r"gone\.txt' is a link that leads nowhere \('nothing\.txt'\): remove it"):
        call("a/*.txt")


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("number", [errno.EACCES, errno.EMFILE, errno.EIO])
def test_a_folder_that_cannot_be_read(tree, monkeypatch, call, number):
    list_folder = os.listdir

    def refuse(folder="."):
        if Path(folder).name == "c":
            raise OSError(number, os.strerror(number))
        return list_folder(folder)

    monkeypatch.setattr(os, "listdir", refuse)
    with pytest.raises(FileError, match="b/c"):
        call("**/*.txt")


@pytest.mark.parametrize(
    ("link", "target", "pattern", "names"),
    [
        ("a/up", "..", "**/b.txt", ["a/b.txt", "b.txt"]),
        ("b/c/self", ".", "b/**", ["b/c/d/e.txt", "b/c/f.md"]),
        ("b/c/d/up", "../..", "b/**/*.txt", ["b/c/d/e.txt"]),
        ("b/up", "..", "b/**/e.txt", ["b/c/d/e.txt"]),
        ("a-link", "b", "**/e.txt", ["b/c/d/e.txt"]),
        ("b/a-side", "c", "b/**/f.md", ["b/c/f.md"]),
        ("b/a-side", "../a-b", "b/**/x.txt", ["b/a-side/x.txt"]),
        ("b/hidden", "../.d", "b/**/g.txt", ["b/hidden/g.txt"]),
        ("a-link", "b", "a-link/**/*.txt", ["a-link/c/d/e.txt"]),
        ("a-link", "b", "*/c/*.md", ["a-link/c/f.md", "b/c/f.md"]),
    ],
)
def test_links_to_folders(tree, link, target, pattern, names):
    """`**` goes through each folder once, under its own name if it has one there; other patterns are names."""
    (tree / link).symlink_to(target, target_is_directory=True)
    assert [path.as_posix() for path in matching_files(pattern)] == names


def test_a_link_to_a_parent_counts_nothing_twice(tree):
    before = spm_lite.CountTable.count("b/**/*.txt")
    (tree / "b" / "c" / "up").symlink_to("..", target_is_directory=True)
    assert list(spm_lite.CountTable.count("b/**/*.txt")) == list(before)


def test_many_links_in_circles(tree):
    for name in ("a", "b", "b/c", "b/c/d"):
        for number in range(6):
            (tree / name / f"up{number}").symlink_to(tree, target_is_directory=True)
    assert [path.as_posix() for path in matching_files("**/e.txt")] == ["b/c/d/e.txt"]


@pytest.mark.parametrize("pattern", ["a*/*.txt", "**/*.txt"])
def test_a_link_in_a_folder_part_that_leads_nowhere(tree, pattern):
    (tree / "ab").symlink_to("nothing")
    with pytest.raises(FileError, match=r"ab' is a link that leads nowhere"):
        spm_lite.CountTable.count(pattern)
