"""Bad records: an error that names file and line, or left out and counted, however they come."""

import gzip
import json

import pytest

import spm_lite
from spm_lite import CountTable
from spm_lite.errors import FileError, OptionError

GOOD = ["the mill turns", "the wheel"] * 20


def lines(*more):
    rows = [json.dumps({"text": text}) for text in GOOD]
    return "\n".join([*rows[:3], *more, *rows[3:]]) + "\n"


def parquet(path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"text": [*GOOD[:3], None, None, *GOOD[3:]]}), path)


def write(path):
    """A file of the wanted kind, with two bad records after the third good one."""
    kinds = {
        "a.jsonl": lines('{"text": "cut', '{"other": 1}'),
        "b.jsonl": lines('{"text": null}', "[3]"),
        "c.jsonl": lines('{"text": 7}', '{"text": "\\ud800"}'),
        "d.csv": "n,text\n" + "".join(f"1,{text}\n" for text in [*GOOD[:3], "x,y", "y,z", *GOOD[3:]]),
    }
    if path.name.endswith(".parquet"):
        parquet(path)
    else:
        path.write_text(kinds[path.name], encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["a.jsonl", "b.jsonl", "c.jsonl", "d.csv", "e.parquet"])
def test_left_out_and_counted(tmp_path, name):
    path = write(tmp_path / name)
    for call in (CountTable.count, lambda path: spm_lite.train(path, vocab_size=300)):
        with pytest.raises((FileError, OptionError), match=f"{name}', (line|row) [45]"):
            call(path)
    assert CountTable.count(path, on_error="skip") == CountTable.count(GOOD)
    tok = spm_lite.train(path, on_error="skip", vocab_size=290, model_type="bpe", hard_vocab_limit=False)
    assert tok.report.records_skipped == 2
    assert "2 bad records" in str(tok.report)
    assert "the first" in tok.report.notes[-1]
    assert spm_lite.evaluate(tok, path, on_error="skip").texts == len(GOOD)
    done = tok.encode_files(path, tmp_path / "ids.npy", on_error="skip")
    assert done.documents == len(GOOD)


@pytest.mark.parametrize("name", ["a.txt.gz", "a.jsonl.gz"])
def test_what_stands_before_the_damage_is_read(tmp_path, name):
    texts = [f"text {i}" for i in range(50_000)]
    rows = texts if name.startswith("a.txt") else [json.dumps({"text": text}) for text in texts]
    data = gzip.compress("\n".join(rows).encode())
    (tmp_path / name).write_bytes(data[: len(data) // 2])
    with pytest.raises(FileError, match="cut off"):
        CountTable.count(tmp_path / name)
    counts = CountTable.count(tmp_path / name, on_error="skip")
    n_read = counts.total // 2
    assert 0 < n_read < len(texts)
    assert CountTable.count(texts[: n_read - 1]).total == 2 * (n_read - 1)


def test_other_values():
    with pytest.raises(OptionError, match="must be one of 'raise'"):
        spm_lite.train(GOOD, on_error="ignore", vocab_size=290)
