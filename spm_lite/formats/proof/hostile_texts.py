"""Texts for a proof: a fixed set of what tokenizers treat differently, and random strings of a model's own pieces."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence

SPACES = (
    "", " ", "  ", "   ", " " * 17, "\t", "\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x85", "\xa0", "\u1680", "\u2003",
    "\u200b", "\u2028", "\u202f", "\u205f", "\u2060", "\u3000", "\ufeff", "\u2581", "\u2581\u2581",
)  # fmt: skip
SIGNS = (
    "\0", "\x01", "\x7f", "\x80", "\xad", "\ufffd", "\uffff", "\ue000", "\U000f0000", "\U000f0000\U000f0001",
    "\U000f0000\U000f0002", "\U0010ffff", "e\u0301", "e\u0301\u0323", "\u1ecd\u0301", "a\u0345\u0301", "\u0301",
    "\u0644\u0651\u064e", "\u0644\u064e\u0651", "\uff76\uff9e", "\uff8a\uff9f", "\u3131\u314f", "\u1112\u1161\u11ab",
    "\uac00\u11a8", "\u0e01\u0e33", "\u0915\u094d\u0937", "\u4e16\u754c", "\U00020000", "\U0002b820", "\u0130",
    "\u1e9e", "\u03a3", "\u03c2", "\u01c5", "\ufb01", "\u2460", "\u00bd", "\u2126", "\u212b", "\U0001f30d",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1e9\U0001f1ea", "1\ufe0f\u20e3", "\u05d0\u05b7", "\u200d",
)  # fmt: skip
WORDS = (
    "The quick brown fox jumps over the lazy dog.", "it's I'M we'LL 'Twas don't", "x=1; y  =  [2,3] # ok", "12345678",
    "3.14159 1,000", "a" * 40, "." * 33, "-" * 21, "ab" * 20, "ha ha ha", "\u3053\u3093\u306b\u3061\u306f\u3001\u4e16",
    "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35", "\uc548\ub155 \ud558\uc138\uc694", "\u041f\u0440\u0438\u0432\u0435\u0442",
    "https://example.org/a?b=c&d=%20", "user@example.org", "C:\\dir\\file.txt", "<b>bold</b>", "{{x}}",
    "na\u00efve caf\u00e9", "\u0391\u0392\u0393",
)  # fmt: skip


def hostile_texts() -> list[str]:
    """The fixed set: each space and sign alone, in a word, between words, and at both ends of a text."""
    found = [*WORDS]
    for sign in (*SPACES, *SIGNS):
        found += [sign, f"a{sign}b", f"the {sign} cat", f"{sign}the cat{sign}", f"{sign}{sign} {sign}1"]
    found += [f"{left}{right}" for left in SPACES for right in SPACES]
    return list(dict.fromkeys(found))


def spelled_texts(texts: Iterable[str], n: int = 12) -> Iterator[str]:
    """Texts that spell special pieces, alone and among words."""
    for text in [*texts][:n]:
        yield from (text, f"a{text}b", f"the {text} cat")


def random_texts(pieces: Sequence[str], n: int, seed: int = 0) -> Iterator[str]:
    """Random strings of pieces, of signs, of runs of one character and of any characters. pieces: of a model."""
    rng = random.Random(seed)
    own = [text for text in pieces if text and not any("\ud800" <= sign <= "\udfff" for sign in text)] or ["a"]
    others = (*SPACES, *SIGNS)
    for _ in range(n):
        parts = []
        for _ in range(rng.randrange(1, 12)):
            kind = rng.random()
            if kind < 0.6:
                parts.append(rng.choice(own).replace("\u2581", " " if rng.random() < 0.95 else "\u2581"))
            elif kind < 0.8:
                parts.append(rng.choice(others))
            elif kind < 0.9:
                parts.append(chr(rng.choice((rng.randrange(32, 0x250), rng.randrange(0x250, 0xD800)))))
            elif kind < 0.93:
                parts.append(chr(rng.randrange(0xE000, 0x110000)))
            else:
                parts.append(rng.choice("ab.- 1") * rng.randrange(1, 20))
        yield "".join(parts)
