"""Arguments that can be iterated over by accident are refused, with the right call in the message."""

import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spm_lite
from spm_lite import ArgumentTypeError, Tokenizer, arguments

TEXTS = ["ab ab abc", "c a"] * 9
TOK = spm_lite.train(TEXTS, vocab_size=265, model_type="bpe")


class Table:
    """A table as pandas, polars and pyarrow have them: iteration gives columns or their names."""

    columns = ("text",)

    def __getitem__(self, name: str) -> list[str]:
        return TEXTS

    def __iter__(self) -> Any:
        return iter(self.columns)


def train(source: Any, **options: Any) -> Tokenizer:
    return spm_lite.train(source, vocab_size=270, model_type="bpe", hard_vocab_limit=False, **options)


OF_TEXTS = {
    "encode_batch": TOK.encode_batch,
    "encode_lists": TOK.encode_lists,
    "count_batch": TOK.count_batch,
    "spans_batch": TOK.spans_batch,
    "roundtrip_report": TOK.roundtrip_report,
    "sample_batch": lambda texts: TOK.sample_batch(texts, alpha=0.5, seed=1),
    "train": train,
    "count": spm_lite.CountTable.count,
    "evaluate": lambda texts: spm_lite.evaluate(TOK, texts),
}
OTHERS = {
    "decode": TOK.decode,
    "decode_bytes": TOK.decode_bytes,
    "decode_batch": TOK.decode_batch,
    "encode_segments": TOK.encode_segments,
    "encode_files": lambda paths: TOK.encode_files(paths, os.devnull),
    "from_lists": spm_lite.Batch.from_lists,
    "control_symbols": lambda names: train(TEXTS, control_symbols=names),
    "user_defined_symbols": lambda names: train(TEXTS, user_defined_symbols=names),
}
MAPPINGS = [{"ab": 1}, Counter(["ab"]), os.environ]
SETS: list[Any] = [{"ab", "c"}, frozenset(["ab"]), set()]


@pytest.mark.parametrize("name", [*OF_TEXTS, *OTHERS])
def test_mappings_sets_and_tables(name: str) -> None:
    call: Any = {**OF_TEXTS, **OTHERS}[name]
    for value in MAPPINGS if name != "train" else MAPPINGS[:2]:
        of_sources = "the source 'ab': the input must be a path, a list of paths, or texts, not int"
        keys = of_sources if name == "train" else "which would give only its keys: pass a"
        with pytest.raises(ArgumentTypeError, match=keys):
            call(value)
    for value in SETS:
        with pytest.raises(ArgumentTypeError, match=r"which has no order: pass sorted\(\.\.\.\) of it, or a"):
            call(value)
    with pytest.raises(ArgumentTypeError, match=r"is a table \(Table\): pass one of its columns"):
        call(Table())


def test_a_query_is_told_without_its_columns() -> None:
    """polars warns if a query that was not run yet has to tell its columns."""

    class Query(Table):
        @property
        def columns(self) -> Any:  # type: ignore[override]
            raise AssertionError

        def collect(self) -> Table:
            return Table()

    with pytest.raises(
        ArgumentTypeError, match=r"texts is a table \(Query\): pass one of its columns after collect\(\)"
    ):
        TOK.encode_batch(Query())


@pytest.mark.parametrize("name", OF_TEXTS)
@pytest.mark.parametrize("value", [b"ab", bytearray(b"ab"), memoryview(b"ab")], ids=["bytes", "bytearray", "view"])
def test_bytes_are_no_list_of_texts(name: str, value: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"is (one )?{type(value).__name__}: (pass|give texts as) a list"):
        OF_TEXTS[name](value)


@pytest.mark.parametrize("name", OF_TEXTS)
def test_batches_are_no_texts(name: str) -> None:
    with pytest.raises(ArgumentTypeError, match="a Batch, which holds ids: pass decode_batch of it"):
        OF_TEXTS[name](TOK.encode_batch(TEXTS))


@pytest.mark.parametrize("name", OF_TEXTS)
def test_arrays_without_a_dimension(name: str) -> None:
    with pytest.raises(spm_lite.SpmLiteError, match=r"cannot be iterated over|0 dimensions"):
        OF_TEXTS[name](np.array("ab"))


@pytest.mark.parametrize("name", OF_TEXTS)
def test_series_of_texts_are_taken(name: str) -> None:
    wanted = repr(OF_TEXTS[name](TEXTS))
    views = dict.fromkeys(range(18)) and dict(enumerate(TEXTS))
    for series in (tuple(TEXTS), iter(TEXTS), views.values(), np.array(TEXTS), (text for text in TEXTS)):
        assert repr(OF_TEXTS[name](series)) == wanted
    OF_TEXTS[name]({"ab": 1, "c": 2}.keys())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: TOK.decode("12"), r"ids is str, not a sequence of integers: pass a list of ids, such as \[12, 7\]"),
        (lambda: TOK.decode(b"12"), "ids is bytes, not a sequence"),
        (
            lambda: TOK.decode_batch("12"),
            r"batch is str: pass a Batch, or a list of lists of ids, such as \[\[12, 7\]\]",
        ),
        (lambda: TOK.decode_batch([1, 2]), "element 0 of the batch is int, .*: pass a list of ids"),
        (lambda: TOK.encode_batch("ab"), r"texts is one str: pass a list of texts, such as \[text\]"),
        (lambda: TOK.encode(["ab"]), "the text is list, not str or bytes: pass one text, or all of them"),
        (
            lambda: TOK.encode("a", allow_special="<s>"),
            r"allow_special is str: pass 'all', or a list of names, such as \['<s>'\]",
        ),
        (lambda: TOK.encode_segments("ab"), r"segments is str: pass a list of Text\(\.\.\.\)"),
        (lambda: train(TEXTS, control_symbols="<s>"), r"control_symbols='<s>': must be .* control_symbols=\['<s>'\]"),
        (lambda: train(TEXTS, user_defined_symbols=b"<s>"), "user_defined_symbols is bytes: pass a list of str"),
        (lambda: TOK.encode_files(b"a", "b"), "paths is bytes: pass a path, or a list of paths"),
    ],
)
def test_the_right_call_is_shown(call: Any, message: str) -> None:
    with pytest.raises(ArgumentTypeError, match=message):
        call()


def test_sets_of_names_have_no_order_to_keep() -> None:
    assert TOK.encode("a<s>", allow_special={"<s>"})[-1] == TOK.bos_id


def test_a_str_is_a_path_to_training(tmp_path: Path) -> None:
    with pytest.raises(spm_lite.MissingFileError, match=r"texts are passed as a list of str: \[text, \.\.\.\]"):
        train("some text")


@pytest.mark.parametrize(
    ("value", "threads"),
    [
        ("1", 1),
        ("2", 2),
        ("3,2", 3),
        (" 2 ", 2),
        ("99", 4),
        ("", 4),
        ("0", 4),
        ("-1", 4),
        ("many", 4),
        ("1e3", 4),
        ("²", 4),
    ],
)
def test_omp_num_threads(value, threads, monkeypatch):
    """Engines give each worker its share of the CPUs by it."""
    monkeypatch.setattr(arguments, "usable_cpus", lambda: 4)
    monkeypatch.setenv("OMP_NUM_THREADS", value)
    assert arguments.default_threads() == arguments.as_num_threads(None) == threads
    assert arguments.as_num_threads(7) == 7
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert arguments.as_num_threads(None) == 4
