"""Count tables as Arrow streams: rows in any order, as often as one likes, with a memory limit and without."""

import gc
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm_lite import ArgumentTypeError, CountTable, ModelError, OptionError, TrainingError, train
from spm_lite.training import counting

pa = pytest.importorskip("pyarrow", minversion="16")

TEXTS = ["the cat sat on the mat", "a  cat, 12 mats.", "日本語のテキスト、日本語", "tab\tand\nline <s>", "▁ \x00"] * 3
SCHEMA = pa.schema([("text", pa.binary()), ("count", pa.int64())])
FAMILIES = ["bpe", "unigram", "word", "char", "byte_bpe", "wordpiece"]


def rows(*items: tuple[Any, Any]) -> Any:
    texts, counts = zip(*items, strict=True) if items else ((), ())
    return pa.table({"text": pa.array(texts, pa.binary()), "count": pa.array(counts, pa.int64())})


@pytest.mark.parametrize("model_type", FAMILIES)
def test_there_and_back(model_type: str) -> None:
    table = CountTable.count(TEXTS, model_type=model_type)
    reader = table.to_arrow()
    assert reader.schema.equals(SCHEMA)
    assert set(reader.schema.metadata) == {b"spm_lite.rules"}
    arrow = reader.read_all()
    arrow.validate(full=True)
    assert list(zip(arrow["text"].to_pylist(), arrow["count"].to_pylist(), strict=True)) == table.chunks.items()
    plain = arrow.replace_schema_metadata(None)
    for same in (table, arrow, arrow.to_reader(), arrow.to_batches(), iter(arrow.to_batches(3)), table.to_arrow()):
        assert CountTable.from_arrow(same) == table  # by the rules in the metadata
    assert CountTable.from_arrow(plain, model_type=model_type) == table
    assert CountTable.from_arrow(arrow, model_type=model_type) == table


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.sampled_from(["▁a", "▁b", "c", "▁日"]), st.integers(1, 9)), max_size=30), st.integers(1, 7)
)
def test_rows_in_any_order_and_number(items: list[tuple[str, int]], size: int) -> None:
    pieces = [rows(*[(text.encode(), count) for text, count in items[i : i + size]]) for i in range(0, 30, size)]
    table = CountTable.from_arrow(pieces)
    expected = {text: sum(count for other, count in items if other == text) for text, _ in items}
    assert dict(table) == expected
    assert CountTable.from_arrow(reversed(pieces)) == table


@pytest.mark.parametrize(
    ("text_type", "count_type"),
    [
        (pa.string(), pa.int64()),
        (pa.large_string(), pa.int32()),
        (pa.binary_view(), pa.uint32()),
        (pa.string_view(), pa.uint64()),
    ],
)
def test_types_of_other_libraries(text_type: Any, count_type: Any) -> None:
    table = pa.table(
        {"n": [1, 2], "count": pa.array([3, 4], count_type), "text": pa.array(["▁a", "▁longerthantwelve"], text_type)}
    )
    assert list(CountTable.from_arrow(table)) == [("▁longerthantwelve", 4), ("▁a", 3)]
    assert list(CountTable.from_arrow(table[1:])) == [("▁longerthantwelve", 4)]
    structs = table.to_struct_array().chunk(0)[1:]
    assert list(CountTable.from_arrow(structs)) == [("▁longerthantwelve", 4)]


