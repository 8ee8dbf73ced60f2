"""The walk over two rows of tokens: against the definition of groups, with any number of threads."""

import random
from itertools import pairwise

import numpy as np
import pytest
from oracle.aligned_groups import aligned, uncovered
from oracle.slow import slow_after

from spm_lite import TextError
from spm_lite.evaluation.aligned_groups import group_tokens, strings_of
from spm_lite.texts.inputs import as_texts

UNITS = [
    "a",
    "b",
    " ",
    "  ",
    "\n",
    "\u3000",
    "\u2028",
    "é",
    "日",
    "\u0e44",
    "e\u0301",
    "👩\u200d💻",
    "\u2581",
    "\0",
    "\x1c",
]
BROKEN = [b"\xe3", b"\x80\x80", b"\xff", b"\xe3\x80"]


def random_row(rng, size):
    """Spans in the order of a text: some without a byte, some over others, some with a gap before them."""
    row, pos = [], 0
    kinds = rng.choices(["next", "gap", "over", "empty"], k=4)
    for _ in range(rng.randrange(8)):
        kind = rng.choice(kinds)
        begin = min(pos + rng.randrange(3), size) if kind == "gap" else pos
        if kind == "over" and row:
            begin = rng.randint(max((span[0] for span in row if span[0] < span[1]), default=0), pos)
        end = begin if kind == "empty" else min(begin + rng.randrange(4), size)
        row.append((rng.randint(0, size),) * 2 if begin == end else (begin, end))
        pos = max(pos, end)
    return row


def random_text(rng):
    units = [unit.encode() for unit in UNITS] + BROKEN
    return b"".join(rng.choices(units, k=rng.randrange(9)))


def arrays(rows):
    """What `group_tokens` takes: places of all texts, and offsets."""
    places = np.array([place for row in rows for span in row for place in span], np.int32)
    return places, np.array([sum(map(len, rows[:k])) for k in range(len(rows) + 1)], np.int64)


def found(texts, a, b, words, threads=1):
    """The groups of each text as in the definition, and the gaps of both rows."""
    result = group_tokens(as_texts(texts), *arrays(a), *arrays(b), words, threads)
    spans = np.array(result.spans.view()).reshape(-1, 2).tolist()
    counts = [memoryview(part).tolist() for part in (result.a_counts, result.b_counts)]
    groups = []
    for begin, end in pairwise(memoryview(result.offsets).tolist()):
        groups.append([])
        pos = [0, 0]
        for g in range(begin, end):
            tokens = [[*range(pos[k], pos[k] + counts[k][g])] for k in range(2)]
            pos = [pos[k] + counts[k][g] for k in range(2)]
            groups[-1].append((*tokens, *spans[g]))
    return groups, gaps(result.a_gaps, result.a_gap_offsets), gaps(result.b_gaps, result.b_gap_offsets)


def gaps(values, offsets):
    flat = memoryview(values).tolist()
    pairs = list(zip(flat[::2], flat[1::2], strict=True))
    return [pairs[begin:end] for begin, end in pairwise(memoryview(offsets).tolist())]


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("seed", slow_after(20, range(300)))
def test_random_rows(seed, words):
    rng = random.Random(seed)
    texts = [random_text(rng) for _ in range(40)]
    a, b = ([random_row(rng, len(text)) for text in texts] for _ in range(2))
    groups, a_gaps, b_gaps = found(texts, a, b, words)
    assert groups == [aligned(text, *rows, words) for text, *rows in zip(texts, a, b, strict=True)]
    assert a_gaps == [uncovered(len(text), row) for text, row in zip(texts, a, strict=True)]
    assert b_gaps == [uncovered(len(text), row) for text, row in zip(texts, b, strict=True)]


