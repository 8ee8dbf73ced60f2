"""Compare what a model makes of texts, and of ids, with what sentencepiece 0.2.3 makes of them.

    python tools/compare/ids.py MODEL... --corpus FILE... --generated 100000 --seed 1 --places --joined

Every line of every corpus and every generated string goes through both, in blocks: ids, pieces, decoded text. With
`--places` also surfaces, offsets in bytes and in code points, the normalized text with its alignment, and the places of
pieces in decoded text, of these ids and of random ones. With `--joined` each corpus once more, as one line. What
differs is shown (the first few) and counted; the exit status is 1 if anything does.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sentencepiece

from spm_lite import SentencePieceProcessor, Tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BLOCK = 4000  # texts compared at once

ALPHABETS = {
    "spaces": " \t\n\r\v\f\u00a0\u1680\u2000\u2003\u200a\u2028\u2029\u202f\u3000\u200b\u200c\u200d\ufeff\u2581\u2581",
    "latin": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZéèüñçøåßœ",
    "digits": "0123456789٠١٢٣४५६０１２①②½²₃",
    "punctuation": ".,;:!?-_'\"()[]{}<>/\\|@#$%^&*+=~`«»„“”‘’…–—、。「」・〜",
    "marks": "\u0300\u0301\u0302\u0303\u0308\u0323\u0327\u0330\u0338\u3099\u309a\u20d7\u064b\u0651\u093c\u0e31\u0e48",
    "emoji": "😀👩👨👧💻❤🔥🏽🏿👍🇯🇵🇩🇪\u200d\ufe0f\u20e3\U000e0067",
    "jamo": "\u1100\u1102\u1109\u1112\u1161\u1162\u1169\u1175\u11a8\u11ab\u11af\u11bc가각힣ㄱㅏㅎ",
    "kana": "あいうえおかきくけこがぎパピプﾊﾟﾋﾞｱｲｳァィゥっッーゝ々",
    "han": "一二三人日本語中国大小東京学生漢字的是不了在有我他這们𠀀𪚥龘㍿㌔",
    "thai": "กขคงจฉชดตถทนบปผพมยรลวสหอะาิีึืุูเแโใไ่้๊๋์ำ",
    "arabic": "ابتثجحخدذرزسشصضطظعغفقكلمنهويءآأؤإئةىﷺﻻ\u200f\u202e",
    "hebrew": "אבגדהוזחטיכלמנסעפצקרשתםןףץ\u05b0\u05b8",
    "indic": "कखगघचछजटठडतथदधनपफबभमयरलवशषसहािीुूेैोौ्ंःகசடதபழ்அఅఆకఖ్",
    "cyrillic": "абвгдежзийклмнопрстуфхцчшщъыьэюяАБВГДІЇЄҐ",
    "greek": "αβγδεζηθικλμνξοπρστυφχψωςάέήίόύώ",
    "compatibility": "ﬁﬂﬃＡＢＣａｂｃ０１㋿㎏ℌ℠™①⑳ⅷⅨªº¼ǄǇ",
    "controls": "\x00\x01\x07\x08\x0b\x1b\x1f\x7f\x80\x85\x8f\x9f\u00ad\u061c\u200e\u2060\ufffd\ufffe\uffff",
    "unassigned": "\u0378\u0530\u2fff\ua7f1\U0001ccd6\U000e0fff\U000f0000\U0010ffff\U0003ffff\ue000",
}
ILL_FORMED = [
    b"\x80", b"\xbf", b"\xc0\x80", b"\xc3", b"\xe2\x96", b"\xe2\x96\x81", b"\xe2", b"\xed\xa0\x80", b"\xf0\x9f\x98",
    b"\xf5\x80\x80\x80", b"\xf4\x90\x80\x80", b"\xff", b"\xfe", b"\xe0\x80\xaf", b"\xf0\x80\x80\x80",
]  # fmt: skip


class Generator:
    """Random texts: mixed alphabets, pieces of the model, pieces of corpus lines, ill-formed bytes."""

    def __init__(self, tok: Tokenizer, lines: list[str], seed: int) -> None:
        self._rng = random.Random(seed)
        self._alphabets = list(ALPHABETS.values())
        self._pieces = [tok.id_to_piece(i) for i in range(tok.vocab_size)]
        self._lines = lines or ["a line of text"]

    def text(self) -> str | bytes:
        """The next one: str, or bytes where it is ill-formed (or now and then)."""
        rng = self._rng
        parts = [self._part() for _ in range(rng.randrange(1, rng.choice([2, 4, 12])))]
        text = rng.choice(["", " ", " ", "\u2581", "  "]).join(parts)
        if rng.random() < 0.1:
            text = rng.choice([" ", "  ", "\u2581", "\u3000", "\t"]) + text + rng.choice(["", " ", "\u2581 ", "\n"])
        data = text.encode("utf-8", "surrogateescape")
        if rng.random() < 0.15:
            for _ in range(rng.randrange(1, 4)):
                place = rng.randrange(len(data) + 1)
                data = data[:place] + rng.choice(ILL_FORMED) + data[place + rng.randrange(0, 2) :]
            return data
        try:
            return data.decode()
        except UnicodeDecodeError:
            return data

    def _part(self) -> str:
        rng = self._rng
        kind = rng.random()
        if kind < 0.3:
            return "".join(rng.choices(rng.choice(self._alphabets), k=rng.randrange(1, 12)))
        if kind < 0.4:
            return "".join(rng.choice(rng.choice(self._alphabets)) for _ in range(rng.randrange(1, 12)))
        if kind < 0.6:
            pieces = rng.choices(self._pieces, k=rng.randrange(1, 6))
            return "".join(pieces).replace("\u2581", " " if rng.random() < 0.8 else "\u2581")
        if kind < 0.9:
            line = rng.choice(self._lines)
            begin = rng.randrange(len(line) + 1)
            return line[begin : begin + rng.randrange(1, 60)]
        if kind < 0.95:
            return rng.choice(rng.choice(self._alphabets)) * rng.randrange(1, 60)
        code_points = (rng.choice([0x80, 0x800, 0x3000, 0x10000, 0x110000]) for _ in range(rng.randrange(1, 8)))
        return "".join(chr(c) for c in map(rng.randrange, code_points) if not 0xD800 <= c < 0xE000)


class Comparison:
    """Counts what differs between the two on one model."""

    def __init__(self, path: str, shown: int, with_places: bool, seed: int) -> None:
        self.tok = Tokenizer.load(path)
        self.ours = SentencePieceProcessor(model_file=path)
        self.ref = sentencepiece.SentencePieceProcessor(model_file=path)
        self.name = Path(path).name
        self.n_texts = self.n_bytes = self.n_differences = 0
        self._lacking: set[str] = set()
        self._shown = shown
        self._with_places = with_places
        self._rng = random.Random(seed)

    def run(self, texts: list[str | bytes]) -> None:
        """Compare one block. A lossless model spells U+2581 and ill-formed bytes as they are: those are left out."""
        if self.tok.is_lossless:
            texts = [text for text in texts if is_common_ground(text)]
        if not texts:
            return
        batch = self.tok.encode_batch(texts)
        expected = self.ref.encode(texts, out_type=int)
        self._check("ids", texts, batch.to_lists(), expected)
        self._check("lists of ids", texts, self.tok.encode_lists(texts), expected)
        data = [as_bytes(text) for text in texts]
        self._both("pieces", data, lambda sp: sp.encode(data, return_type=bytes))
        self._check("text", expected, self.tok.decode_batch(batch), self.ref.decode(expected))
        if self._with_places:
            self._compare_places(texts, data)
            self._compare_decoded(expected)
        self.n_texts += len(texts)
        self.n_bytes += sum(map(len, data))

    def _compare_places(self, texts: list[str | bytes], data: list[bytes]) -> None:
        """Surfaces and offsets, and the normalized text with its alignment."""
        self._both("surfaces", texts, lambda sp: sp.encode(texts, return_type="serialized_proto"))
        strings = [text for text in texts if isinstance(text, str)]
        self._both("code points", strings, lambda sp: sp.encode(strings, return_type="offset_mapping"))
        self._both("normalized", strings, lambda sp: sp.normalize(strings, with_offsets=True))
        self._both("normalized bytes", data, lambda sp: sp.normalize(data, with_offsets=True))

    def _compare_decoded(self, ids: list[list[int]]) -> None:
        """The places of pieces in decoded text, from ids and from pieces."""
        size = self.tok.vocab_size
        low = min(size, 300)  # where control and byte pieces usually are
        drawn = [[self._rng.randrange(self._rng.choice([low, size])) for _ in row[:40]] for row in ids[::4]]
        rows = [row for row in ids + drawn if row]
        self._both("decoded places", rows, lambda sp: sp.decode(rows, return_type="serialized_proto"))
        self._both("decoded text", rows, lambda sp: sp.decode(rows, return_type=bytes))
        self._both("decoded code points", drawn, lambda sp: [of_decoded(sp, row) for row in drawn])
        pieces = [[self._rng.choice(["a", "\u2581x", "<unk>", self.tok.id_to_piece(i)]) for i in row] for row in drawn]
        pieces = [row for row in pieces if row]
        self._both("decoded pieces", pieces, lambda sp: sp.decode(pieces, return_type="serialized_proto"))

    def _both(self, what: str, inputs: list, call: Callable[[Any], list]) -> None:
        """Compare a call. If the installed version lacks one of its arguments, that is one difference."""
        if not inputs or what in self._lacking:
            return
        try:
            theirs = call(self.ref)
        except TypeError as error:
            self._lacking.add(what)
            self.n_differences += 1
            print(f"{self.name}: {what} cannot be compared: {error}", flush=True)
            return
        self._check(what, inputs, call(self.ours), theirs)

    def _check(self, what: str, inputs: list, ours: list, theirs: list) -> None:
        if ours == theirs:
            return
        for value, own, other in zip(inputs, ours, theirs, strict=True):
            if own == other:
                continue
            self.n_differences += 1
            if self.n_differences <= self._shown:
                shown = [repr(what)[:2000] for what in (value, own, other)]
                print("{}: {} of {}\n  ours      {}\n  reference {}".format(self.name, what, *shown), flush=True)


def of_decoded(sp: Any, row: list[int]) -> Any:
    """The offset mapping of ids; or that there is none, because a denormalizer has changed the text."""
    try:
        return sp.decode(row, return_type="offset_mapping")
    except ValueError:
        return ValueError


def is_common_ground(text: str | bytes) -> bool:
    """Whether a lossless model must give the original's ids for this text."""
    try:
        return "\u2581" not in (text if isinstance(text, str) else text.decode())
    except UnicodeDecodeError:
        return False


