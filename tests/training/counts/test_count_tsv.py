"""Count tables as lines: there and back, read by sentencepiece too, and errors that name the line."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
import sentencepiece

from spm_lite import CountTable, OptionError, TrainingError, train

TEXTS = ["the cat sat on the mat, the cats", "日本語のテキスト 日本語 <s> 12", "a  b"] * 9


def test_there_and_back(tmp_path: Path) -> None:
    for options in ({}, {"model_type": "word"}, {"model_type": "char"}, {"normalization": "nmt_nfkc"}):
        table = CountTable.count(TEXTS, **options)  # type: ignore[arg-type]
        assert table.save_tsv(tmp_path / "a.tsv") == 0
        assert CountTable.load_tsv(tmp_path / "a.tsv", **options) == table  # type: ignore[arg-type]


def test_equal_lines_add_up(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(b"ab\t5\nc\t1\r\nab\t4611686018427387904")
    assert list(CountTable.load_tsv(path)) == [("ab", 2**62 + 5), ("c", 1)]


@pytest.mark.thread_unsafe
def test_sentencepiece_learns_the_same_from_it(tmp_path: Path) -> None:
    table = CountTable.count(TEXTS)
    table.save_tsv(tmp_path / "a.tsv")
    ours = train(table, model_type="bpe", vocab_size=300, character_coverage=1.0)
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        input=str(tmp_path / "a.tsv"), input_format="tsv", model_writer=model, model_type="bpe", vocab_size=300,
        character_coverage=1.0, normalization_rule_name="identity", add_dummy_prefix=False,
        remove_extra_whitespaces=False, byte_fallback=True, allow_whitespace_only_pieces=True, minloglevel=2,
    )  # fmt: skip
    theirs = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    assert [ours.id_to_piece(i) for i in range(300)] == [theirs.id_to_piece(i) for i in range(300)]


@pytest.mark.parametrize(("text", "name"), [("\t", "a TAB"), ("\n", "a line end"), ("\x1f", r"U\+001F")])
def test_what_no_line_can_hold(tmp_path: Path, text: str, name: str) -> None:
    path = tmp_path / "a.tsv"
    table = CountTable.count(["ab", text] * 3)
    with pytest.raises(TrainingError, match=rf"the chunk .* \(3 times\) holds {name}"):
        table.save_tsv(path)
    assert not path.exists()
    assert table.save_tsv(path, leave_out=True) == 1
    assert list(CountTable.load_tsv(path)) == [item for item in table if text not in item[0]]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("b\t0", "line 2: the count 0 must be 1"),
        ("b\t-5", "line 2: the count '-5' must be a whole number"),
        ("b\t1.5", "line 2: the count '1.5' must be a whole number"),
        ("b\tmany", "line 2: the count 'many' must be a whole number"),
        ("b\t", "line 2: the count '' must be a whole number"),
        ("b\t9223372036854775808", r"line 2: the count 9223372036854775808 must be 1\.\.2\^63 - 1"),
        ("b\t1\t2", "line 2: the count"),
        ("b", "line 2: b'b.n' must be a chunk, TAB and its count"),
        ("\t1", "line 2"),
        ("", "line 2"),
        (
            "a b\t1",
            r"line 2: 'a b' is not a chunk under these options, since it holds a space, which is written U\+2581",
        ),
        ("a▁b\t1", "since text is cut within it"),
        ("a,\t1", "since text is cut within it"),
        ("<s>\t1", "since it holds a special piece"),
    ],
)
def test_bad_lines(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(f"a\t1\n{line}\nc\t1\n", encoding="utf-8")
    with pytest.raises(TrainingError, match=message):
        CountTable.load_tsv(path)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(b"\xe3\x81\t1\n")
    with pytest.raises(TrainingError, match="the byte 0xE3, which is no UTF-8"):
        CountTable.load_tsv(path)


@pytest.mark.parametrize("count", ["0", "-1", "1.5", "x", "9223372036854775808"])
def test_text_with_bad_counts(tmp_path: Path, count: str) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(f"a\t1\nb\t{count}\n", encoding="utf-8")
    with pytest.raises(TrainingError, match=f"line 2.*|{count}") as caught:
        CountTable.count(path, input_format="tsv")
    assert "line 2" in str(caught.value)
    assert count in str(caught.value)


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    table = CountTable.count([*TEXTS, "a\tb\n\x1f"])
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        for call in (lambda: table.save_parquet(path), lambda: CountTable.load_parquet(path)):
            with pytest.raises(OptionError, match=r"pip install 'spm_lite\[parquet\]'"):
                call()
        pytest.skip("no pyarrow")
    table.save_parquet(path)
    assert CountTable.load_parquet(path) == table


def bad_rows() -> list[Any]:
    return [[("a", 0)], [("a b", 1)], [("", 1)], [("a", None)]]


@pytest.mark.parametrize("rows", bad_rows())
def test_bad_parquet(tmp_path: Path, rows: Any) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    texts, counts = zip(*rows, strict=True)
    parquet.write_table(pyarrow.table({"text": list(texts), "count": list(counts)}), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="row 0"):
        CountTable.load_parquet(tmp_path / "a.parquet")


ODD = ["\t", "\n", "\x1f", "a\r", "\u2028b", "\x85", '"q', "\ufeffx", "\\x41", "\\", "\x0b", "\x1a\0"]


def test_escapes_hold_any_chunk(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    for options in ({}, {"model_type": "word"}, {"model_type": "char"}):
        table = CountTable.count([*TEXTS, *(f"one{odd} {odd} {odd}{odd}" for odd in ODD)], **options)  # type: ignore[arg-type]
        assert table.save_tsv(path, escapes=True) == 0
        assert CountTable.load_tsv(path, escapes=True, **options) == table  # type: ignore[arg-type]
        text = path.read_bytes().decode("utf-8-sig")
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter="\t", quoting=csv.QUOTE_NONE))
        assert len(text.splitlines()) == text.count("\n") == len(rows) == len(table)
        assert [int(row[1]) for row in rows] == [count for _, count in table]


def test_the_remedies_of_a_chunk_that_no_line_holds(tmp_path: Path) -> None:
    table = CountTable.count(["ab", "\t"] * 3)
    with pytest.raises(TrainingError, match=r"Use escapes=True or save\(\), or leave_out=True"):
        table.save_tsv(tmp_path / "a")
    table.save_tsv(tmp_path / "a", escapes=True)
    table.save(tmp_path / "b")
    assert CountTable.load_tsv(tmp_path / "a", escapes=True) == table == CountTable.load(tmp_path / "b")


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_tables_from_any_system(tmp_path: Path, bom: bytes, end: bytes, last: bool) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(bom + end.join([b"ab\t5", b"c\t2"]) + (end if last else b""))
    for escapes in (False, True):
        assert list(CountTable.load_tsv(path, escapes=escapes)) == [("ab", 5), ("c", 2)]


def test_a_chunk_that_looks_like_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    options: dict[str, Any] = {"split_by_unicode_script": False, "add_dummy_prefix": False}
    table = CountTable.count(["\ufeffab"] * 3 + ["\ufeffc"] * 2 + ["d"], **options)
    assert table.save_tsv(path) == 0
    assert path.read_bytes().startswith(b"d\t1\n") and CountTable.load_tsv(path, **options) == table
    alone = CountTable.count(["\ufeffab"], **options)
    with pytest.raises(TrainingError, match=r"\(1 times\) holds U\+FEFF at the beginning"):
        alone.save_tsv(path)
    assert alone.save_tsv(path, leave_out=True) == 1 and path.read_bytes() == b""
    assert alone.save_tsv(path, escapes=True) == 0 and CountTable.load_tsv(path, escapes=True, **options) == alone
