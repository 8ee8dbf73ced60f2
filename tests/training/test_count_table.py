"""CountTable: what it counts, that tables add up, and that training on one is training on the text."""

import copy
import pickle
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spm_lite
from spm_lite import ArgumentTypeError, CountTable, FileError, ModelError, OptionError, TextError, TrainingError, train
from spm_lite.training.counts.chunk_budget import Budget

TEXTS = ["the cat sat on the mat", "a  cat, 12 mats.", "日本語のテキスト、日本語", "tab\tand\nline <s>", "▁ \x00"] * 3
MODEL_TYPES = ["bpe", "unigram", "word", "char"]


def small(source: Any, model_type: str = "bpe", **options: Any) -> spm_lite.Tokenizer:
    return train(source, model_type=model_type, vocab_size=330, hard_vocab_limit=False, **options)


def test_what_is_counted() -> None:
    counts = CountTable.count(["ab ab, <s>ab", "▁"])
    assert list(counts) == [("▁", 2), ("▁ab", 2), ("\x1f", 2), (",", 1), ("ab", 1)]
    assert [count for _, count in counts] == sorted((count for _, count in counts), reverse=True)
    assert counts.total == sum(count for _, count in counts)
    assert len(counts) == len(list(counts))
    assert repr(counts) == "<CountTable: 5 chunks of 8>"
    assert (counts.chunks_left_out, counts.bytes_left_out) == (0, 0)


@pytest.mark.slow
@given(st.lists(st.text("ab ,7日\t", max_size=8)), st.lists(st.text("ab ,7日\t", max_size=8)))
def test_tables_add_up(one: list[str], other: list[str]) -> None:
    parts = [CountTable.count(iter(texts)) for texts in (one, other)]
    whole = CountTable.count(iter([*one, *other]))
    assert parts[0] + parts[1] == parts[1] + parts[0] == sum(parts) == whole
    summed: Counter[str] = Counter()
    for part in parts:
        summed.update(dict(part))
    assert dict(whole) == summed
    before = parts[0]
    parts[0] += parts[1]
    assert parts[0] == whole
    assert (before == whole) == (len(parts[1]) == 0)


@pytest.mark.parametrize("model_type", MODEL_TYPES)
def test_same_model_however_counted(model_type: str, tmp_path: Path) -> None:
    """File, iterator, table, saved table, and tables of the parts in any order; on 1, 2 and 7 threads."""
    draw = random.Random(5)
    texts = [draw.choice(TEXTS) + f" {draw.randrange(90)}" for _ in range(3000)]
    texts = [text.replace("\n", " ") for text in texts]
    path = tmp_path / "a.txt"
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    models = {small(path, model_type).to_bytes(), small(iter(texts), model_type).to_bytes()}
    options = {"model_type": model_type}
    for n in (1, 2, 7):
        table = CountTable.count(path, num_threads=n, **options)
        models.add(small(table, model_type, num_threads=n).to_bytes())
    parts = [CountTable.count(texts[i::3], **options) for i in range(3)]
    parts[1].save(tmp_path / "b.counts")
    models.add(small([parts[2], CountTable.load(tmp_path / "b.counts"), parts[0]], model_type).to_bytes())
    models.add(small(parts[0] + parts[1] + parts[2], model_type, memory_limit="64MB").to_bytes())
    assert len(models) == 1


@pytest.mark.parametrize(
    "options",
    [
        {"normalization": "nmt_nfkc"},
        {"split_digits": True, "user_defined_symbols": ["cat"]},
        {"byte_fallback": False},
        {"treat_whitespace_as_suffix": True, "add_dummy_prefix": False},
        {"split_by_unicode_script": False, "split_by_whitespace": False, "split_by_number": False},
        {"pretokenization_delimiter": "|"},
        {"max_sentencepiece_length": 1},
        {"denormalization": [("a", "b")]},
    ],
)
def test_options_decide(options: dict[str, Any]) -> None:
    """With the same options the same model; without them both values are named."""
    table = CountTable.count(TEXTS, **options)
    assert small(table, **options).to_bytes() == small(TEXTS, **options).to_bytes()
    with pytest.raises(OptionError, match=r"this training has .*, the count table has "):
        small(table)
    with pytest.raises(OptionError, match=r"the first count table has .*, table 2 has "):
        CountTable.count(TEXTS) + table


def test_both_values_are_named() -> None:
    with pytest.raises(
        OptionError, match="this training has split_digits=True, the count table has split_digits=False"
    ):
        small(CountTable.count(TEXTS), split_digits=True)
    with pytest.raises(OptionError, match="the special piece '<x>', the count table has no special piece '<x>'"):
        small(CountTable.count(TEXTS), control_symbols=["<x>"])


@pytest.mark.parametrize(
    "options",
    [
        {"input_format": "tsv"},
        {"separator": None},
        {"input_sentence_size": 200},
        {"max_sentence_length": 99},
    ],
)
def test_a_table_has_no_lines(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="it no longer has lines"):
        small(CountTable.count(TEXTS), **options)


