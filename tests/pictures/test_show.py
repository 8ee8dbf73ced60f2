"""show(): what is printed at several widths, with and without colour, and how its columns stand."""

import io
import sys
import types
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle.small_models import tokenizer_of
from oracle.snapshots import check_snapshot
from rich.cells import cell_len

import spm_lite
from spm_lite import ArgumentTypeError, OptionError, TextError
from spm_lite.pictures.signs import with_signs
from spm_lite.pictures.terminal_picture import lines_of, rows_of
from spm_lite.pictures.tokens import groups_of, tokens_of

SNAPSHOTS = Path(__file__).parent / "snapshots"
TEXT = "hello world, the  é!\n水車 שלום 🙂 ก\u0301 a\u200db \u0301 ▁ " + "x" * 3 + "\x1b[31m"


def show_output(tok, text, **options):
    out = io.StringIO()
    tok.show(text, file=out, **options)
    return out.getvalue()


@pytest.mark.parametrize("color", [False, True], ids=["plain", "color"])
@pytest.mark.parametrize("width", [40, 80, 200])
def test_snapshots(bpe, width, color):
    check_snapshot(
        SNAPSHOTS / f"show-{width}-{'color' if color else 'plain'}.txt",
        show_output(bpe, TEXT, width=width, color=color),
    )


def test_unknown_text(unigram):
    check_snapshot(SNAPSHOTS / "show-unknown.txt", show_output(unigram, "hello 🙂🙂x ☃", width=40, color=False))


@pytest.mark.parametrize("kind", ["unigram", "bpe", "byte_bpe", "wordpiece", "word", "char", "byte"])
def test_every_type_of_model(trained, kind):
    tok = trained[kind]
    text = "the cat 😀 ▁ naïve\n1234 車 🦩"
    check_snapshot(SNAPSHOTS / f"show-{kind}.txt", show_output(tok, text, width=100, color=False))
    assert [token.piece_id for token in tokens_of(tok, text)] == tok.encode(text)


MARKS = ["\u0301", "\u200d", "\ufe0f", "\0", "\x1b", "\u202e"]
TEXTS = st.lists(st.sampled_from([*"abch ▁w,\n", "é", "水", "שלום", "🙂", *MARKS]), max_size=30).map("".join)


@given(text=TEXTS | st.binary(max_size=20), width=st.sampled_from([20, 33, 80]))
def test_ids_stand_under_their_pieces(bpe, text, width):
    tokens = tokens_of(bpe, text)
    assert [token.piece_id for token in tokens] == bpe.encode(text)
    groups = list(groups_of(bpe, tokens))
    assert [token for group in groups for token in group.tokens] == tokens
    seen = []
    for line in lines_of(groups, width):
        rows = [row.plain.replace("\u200e", "") for row in rows_of(line)]
        assert not any(ord(char) < 32 or 0x202A <= ord(char) <= 0x202E for row in rows for char in row)
        place = len("pieces") + 2
        for _, cell in line:
            assert column(rows[0], place).startswith(cell.group.shown[:1])
            assert column(rows[1], place).startswith(cell.ids[0])
            assert column(rows[2], place).startswith(cell.sizes[0])
            place += cell.width + 2
        assert place - 2 <= max(width, 20) or len(line) == 1
        seen += [int(number) for _, cell in line for number in cell.ids]
    assert seen == bpe.encode(text)


def column(row, place):
    """The part of a row from a terminal column on."""
    for i in range(len(row) + 1):
        if cell_len(row[:i]) == place:
            return row[i:].lstrip("\u200d") if i < len(row) and row[i] == "\u200d" else row[i:]
    return ""


