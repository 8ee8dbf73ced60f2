"""Texts on which tokenizers may differ: every scalar value, hostile texts, and random ones.

Only public names of spm_lite are imported at the top, so that digests.py runs with older code too.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from spm_lite import Tokenizer

N_SCALARS = 0x110000 - 0x800  # Unicode's code points without surrogates
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


def scalars(forms: Sequence[str] = ("{}",), step: int = 1) -> Iterator[str]:
    """Every scalar value, or one in so many, in every form. forms: patterns of `str.format`, with one or two places."""
    for code in range(0, 0x110000, step):
        if not 0xD800 <= code < 0xE000:
            for form in forms:
                yield form.format(chr(code), chr(code))


def joined(parts: Sequence[str], n: int, seed: int, longest: int) -> Iterator[str]:
    """`n` random strings of fewer than `longest` parts; one in four has any scalar value among them."""
    rng = random.Random(seed)
    for _ in range(n):
        chosen = rng.choices(parts, k=rng.randrange(1, longest))
        if rng.random() < 0.25:
            code = rng.randrange(N_SCALARS)
            chosen.insert(rng.randrange(len(chosen) + 1), chr(code + 0x800 * (code >= 0xD800)))
        yield "".join(chosen)


def hostile(tok: Tokenizer, n: int, seed: int = 0) -> Iterator[str]:
    """The hostile texts of a proof, spellings of the first pieces, and `n` random strings of pieces and signs."""
    from spm_lite.formats.proof.conversion import hostile_texts, random_texts, spelled_texts

    pieces = [tok.id_to_piece(i) for i in range(len(tok))]
    yield from hostile_texts()
    yield from spelled_texts(pieces)
    yield from random_texts(pieces, n, seed)


class Generator:
    """Random texts: mixed alphabets, pieces of the model, pieces of corpus lines, ill-formed bytes."""

    def __init__(self, tok: Tokenizer, lines: list[str], seed: int) -> None:
        self._rng = random.Random(seed)
        self._alphabets = list(ALPHABETS.values())
        self._pieces = [tok.id_to_piece(i) for i in range(tok.vocab_size)]
        self._lines = lines or ["a line of text"]

    def texts(self, n: int) -> Iterator[str | bytes]:
        """The next `n`."""
        return (self.text() for _ in range(n))

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
