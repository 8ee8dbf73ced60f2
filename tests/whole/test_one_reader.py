"""Every caller that reads text finds the same texts in every input, and says the same of it.

A kind of caller is one that learns or judges, which leaves empty texts out, or one that maps texts to ids, which keeps
them and every byte.
"""

import bz2
import gzip
import io
import itertools
import json
import logging
import lzma
import os
import subprocess
import sys
from collections import UserList, deque
from contextlib import nullcontext
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

import spm_lite
from spm_lite.cli.main import main
from spm_lite.engines.shards import plan

LINES = ["the mill turns", "  two  spaces", "", "café 水 🙂", "a\tb", 'he said "so"', "last line"]
SHOWN = [line for line in LINES if line]
TEXT = ("\n".join(LINES) + "\n").encode()
BOM = b"\xef\xbb\xbf"
TOK = spm_lite.byte_tokenizer()
OPTIONS = {"model_type": "byte_bpe", "vocab_size": 270, "hard_vocab_limit": False}


def rows_of(lines, **more):
    return [{"id": i, "text": line, **more} for i, line in enumerate(lines)]


def json_lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def as_csv(delimiter=",", quotes='"'):
    cells = [quotes + line.replace(quotes or "\0", quotes * 2) + quotes for line in LINES]
    return "".join(f"{a}{delimiter}{b}\n" for a, b in [("id", "text"), *enumerate(cells)]).encode()


MARKS = ['"open', "plain", 'close"']
FILES = {  # name -> content, what callers that learn or judge find, what those that map texts to ids find
    "lf.txt": (TEXT, LINES, LINES),
    "no_end.txt": (TEXT[:-1], LINES, LINES),
    "crlf.txt": (TEXT.replace(b"\n", b"\r\n"), LINES, [f"{line}\r" for line in LINES]),
    "cr.txt": (TEXT.replace(b"\n", b"\r"), ["\r".join(LINES) + "\r"], ["\r".join(LINES) + "\r"]),
    "bom.txt": (BOM + TEXT, LINES, ["\ufeff" + LINES[0], *LINES[1:]]),
    "bom_crlf.txt": (BOM + TEXT.replace(b"\n", b"\r\n"), LINES, None),
    "utf16.txt": (TEXT.decode().encode("utf-16"), LINES, None),
    "empty_lines.txt": (b"\n\none\n\n", ["", "", "one", ""], ["", "", "one", ""]),
    "a.txt.gz": (gzip.compress(TEXT), LINES, LINES),
    "a.txt.bz2": (bz2.compress(TEXT), LINES, LINES),
    "a.txt.xz": (lzma.compress(TEXT), LINES, LINES),
    "a.jsonl": (json_lines(rows_of(LINES)), LINES, LINES),
    "bom.jsonl": (BOM + json_lines(rows_of(LINES)), LINES, LINES),
    "a.jsonl.gz": (gzip.compress(json_lines(rows_of(LINES))), LINES, LINES),
    "a.csv": (as_csv(), LINES, LINES),
    "crlf.csv": (as_csv().replace(b"\n", b"\r\n"), LINES, LINES),
    "marks.tsv": (b'id\ttext\n1\t"open\n2\tplain\n3\tclose"\n', MARKS, MARKS),
}  # fmt: skip
PAIRS = [{"x": a, "y": b} for a, b in zip(LINES[:-1:2], LINES[1::2], strict=True)]
PAIRS.append({"x": LINES[-1], "y": []})
SAID = {  # the same, where the caller says more
    "array.json": (json.dumps(rows_of(LINES)).encode(), {"column": "text"}),
    "spread.json": (json.dumps(rows_of(LINES), indent=2).encode(), {"column": "text"}),
    "lines.json": (json_lines(rows_of(LINES)), {"column": "text"}),
    "lines.json.gz": (gzip.compress(json_lines(rows_of(LINES))), {"column": "text"}),
    "nameless": (json_lines(rows_of(LINES)), {"column": "text"}),
    "format": (json_lines(rows_of(LINES)), {"input_format": "jsonl"}),
    "nested.jsonl": (json_lines([{"a": {"b": [{"c": line}]}} for line in LINES]), {"column": "a.b.c"}),
    "two.jsonl": (json_lines(PAIRS), {"column": ["x", "y"]}),
    "semicolons.csv": (as_csv(";"), {"delimiter": ";"}),
    "marks.csv": (as_csv("|", ""), {"delimiter": "|", "quoting": False}),
    "odd.dat": (as_csv("|"), {"delimiter": "|", "input_format": "csv"}),
    "utf16.csv": (as_csv().decode().encode("utf-16"), {"encoding": "utf-16"}),
    "bom16.csv": (as_csv().decode().encode("utf-16"), {"input_format": "csv"}),
    "utf32.txt": (TEXT.decode().encode("utf-32"), {"encoding": "utf-32", "newline": "auto"}),
    "latin.jsonl": (json_lines(rows_of(LINES)), {"encoding": "latin-1"}),
    "most.txt.gz": (gzip.compress(TEXT), {"max_unpacked": str(len(TEXT))}),
}  # fmt: skip


