"""explain(): the steps of every method end in the ids that `encode` gives; text, HTML and SVG."""

import base64
import random
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle.random_models import random_text, random_tokenizer
from oracle.slow import slow_after
from oracle.small_models import tokenizer_of
from oracle.snapshots import check_snapshot
from rich.cells import cell_len

from spm_lite import ArgumentTypeError, FileError, OptionError, TextError, Tokenizer, train
from spm_lite.kinds import MODEL_TYPES
from spm_lite.pictures.diagram import NEW, Box, Diagram, Row, diagram_text, packed
from spm_lite.pictures.lattice_paths import Lattice
from spm_lite.pictures.units import Pieces, Unit
from spm_lite.tokenizer.conversions import write_gpt2
from spm_lite.vocab.changed_pieces import merges_of

SNAPSHOTS = Path(__file__).parent / "snapshots"
HOSTILE = '<script>alert("1")</script> & \' \0 \x1b[31m \u202e ]]> <!-- {{x}}'
KINDS = ["unigram", "bpe", "byte_bpe", "wordpiece", "word", "char", "byte"]


def ids_of(explanation):
    """The ids below the pieces; "unk" for what is unknown, in runs of one."""
    found = []
    for diagram in explanation.diagrams:
        for box in next(row for row in diagram.rows if row.caption == "ids").boxes:
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
    paths = [row for row in explanation.diagrams[0].rows if row.caption.startswith("sum")]
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


def why(explanation):
    """The sentences, one for each diagram."""
    return [diagram.why for diagram in explanation.diagrams]


@given(text=st.lists(st.sampled_from(ALPHABET), min_size=1, max_size=20).map("".join))
def test_each_diagram_has_a_short_reason(trained, text):
    for kind in KINDS:
        for diagram in trained[kind].explain(text).diagrams:
            assert diagram.why == "" or (diagram.why.endswith(".") and diagram.why[0].isprintable())
            assert diagram.why or kind in ("bpe", "byte_bpe")  # one unit alone needs no reason


LETTERS_ONLY = [("<unk>", 0.0, 2), *((letter, -9.0 - i, 1) for i, letter in enumerate("abcdef"))]


def test_reasons_of_bpe():
    """The merge that won and the one that it made impossible, by their places among all merges."""
    tok = tokenizer_of([*LETTERS_ONLY, ("ab", -1.0, 1), ("bc", -4.0, 1), ("de", -2.0, 1)], "bpe")
    assert why(tok.explain("abc")) == [
        "Merge no. 1 (a + b) came before merge no. 3 (b + c); no merge joins what is left."
    ]
    assert why(tok.explain("de")) == ["The merges end in one piece."]
    assert why(tok.explain("ca")) == ["No merge of the model joins two of these pieces."]
    assert why(tok.explain("a")) == [""]
    same = tokenizer_of([*LETTERS_ONLY, ("ab", -1.0, 1), ("bc", -1.0, 1)], "bpe")
    assert why(same.explain("abc")) == [
        "Merge no. 1 (a + b) came before merge no. 1 (b + c): it is further left. No merge joins what is left."
    ]


@pytest.mark.parametrize("seed", range(40))
def test_merges_are_numbered_by_their_order(seed):
    """With the first n merges alone, the text is cut as the rows of the first n merges say."""
    rng = random.Random(seed)
    words = ["".join(rng.choices("abcd", k=rng.randint(2, 6))) for _ in range(60)]
    tok = train(words, model_type="bpe", vocab_size=290, hard_vocab_limit=False, num_threads=1)
    word = "".join(rng.choices("abcd", k=8))
    numbers = [
        int(row.caption.split(":")[0].rsplit(" ", 1)[1])
        for diagram in tok.explain(word).diagrams
        for row in diagram.rows
        if row.caption.startswith("merge no.")
    ]
    n_merges = len(merges_of(tok._file))
    for n in {0, *numbers}:
        smaller = tok.with_vocab_size(tok.vocab_size - n_merges + n)
        assert len(smaller.encode(word)) == len(word) + 1 - sum(number <= n for number in numbers)


