"""Text made as a str against the same text made as bytes, which the naive twin checks."""

import random
import sys
import threading
from array import array

import pytest
from oracle import native
from oracle.segmentation import BYTE, CONTROL, NORMAL, SPACE, UNKNOWN, UNUSED, USER_DEFINED
from oracle.slow import slow_after

from spm_lite.decode.decode_batch import decode_flat, decode_lists
from spm_lite.decode.decoder import Decoder

BYTES = [(b"<0x%02X>" % byte, 0.0, BYTE) for byte in range(256)]
ALPHABETS = ["ab ", "aé", "ÿĀ", "aʼ漢", "かな漢字", "\ud7ff\ue000\uffff", "a🤗", "漢🤗𐀀\U0010ffff", "a\u2581"]
NO_UTF16 = [b"\x80", b"\xc3", b"\xe6\xbc", b"\xed\xa0\x80", b"\xe0\x80\x80", b"\xf0\x9f", b"\xa4\x97", b"\xff"]
LENGTHS = [1, 1, 2, 3, 6, 7, 8, 9, 14, 15, 16, 17, 40]  # around those that a piece's entry has room for
COUNTS = [0, 1, 2, 3, 7, 8, 9, 16, 63, 64, 65, 66, 200]  # around the blocks that are copied at once


def expected(decoder, ids):
    """By way of UTF-8."""
    return decoder.decode_bytes(ids, False).decode("utf-8", "replace")


def check(text, right):
    """Equal, and as narrow as its characters allow."""
    right = "".join(list(right))  # one that nobody has used as UTF-8, which would have made it larger
    assert text == right
    assert hash(text) == hash(right)
    assert text.isascii() == right.isascii()
    assert sys.getsizeof(text) == sys.getsizeof(right)
    assert text.encode("utf-8", "surrogatepass") == right.encode("utf-8", "surrogatepass")


def random_decoder(rng):
    """A vocabulary of all kinds of pieces, and the ids of each alphabet."""
    marked = rng.choice([SPACE, b" ", b""])
    unknown = rng.choice([b"<unk>", SPACE + b"unk"])
    pieces = [(unknown, 0.0, UNKNOWN), (b"<s>", 0.0, CONTROL), (SPACE + b"</s>", 0.0, CONTROL), *BYTES]
    groups = [[0, 1, 2], list(range(3, 259)), [3 + byte for byte in rng.choice(["漢字", "🤗é", "a\0"]).encode()]]
    known = {piece for piece, _, _ in pieces}
    alphabets = [*rng.sample(ALPHABETS, rng.randrange(1, 4)), "ab"]
    for alphabet in alphabets:
        group = []
        for _ in range(25):
            text = "".join(rng.choices(alphabet, k=rng.choice(LENGTHS))).encode()
            text = rng.choice([b"", marked, SPACE, SPACE * 2]) + text
            if text not in known:
                known.add(text)
                group.append(len(pieces))
                pieces.append((text, 0.0, rng.choices([NORMAL, USER_DEFINED, UNUSED], [8, 1, 1])[0]))
        groups.append(group)
    for text in [SPACE, *(NO_UTF16 if rng.random() < 0.2 else [])]:
        if text not in known:
            groups[0].append(len(pieces))
            pieces.append((text, 0.0, NORMAL))
    surface = rng.choice([b"", b" ", " \u2047 ".encode(), b"?", "\u2581é".encode(), "🤗".encode()])
    vocab = native.build_vocab(pieces, "unigram", True)
    return Decoder(vocab, rng.random() < 0.5, rng.random() < 0.5, surface, None), groups


def random_ids(rng, groups, count):
    """Mostly of one group, in runs."""
    ids = []
    while len(ids) < count:
        group = rng.choice([groups[-1], rng.choice(groups)])
        ids += rng.choices(group, k=rng.choice([1, 1, 2, 5, 30]))
    return ids[:count]


@pytest.mark.parametrize("seed", slow_after(20, range(60)))
def test_equals_text_by_way_of_utf8(seed):
    rng = random.Random(seed)
    decoder, groups = random_decoder(rng)
    texts = [random_ids(rng, groups[:1] + rng.sample(groups, 3), rng.choice(COUNTS)) for _ in range(60)]
    texts.append(random_ids(rng, groups, 5000))  # long enough to let other threads run
    right = [expected(decoder, ids) for ids in texts]
    for ids, text in zip(texts, right, strict=True):
        check(decoder.decode(ids), text)
    offsets = array("q", [0])
    for ids in texts:
        offsets.append(offsets[-1] + len(ids))
    flat = array("i", [i for ids in texts for i in ids])
    for num_threads in (1, 3):
        for found in (
            decode_lists(decoder, texts, num_threads, False),
            decode_flat(decoder, flat, offsets, num_threads, False),
        ):
            for text, by_bytes in zip(found, right, strict=True):
                check(text, by_bytes)


@pytest.mark.parametrize("n", [6, 7, 8, 15, 16, 17, 255, 256, 1999])
@pytest.mark.parametrize("char", ["a", "é", "漢", "🤗"])
def test_length_of_a_piece(char, n):
    texts = [char * n, "\u2581" + char * (n - 1), char * (n - 1) + "b", "b"]
    pieces = [(b"<unk>", 0.0, UNKNOWN), *((text.encode(), 0.0, NORMAL) for text in texts)]
    for dummy in (False, True):
        decoder = Decoder(native.build_vocab(pieces, "unigram", False), dummy, False, b"", None)
        for ids in ([1], [2], [3], [2, 1, 2, 3], [4, 2, 4], [4, 4, 1, 4]):
            text = "".join(texts[i - 1] for i in ids).replace("\u2581", " ")
            check(decoder.decode(ids), text[1:] if dummy and text[0] == " " else text)


