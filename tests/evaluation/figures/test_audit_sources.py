"""Names of sources, and the documents that texts belong to."""

import numpy as np
import pytest

from spm_lite import ArgumentTypeError, OptionError
from spm_lite.evaluation.figures.audit_sources import TextSource, name_of, named_texts, objects_by_name
from spm_lite.evaluation.figures.measure import measure


def documents_of(texts, document, subject):
    measured = measure(TextSource("x", texts, document), [subject("llama2")], 1, 0)
    return None if measured.documents is None else measured.documents.tolist(), measured.n_documents


def test_documents(subject, tmp_path):
    assert documents_of(["a", "b"], None, subject) == (None, 2)
    assert documents_of(["ab", "ac", "b", "ad"], lambda text: text[0], subject) == ([0, 0, 1, 0], 2)
    assert documents_of(["a", "", "b"], ["k", "k", "m"], subject) == ([0, 1], 2)
    path = tmp_path / "x.txt"
    path.write_bytes(b"one\ntwo\n\n\r\nthree\n\nfour")
    assert documents_of(path, "blank-line", subject) == ([0, 0, 1, 2], 3)  # CR LF is a line end
    other = tmp_path / "y.txt"
    other.write_bytes(b"five\n")
    assert documents_of([str(path), str(other)], "file", subject) == ([0, 0, 0, 0, 1], 2)


def test_document_column(subject, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"text": "a", "id": "1"}\n{"text": "b", "id": "1"}\n{"text": "c", "id": "2"}\n')
    assert documents_of(path, "id", subject) == ([0, 0, 1], 2)
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"text": ["a", "b", "c"], "id": ["x", "y", "x"]})
    assert documents_of(table, "id", subject) == ([0, 1, 0], 2)


@pytest.mark.parametrize("document", ["line", 5, ["a"], ["a", "b", "c"], lambda text: [text]])
def test_wrong_documents(document, subject):
    with pytest.raises((OptionError, ArgumentTypeError), match="document"):
        documents_of(["a", "b"], document, subject)


def test_document_sums(subject):
    measured = measure(TextSource("x", ["a", "b", "c"], [1, 2, 1]), [subject("llama2")], 1, 0)
    assert measured.document_sums(np.array([1, 10, 100])).tolist() == [101, 10]


def test_names(tmp_path):
    assert [name_of(p) for p in ("a/de.txt", "x.tar.gz", "m/gpt2/tokenizer.json", "noend", "a.b.model")] == [
        "de", "x", "gpt2", "noend", "a.b"
    ]  # fmt: skip
    assert list(objects_by_name(["a.model", "b.model"], "tokenizer", lambda _: False, "tokenizer")) == ["a", "b"]
    found = objects_by_name(["a.model", object()], "tokenizer", lambda _: False, "tokenizer")
    assert list(found) == ["a", "tokenizer 2"]
    with pytest.raises(OptionError, match="two of the tokenizers are named 'a'"):
        objects_by_name(["x/a.model", "y/a.model"], "tokenizer", lambda _: False, "tokenizer")
    with pytest.raises(ArgumentTypeError, match="has no name"):
        objects_by_name({"": 1}, "text", lambda _: True, "text")
    (tmp_path / "de.txt").write_text("x")
    (tmp_path / "en.txt").write_text("x")
    paths = [tmp_path / "de.txt", str(tmp_path / "en.txt")]
    assert [source.name for source in named_texts(paths, False, None)] == ["de", "en"]
    assert [source.name for source in named_texts(["x", "y"], False, None)] == ["text"]
    with pytest.raises(OptionError, match="document names the text 'fr'"):
        named_texts({"de": ["x"]}, False, {"fr": "file"})