@pytest.mark.parametrize(
    ("a", "b", "groups"),
    [
        ([], [], []),
        ([(0, 2), (2, 4)], [(0, 4)], [([0, 1], [0], 0, 4)]),
        ([(0, 2), (2, 4)], [(0, 1), (1, 4)], [([0, 1], [0, 1], 0, 4)]),
        ([(0, 2), (3, 4)], [(0, 2), (3, 4)], [([0], [0], 0, 2), ([1], [1], 3, 4)]),
        ([(0, 2), (3, 4)], [(0, 4)], [([0, 1], [0], 0, 4)]),
        ([(0, 1), (3, 4)], [(0, 3), (3, 4)], [([0], [0], 0, 3), ([1], [1], 3, 4)]),
        ([(0, 1)], [(2, 4)], [([0], [], 0, 1), ([], [0], 2, 4)]),
        ([(0, 0), (0, 2), (2, 2), (2, 4), (4, 4)], [(0, 4)], [([0, 1, 2, 3, 4], [0], 0, 4)]),
        ([(0, 0), (0, 2), (2, 2)], [(0, 2), (2, 4)], [([0, 1, 2], [0], 0, 2), ([], [1], 2, 4)]),
        ([(0, 1), (0, 1), (1, 4)], [(0, 1), (1, 4)], [([0, 1], [0], 0, 1), ([2], [1], 1, 4)]),
        ([(3, 3)], [(0, 1), (1, 4)], [([0], [0], 0, 1), ([], [1], 1, 4)]),
        ([(3, 3)], [(2, 2), (2, 2)], [([0], [0, 1], 3, 3)]),
        ([], [(2, 2)], [([], [0], 2, 2)]),
    ],
)
def test_each_rule(a, b, groups):
    assert found(["abcd"], [a], [b], False)[0] == [groups] == [aligned(b"abcd", a, b, False)]


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("ab cd", [2, 5]),
        ("ab  cd ", [2, 6, 7]),
        ("  ab\n\ncd", [4, 8]),
        ("日本\u3000語", [6, 12]),
        ("a\u2581b\u200bc", [9]),
        (b"\xe3 \x80 a", [1, 3, 5]),
    ],
)
def test_words_end_where_white_space_begins(text, ends):
    """Each byte is a token; a word has the white space before it, and a last word is white space alone."""
    size = len(text.encode() if isinstance(text, str) else text)
    row = [(k, k + 1) for k in range(size)]
    assert [group[3] for group in found([text], [row], [row], True)[0][0]] == ends


def test_words_of_rows_that_leave_white_space_out():
    a, b = [(0, 2), (3, 5), (5, 6)], [(0, 2), (3, 6)]
    assert found(["ab cde"], [a], [b], True)[0][0] == [([0], [0], 0, 2), ([1, 2], [1], 3, 6)]
    assert found(["abxcde"], [a], [b], True)[0][0] == [([0, 1, 2], [0, 1], 0, 6)]
    assert found(["ab cde"], [a], [[]], True)[0][0] == [([0], [], 0, 2), ([1, 2], [], 3, 6)]


@pytest.mark.parametrize("words", [False, True])
def test_threads_give_the_same(words):
    rng = random.Random(1)
    some = [random_text(rng) * 30 for _ in range(50)]
    texts = [rng.choice(some) for _ in range(2000)]
    a, b = ([random_row(rng, len(text)) for text in texts] for _ in range(2))
    assert found(texts, a, b, words, 5) == found(texts, a, b, words)


def test_no_texts():
    assert found([], [], [], False) == ([], [], [])


def test_strings_of_a_part_of_the_texts():
    texts = as_texts(["é", b"a\xc3\xa9", "\U0001f600", ""])
    assert strings_of(texts, 0, 1) == ["é"]
    assert strings_of(texts, 1, 1000) == ["aé", "\U0001f600", ""]
    with pytest.raises(TextError, match=r"text 1 of the batch is not UTF-8 from byte 1 on.*errors='replace'"):
        strings_of(as_texts(["a", b"b\xff"]), 0, 1000)
    with pytest.raises(TextError, match="text 1 of the batch holds the lone surrogate"):
        strings_of(as_texts(["a", "\ud800"]), 0, 1000)
