"""Columns of texts in record batches, without an engine."""

import pickle
from typing import Any

import pytest
from oracle.engines import texts_of
from oracle.small_models import small_model

from spm_lite import FileError, OptionError, TextError, Tokenizer, TrainingError, evaluate, train
from spm_lite.engines.work import columns, kept_tokenizers
from spm_lite.engines.work.columns import Column, ColumnEncoder, ColumnJudge, add_qualities

pa = pytest.importorskip("pyarrow")
MODEL = small_model(byte_fallback=True)
TOK = Tokenizer.load(MODEL)
TEXTS = texts_of(1, 300)


def encoder(**options: Any) -> ColumnEncoder:
    nulls = options.pop("nulls", "error")
    return pickle.loads(pickle.dumps(ColumnEncoder(MODEL, Column("text", nulls), "ids", False, True)))


@pytest.mark.parametrize("kind", ["string", "large_string", "binary", "large_binary", "string_view", "dictionary"])
@pytest.mark.parametrize("block", [1, 1000, 1 << 24])
def test_a_column_of_each_kind(kind: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "BLOCK_BYTES", block)
    texts = pa.array(TEXTS)
    try:
        texts = texts.dictionary_encode() if kind == "dictionary" else texts.cast(getattr(pa, kind)())
    except pa.ArrowNotImplementedError:
        pytest.skip(f"this pyarrow casts nothing to {kind}")
    table = pa.table({"n": range(300), "text": texts})
    found = encoder().table(table)
    assert found.column_names == ["n", "text", "ids"]
    assert str(found.schema.field("ids").type) == "list<item: int32>"
    assert found.column("ids").to_pylist() == TOK.encode_batch(TEXTS, eos=True).to_lists()
    assert found.column("text").to_pylist() == table.column("text").to_pylist()


@pytest.mark.parametrize("kind", ["string", "large_binary", "string_view", "null", "dictionary"])
def test_nulls(kind: str) -> None:
    texts = pa.array(
        ["a", None] if kind != "null" else [None, None], getattr(pa, kind)() if kind != "dictionary" else None
    )
    table = pa.table({"text": texts.dictionary_encode() if kind == "dictionary" else texts})
    found = encoder(nulls="empty").table(table).column("ids").to_pylist()
    assert found == TOK.encode_batch(["a" if kind != "null" else "", ""], eos=True).to_lists()
    with pytest.raises(FileError, match=f"the table, row {1 if kind == 'null' else 2}: 'text' is null"):
        encoder().table(table)


def test_rows_that_cannot_be_used_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileError, match="'text' holds int64, not texts"):
        encoder().table(pa.table({"text": [1]}))
    with pytest.raises(FileError, match=r"there is no column 'text'; the columns are \['txt'\]"):
        encoder().table(pa.table({"txt": ["a"]}))
    assert encoder().table(pa.table({"text": pa.array([], pa.string())})).num_rows == 0

    def refuse(self: Tokenizer, text: Any, **options: Any) -> Any:
        if text == "bad":
            raise TextError("no")

    monkeypatch.setattr(Tokenizer, "encode_batch", lambda *given, **options: refuse(TOK, "bad"))
    monkeypatch.setattr(Tokenizer, "encode", refuse)
    with pytest.raises(TextError, match="the table, row 3, 'text': no"):
        encoder().table(pa.table({"text": ["a", "b", "bad"]}))


def test_figures_of_parts_add_up() -> None:
    tok = train(TEXTS, vocab_size=300, hard_vocab_limit=False)
    judge = ColumnJudge(tok.to_bytes(), Column("text"))
    batches = pa.table({"text": TEXTS}).to_batches(max_chunksize=70)
    parts = [judge.quality([batch]) for batch in [*batches, batches[0].slice(0, 0)]]
    want = evaluate(tok, TEXTS)
    for order in (parts, parts[::-1]):
        found = add_qualities(order)
        assert found.log_likelihood == pytest.approx(want.log_likelihood, rel=1e-12)
        assert (found.texts, found.tokens, found.characters) == (want.texts, want.tokens, want.characters)
    with pytest.raises(TrainingError, match="no text to evaluate"):
        add_qualities(parts[-1:])


def test_names_and_nulls_are_checked() -> None:
    assert columns.as_column_of(["a"], "a", "empty") == Column("a", "empty")
    for given in (("b", "error"), (3, "error"), ("a", None)):
        with pytest.raises(OptionError):
            columns.as_column_of(["a"], *given)
    for out in ("a", "", 7):
        with pytest.raises(OptionError):
            columns.as_new_column(["a"], out)


def test_tasks_of_a_process_share_a_tokenizer(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an engine sends along is unpickled for each task; the model is loaded once."""
    loaded = []
    real = Tokenizer.load
    monkeypatch.setattr(kept_tokenizers, "_kept", {})
    monkeypatch.setattr(kept_tokenizers.Tokenizer, "load", lambda data: loaded.append(1) or real(data))
    for _ in range(5):
        encoder().table(pa.table({"text": ["a"]}))
    assert loaded == [1]
