"""BPE by a list of merges, from its definition: no heap, no table of pieces, texts instead of ids."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any

Part = tuple[str, int]  # a piece, and how many characters of the text it stands for


def symbols_of(word: Iterable[str], model: dict[str, Any]) -> list[str | None]:
    """The piece of each character of a word, with what stands before and after it in pieces; None: unknown."""
    signs = list(word)
    found: list[str | None] = []
    for i, sign in enumerate(signs):
        text = (model["prefix"] if i else "") + sign + (model["suffix"] if i == len(signs) - 1 else "")
        found.append(text if text in model["vocab"] else None)
    return found


def merged(word: Iterable[str], model: dict[str, Any]) -> list[str | None]:
    """The pieces of a word: again and again the best merge is done, the leftmost first; None: an unknown character.

    model: vocab, merges (pairs, the best first; of two equal ones the later one counts), prefix, suffix, unknown (the
    unknown piece or None), fuse (unknown characters side by side are one), whole (a word that is a piece stays whole).
    """
    word = list(word)
    if model["whole"] and "".join(word) in model["vocab"]:
        return ["".join(word)]
    symbols = symbols_of(word, model)
    if model["unknown"] is None:
        symbols = [symbol for symbol in symbols if symbol is not None]
    ranks = {pair: rank for rank, pair in enumerate(model["merges"])}
    while True:
        pairs = [(symbols[i], symbols[i + 1]) for i in range(len(symbols) - 1)]
        known = [(ranks[pair], i) for i, pair in enumerate(pairs) if pair in ranks]  # type: ignore[index]
        if not known:
            break
        _, i = min(known)
        left, right = pairs[i]
        assert left is not None and right is not None
        symbols[i : i + 2] = [left + right.removeprefix(model["prefix"])]
    if model["fuse"]:
        symbols = [one for i, one in enumerate(symbols) if one is not None or i == 0 or symbols[i - 1] is not None]
    return symbols


def random_model(draw: random.Random) -> dict[str, Any]:
    """A model of a few characters, whose merges stand in any order."""
    prefix, suffix = draw.choice(["", "", "##"]), draw.choice(["", "", "</w>"])
    letters = "abé漢"[: draw.randint(1, 4)]
    pieces = [*letters]
    for _ in range(draw.randint(1, 20)):
        pieces.append((draw.choice(pieces) + draw.choice(pieces))[:6])
    places: list[Callable[[str], str]] = [
        lambda text: text, lambda text: prefix + text, lambda text: text + suffix, lambda text: prefix + text + suffix,
    ]  # fmt: skip
    vocab = list(dict.fromkeys(place(text) for text in pieces for place in places if draw.random() < 0.9))
    known = set(vocab)
    merges = [
        (whole[:k], prefix + whole[k:])
        for whole in vocab
        for k in range(1, len(whole))
        if whole[:k] in known and prefix + whole[k:] in known
    ]
    draw.shuffle(merges)
    merges = merges[: draw.randint(0, len(merges))] + merges[:1]
    return {
        "vocab": vocab, "merges": merges, "prefix": prefix, "suffix": suffix, "unknown": draw.choice(["<unk>", None]),
        "fuse": draw.random() < 0.5, "whole": draw.random() < 0.3,
    }  # fmt: skip
