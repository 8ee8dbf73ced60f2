"""A word cut by the pairs of subword-nmt's codes, as its paper (Sennrich 2016) says it."""

from itertools import pairwise


def segment(word: str, lines: list[str], version: int) -> list[str]:
    """The symbols of a word, without the mark of its end."""
    ranks: dict[tuple[str, ...], int] = {}
    for rank, line in enumerate(lines):
        ranks.setdefault(tuple(line.split(" ")), rank)
    symbols = [*word[:-1], word[-1] + "</w>"] if version == 2 else [*word, "</w>"]
    while True:
        pairs = [(ranks[pair], i) for i, pair in enumerate(pairwise(symbols)) if pair in ranks]
        if not pairs:
            break
        _, i = min(pairs)
        symbols[i : i + 2] = [symbols[i] + symbols[i + 1]]
    return [symbol for symbol in (*symbols[:-1], symbols[-1].removesuffix("</w>")) if symbol]
