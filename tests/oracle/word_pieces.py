"""Random pieces that hold words in a row, as a second stage of training makes them or not; and texts for them."""

from __future__ import annotations

import random

from oracle.segmentation import NORMAL, UNKNOWN, USER_DEFINED, Pieces

SPACE = "\u2581"
WORDS = ["a", "of", "the", "in", "it's", "été", "дом", "漢字", "ไทย", "e\u0301", "👩\u200d👧", "then", "often"]
CHARS = sorted({SPACE, *"".join(WORDS), "x"})


def pieces_of_words(rng: random.Random, n_inside: int, n_across: int, is_staged: bool) -> Pieces:
    """Characters, pieces of words and pieces across spaces, of 9 characters at most.

    is_staged: those across spaces merge last, except one now and then. Some scores are equal.
    """
    inside, across = [*CHARS], []
    while len(inside) < len(CHARS) + n_inside:
        text = (SPACE + rng.choice(WORDS)) * rng.choice([1, 1, 2])
        begin = rng.randrange(len(text))
        text = text[begin : begin + rng.randrange(2, 7)]
        if SPACE not in text[1:] and text not in inside:
            inside.append(text)
        n_inside -= rng.random() < 0.1
    for _ in range(n_across):
        text = SPACE.join(["", *rng.choices(WORDS, k=3)]) + rng.choice(["", SPACE, SPACE * 2])
        begin = rng.choice([0, rng.randrange(len(text))])
        text = text[begin : begin + rng.randrange(3, 10)]
        if SPACE in text[1:] and text not in across:
            across.append(text)
    ordered = [*inside[len(CHARS) :], *across]
    if not is_staged:
        rng.shuffle(ordered)
    elif ordered:
        ordered.insert(rng.randrange(len(ordered)), ordered.pop())
    step = rng.choice([1, 1, 3])
    kinds = [USER_DEFINED if rng.random() < 0.02 and not is_staged else NORMAL for _ in ordered]
    merges = [
        (text.encode(), -float(k // step) / 3, kind) for k, (text, kind) in enumerate(zip(ordered, kinds, strict=True))
    ]
    return [(b"<unk>", 0.0, UNKNOWN), *merges, *((c.encode(), -40.0, NORMAL) for c in CHARS[:-1])]


def text_of_words(rng: random.Random, most: int = 30) -> str:
    """Words, with runs of spaces, characters that are no piece, and fragments between them; as a caller writes it."""
    units = [*(" " + word for word in WORDS), " ", "x", "\0", "s", "t", "-"]
    return "".join(rng.choices(units, [rng.random() ** 2 for _ in units], k=rng.randrange(most)))
