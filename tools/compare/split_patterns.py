"""Compare the split patterns that are written out in Cython with the published ones, run by the package `regex`.

    python tools/compare/split_patterns.py [--strings 1000000] [--seed 1] [--step 1] [--only NAME...]

Every scalar value is tried alone, and between letters, digits, spaces and apostrophes; then random strings. `regex`
gets the classes of characters that tiktoken has, since it knows a later Unicode. What differs is shown (the first few)
and counted; the exit status is 1 if anything does.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from comparison import ROOT, Comparison, blocks, parser_of, run
from random_texts import joined, scalars

from spm_lite.encode.segment.split_text import matches
from spm_lite.vocab.split_pattern_names import PATTERNS, RULES

sys.path.insert(0, str(ROOT / "tests"))
from oracle.split_patterns import compiled

FRAMES = ("{}", "a{}b", "1{}2", " {} ", "'{}'")
PARTS = [
    " ", "  ", "   ", "\n", "\r", "\r\n", "\t", "\u00a0", "\u3000", "\u2028", "\x0b", "\x85", "'", "'s", "'S", "'ll",
    "'lL", "'re", "'Ve", "'m", "'d", "'t", "'\u017f", "'l", "a", "B", "ab", "AB", "aB", "Ab", "\u01c5", "\u02b0",
    "\u4e2d", "\u5b57", "\u0e44", "\u0e48", "\u0301", "\u0924", "\u093f", "\u05e9", "1", "12", "123", "\u0663",
    "\u00b2", "\u2167", "!", "?!", "/", "//", "-", "_", "\u3002", "\U0001f30d", "\u200d", "\ufe0f", "\0", "\u2581",
    "\ue000", "\u0378", "\U00031350", "abcdefg", "Abcdefgh", "abcdefghijklmno", "Abcdefghijklmnop", "HELLOWO",
    "HELLOWOR", "WORLDSaa", "`", "{", "@", "[", "z", "Z",
]  # fmt: skip


def comparisons(args: argparse.Namespace) -> Iterator[Comparison]:
    """One for each pattern and kind of text."""
    names = {pattern: name for name, pattern in reversed(PATTERNS.items())}
    for pattern in RULES:
        name = names.get(pattern, "gpt2 of tokenizers")
        if args.only and name not in args.only:
            continue
        find = compiled(pattern).finditer
        for what, texts in (
            ("scalar values", scalars(FRAMES, args.step)),
            ("random strings", joined(PARTS, args.strings, args.seed, 14)),
        ):
            case = Comparison(f"{name}, {what}")
            for block in blocks(texts):
                case.counts["texts"] += len(block)
                data = [text.encode() for text in block]
                expected = [[found.group().encode() for found in find(text)] for text in block]
                case.check(block, [matches(text, pattern) for text in data], expected, "matches")
                one_by_one = [matches(text, pattern, one_by_one=True) for text in data]
                case.check(block, one_by_one, expected, "matches one by one")
            yield case


if __name__ == "__main__":
    parser = parser_of(__doc__, strings=1_000_000, seed=1, step=1)
    parser.add_argument("--only", nargs="*", default=(), metavar="NAME")
    sys.exit(run(parser, comparisons))