def add_tables(folder):
    """The same in files of pyarrow and zstandard, as far as these are there."""
    try:
        import zstandard
    except ImportError:
        pass
    else:
        (folder / "a.txt.zst").write_bytes(zstandard.ZstdCompressor().compress(TEXT))
    try:
        import pyarrow
        from pyarrow import feather, parquet
    except ImportError:
        return
    table = pyarrow.table({"id": list(range(len(LINES))), "text": LINES, "n": [{"en": [line]} for line in LINES]})
    parquet.write_table(table, folder / "a.parquet", row_group_size=3)
    feather.write_feather(table, folder / "a.feather")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    for name, (content, *_) in {**FILES, **SAID}.items():
        (folder / name).write_bytes(content)
    add_tables(folder)
    (folder / "inner").mkdir()
    (folder / "inner" / "a.txt").write_bytes(TEXT)
    TOK.save(folder / "bytes.model")
    return folder


@pytest.fixture(autouse=True)
def _inside(folder, monkeypatch):
    monkeypatch.chdir(folder)
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def flags(options):
    found = []
    for name, value in options.items():
        for one in value if isinstance(value, list) else [value]:
            flag = "--" + name.replace("_", "-")
            found += [flag.replace("--", "--no-", 1)] if one is False else [flag] if one is True else [flag, one]
    return found


def run(capsysbinary, *arguments):
    assert main(list(arguments)) == 0, capsysbinary.readouterr().err
    return capsysbinary.readouterr().out


def sizes(texts):
    return [len(text.encode()) for text in texts]


