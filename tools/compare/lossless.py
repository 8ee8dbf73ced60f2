"""Check the law of lossless models: decoding what was encoded gives back every text and every byte string.

    python tools/compare/lossless.py --strings 10000000 --seed 1 [--model M...] [--scalars few]

Unigram, BPE and character models are trained for it: with and without dummy prefix, as `lossless=True` and as "strict".
They learn from lines of words, and from long lines without a space. With each model: every scalar value alone and
between letters and spaces, and its share of `--strings` made at random. Half of these are bytes that need not be UTF-8.
Texts go through sentencepiece 0.2.3 as well. It must decode our ids of each text. It must give the same ids for each
text without U+2581, and with strict models for every text. The first differences are shown, and all are counted; the
exit status is 1 if there are any.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable, Iterator
from itertools import islice, product
from pathlib import Path

import sentencepiece
from comparison import Comparison, blocks, loaded, parser_of, run, trained
from random_texts import ILL_FORMED, scalars

from spm_lite import Tokenizer

FORMS = ("{}", "a{}b", " {} ", "b {}{} a")
FEW = 97  # one scalar value in so many
SPACE = "\u2581"
STRANGE = [
    " ", "  ", "   ", SPACE, SPACE * 2, "\U000f0000", "\U000f0001", "\U000f0002", "\u2580", "\u2582", "\0", "\n",
    "\r\n", "\t", "\u3000", "\u00a0", "\u200d", "\ufeff", "\ufffd", "\ufffe", "e\u0301", "\u0323\u0302", "가",
    "\u1100\u1161",
    "👩\u200d💻", "🇯🇵", "漢字", "日本語", "ไทย", "<s>", "</s>", "<unk>", "<0x41>", "<0xE2>", "ﬁ", "Ａ", "½", "٣",
    "\u001f", "\u2585", "\U0010ffff", "\ue000",
]  # fmt: skip
OF_ESCAPES = [  # parts of U+2581, and of the characters that spell it and ill-formed bytes
    b"\x81", b"\x96", b"\x96\x81", b"\xed\xb0\x80", b"\xf3\xb0\x80", b"\xf3", b"\xb0\x80\x80",
]  # fmt: skip


def words(rng: random.Random) -> list[str]:
    """Lines of invented words in several scripts, with runs of spaces, U+2581 and what begins an escape."""
    alphabets = [
        "abcdefghijklmnopqrstuvwxyz",
        "abcdeéèñü",
        "абвгдежз",
        "いろはにほへと",
        "漢字語学人日本",
        "กขคงจ",
        "0123456789",
    ]
    pool = ["".join(rng.choices(rng.choice(alphabets), k=rng.randrange(1, 8))) for _ in range(400)] + STRANGE
    return [
        "".join(word + rng.choice([" ", " ", " ", "  ", ""]) for word in rng.choices(pool, k=12)) for _ in range(2000)
    ]


def long_lines(rng: random.Random) -> list[str]:
    """The same without any space, in a few lines."""
    text = "".join(words(rng)).replace(" ", "")
    return [text[begin : begin + len(text) // 3] for begin in range(0, len(text), len(text) // 3)]


def trained_models(seed: int, vocab_size: int = 1200) -> Iterator[tuple[str, Tokenizer]]:
    """(name, model) of each kind."""
    corpora = {"words": words(random.Random(seed)), "long lines": long_lines(random.Random(seed))}
    for kind, corpus, dummy, lossless in product(("unigram", "bpe", "char"), corpora, (True, False), (True, "strict")):
        name = f"{kind}, {corpus}, {'with' if dummy else 'no'} dummy prefix, lossless={lossless}"
        options = {"model_type": kind, "add_dummy_prefix": dummy, "lossless": lossless}
        yield from trained({name: options}, corpora[corpus], vocab_size=vocab_size)


def random_strings(tok: Tokenizer, rng: random.Random) -> Iterator[str | bytes]:
    """Texts and byte strings in turn, without end: strange characters, any characters, texts of pieces."""
    pieces = [tok.id_to_piece(i).replace(SPACE, " ") for i in range(tok.vocab_size) if tok.piece_type(i) == "normal"]
    while True:
        anything = [chr(rng.choice([rng.randrange(0xD800), rng.randrange(0xE000, 0x110000)])) for _ in range(40)]
        pool = [*STRANGE, *rng.choices(pieces, k=40), *anything]
        byte_pool = [*(text.encode() for text in pool), *(ILL_FORMED + OF_ESCAPES) * 3]
        for _ in range(200):
            yield "".join(rng.choices(pool, k=rng.randrange(8)))
            yield b"".join(rng.choices(byte_pool, k=rng.randrange(8)))


class Law(Comparison):
    """Both sides of the law for one model."""

    def __init__(self, name: str, tok: Tokenizer, with_original: bool = True) -> None:
        super().__init__(name)
        self._tok = tok
        self._original = sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes()) if with_original else None

    def run(self, strings: Iterable[str | bytes]) -> None:
        """Check all strings, in blocks."""
        for block in blocks(strings):
            self.counts["strings"] += len(block)
            self._run_texts([text for text in block if isinstance(text, str)])
            self._run_bytes([text for text in block if isinstance(text, bytes)])

    def _run_texts(self, texts: list[str]) -> None:
        batch = self._tok.encode_batch(texts, num_threads=2)
        self.check(texts, self._tok.decode_batch(batch, num_threads=2), texts, "decoded text")
        if self._original is not None and texts:
            ids = batch.to_lists()
            self.counts["through sentencepiece"] += len(texts)
            self.check(texts, self._original.decode(ids), texts, "text decoded there")
            same = [i for i, text in enumerate(texts) if self._tok.info.is_strict or SPACE not in text]
            common = [texts[i] for i in same]
            self.check(common, [ids[i] for i in same], self._original.encode(common))

    def _run_bytes(self, texts: list[bytes]) -> None:
        lists = self._tok.encode_batch(texts, num_threads=2).to_lists()
        self.check(texts, [self._tok.decode_bytes(ids) for ids in lists], texts, "decoded bytes")


def comparisons(args: argparse.Namespace) -> Iterator[Comparison]:
    """One for each model."""
    models = list(loaded(args.model) if args.model else trained_models(args.seed))
    for name, tok in models:
        law = Law(name, tok, not args.no_original)
        if args.scalars != "none":
            law.run(scalars(FORMS, FEW if args.scalars == "few" else 1))
        share = -(-args.strings // len(models))
        law.run(islice(random_strings(tok, random.Random(args.seed)), share))
        yield law


if __name__ == "__main__":
    parser = parser_of(__doc__, strings=100_000, seed=1)
    parser.add_argument("--scalars", choices=("all", "few", "none"), default="all", help="which characters alone")
    parser.add_argument("--model", type=Path, nargs="*", help="lossless model files to check instead")
    parser.add_argument("--no-original", action="store_true", help="compare nothing with sentencepiece")
    sys.exit(run(parser, comparisons))
