"""explain(): the steps of every method end in the ids that `encode` gives; text, HTML and SVG."""

import base64
import random
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle.random_models import random_text, random_tokenizer
from oracle.slow import slow_after
from oracle.small_models import tokenizer_of
from oracle.snapshots import check_snapshot

from spm_lite import ArgumentTypeError, OptionError, TextError, Tokenizer
from spm_lite.kinds import MODEL_TYPES
from spm_lite.pictures.diagram import NEW, Box, Diagram, Row, diagram_text, packed
from spm_lite.tokenizer.conversions import write_gpt2

SNAPSHOTS = Path(__file__).parent / "snapshots"
HOSTILE = '<script>alert("1")</script> & \' \0 \x1b[31m \u202e ]]> <!-- {{x}}'
KINDS = ["unigram", "bpe", "byte_bpe", "wordpiece", "word", "char", "byte"]


def ids_of(explanation):
    """The ids of the last rows; "unk" for what is unknown, in runs of one."""
    found = []
    for diagram in explanation.diagrams:
        for box in diagram.rows[-1].boxes:
            found += ["unk"] if box.kind == "unknown" else map(int, box.label.split())
    return without_repeats(found)


def ids_given(tok, text):
    unknown = tok._encoder.vocab.unknown_index
    return without_repeats("unk" if i in (unknown, -1) else i for i in tok.encode(text))


def without_repeats(ids):
    found = []
    for i in ids:
        if not (i == "unk" and found[-1:] == ["unk"]):
            found.append(i)
    return found


def is_complete(explanation):
    return not any(diagram.note for diagram in explanation.diagrams)


@pytest.mark.parametrize("seed", slow_after(60, range(1000)))
def test_the_steps_end_in_the_ids(seed):
    rng = random.Random(seed)
    tok = random_tokenizer(rng, rng.choice(list(MODEL_TYPES)))
    text = random_text(rng)
    explanation = tok.explain(text)
    if is_complete(explanation):
        assert ids_of(explanation) == ids_given(tok, text)


ALPHABET = [*"the cat don'12\n", "é", "水", "車", "😀", "😃", "▁", "  ", "cat", "\0"]


@pytest.mark.parametrize("kind", KINDS)
@given(text=st.lists(st.sampled_from(ALPHABET), max_size=20).map("".join))
def test_trained_models(trained, kind, text):
    explanation = trained[kind].explain(text)
    if is_complete(explanation):
        assert ids_of(explanation) == ids_given(trained[kind], text)


@given(text=st.lists(st.sampled_from(ALPHABET), max_size=20).map("".join))
def test_split_patterns(trained, tmp_path_factory, text):
    folder = tmp_path_factory.getbasetemp() / "gpt2"
    if not folder.exists():
        write_gpt2(trained["byte_bpe"], folder)
    tok = Tokenizer.load(folder, format="gpt2", name="gpt2")
    explanation = tok.explain(text)
    if is_complete(explanation):
        assert ids_of(explanation) == ids_given(tok, text)


def test_a_whole_chunk_is_looked_up(tmp_path):
    """tiktoken takes a match that is a piece, though merges would not make it."""
    ranks = [*(bytes([byte]) for byte in range(256)), b"abc"]
    lines = (b"%s %d\n" % (base64.b64encode(piece), rank) for rank, piece in enumerate(ranks))
    (tmp_path / "x.tiktoken").write_bytes(b"".join(lines))
    tok = Tokenizer.from_tiktoken(tmp_path / "x.tiktoken", name="llama3")
    explanation = tok.explain("abc abcd")
    assert ids_of(explanation) == tok.encode("abc abcd")
    assert "The whole chunk is a piece" in str(explanation)


