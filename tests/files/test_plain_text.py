"""Files that are not plain text are refused by name; text that looks like another format gets a note."""

import io
import json
import pickle
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spm_lite
from spm_lite.errors import FileError
from spm_lite.files.plain_text import FormatNotes, check_plain, with_whole_start

TOK = spm_lite.train(["the mill turns", "all day"] * 9, vocab_size=280, model_type="bpe", hard_vocab_limit=False)


def saved(write: Callable[[Any], object]) -> bytes:
    file = io.BytesIO()
    write(file)
    return file.getvalue()


def zipped(file: Any) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.txt", "text")


def tarred(file: Any) -> None:
    with tarfile.open(fileobj=file, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a.txt"))


NO_TEXT = {
    "a PDF document": b"%PDF-1.7\n\x93",
    "a numpy array": saved(lambda file: np.save(file, np.arange(9))),
    "zip data": saved(zipped),
    "a tar archive": saved(tarred),
    "a Python pickle": pickle.dumps(["a", "b"]),
    "a model of SentencePiece": TOK.to_bytes(),
    "a safetensors file": (64).to_bytes(8, "little") + b'{"a":{"dtype":"F32"}}',
    "UTF-16 text": "a few words".encode("utf-16-le"),
    "Arrow data": b"ARROW1\0\0\xff\xff\xff\xff",
    "HDF5 data": b"\x89HDF\r\n\x1a\n",
    "an SQLite database": b"SQLite format 3\0",
    "a Git LFS pointer": b"version https://git-lfs.github.com/spec/v1\n",
}
MESSAGE = r"'.*no\.text' is {}, not text: \w+"


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_pickles(protocol: int) -> None:
    with pytest.raises(FileError, match="is a Python pickle, not text: load it and pass its texts"):
        check_plain(pickle.dumps({"a": [1.5, None]}, protocol), "x")


@pytest.mark.parametrize("kind", NO_TEXT)
@pytest.mark.parametrize("separator", ["\n", None])
def test_no_text_is_refused(tmp_path: Path, kind: str, separator: str | None) -> None:
    path = tmp_path / "no.text"
    path.write_bytes(NO_TEXT[kind])
    calls: list[Callable[[], object]] = [
        lambda: spm_lite.train(path, vocab_size=300, separator=separator),
        lambda: spm_lite.CountTable.count(path, separator=separator),
        lambda: spm_lite.evaluate(TOK, path, separator=separator),
        lambda: TOK.encode_files(path, tmp_path / "ids", separator=separator),
    ]
    for call in calls:
        with pytest.raises(FileError, match=MESSAGE.format(kind)):
            call()


@pytest.mark.parametrize(
    "start",
    [
        "GGUF is a format",
        "GIF89a is one",
        "PAR1 too",
        "%PDF-1.4 in words",
        "{\\rtf is not",
        "version https://git-lfs x",
    ],
)
def test_texts_that_begin_with_a_printable_signature(tmp_path: Path, start: str) -> None:
    path = tmp_path / "text.txt"
    path.write_text(f"{start} and more words\n" * 9, encoding="utf-8")
    assert len(spm_lite.CountTable.count(path))


def test_a_pipe_that_gives_one_byte_at_once(tmp_path: Path) -> None:
    assert list(with_whole_start(iter([b"\x1f", b"\x8b", b"\x08abc"]))) == [b"\x1f\x8b\x08abc"]
    assert list(with_whole_start(iter([b"a", b"b\n", b"c"]))) == [b"ab\n", b"c"]
    assert list(with_whole_start(iter([]))) == []
    assert list(with_whole_start(iter([b"x" * 2000, b"y"]))) == [b"x" * 2000, b"y"]


PLAIN = [
    "",
    "one line",
    "some words\nand more, of them\n",
    "{not json}\n[nor this]\n",
    "a\tb\n",
    "naïve café\n" * 9,
    "1, 2, 3\n" * 20,  # one line, repeated
    "He said: well, yes.\nShe, not he, said no.\n" + "Then came more, of it, and more.\n" * 9,
    "$x, y$\n[1]\n[2]\n",
    "nul \0 and \x07\n" * 9,
]


@pytest.mark.parametrize("text", PLAIN)
def test_plain_text_has_no_note(text: str) -> None:
    notes = FormatNotes()
    notes.look_at_file(text.encode(), "a.txt")
    assert notes.texts == ()


ROWS = [(f"the mill, number {i}", i, "x") for i in range(12)]
OTHERS = {
    "JSON lines": "".join(json.dumps({"id": i, "text": text}) + "\n" for text, i, _ in ROWS),
    "looks like JSON,": json.dumps([{"id": i, "text": text} for text, i, _ in ROWS], indent=1),
    "HTML or XML": "<!DOCTYPE html>\n<html><p>text</p></html>\n",
    "3 columns between TABs": "".join(f"{text}\t{i}\t{x}\n" for text, i, x in ROWS),
    "3 columns between commas": "".join(f'"{text}",{i},{x}\n' for text, i, x in ROWS),
    "text, TAB and count": "".join(f"{text}\t{i + 1}\n" for text, i, _ in ROWS),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_other_formats_get_a_note(tmp_path: Path, kind: str, caplog: pytest.LogCaptureFixture) -> None:
    path, second = tmp_path / "other", tmp_path / "second"
    for name in (path, second):
        name.write_text(OTHERS[kind], encoding="utf-8")
    tok = spm_lite.train([path, second], vocab_size=400, hard_vocab_limit=False)
    assert [note for note in tok.report.notes if kind in note and repr(str(path)) in note and "(and 1 more)" in note]
    assert "note" in str(tok.report)
    for call in (
        lambda: spm_lite.CountTable.count(path),
        lambda: spm_lite.evaluate(TOK, path),
        lambda: TOK.encode_files(path, tmp_path / "ids"),
    ):
        caplog.clear()
        call()
        assert [record for record in caplog.records if kind in record.getMessage() and record.name == "spm_lite"]


def test_texts_of_other_formats() -> None:
    tok = spm_lite.train(OTHERS["JSON lines"].splitlines(), vocab_size=400, hard_vocab_limit=False)
    assert "the input looks like JSON lines" in tok.report.notes[0]
    assert "json.loads(line)['text'] for each line" in tok.report.notes[0]
    texts = [json.loads(line)["text"] for line in OTHERS["JSON lines"].splitlines()]  # as the note says
    assert spm_lite.train(texts, vocab_size=400, hard_vocab_limit=False).report.notes == ()


def test_counts_that_are_read_need_no_note(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("".join(f"{text}\t{i + 1}\n" for text, i, _ in ROWS), encoding="utf-8")
    tok = spm_lite.train(path, input_format="tsv", vocab_size=400, hard_vocab_limit=False)
    assert tok.report.notes == ()


def test_other_encodings() -> None:
    notes = FormatNotes()
    notes.look_at_file("Слова на русском языке\n".encode("cp1251") * 20, "ru.txt")
    assert "'ru.txt' does not look like UTF-8" in notes.texts[0]


def test_the_vocab_of_a_training_is_no_text(tmp_path: Path) -> None:
    TOK.save(tmp_path / "m.model", vocab=True)
    notes = FormatNotes()
    notes.look_at_file((tmp_path / "m.vocab").read_bytes(), tmp_path / "m.vocab")
    assert "m.vocab' looks like the list of pieces and scores that training writes" in notes.texts[0]


def test_lines_of_an_open_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("the mill\nall day\n\n" * 9, encoding="utf-8")
    options: dict[str, Any] = {"model_type": "char", "vocab_size": 300, "hard_vocab_limit": False}
    with path.open(encoding="utf-8") as file:
        tok = spm_lite.train(file, **options)
    assert "\n" in tok
    assert "the input has a line feed at the end of each text" in tok.report.notes[0]
    with path.open(encoding="utf-8") as file:  # as the note says
        tok = spm_lite.train((text.removesuffix("\n") for text in file), **options)
    assert tok == spm_lite.train(path, **options)
    assert tok.report.notes == ()
    assert spm_lite.train([path.read_text(encoding="utf-8")] * 20, **options).report.notes == ()