def check_all(source, lines, kept, capsysbinary, tmp_path, **reading):
    """What every caller finds in a source. lines, kept: as in FILES; None: it is refused."""
    tmp_path.mkdir(exist_ok=True)
    shown = [line for line in lines if line]
    texts = {"files": source} if isinstance(source, (str, Path)) else {"texts": source}
    expected = spm_lite.train(texts=shown, **OPTIONS)
    tok = spm_lite.train(**texts, **reading, **OPTIONS)
    assert tok.to_bytes() == expected.to_bytes()
    assert tok.report.lines_used == len(shown)
    assert list(spm_lite.CountTable.count(**texts, **reading)) == list(spm_lite.CountTable.count(texts=shown))
    sweep = spm_lite.sweep(sizes=[270], **texts, **reading, model_type="byte_bpe", hard_vocab_limit=False)
    assert [row.tokens for row in sweep.rows] == [sum(map(expected.count, shown))]
    quality = spm_lite.evaluate(TOK, **texts, **reading)
    assert (quality.texts, quality.bytes) == (len(shown), sum(sizes(shown)))
    assert quality.empty_texts == len(lines) - len(shown)
    judged = {"files": {"x": source}} if "files" in texts else {"texts": {"x": source}}
    figures = spm_lite.audit({"b": TOK}, orders=(), **judged, **reading).to_dict()
    assert figures["texts"]["x"]["bytes"] == sum(sizes(shown)), figures["texts"]
    if "texts" in texts:
        return
    more = flags(reading)
    found = json.loads(run(capsysbinary, "count", "-m", "bytes.model", "--json", str(source), *more))["total"]
    assert found == {"tokens": sum(sizes(lines)), "documents": len(lines), "bytes": sum(sizes(lines))}
    found = json.loads(run(capsysbinary, "compare", "bytes.model", "bytes.model", str(source), "--json", *more))
    assert (found["documents"], found["empty_documents"]) == (len(shown), len(lines) - len(shown))
    assert found["bytes"] == sum(sizes(lines))
    refused = pytest.raises(spm_lite.FileError) if kept is None else nullcontext()
    with refused:
        TOK.encode_files(source, tmp_path / "ids.npy", **reading)
        assert np.diff(np.load(tmp_path / "ids.offsets.npy")).tolist() == sizes(kept)
    with refused:
        made = plan(source, tmp_path / "out", TOK, format="npy", shard_size=20, **reading)
        for number in range(len(made)):
            made.run_task(number)
        made.finish()
        spm_lite.engines.shards.merge(tmp_path / "out", tmp_path / "all.npy")
        assert np.diff(np.load(tmp_path / "all.offsets.npy")).tolist() == sizes(kept)
    if kept is not None:
        rows = run(capsysbinary, "encode", "-m", "bytes.model", str(source), *more).removesuffix(b"\n").split(b"\n")
        assert [len(row.split()) for row in rows] == sizes(kept)


@pytest.mark.parametrize("name", FILES)
def test_files(name, capsysbinary, tmp_path):
    _, lines, kept = FILES[name]
    if name.startswith("bom_crlf"):
        kept = ["\ufeff" + LINES[0] + "\r", *(f"{line}\r" for line in LINES[1:])]
    check_all(name, lines, kept, capsysbinary, tmp_path)


@pytest.mark.parametrize("name", SAID)
def test_what_the_caller_says(name, capsysbinary, tmp_path):
    _, reading = SAID[name]
    check_all(name, LINES, LINES, capsysbinary, tmp_path, **reading)


@pytest.mark.parametrize(
    ("name", "reading"),
    [
        ("a.txt.zst", {}),
        ("a.parquet", {}),
        ("a.feather", {}),
        ("a.parquet", {"column": "n.en"}),
        ("a.feather", {"column": "n.en[]"}),
        ("a.parquet", {"max_unpacked": str(len(TEXT))}),
    ],
)
def test_files_of_other_packages(name, reading, folder, capsysbinary, tmp_path):
    if not (folder / name).exists():
        pytest.skip("its package is missing")
    check_all(name, LINES, LINES, capsysbinary, tmp_path, **reading)