@pytest.mark.parametrize("n", [0xFFFE, 0xFFFF, 0x10000])
def test_length_of_the_unknown_surface(n):
    pieces = [(b"<unk>", 0.0, UNKNOWN), ("漢".encode(), 0.0, NORMAL)]
    for char in "a漢":
        decoder = Decoder(native.build_vocab(pieces, "unigram", False), False, False, (char * n).encode(), None)
        check(decoder.decode([0, 1, 0]), char * n + "漢" + char * n)


def test_runs_of_bytes():
    pieces = [(b"<unk>", 0.0, UNKNOWN), *BYTES, (b"a", 0.0, NORMAL), (b"<s>", 0.0, CONTROL)]
    decoder = Decoder(native.build_vocab(pieces, "unigram", True), True, True, b"", None)
    runs = ["é漢🤗".encode(), b"\xf0\x9f\xa4", b"\xe6\xbc\xf0\x9f\xa4\x97", b"\xed\xa0\xbd\xed\xb8\x80", b"\x80\x20"]
    for run in runs:
        for before in ([], [257], [257] * 61, [257] * 62, [257] * 63, [258], [257, 258]):
            for after in ([], [257], [258, 1 + 0x97]):
                ids = [*before, *(1 + byte for byte in run), *after]
                check(decoder.decode(ids), expected(decoder, ids))
    check(decoder.decode([1 + 0xF0, 1 + 0x9F, 1 + 0xA4, 1 + 0x97]), "🤗")
    check(decoder.decode([1 + 0xE6, 257]), "\ufffda")


def test_one_narrow_character_is_shared():
    pieces = [(b"<unk>", 0.0, UNKNOWN), *BYTES, ("é".encode(), 0.0, NORMAL), (b"a", 0.0, NORMAL)]
    decoder = Decoder(native.build_vocab(pieces, "unigram", True), False, False, b"", None)
    for char, ids in (("é", [257]), ("é", [1 + 0xC3, 1 + 0xA9]), ("a", [258])):
        assert decoder.decode(ids) is chr(ord(char))


WORDS = [a + b for a in "abcdefghij" for b in "abcdefghij"] + ["-" * 16, "\u2581" + "x" * 40]
OTHERS = ["é", "漢", "🤗", "日本語", "ÿ"]


def decoder_of_words(strips_leading_space, removes):
    """Piece 1 is a space, then come the WORDS, the OTHERS and many that are not used."""
    texts = ["\u2581", *WORDS, *OTHERS, *(f"w{k}" for k in range(3000))]
    pieces = [(b"<unk>", 0.0, UNKNOWN), *((text.encode(), 0.0, NORMAL) for text in texts)]
    return Decoder(native.build_vocab(pieces, "unigram", False), strips_leading_space, removes, b" \xe2\x81\x87 ", None)


@pytest.mark.parametrize("num_threads", [1, 3])
def test_a_few_characters_in_ascii(num_threads):
    """Such texts go by way of their bytes at first, and by units once many have."""
    rng = random.Random(num_threads)
    decoder = decoder_of_words(True, True)
    for n_texts in (1, 10, 20, 100, 3000):
        texts = [rng.choices(range(1, 2 + len(WORDS)), k=rng.randrange(2, 30)) for _ in range(n_texts)]
        for ids in texts:
            ids.insert(rng.randrange(len(ids) + 1), rng.randrange(2 + len(WORDS), 2 + len(WORDS) + len(OTHERS)))
        for text, ids in zip(decode_lists(decoder, texts, num_threads, False), texts, strict=True):
            check(text, expected(decoder, ids))
        assert native.has_units(decoder) == (n_texts > 100)


def test_texts_that_need_no_units():
    ascii_ids, other = range(1, 2 + len(WORDS)), 2 + len(WORDS)
    long_ids = [len(WORDS), 1 + len(WORDS)]
    for strips_leading_space in (False, True):
        for removes in (False, True):
            decoder = decoder_of_words(strips_leading_space, removes)
            for ids in (
                [],
                [1],
                [1, 1],
                [1, 1, 5],
                [*ascii_ids],
                long_ids[:1],
                long_ids[1:],
                long_ids * 40,
                [1, *long_ids],
            ):
                check(decoder.decode(ids), expected(decoder, ids))
            for ids in ([3, other, 4], [other, 1, 1], [*ascii_ids, *[other] * 8], [1, 0, 1]):
                check(decoder.decode(ids), expected(decoder, ids))
            assert not native.has_units(decoder)


@pytest.mark.parametrize("ids", [[2 + len(WORDS)], [0, 3], [*[2 + len(WORDS)] * 9, 3], [3, 2 + len(WORDS)] * 2000])
def test_texts_that_units_are_made_for(ids):
    decoder = decoder_of_words(True, False)
    check(decoder.decode(ids), expected(decoder, ids))
    assert native.has_units(decoder)


def test_first_texts_on_many_threads():
    rng = random.Random(1)
    for _ in range(5):
        decoder, groups = random_decoder(rng)
        texts = [random_ids(rng, groups, 50) for _ in range(20)]
        right = [expected(decoder, ids) for ids in texts]
        start, found = threading.Barrier(4), []

        def work(decoder=decoder, texts=texts, start=start, found=found):
            start.wait()
            found.append([decoder.decode(ids) for ids in texts])

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [right] * 4
