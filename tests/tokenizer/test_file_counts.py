"""Tokens of files: equal to those of their lines, one by one; the command shows the same."""

import json
import pickle
from pathlib import Path

import pytest

import spm_lite
from spm_lite.cli.main import main
from spm_lite.tokenizer.file_counts import FileCount

HARD = [
    "",
    " ",
    "a\u00a0b",
    "\u2581x",
    "e\u0301",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "世界",
    "ที่นี่",
    "\0",
    "the cat sat",
]


@pytest.fixture(scope="module")
def tok():
    return spm_lite.train(["the cat sat on the mat"] * 9, vocab_size=280, hard_vocab_limit=False)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Lines of two files by name."""
    monkeypatch.chdir(tmp_path)
    lines = {"a.txt": [*HARD, "last"], "b.txt": ["the mat", ""]}
    for name, texts in lines.items():
        (tmp_path / name).write_text("\n".join(texts) + "\n", encoding="utf-8", newline="\n")
    (tmp_path / "bad.txt").write_bytes(b"\xff\xfe1\r\n")
    return lines


def naive(tok, lines):
    """The counts of a file's lines, encoded one by one."""
    return FileCount(
        sum(len(tok.encode(line)) for line in lines), len(lines), sum(len(line.encode()) for line in lines)
    )


@pytest.mark.parametrize("num_threads", [1, 3])
def test_equal_to_the_lines_one_by_one(tok, files, num_threads):
    found = tok.count_files([*files], num_threads=num_threads)
    assert found.files == {name: naive(tok, lines) for name, lines in files.items()}
    assert found.total == naive(tok, [line for lines in files.values() for line in lines])
    assert str(found).splitlines()[-1] == f"{found.total.tokens}\ttotal"
    assert pickle.loads(pickle.dumps(found)) == found


def test_records_and_progress(tok, files):
    with Path("x.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps({"body": text}) + "\n" for text in HARD)
    seen = []
    found = tok.count_files("x.jsonl", column="body", progress=seen.append)
    assert found.total == naive(tok, HARD) and str(found) == f"{found.total.tokens}\tx.jsonl"
    assert seen[-1].phase == "count"
    assert tok.count_files("a.txt", separator=None).total.documents == 1
    with pytest.raises(spm_lite.OptionError, match="no field 'text'"):
        tok.count_files("x.jsonl")
    with pytest.raises(TypeError, match=r"'n_threads' \(did you mean num_threads\?\)"):
        tok.count_files("x.jsonl", n_threads=2)
    with pytest.raises(spm_lite.MissingFileError, match=r"did you mean a\.txt\?"):
        tok.count_files("a.txtt")


def test_the_command_shows_the_same(tok, files, capfd):
    tok.save("m.model")
    found = tok.count_files(["a.txt", "b.txt"])
    assert main(["count", "m.model", "a.txt", "b.txt", "-q"]) == 0
    assert capfd.readouterr().out == f"{found}\n"
    assert main(["count", "a.txt", "b.txt", "-m", "m.model", "--header"]) == 0
    header, *rows = (line.split("\t") for line in capfd.readouterr().out.splitlines())
    assert header == ["file", "tokens", "bytes/token", "documents", "bytes"]
    assert [(name, int(tokens), int(documents)) for name, tokens, _, documents, _ in rows] == [
        (name, one.tokens, one.documents) for name, one in found.rows()
    ]
