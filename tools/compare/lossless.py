"""Check the law of lossless models: decoding what was encoded gives back every text and every byte string.

    python tools/compare/lossless.py --strings 10000000 --seed 1 [--model M...] [--scalars few]

Unigram, BPE and character models are trained for it, with and without dummy prefix, from lines of words and from long
lines without a space, as `lossless=True` and as "strict". With each model: every scalar value alone and between letters
and spaces, and its share of `--strings` made at random, half of them bytes that need not be UTF-8. Texts go through
sentencepiece 0.2.3 as well: it must decode our ids of each, and give the same ids for each without U+2581, under strict
models for each. What differs is shown (the first few) and counted; the exit status is 1 if anything does.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sentencepiece

import spm_lite
from spm_lite import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

BLOCK = 20_000  # strings compared at once
N_SCALARS = 0x110000 - 0x800
FORMS = ("{}", "a{}b", " {} ", "b {}{} a")
SPACE = "\u2581"
STRANGE = [
    " ", "  ", "   ", SPACE, SPACE * 2, "\U000f0000", "\U000f0001", "\U000f0002", "\u2580", "\u2582", "\0", "\n",
    "\r\n", "\t", "\u3000", "\u00a0", "\u200d", "\ufeff", "\ufffd", "\ufffe", "e\u0301", "\u0323\u0302", "가",
    "\u1100\u1161",
    "👩\u200d💻", "🇯🇵", "漢字", "日本語", "ไทย", "<s>", "</s>", "<unk>", "<0x41>", "<0xE2>", "ﬁ", "Ａ", "½", "٣",
    "\u001f", "\u2585", "\U0010ffff", "\ue000",
]  # fmt: skip
ILL_FORMED = [
    b"\x80", b"\x81", b"\x96", b"\xbf", b"\xc0\x80", b"\xc3", b"\xe2", b"\xe2\x96", b"\x96\x81", b"\xed\xa0\x80",
    b"\xed\xb0\x80", b"\xf0\x9f\x98", b"\xf3\xb0\x80", b"\xf3", b"\xb0\x80\x80", b"\xf4\x90\x80\x80",
    b"\xf5\x80\x80\x80", b"\xff", b"\xfe", b"\xe0\x80\xaf",
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
        options: dict[str, Any] = {"model_type": kind, "add_dummy_prefix": dummy, "lossless": lossless}
        tok = spm_lite.train(corpora[corpus], vocab_size=vocab_size, hard_vocab_limit=False, **options)
        yield f"{kind}, {corpus}, {'with' if dummy else 'no'} dummy prefix, lossless={lossless}", tok


def scalars(few: bool = False) -> Iterator[str]:
    """Every scalar value in every form, or some hundreds of each plane and block."""
    for code_point in range(0, 0x110000, 97 if few else 1):
        if not 0xD800 <= code_point <= 0xDFFF:
            for form in FORMS:
                yield form.format(*[chr(code_point)] * 2)


def random_strings(tok: Tokenizer, rng: random.Random) -> Iterator[str | bytes]:
    """Texts and byte strings in turn, without end: strange characters, any characters, texts of pieces."""
    pieces = [tok.id_to_piece(i).replace(SPACE, " ") for i in range(tok.vocab_size) if tok.is_normal(i)]
    while True:
        anything = [chr(rng.choice([rng.randrange(0xD800), rng.randrange(0xE000, 0x110000)])) for _ in range(40)]
        pool = [*STRANGE, *rng.choices(pieces, k=40), *anything]
        byte_pool = [*(text.encode() for text in pool), *ILL_FORMED * 3]
        for _ in range(200):
            yield "".join(rng.choices(pool, k=rng.randrange(8)))
            yield b"".join(rng.choices(byte_pool, k=rng.randrange(8)))


class Law:
    """Both sides of the law for one model; `failures` are counted, the first of them kept in words."""

    def __init__(self, tok: Tokenizer, with_original: bool = True) -> None:
        self._tok = tok
        self._original = sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes()) if with_original else None
        self.n_strings = self.n_compared = self.n_failures = 0
        self.failures: list[str] = []

    def check(self, strings: Iterable[str | bytes]) -> None:
        """Check all strings, in blocks."""
        rest = iter(strings)
        while block := list(islice(rest, BLOCK)):
            self.check_texts([text for text in block if isinstance(text, str)])
            self.check_bytes([text for text in block if isinstance(text, bytes)])
            self.n_strings += len(block)

    def check_texts(self, texts: list[str]) -> None:
        batch = self._tok.encode_batch(texts, num_threads=2)
        self.compare("decoded", texts, texts, self._tok.decode_batch(batch, num_threads=2))
        if self._original is not None and texts:
            ids = batch.to_lists()
            self.n_compared += len(texts)
            self.compare("decoded there", texts, texts, self._original.decode(ids))
            same = [i for i, text in enumerate(texts) if self._tok.is_strict or SPACE not in text]
            there = self._original.encode([texts[i] for i in same])
            self.compare("encoded there", [texts[i] for i in same], [ids[i] for i in same], there)

    def check_bytes(self, texts: list[bytes]) -> None:
        lists = self._tok.encode_batch(texts, num_threads=2).to_lists()
        self.compare("decoded as bytes", texts, texts, [self._tok.decode_bytes(ids) for ids in lists])

    def compare(self, what: str, texts: list[Any], wanted: list[Any], found: list[Any]) -> None:
        if wanted == found:
            return
        for text, want, have in zip(texts, wanted, found, strict=True):
            if want != have:
                self.n_failures += 1
                if len(self.failures) < 5:
                    self.failures.append(f"{text!r} {what}: {have!r}, wanted {want!r}")


def main() -> int:
    """Run all checks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strings", type=int, default=100_000, help="made at random, for all models together")
    parser.add_argument(
        "--scalars", choices=("all", "few", "none"), default="all", help="which characters by themselves"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", type=Path, nargs="*", help="lossless model files to check instead")
    parser.add_argument("--no-original", action="store_true", help="compare nothing with sentencepiece")
    options = parser.parse_args()
    if options.model:
        models = [(path.name, Tokenizer.load(path)) for path in options.model]
    else:
        models = list(trained_models(options.seed))
    n_failures = n_strings = n_compared = 0
    for name, tok in models:
        begin = time.perf_counter()
        law = Law(tok, not options.no_original)
        if options.scalars != "none":
            law.check(scalars(options.scalars == "few"))
        share = -(-options.strings // len(models))
        law.check(islice(random_strings(tok, random.Random(options.seed)), share))
        seconds = time.perf_counter() - begin
        print(f"{name}: {law.n_strings} strings, {law.n_failures} failures, {seconds:.0f} s", flush=True)
        for failure in law.failures:
            print(f"    {failure}")
        n_failures += law.n_failures
        n_strings += law.n_strings
        n_compared += law.n_compared
    print(f"{n_strings} strings, {n_compared} also through sentencepiece; {n_failures} failures")
    return 1 if n_failures else 0


if __name__ == "__main__":
    sys.exit(main())