def test_reference_rules_take_no_table() -> None:
    with pytest.raises(OptionError, match="reference_rules=True"):
        small(CountTable.count(TEXTS), reference_rules=True)
    with pytest.raises(OptionError, match="memory_limit and reference_rules=True"):
        small(TEXTS, reference_rules=True, memory_limit="1GB")


def test_the_report_says_what_is_not_known() -> None:
    report = small(CountTable.count(TEXTS)).report
    assert report is not None
    assert (report.lines_read, report.bytes_read, report.files) == (None, None, None)
    assert report.distinct_chunks == len(CountTable.count(TEXTS))
    assert "a count table; its files and lines are not known" in str(report)


def test_options_of_counting() -> None:
    with pytest.raises(OptionError, match="vocab_size has no part in counting: give it to train"):
        CountTable.count(TEXTS, vocab_size=300)
    with pytest.raises(OptionError, match="did you mean 'split_digits'"):
        CountTable.count(TEXTS, split_digit=True)
    with pytest.raises(ArgumentTypeError, match=r"made by CountTable\.count"):
        CountTable()
    with pytest.raises(ArgumentTypeError, match="input item 1 is str in a list of count tables"):
        small([CountTable.count(TEXTS), "x"])


def test_a_part_without_text(tmp_path: Path) -> None:
    nothing = CountTable.count([""])
    assert (len(nothing), nothing.total, list(nothing)) == (0, 0, [])
    assert nothing == CountTable.count([]) == CountTable.count(["abc" * 9], max_sentence_length=10)
    nothing.save(tmp_path / "nothing.counts")
    assert CountTable.load(tmp_path / "nothing.counts") == pickle.loads(pickle.dumps(nothing)) == nothing
    assert small([nothing, CountTable.count(TEXTS)]) == small(TEXTS)
    with pytest.raises(TrainingError, match="the count table is empty"):
        small([nothing, nothing])
    with pytest.raises(TrainingError, match="the corpus has no text"):
        small([""])


@pytest.mark.slow
def test_a_table_of_which_all_was_left_out() -> None:
    table = CountTable.count([letter * (30 << 20) for letter in "abcdef"], memory_limit="64MB")
    assert (len(table), table.chunks_left_out) == (0, 6)
    with pytest.raises(TrainingError, match="a memory_limit left out all chunks of the count table"):
        small(table)


def test_a_sum_begins_with_nothing_else() -> None:
    for other in (1, False, 0.0, "", None, [0]):
        with pytest.raises(TypeError, match="CountTable"):
            other + CountTable.count(TEXTS)


def test_lines_are_chosen_as_in_training(tmp_path: Path) -> None:
    lines = [f"w{i} x" for i in range(500)]
    options: dict[str, Any] = {"input_sentence_size": 101, "seed": 3}
    chosen, direct = small(CountTable.count(lines, **options)), small(lines, **options)
    assert [chosen.id_to_piece(i) for i in range(len(chosen))] == [direct.id_to_piece(i) for i in range(len(direct))]
    first = CountTable.count(lines, seed=None, input_sentence_size=101)
    assert first == CountTable.count(lines[:101])


def test_pickle_copy_and_hash() -> None:
    counts = CountTable.count(TEXTS)
    assert pickle.loads(pickle.dumps(counts)) == counts
    assert copy.copy(counts) is copy.deepcopy(counts) is counts
    assert counts != CountTable.count(TEXTS, split_digits=True)
    assert counts != CountTable.count(TEXTS[:1])
    assert counts != 3
    with pytest.raises(TypeError):
        hash(counts)
    with pytest.raises(TypeError):
        counts + 3  # type: ignore[operator]


def weighted(path: Path, rows: list[tuple[str, int]], **options: Any) -> CountTable:
    path.write_text("".join(f"{text}\t{count}\n" for text, count in rows), encoding="utf-8")
    return CountTable.count(path, input_format="tsv", **options)


@pytest.mark.parametrize("model_type", MODEL_TYPES)
def test_counts_above_32_bits(model_type: str, tmp_path: Path) -> None:
    """Training goes by proportions: 2^34 times the text gives the same pieces."""
    rows = [(text.replace("\t", " ").replace("\n", " "), count + 3) for count, text in enumerate(TEXTS)]
    options = {"model_type": model_type}
    large = weighted(tmp_path / "large.tsv", [(text, count << 34) for text, count in rows], **options)
    assert large.total == weighted(tmp_path / "small.tsv", rows, **options).total << 34
    models = [small(table, model_type) for table in (large, weighted(tmp_path / "small.tsv", rows, **options))]
    if model_type != "unigram":  # where a piece that is expected less than half a time is dropped
        assert [models[0].id_to_piece(i) for i in range(len(models[0]))] == [
            models[1].id_to_piece(i) for i in range(len(models[1]))
        ]
    direct = small(tmp_path / "large.tsv", model_type, input_format="tsv")
    assert direct.to_bytes() == models[0].to_bytes()


def test_sums_above_the_limit(tmp_path: Path) -> None:
    table = weighted(tmp_path / "a.tsv", [("a", 2**54)])
    for _ in range(8):
        table += table
    assert dict(table) == {"▁a": 2**62}
    with pytest.raises(TrainingError, match=r"the chunk b'.*a' add up to 9223372036854775808: 2\^63 - 1 is the limit"):
        table + table
    with pytest.raises(TrainingError, match="more than 2\\^60: divide them all"):
        small(table)


