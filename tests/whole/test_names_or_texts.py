"""Which inputs are names of files, and which are texts: a guess is the same for every call, and said in a note."""

import glob
from pathlib import Path

import numpy as np
import pytest

import spm_lite
from spm_lite import CountTable
from spm_lite.errors import FileError, OptionError

TEXT = "the mill turns the wheel"
OPTIONS = {"vocab_size": 280, "hard_vocab_limit": False, "num_threads": 1}


def texts_read(call, *arguments, **keywords):
    """The characters that a call has read, as its result shows them."""
    if call == "train":
        return "".join(sorted(spm_lite.train(*arguments, **OPTIONS, **keywords).report.alphabet))
    if call == "count":
        chunks = dict(CountTable.count(*arguments, **keywords))
        return "".join(sorted({character for chunk in chunks for character in chunk}))
    tok = spm_lite.byte_tokenizer()
    quality = spm_lite.evaluate(tok, *arguments, **keywords)
    return quality.bytes


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text(f"{TEXT}\n" * 20, encoding="utf-8")
    return tmp_path


NAMES = {
    "a list": lambda: ["0.txt", "1.txt", "2.txt"],
    "a tuple": lambda: ("0.txt", "1.txt", "2.txt"),
    "glob.glob": lambda: sorted(glob.glob("*.txt")),  # noqa: PTH207  (what people write)
    "glob.iglob": lambda: glob.iglob("*.txt"),  # noqa: PTH207
    "Path.glob": lambda: Path().glob("*.txt"),
    "map of str": lambda: map(str, sorted(Path().glob("*.txt"))),
    "a generator": lambda: (f"{number}.txt" for number in range(3)),
    "keys": lambda: dict.fromkeys(["0.txt", "1.txt", "2.txt"]).keys(),
    "an array": lambda: np.array(["0.txt", "1.txt", "2.txt"]),
    "an array of objects": lambda: np.array(["0.txt", "1.txt", "2.txt"], dtype=object),
}


@pytest.mark.parametrize("call", ["train", "count", "evaluate"])
@pytest.mark.parametrize("make", NAMES.values(), ids=NAMES)
def test_names(folder, caplog, call, make):
    right = texts_read(call, files=["0.txt", "1.txt", "2.txt"])
    assert not caplog.records
    assert texts_read(call, make()) == right
    notes = [record.getMessage() for record in caplog.records]
    is_path = call and isinstance(next(iter(make())), Path)
    assert [("3 files" in note and "files=" in note and "texts=" in note) for note in notes] == [True] * (not is_path)


@pytest.mark.parametrize("call", ["train", "count", "evaluate"])
def test_texts_that_are_names(folder, caplog, call):
    """With `texts=`, no file is opened."""
    names = ["0.txt", "1.txt", "2.txt"] * 30
    for path in folder.iterdir():
        path.unlink()
    (folder / "0.txt").write_text("k" * 500, encoding="utf-8")
    found = texts_read(call, texts=names)
    assert found == 90 * 5 if call == "evaluate" else "k" not in found
    assert not caplog.records


@pytest.mark.parametrize("call", ["train", "count", "evaluate"])
@pytest.mark.parametrize("make", [list, iter])
@pytest.mark.parametrize(
    "items",
    [
        ["0.txt", "a text"],
        ["https://127.0.0.1:9/list.txt", "http://a.example/x"],
        ["https://127.0.0.1:9/list"],
        ["0.txt", 5],
    ],
)
def test_what_may_be_either_is_an_error(folder, call, items, make):
    with pytest.raises((OptionError, FileError, TypeError), match=r"files=\[.*texts=\["):
        texts_read(call, make(items))


@pytest.mark.parametrize("call", ["train", "count", "evaluate"])
def test_a_list_that_begins_with_a_text_and_names_a_file(folder, call):
    with pytest.raises(OptionError, match=r"item 1 is '0.txt', and the first one is a text.*files=\[.*texts=\["):
        texts_read(call, ["a text", "0.txt"])


@pytest.mark.parametrize("call", ["train", "count", "evaluate"])
def test_two_inputs_and_none(call):
    with pytest.raises(OptionError, match="give one of them"):
        texts_read(call, ["a"], texts=["a"])
    with pytest.raises(OptionError, match=r"nothing to learn from|there is no text"):
        texts_read(call)


def test_iterators_of_texts_lose_nothing():
    texts = [f"{TEXT} {number}" for number in range(50)]
    assert CountTable.count(iter(texts)) == CountTable.count(texts) == CountTable.count(np.array(texts))
    assert CountTable.count(iter([])) == CountTable.count([])


def test_files_of_an_audit(folder, caplog):
    tok = spm_lite.byte_tokenizer()
    found = spm_lite.audit({"bytes": tok}, files={"en": ["0.txt", "1.txt"]}, orders=())
    assert str(40 * len(TEXT)) in str(found.to_dict()["texts"])
    assert not caplog.records


def test_iterators_of_names_are_not_read_to_the_end_before_an_error(folder):
    def endless(first, form):
        yield first
        number = 0
        while True:
            yield form.format(number)
            number += 1

    for items in (endless("0.txt", "missing-{}.txt"), endless("https://a.example/1", "https://a.example/{}")):
        with pytest.raises((OptionError, FileError), match=r"files=\[.*texts=\["):
            CountTable.count(items)


def test_texts_that_look_like_addresses_or_missing_files(folder):
    """A text with spaces is no address, and a name of a file that is not there may be a text after others."""
    texts = ["https://example.com is down", "a text", "README.md"]
    assert CountTable.count(texts) == CountTable.count(texts=texts)


def test_arrow_streams_are_read_part_by_part():
    pyarrow = pytest.importorskip("pyarrow")

    def batches():
        yield pyarrow.record_batch({"text": ["0.txt", "b"]})
        raise pyarrow.ArrowInvalid("boom")

    schema = pyarrow.schema([("text", pyarrow.string())])
    with pytest.raises(spm_lite.TextError, match="boom"):
        CountTable.count(pyarrow.RecordBatchReader.from_batches(schema, batches()), column="text")