def test_polars_and_duckdb() -> None:
    polars = pytest.importorskip("polars")
    table = CountTable.count(TEXTS)
    assert CountTable.from_arrow(polars.DataFrame(table)) == CountTable.from_arrow(table)
    duckdb = pytest.importorskip("duckdb")
    twice = pa.concat_tables([table.to_arrow().read_all()] * 2)  # noqa: F841  (named in the query)
    query = duckdb.sql("SELECT text, sum(count)::BIGINT AS count FROM twice GROUP BY text")
    assert CountTable.from_arrow(query) == table + table


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (rows((b"a", 0)), "row 0: b'a' has a count that is null or not 1..2"),
        (rows((b"a", 2), (b"a", -3)), "row 1: b'a' has a count"),
        (rows((b"a", None)), "row 0: .* a count that is null"),
        (rows((b"a b", 1)), "row 0: b'a b' is not a chunk .* a space"),
        (rows((b"", 1)), "row 0: b'' is not a chunk .* has 0 bytes"),
        (rows((b"\xe3", 1)), "the byte 0xE3, which is no UTF-8"),
        (
            [rows((b"a", 1)), rows(("a▁".encode(), 1))],
            "row 1: .* is not a chunk under these options, since text is cut",
        ),
        (pa.table({"text": ["a"], "count": pa.array([None])}), "row 0: b'a' has a count"),
    ],
)
def test_wrong_rows(wrong: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        CountTable.from_arrow(wrong)


def test_a_null_is_named() -> None:
    with pytest.raises(ValueError, match="text 2 of the batch is null"):
        CountTable.from_arrow([rows((b"a", 1), (b"c", 1)), rows((None, 1))])


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (pa.array(["a"]), "is one column: pass a table"),
        (pa.table({"text": ["a"], "n": [1]}), "no column of counts"),
        (pa.table({"word": ["a"], "count": [1]}), "no such column; it has 'word', 'count'"),
        (pa.table({"text": ["a"], "count": [1.0]}), "counts of the Arrow format 'g'"),
        ([3], "item 0 is int in a series of Arrow tables"),
        ("a.parquet", "the source is str"),
        (7, "the source is int"),
    ],
)
def test_other_sources(source: Any, message: str) -> None:
    with pytest.raises((ArgumentTypeError, OptionError), match=message):
        CountTable.from_arrow(source)


def test_sums_beyond_the_limit() -> None:
    most = 2**63 - 1
    assert list(CountTable.from_arrow(rows((b"a", most)))) == [("a", most)]
    with pytest.raises(TrainingError, match=r"2\^63 - 1 is the limit"):
        CountTable.from_arrow(rows((b"a", most), (b"a", 1)))


def test_rules_must_agree() -> None:
    one, other = CountTable.count(TEXTS), CountTable.count(TEXTS, split_digits=True)
    with pytest.raises(OptionError, match=r"this count has split_digits=False, the Arrow table of counts has .*True"):
        CountTable.from_arrow([one, other])
    with pytest.raises(OptionError, match="this count has split_digits=True"):
        CountTable.from_arrow(one, split_digits=True)
    assert (
        CountTable.from_arrow(one.to_arrow().read_all().replace_schema_metadata(None)).rules == CountTable.rules_for()
    )
    damaged = one.to_arrow().read_all().replace_schema_metadata({"spm_lite.rules": json.dumps({"cut": 3})})
    with pytest.raises(ModelError, match=r"other spm_lite\.rules in its metadata"):
        CountTable.from_arrow(damaged)


def test_empty() -> None:
    empty = CountTable.from_arrow([])
    assert len(empty) == 0
    assert empty == CountTable.count([""]) == CountTable.from_arrow(empty)


def word(number: int) -> bytes:
    """A chunk for each number."""
    return "▁".encode() + bytes(ord("a") + int(digit) for digit in str(number))


def random_rows(seed: int, n: int) -> Iterator[Any]:
    draw = random.Random(seed)
    for _ in range(n):
        items = [(word(int(draw.paretovariate(0.3)) % 10**9), draw.randrange(1, 4)) for _ in range(2000)]
        yield rows(*items)


