"""Groups of tokens of two tokenizers, written from the definition: byte by byte, and token by token."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

Spans = list[tuple[int, int]]
WHITE_SPACE = {0x20, 0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, *range(9, 14), *range(0x2000, 0x200B)}


def aligned(text: bytes, a: Spans, b: Spans, words: bool) -> list[tuple[list[int], list[int], int, int]]:
    """(numbers of the tokens of a, those of b, begin, end) of each group."""
    wide = [[span for span in spans if span[0] < span[1]] for spans in (a, b)]
    every = wide[0] + wide[1]
    common = [p for p in range(len(text) + 1) if not any(begin < p < end for begin, end in every)]
    places = sorted({p for span in every for p in span} & {*common})
    groups: list[Any] = []
    for begin, end in pairwise(places):
        if any(begin <= span[0] and span[1] <= end for span in every):
            groups.append(([], [], begin, end))
    if not groups and (a or b):
        first = (a or b)[0][0]
        groups.append(([], [], first, first))
    for side, spans in enumerate((a, b)):
        for i, span in enumerate(spans):
            groups[group_of(groups, spans, i)][side].append(i)
            assert span in wide[side] or span[0] == span[1]
    return joined_to_words(text, groups) if words else groups


def group_of(groups: list[Any], spans: Spans, i: int) -> int:
    """The number of the group that token i of a tokenizer is in."""
    with_bytes = [k for k, (begin, end) in enumerate(spans) if begin < end]
    if not with_bytes:
        return 0
    begin, end = spans[next((k for k in with_bytes if k >= i), with_bytes[-1])]
    return next(k for k, group in enumerate(groups) if group[2] <= begin and end <= group[3])


def joined_to_words(text: bytes, groups: list[Any]) -> list[Any]:
    ends = word_ends(text)
    result = groups[:1]
    for a, b, begin, end in groups[1:]:
        before = result[-1]
        if any(before[3] <= place <= begin for place in ends):
            result.append((a, b, begin, end))
        else:
            result[-1] = (before[0] + a, before[1] + b, before[2], end)
    return result


def word_ends(text: bytes) -> list[int]:
    """Where white space begins after another character."""
    ends, pos, after_white = [], 0, True
    for char in text.decode("utf-8", "surrogateescape"):
        is_white = ord(char) in WHITE_SPACE
        if is_white and not after_white:
            ends.append(pos)
        after_white = is_white
        pos += len(char.encode("utf-8", "surrogateescape"))
    return ends


def uncovered(size: int, spans: Spans) -> Spans:
    """The longest parts of a text that no token covers."""
    covered = {k for begin, end in spans for k in range(begin, end)}
    result: Spans = []
    for k in range(size):
        if k not in covered:
            if result and result[-1][1] == k:
                result[-1] = (result[-1][0], k + 1)
            else:
                result.append((k, k + 1))
    return result