def as_bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def blocks(texts: Iterator[str | bytes]) -> Iterator[list[str | bytes]]:
    """Lists of BLOCK texts."""
    while block := list(islice(texts, BLOCK)):
        yield block


def read_lines(paths: list[str]) -> list[str]:
    return [line for path in paths for line in Path(path).read_bytes().decode().split("\n")]


def compare(comparison: Comparison, lines: list[str], n_generated: int, seed: int) -> int:
    """Send lines and generated strings through both; prints a line and returns the number of differences."""
    begin = time.perf_counter()
    for block in blocks(iter(lines)):
        comparison.run(block)
    generator = Generator(comparison.tok, lines, seed)
    for block in blocks(generator.text() for _ in range(n_generated)):
        comparison.run(block)
    print(
        f"{comparison.name}: {comparison.n_differences} differences in {comparison.n_texts} texts, "
        f"{comparison.n_bytes / 1e6:.1f} MB, {time.perf_counter() - begin:.0f} s",
        flush=True,
    )
    return comparison.n_differences


def main() -> int:
    """Compare; 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--corpus", nargs="*", default=[], metavar="FILE", help="UTF-8 text, compared line by line")
    parser.add_argument("--generated", type=int, default=0, metavar="N", help="random strings per model")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--places", action="store_true", help="compare the places of pieces too (slower)")
    parser.add_argument("--joined", action="store_true", help="compare each corpus as one line too")
    parser.add_argument("--show", type=int, default=5, metavar="N", help="differences shown per model")
    options = parser.parse_args()
    lines = read_lines(options.corpus)
    total = 0
    for path in options.models:
        comparison = Comparison(path, options.show, options.places, options.seed)
        for corpus in options.corpus if options.joined else ():
            comparison.run([" ".join(read_lines([corpus]))])
        total += compare(comparison, lines, options.generated, options.seed)
    print(f"{total} differences in {len(options.models)} models")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
