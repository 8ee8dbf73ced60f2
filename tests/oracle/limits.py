"""Texts counted and cut by trying every place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from oracle import graphemes
from oracle.normalizer import char_size

Encode = Callable[[Any], list[int]]


def places(text: str | bytes) -> list[int]:
    """Where whole characters end, 0 included; an ill-formed byte is a character."""
    if isinstance(text, str):
        return list(range(len(text) + 1))
    found = [0]
    while found[-1] < len(text):
        found.append(found[-1] + max(char_size(text[found[-1] : found[-1] + 4]), 1))
    return found


def longest_start(encode: Encode, text: str | bytes, limit: int) -> int:
    """The last place that leaves at most `limit` ids before it."""
    return max(k for k in places(text) if len(encode(text[:k])) <= limit)


def is_space(text: str, k: int) -> bool:
    return 0 <= k < len(text) and text[k].isspace()


def is_boundary(text: str, k: int, boundary: str | None) -> bool:
    """Whether text may be cut at `k`, inside it."""
    word = is_space(text, k - 1) and not is_space(text, k)
    line = text[k - 1] == "\n"
    if boundary == "word":
        return word
    if boundary == "line":
        return line
    if boundary is None or line:
        return True
    stops, wide, closing = ".!?…‼⁇⁈⁉։؟۔।॥၊။።។。．！？｡", "。．！？｡", "\"')]}»’”》」』】）］"
    if word:
        return bool(text[:k].rstrip().rstrip(closing)) and text[:k].rstrip().rstrip(closing)[-1] in stops
    if text[k] in closing or text[k] in stops or text[k].isspace():
        return False
    return text[:k].rstrip(closing)[-1:] in tuple(wide)


def longest_graphemes(encode: Encode, text: str, limit: int) -> int:
    """The last begin of a grapheme that leaves at most `limit` ids before it."""
    return max(k for k in [0, *graphemes.begins(text)] if len(encode(text[:k])) <= limit)


def chunks(encode: Encode, text: str, limit: int, boundary: str | None = None) -> list[tuple[int, int]] | None:
    """Spans one after the other, each as long as can be; None: a character is too dear."""
    spans, begin = [], 0
    ends = graphemes.begins(text)
    while begin < len(text):
        rest = text[begin:]
        end = longest_start(encode, rest, limit)
        if end == 0:
            return None
        if boundary == "grapheme":
            fits = [k - begin for k in ends if k > begin and len(encode(text[begin:k])) <= limit]
            end = fits[-1] if fits else end
        elif end < len(rest):
            for kind in dict.fromkeys([boundary, "word", None] if boundary else [None]):
                fits = [k for k in range(1, end + 1) if is_boundary(rest, k, kind) and len(encode(rest[:k])) <= limit]
                if fits:
                    end = fits[-1]
                    break
        spans.append((begin, begin + end))
        begin += end
    return spans