def test_two_columns_of_a_table(folder, capsysbinary, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({"x": ["a", "b"], "y": [["c", "d"], ["e"]], "z": [1, 2]})
    parquet.write_table(table, tmp_path / "two.parquet")
    (tmp_path / "two.csv").write_text("x,y\na,c\nb,e\n")
    expected = ["a", "c", "d", "b", "e"]
    check_all(tmp_path / "two.parquet", expected, expected, capsysbinary, tmp_path, column=["x", "y"])
    expected.remove("d")
    check_all(tmp_path / "two.csv", expected, expected, capsysbinary, tmp_path / "csv", column=["x", "y"])
    for source in (table, [table], table.to_batches()):
        assert spm_lite.evaluate(TOK, texts=source, column=["x", "y"]).texts == 5
        assert spm_lite.evaluate(TOK, texts=source, column="y").texts == 3
    assert spm_lite.evaluate(TOK, texts=iter(table.to_batches()), column="y").texts == 3


def test_folders_patterns_and_names(capsysbinary, tmp_path):
    check_all("inner", LINES, LINES, capsysbinary, tmp_path / "1")
    check_all("inner/*.txt", LINES, LINES, capsysbinary, tmp_path / "2")
    for names in (
        iter(["lf.txt", "a.jsonl"]),
        map(str, ["lf.txt", "a.jsonl"]),
        dict.fromkeys(["lf.txt", "a.jsonl"]).keys(),
    ):
        assert spm_lite.evaluate(TOK, names).texts == 2 * len(SHOWN)
    for names in (deque(["lf.txt", "a.jsonl"]), UserList(["lf.txt", "a.jsonl"]), {1: "lf.txt", 2: "a.jsonl"}.values()):
        assert spm_lite.evaluate(TOK, names).texts == 2 * len(SHOWN)
    assert spm_lite.evaluate(TOK, deque(LINES)).texts == len(SHOWN)
    assert spm_lite.evaluate(TOK, np.array(["lf.txt", "a.jsonl"])).texts == 2 * len(SHOWN)
    assert spm_lite.evaluate(TOK, Path().glob("lf.*")).texts == len(SHOWN)


def test_lists_and_columns(capsysbinary, tmp_path):
    check_all(LINES, LINES, LINES, capsysbinary, tmp_path)
    check_all(rows_of(LINES), LINES, LINES, capsysbinary, tmp_path)
    check_all([{"a": [{"b": line}]} for line in LINES], LINES, LINES, capsysbinary, tmp_path, column="a.b")
    check_all([{"a": line, "b": []} for line in LINES], LINES, LINES, capsysbinary, tmp_path, column=["a", "b"])


def test_columns_of_other_packages(capsysbinary, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"text": LINES, "n": [{"en": line} for line in LINES]})
    check_all(table, LINES, LINES, capsysbinary, tmp_path)
    check_all(table["text"], LINES, LINES, capsysbinary, tmp_path)
    check_all(table, LINES, LINES, capsysbinary, tmp_path, column="n.en")


@pytest.mark.parametrize(
    "data", [TEXT, TEXT.replace(b"\n", b"\r\n"), gzip.compress(TEXT), BOM + TEXT], ids=["lf", "crlf", "gzip", "bom"]
)
def test_standard_input(data, monkeypatch, capsysbinary):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data))))
    found = json.loads(run(capsysbinary, "count", "-m", "bytes.model", "--json"))["total"]
    assert found == {"tokens": sum(sizes(LINES)), "documents": len(LINES), "bytes": sum(sizes(LINES))}


def test_standard_input_unpacks_to_no_more_than_is_allowed(monkeypatch, capsysbinary, tmp_path):
    for command in (
        ["count", "-m", "bytes.model"],
        ["encode", "-m", "bytes.model", "-o", str(tmp_path / "x.npy"), "--output-format", "npy"],
        ["train", "-", "--vocab-size", "270", "--model-type", "byte_bpe", "--model-prefix", str(tmp_path / "m"),
         "--no-hard-vocab-limit"],
    ):  # fmt: skip
        for most, code in ((len(TEXT), 0), (40, 1)):
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(gzip.compress(TEXT)))))
            assert main([*command, "--max-unpacked", str(most)]) == code, command
        assert b"standard input' is gzip data" in capsysbinary.readouterr().err


@pytest.mark.parametrize("more", [["--column", "text"], ["--input-format", "jsonl"]])
@pytest.mark.parametrize("command", [["count", "--json"], ["compare", "bytes.model", "--json"]])
@pytest.mark.parametrize("make", [json_lines, lambda rows: json.dumps(rows).encode()])
def test_records_on_standard_input(make, more, command, monkeypatch, capsysbinary):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(make(rows_of(LINES)))))
    model = ["-m", "bytes.model"] if command[0] == "count" else ["bytes.model"]
    found = json.loads(run(capsysbinary, *command[:-1], *model, "--json", *more))
    assert found.get("total", found)["bytes"] == sum(sizes(LINES))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe(tmp_path):
    for data, reading in ((TEXT, {}), (json_lines(rows_of(LINES)), {"column": "text"})):
        path = tmp_path / f"pipe{len(reading)}"
        os.mkfifo(path)
        writer = Thread(target=path.write_bytes, args=(data,))
        writer.start()
        assert spm_lite.evaluate(TOK, files=path, **reading).texts == len(SHOWN)
        writer.join()


