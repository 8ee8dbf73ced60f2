"""Texts in batches and in rows, and keywords that say whether an input is files or texts."""

import json

import pytest

import spm_lite
from spm_lite.errors import ArgumentTypeError, MissingFileError, OptionError, SpmLiteError

TEXTS = [f"the cat {i} sat on the mat \u65e5\u672c{i % 7}" for i in range(90)]
OPTIONS = {"vocab_size": 300, "hard_vocab_limit": False}
BATCHES = [TEXTS[begin : begin + 7] for begin in range(0, len(TEXTS), 7)]
ROWS = [{"id": i, "text": text} for i, text in enumerate(TEXTS)]


@pytest.fixture(scope="module")
def expected():
    return spm_lite.train(TEXTS, **OPTIONS).to_bytes()


@pytest.mark.parametrize(
    "shaped",
    [
        BATCHES,
        tuple(map(tuple, BATCHES)),
        [[text.encode() for text in batch] for batch in BATCHES],
        ROWS,
        [{"id": [1], "text": batch} for batch in BATCHES],
    ],
    ids=["lists", "tuples", "bytes", "rows", "columns"],
)
def test_the_same_model_of_every_shape(shaped, expected, tmp_path):
    assert spm_lite.train(shaped, **OPTIONS).to_bytes() == expected
    assert spm_lite.train(iter(shaped), **OPTIONS).to_bytes() == expected
    assert spm_lite.CountTable.count(shaped) == spm_lite.CountTable.count(TEXTS)
    tok = spm_lite.train(shaped, **OPTIONS, checkpoint=tmp_path / "state", keep_checkpoint=True)
    assert tok.to_bytes() == expected
    assert spm_lite.evaluate(tok, iter(shaped)) == spm_lite.evaluate(tok, TEXTS)
    with pytest.raises(OptionError, match="another training"):  # the texts are part of what it knows
        spm_lite.train(shaped[:-1], **OPTIONS, checkpoint=tmp_path / "state")


def test_a_row_has_the_texts_under_any_name(expected):
    rows = [{"id": row["id"], "body": row["text"]} for row in ROWS]
    assert spm_lite.train(rows, column="body", **OPTIONS).to_bytes() == expected
    with pytest.raises(OptionError, match=r"item 0 has no field 'text': it has 'id', 'body'. Name it with column='"):
        spm_lite.train(rows, **OPTIONS)
    with pytest.raises(OptionError, match=r"item 90 has no field 'text': it has 'x'"):
        spm_lite.train([*ROWS, {"x": "a"}], **OPTIONS)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([["a", ["b"]]], "text 1 is list: texts are str"),
        ([{"text": None}], "item 0: 'text' is null"),
        (["a", ["b"]], "text 1 is list"),
        ([["a"], 5], "text 1 is int"),
    ],
)
def test_wrong_shapes(texts, message):
    with pytest.raises(ArgumentTypeError, match=message):
        spm_lite.CountTable.count(texts)
    with pytest.raises(ArgumentTypeError, match=r"text 0 is (list|dict)"):  # no column, so no rows and batches
        spm_lite.CountTable.count(texts[-1:] if isinstance(texts[0], str) else texts[:1], input_format="tsv")


def test_keywords_that_cannot_be_confused(expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("\n".join(TEXTS), encoding="utf-8")
    (tmp_path / "b.jsonl").write_text(json.dumps(ROWS[0]), encoding="utf-8")
    for files in ("a.txt", ["a.txt"], tmp_path / "a.txt", iter(["a.txt"]), "a*", tmp_path / "a*"):
        assert spm_lite.train(files=files, **OPTIONS).to_bytes() == expected
    assert spm_lite.train(files=".", **OPTIONS).report.files == ("a.txt", "b.jsonl")
    assert spm_lite.train(texts=TEXTS, **OPTIONS).to_bytes() == expected
    of_names = spm_lite.train(texts=["a.txt", "b.jsonl"], **OPTIONS)  # files of these names are there
    assert of_names.report.files == ()
    assert of_names.report.bytes_read == 12


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"files": "a.txt", "texts": ["a"]}, OptionError, "files and texts both name text: give one of them"),
        ({"input": ["a"], "texts": ["a"]}, OptionError, "input and texts both"),
        ({"files": "no.txt"}, MissingFileError, "no file 'no.txt' to read"),
        ({"files": ["a text"]}, MissingFileError, "no file 'a text' to read"),
        ({"files": []}, OptionError, "files is empty"),
        ({"files": [5]}, ArgumentTypeError, "item 0 of files is int"),
        ({"texts": "a text"}, ArgumentTypeError, r"texts is str: pass a list of texts"),
        ({"texts": 5}, ArgumentTypeError, "texts is int"),
        (
            {"texts": spm_lite.CountTable.count(["a"])},
            ArgumentTypeError,
            "texts is a count table, or a list of them: pass",
        ),
        ({"files": [spm_lite.CountTable.count(["a"])]}, ArgumentTypeError, "files is a count table, or a list"),
        ({}, OptionError, "nothing to learn from"),
    ],
)
def test_wrong_keywords(given, error, message):
    with pytest.raises(error, match=message) as raised:
        spm_lite.train(**given, **OPTIONS)
    assert isinstance(raised.value, SpmLiteError)