@pytest.mark.slow
@pytest.mark.parametrize("table_bytes", [1, 200_000])
def test_a_memory_limit_leaves_out_the_rarest_of_all(table_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However the rows come, what is left out is what `train(memory_limit=)` leaves out."""
    parts = list(random_rows(1, 20))
    whole = CountTable.from_arrow(parts)
    monkeypatch.setattr(counting, "counting_share", lambda limit: table_bytes)
    exact = CountTable.from_arrow(parts, memory_limit="64MB")
    assert exact == whole
    assert exact.is_exact
    budget = counting.table_budget(50_000_000)
    monkeypatch.setattr(counting, "table_budget", lambda *_: budget_of(len(whole) // 3))
    cut = CountTable.from_arrow(parts, memory_limit="64MB")
    joined = pa.concat_tables(parts[::-1]).combine_chunks()
    assert CountTable.from_arrow(joined, memory_limit="64MB") == cut
    assert not cut.is_exact
    assert cut.chunks.equals(whole.chunks.fitting(budget_of(len(whole) // 3)))
    assert budget.available > 0
    assert CountTable.from_arrow(cut.to_arrow()) == cut  # what was left out travels in the metadata
    assert CountTable.from_arrow(list(cut.to_arrow())) == cut


def budget_of(n_chunks: int) -> Any:
    from spm_lite.training.counts.chunk_budget import Budget

    return Budget(float(n_chunks), 1.0, 0.0)


@pytest.mark.slow
def test_large_tables_come_in_blocks() -> None:
    text = b"x" * (9 << 20)
    items = [(word(i), 1) for i in range(70_000)] + [(word(i) + text, 2) for i in range(3)]
    table = CountTable.from_arrow(rows(*items))
    batches = list(table.to_arrow())
    assert [batch.num_rows for batch in batches] == [1, 1, 65536, 70_001 - 65536]
    assert CountTable.from_arrow(batches) == table


def test_arrays_outlive_the_table() -> None:
    reader = CountTable.count(TEXTS).to_arrow()
    expected = CountTable.count(TEXTS).chunks.items()
    batch = next(iter(reader))
    del reader
    texts, counts = batch.columns
    del batch
    gc.collect()
    assert list(zip(texts.to_pylist(), counts.to_pylist(), strict=True)) == expected


def test_parquet_keeps_the_rules(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    table = CountTable.count(TEXTS, model_type="bpe", split_digits=True)
    table.save_parquet(tmp_path / "a.parquet")
    assert CountTable.load_parquet(tmp_path / "a.parquet") == table
    assert CountTable.load_parquet(tmp_path / "a.parquet", memory_limit="64MB") == table
    with pytest.raises(OptionError, match=r"this count has split_digits=False, the Parquet file '.*' has"):
        CountTable.load_parquet(tmp_path / "a.parquet", model_type="bpe")
    scanned = pytest.importorskip("pyarrow.dataset").dataset(tmp_path, format="parquet").scanner().to_reader()
    assert CountTable.from_arrow(scanned, model_type="bpe", split_digits=True) == table
    parquet.write_table(pa.table({"text": ["a"]}), tmp_path / "b.parquet")
    with pytest.raises(ModelError, match="it has no count"):
        CountTable.load_parquet(tmp_path / "b.parquet")
    (tmp_path / "c.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(ModelError, match="its format is not Parquet"):
        CountTable.load_parquet(tmp_path / "c.parquet")


def test_the_model_is_that_of_the_text() -> None:
    options = {"vocab_size": 330, "hard_vocab_limit": False}
    parts = [CountTable.count(TEXTS[i::4]) for i in range(4)]
    merged = CountTable.from_arrow(part.to_arrow() for part in parts)
    assert train(merged, **options).to_bytes() == train(TEXTS, **options).to_bytes()


def test_an_interrupt_within_a_parquet_file_stays_one(tmp_path, monkeypatch):
    CountTable.count(["a b"]).save_parquet(tmp_path / "a.parquet")

    def interrupted(file, columns):
        raise KeyboardInterrupt
        yield

    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(parquet.ParquetFile, "iter_batches", interrupted)
    with pytest.raises(KeyboardInterrupt):
        CountTable.load_parquet(tmp_path / "a.parquet")
