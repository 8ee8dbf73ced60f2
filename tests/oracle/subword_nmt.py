"""A word cut by the pairs of subword-nmt's codes, as its paper (Sennrich 2016) says it."""

from itertools import pairwise


def segment(word: str, lines: list[str], version: int, vocabulary: set[str] | None = None) -> list[str]:
    """The symbols of a word, without the mark of its end. vocabulary: as a file spells them, `@@` inside words."""
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
    if vocabulary:
        symbols = [part for symbol in symbols for part in known_parts(symbol, lines, vocabulary)]
    return [symbol for symbol in (*symbols[:-1], symbols[-1].removesuffix("</w>")) if symbol]


def known_parts(symbol: str, lines: list[str], vocabulary: set[str]) -> list[str]:
    """The symbol, if the vocabulary has it or no line makes it; else what its two parts give."""
    is_known = symbol.removesuffix("</w>") in vocabulary if symbol.endswith("</w>") else symbol + "@@" in vocabulary
    makers = [line.split(" ") for line in lines if line.replace(" ", "") == symbol]
    if is_known or not makers:
        return [symbol]
    return [part for half in makers[0] for part in known_parts(half, lines, vocabulary)]
