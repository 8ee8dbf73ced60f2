"""Lines -> chunks: what is counted, what is cut, what is left out; the same for any number of threads."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle.validity import is_valid

from spm_lite.errors import TrainingError
from spm_lite.normalize.normalizer import Normalizer
from spm_lite.normalize.rules.charsmap import Charsmap
from spm_lite.specs import TrainerSpec
from spm_lite.training.counts.chunk_counter import ChunkCounter
from spm_lite.training.counts.cut_rules import CutRules

BOUNDARY = b"\xff"


def cut(
    lines: list[bytes],
    metas: tuple[str, ...] = (),
    lossless: bool = True,
    num_threads: int = 1,
    reference_rules: bool = False,
    **options: Any,
) -> dict[bytes, int]:
    spec = TrainerSpec(lossless=lossless, **options)
    normalizer = Normalizer(Charsmap(b""), True, False, True, compact=True, lossless=lossless)
    cutter = ChunkCounter(CutRules(normalizer, spec, metas, reference_rules), num_threads)
    cutter.add_texts(lines)
    return dict(cutter.finish().items())


def chunks(text: str, **options: Any) -> dict[str, int]:
    found = cut([text.encode()], **options)
    return {key.decode("utf-8", "surrogateescape"): count for key, count in found.items()}


def test_words_and_punctuation() -> None:
    assert chunks("the cat, the cat") == {"\u2581the": 2, "\u2581cat": 2, ",": 1}


def test_meta_pieces_are_boundaries() -> None:
    """Leftmost-longest, over the whole text."""
    assert chunks("ab<s>c<s><", metas=("<s>", "<s><")) == {"\u2581ab": 1, "\udcff": 2, "c": 1}


def test_meta_piece_with_space_mark_matches_a_space() -> None:
    assert chunks("x the", metas=("\u2581th",), lossless=False) == {"\u2581x": 1, "\udcff": 1, "e": 1}


def test_meta_piece_with_space_never_matches() -> None:
    assert chunks("a b", metas=("a b",)) == {"\u2581a": 1, "\u2581b": 1}


def test_delimiter_gives_way_to_meta_pieces() -> None:
    options: dict[str, Any] = {"pretokenization_delimiter": "|x", "metas": ("xy",)}
    assert chunks("a|xb", **options) == {"\u2581a": 1, "\udcff": 1, "b": 1}
    assert chunks("a|xyb", **options) == {"\u2581a": 1, "|": 1, "\udcff": 1, "b": 1}


def test_lossless_boundaries() -> None:
    """A literal U+2581 and each ill-formed byte part the text."""
    assert cut([b"a\xe2\x96\x81b\xffc"]) == {b"\xe2\x96\x81a": 1, BOUNDARY: 2, b"b": 1, b"c": 1}
    assert cut([b"a\xe2\x96\x81b"], lossless=False) == {b"\xe2\x96\x81a": 1, b"\xe2\x96\x81b": 1}


def test_word_mode() -> None:
    found = cut([b"a, b<s>  c"], ("<s>",), model_type="word")
    mark = "\u2581".encode()
    assert found == {mark + b"a,": 1, mark + b"b\xff": 1, mark: 1, mark + b"c": 1}


def test_character_mode() -> None:
    assert chunks("aba", model_type="char") == {"\u2581": 1, "a": 2, "b": 1}


def test_reference_marks() -> None:
    lines = [b"a\x1fb", "c\u2585".encode()]
    mark = "\u2581".encode()
    assert cut(lines, reference_rules=True, model_type="bpe") == {mark + b"a": 1, BOUNDARY: 1, b"b": 1}
    assert cut(lines, split_by_unicode_script=False) == {mark + b"a\x1fb": 1, mark + lines[1]: 1}


@pytest.mark.parametrize("num_threads", [1, 2, 3])
def test_sentences_of_the_reference_in_order(num_threads: int) -> None:
    """Unmerged; the last one takes the place of one without text."""
    lines = [b"b a", b" ", b"a", b"a<s>b\x1f", b"", b"a", b"  ", b"z"] * 3000
    expected = [b"\xe2\x96\x81b\xe2\x96\x81a", b"", b"\xe2\x96\x81a", b"\xe2\x96\x81a\xffb\xff"]
    expected = [*expected, b"\xe2\x96\x81a", b"", b"\xe2\x96\x81z"] * 3000
    spec = TrainerSpec(lossless=False)
    cutter = ChunkCounter(CutRules(Normalizer(Charsmap(b""), True, True, True), spec, ("<s>",), True), num_threads)
    cutter.add_texts(lines[:11000])
    cutter.add_block(b"\n".join(lines[11000:]))
    i = 0
    while i < len(expected):
        if expected[i]:
            i += 1
        else:
            expected[i] = expected[-1]
            expected.pop()
    assert cutter.finish().items() == [(text, 1) for text in expected]


@pytest.mark.parametrize("compact", [True, False])
def test_marked_text(compact: bool) -> None:
    """A line as pretokenizers see it: the same whatever form the normalizer works in."""
    normalizer = Normalizer(Charsmap(b""), True, True, True, compact=compact)
    rules = CutRules(normalizer, TrainerSpec(lossless=False), ("<s>", "<s><", "\u2581x"), True)
    assert rules.marked_text(b" a  <s><b\x1fc x\xff") == "\u2581a\u2581\x1fb\x1fc\x1f\ufffd".encode()
    assert rules.marked_text(b"") == rules.marked_text(b"  ") == b""


def test_figures() -> None:
    normalizer = Normalizer(Charsmap(b""), True, True, True, compact=True)
    cutter = ChunkCounter(CutRules(normalizer, TrainerSpec(max_sentence_length=10), (), True))
    cutter.add_block(b"abc\n\n   \nabcdefghijk\n\xe2\x96\x85\nlast")
    assert cutter.figures() == {
        "read": 6,
        "empty": 1,
        "too_long": 1,
        "marked": 1,
        "blank": 1,
        "bytes_used": 7,
        "characters_used": 7,
        "texts_used": 2,
        "ill_formed": 0,
        "space_marks": 0,
        "nuls": 0,
    }


def test_weights() -> None:
    normalizer = Normalizer(Charsmap(b""), True, False, True, compact=True)
    cutter = ChunkCounter(CutRules(normalizer, TrainerSpec(), ()))
    cutter.add_block(b"ab\t5\ncd\t2\n", weighted=True)
    cutter.add_texts([b"ab\t7"], weighted=True)
    assert cutter.finish().items() == [("\u2581ab".encode(), 12), ("\u2581cd".encode(), 2)]


@pytest.mark.parametrize(
    ("line", "message"), [(b"ab", "TABs"), (b"a\t1\t2", "TABs"), (b"a\tx", "parse"), (b"a\t0", "must be 1")]
)
def test_bad_weights(line: bytes, message: str) -> None:
    normalizer = Normalizer(Charsmap(b""), True, False, True, compact=True)
    cutter = ChunkCounter(CutRules(normalizer, TrainerSpec(), ()))
    with pytest.raises(TrainingError, match=message):
        cutter.add_block(line, weighted=True)


@given(st.lists(st.text("ab ,\u2581д7\u0301あ漢<s>", max_size=12)), st.booleans(), st.booleans())
def test_no_valid_piece_is_cut(texts: list[str], by_whitespace: bool, whitespace_only: bool) -> None:
    """Every valid piece of the uncut text is found in the chunks as often."""
    shape = {
        "split_by_whitespace": by_whitespace,
        "allow_whitespace_only_pieces": whitespace_only,
        "max_sentencepiece_length": 5,
    }
    spec = TrainerSpec(**shape)  # type: ignore[arg-type]
    found = cut([text.encode() for text in texts], lossless=False, **shape)
    whole = [("\u2581" + text.replace(" ", "\u2581"), 1) for text in texts if text]
    parts = [(text.decode(), count) for text, count in found.items()]
    assert valid_substrings(whole, spec) == valid_substrings(parts, spec)
    assert sum(len(text) * count for text, count in whole) == sum(len(text) * count for text, count in parts)


def valid_substrings(texts: list[tuple[str, int]], spec: TrainerSpec) -> Counter[str]:
    result: Counter[str] = Counter()
    for text, count in texts:
        for begin in range(len(text)):
            for end in range(begin + 1, min(len(text), begin + 5) + 1):
                if is_valid(text[begin:end], spec):
                    result[text[begin:end]] += count
    return result


def test_threads_change_nothing() -> None:
    lines = [f"word{i % 997} and {i % 89}, etc".encode() for i in range(20_000)]
    one = cut(lines, num_threads=1)
    assert list(cut(lines, num_threads=2).items()) == list(one.items())
    assert list(cut(lines, num_threads=5).items()) == list(one.items())
