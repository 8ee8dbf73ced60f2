"""The `.vocab` file: line i is piece i whatever the pieces hold, and it is read back."""

import csv
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spm_lite
from spm_lite import ModelError, Tokenizer, read_vocab
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.model_file import read_model
from spm_lite.vocab.model_writer import write_model
from spm_lite.vocab.vocab_file import breaking_pieces, read_line, unescaped_lines, vocab_lines

PLAIN = TrainerSpec(byte_fallback=False, lossless=False)
UNK = ("<unk>", 0.0, 2)
ODD = ["\n", "\n\n", "\t", "\r", "a\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "x\u2029y",
       '"', '"a', 'b"', "\ufeff", "\ufeffa", "\\", "\\n", "\\x41", "\\x0a", "\\x5cx0a", "\\\n",
       "<0x0A>", " ", "#"]  # fmt: skip


def vocab_of(pieces: list[tuple[str, float, int]]) -> Any:
    return read_model(write_model(pieces, PLAIN, NormalizerSpec()), "m").vocab


def saved(pieces: list[tuple[str, float, int]], folder: Path) -> tuple[Tokenizer, Path]:
    data = write_model(pieces, PLAIN, NormalizerSpec())
    tok = Tokenizer.load(data)
    tok.save(folder / "m.model", vocab=True)
    return tok, folder / "m.vocab"


def test_scores() -> None:
    pieces = [UNK, ("a", -0.0, 1), ("▁", -1.2708123, 1), ("c", -1e-7, 1), ("d", -123456789.0, 1), ("e", 3.0, 1)]
    vocab = vocab_of(pieces)
    lines = b"".join(vocab_lines(vocab)).decode()
    assert lines == "<unk>\t0\na\t-0\n▁\t-1.27081\nc\t-1e-07\nd\t-1.23457e+08\ne\t3\n"
    assert b"".join(unescaped_lines(vocab)).decode() == lines
    assert b"".join(unescaped_lines(vocab, with_scores=False)).decode() == "<unk>\na\n▁\nc\nd\ne\n"


def test_line_i_is_piece_i(tmp_path: Path) -> None:
    tok, path = saved([UNK, *((text, -float(i), 1) for i, text in enumerate(ODD))], tmp_path)
    pieces = [tok.id_to_piece(i) for i in range(len(tok))]
    assert [piece for piece, _ in read_vocab(path)] == pieces
    data = path.read_bytes()
    text = data.decode("utf-8-sig")
    assert len(text.split("\n")) - 1 == len(text.splitlines()) == len(data.splitlines()) == len(tok)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert [len(row) for row in rows] == [2] * len(tok)
    assert [float(score) for _, score in rows] == [tok.score(i) for i in range(len(tok))]


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=4)
        | st.sampled_from(ODD),
        unique=True,
        min_size=1,
        max_size=12,
    )
)
def test_any_pieces(texts: list[str]) -> None:
    vocab = vocab_of([UNK, *((text, -1.0, 1) for text in texts)])
    lines = b"".join(vocab_lines(vocab)).decode().splitlines()
    assert len(lines) == len(vocab)


def test_pieces_that_are_not_utf8(tmp_path: Path) -> None:
    data = write_model([UNK, ("zz", -1.0, 1), ("y", -2.0, 1)], PLAIN, NormalizerSpec())
    tok = Tokenizer.load(data.replace(b"zz", b"\xffz"))
    tok.save(tmp_path / "m.model", vocab=True)
    assert (tmp_path / "m.vocab").read_bytes() == b"<unk>\t0\n\\xffz\t-1\ny\t-2\n"
    assert [piece for piece, _ in read_vocab(tmp_path / "m.vocab")] == [tok.id_to_piece(i) for i in range(3)]


def test_a_trained_model(tmp_path: Path) -> None:
    code = ["def f(x):\n\treturn x + 1\r\n\n\ndef g(y):\n\tif y:\n\t\treturn '\"\\x0a'\u2028"] * 30
    tok = spm_lite.train(code, vocab_size=300, model_type="bpe")
    tok.save(tmp_path / "m.model", vocab=True)
    found = read_vocab(tmp_path / "m.vocab")
    assert [piece for piece, _ in found] == [tok.id_to_piece(i) for i in range(300)]
    assert [score for _, score in found] == pytest.approx([tok.score(i) for i in range(300)], rel=1e-5)


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_files_from_any_system(tmp_path: Path, bom: bytes, end: bytes, last: bool) -> None:
    path = tmp_path / "m.vocab"
    path.write_bytes(bom + end.join([b"<unk>\t0", b"\\x0d\t-1.5", b"a\t-2e-07"]) + (end if last else b""))
    assert read_vocab(path) == read_vocab(str(path)) == [("<unk>", 0.0), ("\r", -1.5), ("a", -2e-07)]


@pytest.mark.parametrize("line", [b"", b"\t0", b"a", b"a\t", b"a\tb", b"a b -1"])
def test_lines_that_are_no_piece(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "m.vocab"
    path.write_bytes(b"<unk>\t0\n" + line + b"\nb\t-1\n")
    with pytest.raises(ModelError, match=r"m\.vocab, line 2: .* is not a piece, TAB and its score.*vocab=True"):
        read_vocab(path)


def test_the_remedy_works(tmp_path: Path) -> None:
    tok, path = saved([UNK, ("\n", -1.0, 4)], tmp_path)
    path.write_bytes(b"".join(unescaped_lines(tok._file.vocab)))
    with pytest.raises(ModelError, match="line 2"):
        read_vocab(path)
    Tokenizer.load(tmp_path / "m.model").save(tmp_path / "m.model", vocab=True)
    assert read_vocab(path) == [("<unk>", 0.0), ("\n", -1.0)]


def test_a_model_or_no_file(tmp_path: Path) -> None:
    _, path = saved([UNK, ("a", -1.0, 1)], tmp_path)
    with pytest.raises(ModelError, match="a model file has no lines"):
        read_vocab(path.with_suffix(".model"))
    with pytest.raises(spm_lite.MissingFileError):
        read_vocab(tmp_path / "nowhere")


def test_breaking_pieces() -> None:
    vocab = vocab_of([UNK, ("a", 0.0, 1), ("a\tb", 0.0, 1), ('"', 0.0, 1), ("\u2028", 0.0, 1), ("\x0e", 0.0, 1)])
    assert breaking_pieces(vocab) == [2, 4]


def test_other_pieces_stand_as_they_are() -> None:
    texts = ['"', '",', "▁the", "\\", "\\n", "日本", "می\u200cخو", "<0x0A>", "#"]
    vocab = vocab_of([UNK, *((text, -1.0, 1) for text in texts)])
    assert list(vocab_lines(vocab)) == list(unescaped_lines(vocab))


def test_no_space_cuts_a_line() -> None:
    """Programs that read a line by `split()` or `strip()` get the piece and its score, and `read_vocab` all of it."""
    spaces = [chr(code) for code in range(0x3001) if chr(code).isspace()]
    texts = ["a b", *spaces, *(f"a{space}" for space in spaces), *(f"{space}\\x41" for space in spaces)]
    vocab = vocab_of([UNK, *((text, -1.0, 1) for text in texts)])
    lines = [line.decode() for line in vocab_lines(vocab)]
    assert all(len(line.split()) == 2 and line.strip() + "\n" == line for line in lines)
    assert [read_line(line.encode()[:-1], 1, "m.vocab")[0] for line in lines[1:]] == texts