@pytest.mark.parametrize("more", [[], ["--input-format", "jsonl"]])
def test_a_pipe_is_answered_at_once(more):
    """Line by line, before the next one is written."""
    command = [sys.executable, "-m", "spm_lite", "encode", "-m", "bytes.model", "--quiet", *more]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "env": environment}
    with subprocess.Popen(command, **pipes) as done:
        for line in ("ab", "c"):
            done.stdin.write(json_lines([{"text": line}]) if more else f"{line}\n".encode())
            done.stdin.flush()
            assert done.stdout.readline().split() == [b"%d" % i for i in TOK.encode(line)]
        done.stdin.close()


def test_a_command_trains_on_records_of_a_pipe(tmp_path):
    command = [sys.executable, "-m", "spm_lite", "train", "--column", "text", "--vocab-size", "270", "--model-type"]
    done = subprocess.run(
        [*command, "byte_bpe", "--no-hard-vocab-limit", "--model-prefix", str(tmp_path / "m")],
        input=json_lines(rows_of(LINES)),
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert not done.stdout
    assert spm_lite.Tokenizer.load(tmp_path / "m.model").to_bytes() == spm_lite.train(texts=SHOWN, **OPTIONS).to_bytes()


@pytest.mark.parametrize("name", ["lf.md", "nameless.log"])
def test_a_column_is_not_read_as_text(name, folder):
    (folder / name).write_bytes(TEXT)
    if name.endswith(".md"):
        logging.disable(logging.NOTSET)
        assert spm_lite.evaluate(TOK, files=name, column="text").texts == len(SHOWN)
        return
    with pytest.raises(spm_lite.FileError, match="does not begin as JSON lines or a JSON array do, and column='text'"):
        spm_lite.evaluate(TOK, files=name, column="text")


@pytest.mark.parametrize(
    ("reading", "message"),
    [
        ({"input_format": "xml"}, "input_format='xml': must be one of 'auto'"),
        ({"column": "a", "input_format": "text"}, "contradict each other"),
        ({"column": ["a", "a"]}, "names a column twice"),
        ({"delimiter": "ab"}, "must be one character"),
        ({"encoding": "utf-9"}, "there is no such encoding"),
        ({"encoding": "rot13"}, "there is no such encoding"),
        ({"newline": "cr"}, "newline='cr'"),
        ({"on_error": "ignore"}, "on_error='ignore'"),
        ({"delimiter": ";", "separator": ""}, "separator is empty"),
        ({"max_unpacked": 0}, "max_unpacked=0: must be at least 1 byte"),
        ({"max_unpacked": "much"}, "max_unpacked='much': must be bytes, or a text such as '512MB'"),
    ],
)
def test_wrong_options(reading, message, tmp_path):
    for call in (
        lambda: spm_lite.train("lf.txt", **reading, **OPTIONS),
        lambda: spm_lite.CountTable.count("lf.txt", **reading),
        lambda: spm_lite.sweep("lf.txt", [270], **reading),
        lambda: spm_lite.evaluate(TOK, "lf.txt", **reading),
        lambda: spm_lite.audit(TOK, "lf.txt", **reading),
        lambda: TOK.encode_files("lf.txt", tmp_path / "x", **reading),
        lambda: plan("lf.txt", tmp_path / "out", TOK, **reading),
    ):
        with pytest.raises(spm_lite.OptionError, match=message):
            call()
    with pytest.raises(TypeError, match="unexpected keyword argument 'colum'"):
        spm_lite.evaluate(TOK, "lf.txt", colum="a")


NOTES = {
    "fasta": (b">sp|P1|X\nACGTACGTACGTACGTACGT\nACGT\n" * 9, "looks like FASTA"),
    "warc": (b"WARC/1.0\r\nWARC-Type: conversion\r\n\r\ntext\r\n" * 9, "looks like WARC or WET data"),
    "conllu": (b"# text = a\n1\ta\ta\tDET\tDT\t_\t2\tdet\t_\t_\n\n" * 9, "looks like CoNLL-U"),
    "srt": (b"1\n00:00:01,000 --> 00:00:02,000\nWords\n\n" * 9, "looks like subtitles"),
    "po": (b'# comment\nmsgid "a"\nmsgstr "b"\n\n' * 9, "looks like a PO file"),
    "html": (b"<!DOCTYPE html><html><p>a</html>\n" * 9, "looks like HTML or XML"),
    "xml": (b"<?xml version='1.0'?><a>b</a>\n" * 9, "looks like HTML or XML"),
    "notebook": (json.dumps({"cells": [{"cell_type": "code"}], "nbformat": 4}, indent=1).encode(), "a notebook"),
    "cp1252": ("na\u00efve caf\u00e9 \u00e0 c\u00f4t\u00e9\n".encode("cp1252") * 30, "encoding='cp1252'"),
    "cr": (b"one\rtwo\rthree\r" * 9, "has CR, but no LF"),
    "lines": (json_lines(rows_of(SHOWN)), "input_format='jsonl', column='text'"),
    "semicolons": (b"a;b;c\n" * 3 + b"d;e;f\n" * 9, "input_format='csv', delimiter=';'"),
}


@pytest.mark.parametrize("kind", NOTES)
def test_notes_on_what_is_not_plain_text(kind, tmp_path, caplog, capfd):
    """Each caller says it."""
    logging.disable(logging.NOTSET)
    data, note = NOTES[kind]
    path = tmp_path / "input"
    path.write_bytes(data)
    for call in (
        lambda: spm_lite.train(files=path, **OPTIONS),
        lambda: spm_lite.CountTable.count(files=path),
        lambda: spm_lite.sweep(files=path, sizes=[262], model_type="byte_bpe", hard_vocab_limit=False),
        lambda: spm_lite.evaluate(TOK, files=path),
        lambda: spm_lite.audit(TOK, files=str(path), orders=()),
        lambda: TOK.encode_files(path, tmp_path / "ids"),
    ):
        caplog.clear()
        call()
        assert sum(note in record.getMessage() for record in caplog.records) == 1
    for command in ("count -m bytes.model", "compare bytes.model bytes.model", "encode -m bytes.model"):
        assert main([*command.split(), str(path)]) == 0
        assert capfd.readouterr().err.count("looks like" if "looks" in note else str(path)) >= 1


def test_the_remedies_work(tmp_path):
    path = tmp_path / "input"
    path.write_bytes(NOTES["cp1252"][0])
    assert spm_lite.evaluate(TOK, files=path, encoding="cp1252").characters == 30 * 17
    path.write_bytes(NOTES["lines"][0])
    assert spm_lite.evaluate(TOK, files=path, input_format="jsonl", column="text").texts == len(SHOWN)
    path = tmp_path / "a.csv"
    path.write_bytes(as_csv(";"))
    with pytest.raises(spm_lite.OptionError, match="pass delimiter=';'"):
        spm_lite.evaluate(TOK, files=path)
    path.write_bytes("".join(f"{i},café à côté\n" for i in range(99)).encode("cp1252"))
    with pytest.raises(spm_lite.FileError, match=r"byte \d+ is not utf-16"):
        spm_lite.evaluate(TOK, files=path, encoding="utf-16")


def read(path, **options):
    """The texts of a file, by `encode_files` of the tokenizer of bytes."""
    TOK.encode_files(path, "read.npy", **options)
    ids, ends = np.load("read.npy").tolist(), np.load("read.offsets.npy").tolist()
    return [TOK.decode(ids[begin:end]) for begin, end in itertools.pairwise(ends)]


def test_what_follows_an_array_is_not_lost(tmp_path):
    path = tmp_path / "a.json"
    for more in ('\n[{"text": "b"}]', " x", "]"):
        path.write_text('[{"text": "a"}]' + more, encoding="utf-8")
        with pytest.raises(spm_lite.FileError, match="follows the array of JSON, after item 1"):
            read(path, column="text")
    path.write_text('[{"text": "a"}, {"text": 1}, {"text": "b"}, ', encoding="utf-8")
    assert read(path, column="text", on_error="skip") == ["a", "b"]


def test_several_columns_are_no_empty_name(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(json_lines([{"": "X", "a": "1", "b": "2"}]))
    assert read(path, column=["a", "b"]) == ["1", "2"]


def test_old_line_ends_of_tables(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"text,id\rhello,1\rworld,2\r")
    assert read(path) == ["hello", "world"]


@pytest.mark.parametrize("size", [1, 7, 50])
@pytest.mark.parametrize(
    ("data", "reading"),
    [
        ("".join(f'{{"text": "{chr(0x6C34) * i}"}}\n' for i in range(9)).encode("utf-16"), {"input_format": "jsonl"}),
        ("abc\n\ufeffdef\n\ufeffghi\n".encode(), {"newline": "auto"}),
        (b"abc\n%PDF-1.4\n\xff\xfe\nPK\x03\x04aa\n\x1f\x8b\n", {}),
        (b"a\nb\n\n\0paragraph\n\nc\n" * 9, {"paragraphs": True}),
        ("\u6c34\u571f\n\u6728\n".encode("utf-16"), {"newline": "auto"}),
    ],
    ids=["wide records", "marks", "signatures", "paragraphs", "wide text"],
)
def test_a_slice_begins_no_file(data, reading, size, tmp_path):
    (tmp_path / "a").write_bytes(data)
    TOK.encode_files(tmp_path / "a", tmp_path / "whole.npy", **reading)
    made = plan(tmp_path / "a", tmp_path / "out", TOK, format="npy", shard_size=size, **reading)
    for number in range(len(made)):
        made.run_task(number)
    made.finish()
    spm_lite.engines.shards.merge(tmp_path / "out", tmp_path / "merged.npy")
    for name in (".npy", ".offsets.npy"):
        assert (tmp_path / f"merged{name}").read_bytes() == (tmp_path / f"whole{name}").read_bytes()


def test_a_checkpoint_knows_its_column(tmp_path):
    folder, options = tmp_path / "state", {**OPTIONS, "checkpoint": tmp_path / "state", "keep_checkpoint": True}
    spm_lite.train("lines.json", **options)
    assert folder.exists()
    with pytest.raises(spm_lite.OptionError, match="another training"):
        spm_lite.train("lines.json", column="text", **options)


@pytest.mark.parametrize("name", ["a.txt.gz", "a.parquet", "a.feather"])
def test_no_caller_unpacks_more_than_is_allowed(name, folder, capsysbinary, tmp_path):
    if not (folder / name).exists():
        pytest.skip("its package is missing")
    reading = {"max_unpacked": "40"}
    for call in (
        lambda: spm_lite.train(name, **reading, **OPTIONS),
        lambda: spm_lite.CountTable.count(name, **reading),
        lambda: spm_lite.sweep(name, [270], **reading),
        lambda: spm_lite.evaluate(TOK, name, **reading),
        lambda: spm_lite.audit(TOK, name, **reading),
        lambda: TOK.encode_files(name, tmp_path / "x", **reading),
        lambda: plan(name, tmp_path / name, TOK, **reading).run_task(0),
    ):
        with pytest.raises(spm_lite.FileError, match="unpack to more than 40, and max_unpacked=40 is the most"):
            call()
    assert main(["count", "-m", "bytes.model", name, "--max-unpacked", "40"]) == 1
    assert b"--max-unpacked 40 is the most" in capsysbinary.readouterr().err


def test_texts_that_must_match_are_not_skipped():
    for more in ({"parallel": {"en": "lf.txt", "de": "lf.txt"}}, {"texts": "lf.txt", "document": "blank-line"}):
        with pytest.raises(spm_lite.OptionError, match="no longer match"):
            spm_lite.audit(TOK, on_error="skip", orders=(), **more)