def test_reasons_of_unigram():
    scores = {"a": -2.0, "b": -2.0, "c": -2.0, "ab": -3.0, "bc": -3.5, "abc": -9.0}
    tok = tokenizer_of([("<unk>", 0.0, 2), *((piece, score, 1) for piece, score in scores.items())], "unigram")
    longer = "bc is longer than c, but the best way with it is 1.6 times less likely."  # -5.5 and -5: e^0.5
    assert why(tok.explain("abc")) == [longer]
    assert why(tok.explain("ab")) == ["The whole is one piece; the next way is 2.7 times less likely."]  # e^1
    assert why(tok.explain("ca")) == ["No other pieces fit here."]
    assert why(tok.explain("aab")) == ["No longer piece exists here; the next way is 2.7 times less likely."]
    assert why(tok.explain("a?")) == ["No piece fits ?."]


class CountedVocab:
    """A vocabulary that counts how often the type of a piece is asked for."""

    def __init__(self, vocab):
        self.vocab, self.n_asked = vocab, 0

    def type(self, piece_id):
        self.n_asked += 1
        return self.vocab.type(piece_id)

    def __getattr__(self, name):
        return getattr(self.vocab, name)


def test_unknown_characters_share_one_look_at_all_pieces(unigram):
    vocab = CountedVocab(unigram._encoder.vocab)
    pieces = Pieces(vocab, False)
    n_before = vocab.n_asked
    lattice = Lattice([Unit("\u4e00".encode())] * 300, pieces)
    assert [len(edges) for edges in lattice.starting] == [1] * 300
    assert vocab.n_asked - n_before <= vocab.size


def test_reasons_of_wordpiece_and_word(trained):
    assert why(trained["wordpiece"].explain("the")) == ["The whole word is a piece."]
    assert "The word is not a piece, and " in why(trained["wordpiece"].explain("thethe"))[0]
    assert why(trained["word"].explain("the")) == ["The word is in the vocabulary."]
    assert "not in the vocabulary" in why(trained["word"].explain("xyz"))[0]


@pytest.mark.parametrize("columns", [20, 40, 80])
def test_text_fits_the_terminal(bpe, unigram, trained, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    for tok in (bpe, unigram, *trained.values()):
        for text in ("hello world, 水車 🙂 שלום", "internationalization", "the " * 20, "水" * 60):
            assert max(map(cell_len, str(tok.explain(text)).splitlines())) <= columns


def test_numbers_in_boxes_of_hebrew_run_from_left_to_right(unigram):
    """The minus of a score stands before it, whatever the direction of the piece."""
    boxes = re.findall(r'<span dir="(\w+)" style="display:flex', unigram.explain("שלום")._repr_html_())
    assert boxes
    assert {*boxes} == {"ltr"}


def test_save(bpe, tmp_path):
    explanation = bpe.explain("hello <world>")
    explanation.save(tmp_path / "x.SVG")
    explanation.save(str(tmp_path / "x.html"))
    assert (tmp_path / "x.SVG").read_text(encoding="utf-8") == explanation.svg()
    page = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert explanation._repr_html_() in page
    with pytest.raises(OptionError, match=r"x\.png ends in neither \.svg nor \.html"):
        explanation.save("x.png")
    with pytest.raises(ArgumentTypeError, match="path"):
        explanation.save(3)
    with pytest.raises(FileError):
        explanation.save(tmp_path / "none" / "x.svg")


def test_unused_pieces_are_split_again():
    pieces = [("<unk>", 0.0, 2), ("a", -3.0, 1), ("b", -4.0, 1), ("c", -5.0, 1), ("ab", -1.0, 1), ("abc", -2.0, 5)]
    tok = tokenizer_of(pieces, "bpe")
    explanation = tok.explain("abc")
    assert "unused pieces are split again" in str(explanation)
    assert ids_of(explanation) == tok.encode("abc") == [4, 3]


def test_rivals(unigram):
    for n in (1, 3):
        rows = unigram.explain("hello", rivals=n).diagrams[0].rows
        assert sum(row.caption.startswith("sum") for row in rows) == n + 1
        assert [row.heading for row in rows if row.heading][:2] == ["best way", "rivals" if n > 1 else "rival"]


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
    first, second = diagram_text(diagram, 80).splitlines()[1:]
    assert first.index("c") == second.index("long")
    assert first.index("a") == second.index("ab")


def test_boxes_are_packed():
    rows = packed([Box(0, 2, "a"), Box(1, 3, "b"), Box(2, 3, "c"), Box(0, 1, "d")])
    assert [[box.label for box in row.boxes] for row in rows] == [["a", "c"], ["d", "b"]]


def test_a_short_repr(bpe):
    assert (
        repr(bpe.explain("hello world"))
        == "<Explanation of 'hello▁world': 2 diagrams; print it, or save it: .save('x.svg')>"
    )