def test_sum_reads_tables_one_by_one() -> None:
    parts = [CountTable.count(TEXTS[i::4]) for i in range(4)]
    assert CountTable.sum(parts) == CountTable.sum(iter(parts[::-1])) == sum(parts) == CountTable.count(TEXTS)
    assert CountTable.sum(parts[:1]) is parts[0]
    with pytest.raises(OptionError, match="no count table to add"):
        CountTable.sum([])
    with pytest.raises(ArgumentTypeError, match="item 1 is str in a list of count tables"):
        CountTable.sum([parts[0], "a"])  # type: ignore[list-item]
    with pytest.raises(OptionError, match="table 2 has split_digits=True"):
        CountTable.sum([parts[0], CountTable.count(TEXTS, split_digits=True)])


def test_bytes_of_a_table() -> None:
    table = CountTable.count(TEXTS)
    for data in (table.to_bytes(), bytearray(table.to_bytes()), memoryview(table.to_bytes())):
        assert CountTable.from_bytes(data) == table
    with pytest.raises(ModelError, match="is cut off"):
        CountTable.from_bytes(table.to_bytes()[:-1])
    with pytest.raises(ArgumentTypeError, match="data is str: pass the bytes"):
        CountTable.from_bytes("a.counts")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "options", [{}, {"model_type": "wordpiece", "normalization": "bert_cased"}, {"control_symbols": ["<x>"]}]
)
def test_rules_without_a_text(options: dict[str, Any]) -> None:
    assert CountTable.rules_for(**options) == CountTable.count(TEXTS, **options).rules
    with pytest.raises(OptionError, match="vocab_size has no part in counting"):
        CountTable.rules_for(vocab_size=3, **options)


def test_a_table_says_that_it_is_not_exact(caplog: pytest.LogCaptureFixture) -> None:
    exact, other = CountTable.count(TEXTS), CountTable.count(TEXTS)
    limited = CountTable._make(other.chunks.fitting(Budget(9.0, 1.0, 0.0)), other.rules)
    assert (exact.is_exact, limited.is_exact) == (True, False)
    exact + exact
    CountTable.sum([limited])
    assert not caplog.records
    assert not (exact + limited).is_exact
    assert "a memory limit left" in caplog.text
    assert "out of table 2" in caplog.text


def test_counts_are_not_lost() -> None:
    """As texts, each chunk of a table would count once."""
    table, tok = CountTable.count(TEXTS), spm_lite.byte_tokenizer()
    calls: list[Any] = [
        lambda: CountTable.count(table), lambda: CountTable.count([table]), lambda: spm_lite.evaluate(tok, table),
        lambda: small(iter([table])), lambda: train(texts=iter([table]), vocab_size=330),
        lambda: spm_lite.audit({"bytes": tok}, {"en": table}),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(ArgumentTypeError, match="is a count table, and as texts it would lose its counts"):
            call()


def test_counts_of_arrow_are_not_lost(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", minversion="16")
    table = CountTable.count(TEXTS)
    for source in (table.to_arrow(), table.to_arrow().read_all(), [table.to_arrow().read_all()]):
        with pytest.raises(ArgumentTypeError, match="would lose its counts"):
            CountTable.count(source, column="text")
    table.save_parquet(tmp_path / "counts.parquet")
    with pytest.raises(FileError, match="would lose its counts: "):
        small(tmp_path / "counts.parquet")


def test_tables_of_arrow() -> None:
    pa = pytest.importorskip("pyarrow", minversion="16")
    table = CountTable.count(TEXTS)
    columns = pa.table({"n": range(len(TEXTS)), "text": TEXTS})
    batches = columns.to_batches(4)
    for source in (columns, columns.to_reader(4), batches, iter(batches), batches[0:1] + batches[1:]):
        assert CountTable.count(source, column="text") == table
    for alone in (columns["text"], [batch["text"] for batch in batches], columns.select(["text"]).to_batches()):
        assert CountTable.count(alone) == table
    with pytest.raises(OptionError, match="column='txt': the table has no such column; it has 'n', 'text'") as caught:
        CountTable.count(columns.to_reader(), column="txt")
    assert caught.value.remedies == ({"column": "n"}, {"column": "text"})
    assert CountTable.count(batches) == table  # the usual name of the column
    with pytest.raises(TextError, match="text 16 of the batch is null"):
        CountTable.count([*batches, pa.record_batch({"text": ["a", None]})], column="text")


@pytest.mark.slow
def test_a_stream_is_read_part_by_part() -> None:
    pa = pytest.importorskip("pyarrow", minversion="16")
    made = []

    def batches() -> Any:
        for i in range(6):
            made.append(i)
            yield pa.record_batch({"text": [f"word {i} " * 1_000_000]})

    reader = pa.RecordBatchReader.from_batches(pa.schema([("text", pa.string())]), batches())
    seen = []
    CountTable.count(reader, progress=lambda progress: seen.append(len(made)))
    assert seen[0] < 6