def test_signs():
    assert with_signs("a b") == "a▁b"
    assert with_signs("▁a b", has_space_mark=True) == "▁a\\x20b"
    assert with_signs("▁") == "\\u2581"
    assert with_signs("\u0301") == "◌\u0301"
    assert with_signs("e\u0301") == "e\u0301"
    assert with_signs("\u200d") == "\\u200d"
    assert with_signs("👩\u200d👧\u200d") == "👩\u200d👧\\u200d"
    assert with_signs("\ufe0f☀\ufe0f") == "\\ufe0f☀\ufe0f"
    assert with_signs("\udcff") == "\\xff"
    assert with_signs("\x1b[0m\u202e\u3000\xa0") == "\\x1b[0m\\u202e\\u3000\\xa0"


def test_bytes_of_a_character_stand_together(trained):
    tok = trained["bpe"]
    groups = list(groups_of(tok, tokens_of(tok, b"a\xf0\x9f\x99\x82\xf0\x9f\xe2\x96\x81\xff")))
    assert [(group.shown, len(group.tokens)) for group in groups] == [
        ("▁a", 1), ("🙂", 4), ("\\xf0", 1), ("\\x9f", 1), ("\\u2581", 3), ("\\xff", 1),
    ]  # fmt: skip


def test_the_last_line_sums_up(bpe):
    assert show_output(bpe, "", color=False) == "0 tokens, 0 bytes, 0 characters\n"
    assert show_output(bpe, b"x", color=False).endswith("\n2 tokens, 1 byte\n")
    many = show_output(bpe, "x" * 50, limit=10, color=False)
    assert many.endswith("51 tokens, 50 bytes, 50 characters; only the first 10 tokens are shown\n")
    assert many.count("x") == 9


@pytest.mark.slow
def test_a_long_text_is_cut(bpe):
    text = show_output(bpe, "hello " * 200_000, width=80, color=False)
    assert len(text) < 100_000
    assert "only the first 1,000 tokens" in text


def test_a_wide_piece_is_cut():
    tok = tokenizer_of([("<unk>", 0.0, 2), ("水" * 60, -1.0, 1), ("水", -2.0, 1), ("x", -3.0, 1)], "unigram")
    text = show_output(tok, "水" * 60 + "x", width=40, color=False)
    assert max(map(cell_len, text.splitlines()[:-1])) <= 40
    assert "…" in text


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"width": 19}, OptionError, "width 19 is below 20"),
        ({"width": "80"}, ArgumentTypeError, "width"),
        ({"limit": 0}, OptionError, "limit 0 is below 1"),
        ({"color": "red"}, ArgumentTypeError, "color"),
        ({"file": "out.txt"}, ArgumentTypeError, "file is str"),
    ],
)
def test_wrong_options(bpe, options, error, message):
    with pytest.raises(error, match=message):
        bpe.show("a", **options)


def test_wrong_texts(bpe):
    with pytest.raises(TextError, match="surrogate"):
        bpe.show("\ud800")
    with pytest.raises(ArgumentTypeError, match="list"):
        bpe.show(["a"])


def test_colours_follow_the_stream(bpe, monkeypatch, capsys):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    bpe.show("hello")
    assert "\x1b" not in capsys.readouterr().out
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    bpe.show("hello")
    assert "\x1b" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    bpe.show("hello")
    assert "\x1b" not in capsys.readouterr().out


def test_an_encoding_that_lacks_characters(bpe):
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    bpe.show("水", file=stream, color=False, width=40)
    stream.flush()
    assert b"\\u6c34" in raw.getvalue()


def test_a_notebook_displays_html(bpe, monkeypatch, capsys):
    shell = type("ZMQInteractiveShell", (), {})()
    seen = []
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=seen.append))
    bpe.show("hello <script>&\n")
    html = seen[0]._repr_html_()
    assert "<script" not in html
    assert "&lt;" in html
    assert "&amp;" in html
    assert capsys.readouterr().out == ""
    bpe.show("hello", width=40)  # the terminal was asked for
    assert "hello" in capsys.readouterr().out


def test_show_needs_no_rich_to_import():
    assert "rich" not in spm_lite.Tokenizer.show.__code__.co_names