@given(text=st.text(st.sampled_from("helowrd "), max_size=12))
def test_paths_are_those_of_nbest(unigram, text):
    explanation = unigram.explain(text, rivals=4)
    if (
        len(explanation.diagrams) != 1
        or not is_complete(explanation)
        or any(piece not in unigram for piece in unigram.pieces(text))
    ):
        return
    paths = [row for row in explanation.diagrams[0].rows if row.caption.startswith(("best", "rival"))]
    scores = [float(row.caption.split()[1].rstrip(",")) for row in paths]
    best = unigram.nbest(text, 5)
    assert scores == pytest.approx([round(one.score, 2) for one in best], abs=0.011)
    assert [box.label for box in paths[0].boxes] == unigram.pieces(text)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("bpe", "hello world, 水車 🙂 שלום hello"),
        ("unigram", "hello ☃ world"),
        ("byte_bpe", "the café"),
        ("wordpiece", "the naïve 12"),
        ("word", "the cat xyz"),
        ("char", "the é ☃"),
        ("byte", "aé"),
    ],
)
def test_snapshots(bpe, unigram, trained, kind, text):
    tok = {**trained, "bpe": bpe, "unigram": unigram}[kind]
    explanation = tok.explain(text)
    check_snapshot(SNAPSHOTS / f"explain-{kind}.txt", f"{explanation}\n")
    check_snapshot(SNAPSHOTS / f"explain-{kind}.svg", explanation.svg())
    check_snapshot(SNAPSHOTS / f"explain-{kind}.html", explanation._repr_html_())


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_text_stays_text(trained, kind):
    explanation = trained[kind].explain(HOSTILE)
    svg, html = explanation.svg(), explanation._repr_html_()
    assert ElementTree.fromstring(svg).tag.endswith("svg")
    for markup in (svg, html):
        assert "<script" not in markup
        assert not any(ord(char) < 32 and char != "\n" for char in markup)
        assert "\u202e" not in markup
    assert "\x1b" not in str(explanation)


@given(text=st.text(max_size=12).filter(str.isprintable) | st.binary(max_size=12))
def test_svg_is_xml(bpe, unigram, text):
    for tok in (bpe, unigram):
        ElementTree.fromstring(tok.explain(text).svg())


def test_a_long_text_is_cut_with_a_note(bpe):
    explanation = bpe.explain("hello world " * 100_000)
    assert str(explanation).endswith("\n\nOnly the first 200 of 1,200,000 characters are explained.")
    assert "Only the first 200" in explanation._repr_html_()
    assert len(bpe.explain("x" * 500, limit=3).diagrams[0].rows[0].boxes) == 4
    assert "first 400 of 600 bytes" in str(bpe.explain("é".encode() * 300))
    assert "Only" not in str(bpe.explain("x" * 200))


def test_words_that_occur_again_are_drawn_once(bpe):
    explanation = bpe.explain("hello hello hello")
    assert [diagram.note for diagram in explanation.diagrams] == ["3 times in the text"]


def test_a_long_word_is_drawn_in_parts(bpe):
    explanation = bpe.explain("hello" * 20)
    assert all(diagram.n_columns <= 24 for diagram in explanation.diagrams)
    assert sum(diagram.n_columns for diagram in explanation.diagrams if not diagram.note) >= 20


def test_unused_pieces_are_split_again():
    pieces = [("<unk>", 0.0, 2), ("a", -3.0, 1), ("b", -4.0, 1), ("c", -5.0, 1), ("ab", -1.0, 1), ("abc", -2.0, 5)]
    tok = tokenizer_of(pieces, "bpe")
    explanation = tok.explain("abc")
    assert "unused pieces are split again" in str(explanation)
    assert ids_of(explanation) == tok.encode("abc") == [4, 3]


def test_rivals(unigram):
    for n in (1, 3):
        rows = unigram.explain("hello", rivals=n).diagrams[0].rows
        assert sum(row.caption.startswith("rival") for row in rows) == n


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"limit": 0}, OptionError, "limit 0 is below 1"),
        ({"rivals": 0}, OptionError, "rivals 0 is below 1"),
        ({"limit": "9"}, ArgumentTypeError, "limit"),
    ],
)
def test_wrong_options(bpe, options, error, message):
    with pytest.raises(error, match=message):
        bpe.explain("a", **options)


def test_wrong_texts(bpe):
    with pytest.raises(TextError, match="surrogate"):
        bpe.explain("\ud800")
    with pytest.raises(ArgumentTypeError, match="list"):
        bpe.explain(["a"])
    with pytest.raises(ArgumentTypeError, match="NoneType"):
        bpe.explain(None)


def test_boxes_stand_over_what_they_cover():
    diagram = Diagram(
        "abc",
        3,
        (Row((Box(0, 1, "a"), Box(1, 2, "b"), Box(2, 3, "c"))), Row((Box(0, 2, "ab", NEW), Box(2, 3, "long label")))),
    )
    first, second = diagram_text(diagram).splitlines()[1:]
    assert first.index("c") == second.index("long")
    assert first.index("a") == second.index("ab")


def test_boxes_are_packed():
    rows = packed([Box(0, 2, "a"), Box(1, 3, "b"), Box(2, 3, "c"), Box(0, 1, "d")])
    assert [[box.label for box in row.boxes] for row in rows] == [["a", "c"], ["d", "b"]]


def test_a_short_repr(bpe):
    assert repr(bpe.explain("hello world")) == "<Explanation of 'hello▁world': 2 diagrams; print it, or see .svg()>"
