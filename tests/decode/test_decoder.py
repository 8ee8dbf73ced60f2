"""The decoder against its naive twin."""

import random
from array import array

import pytest
from oracle import native
from oracle.decoding import decode
from oracle.random_models import random_pieces
from oracle.segmentation import BYTE, CONTROL, NORMAL, SPACE, UNKNOWN, UNUSED

from spm_lite.decode.decode_batch import decode_flat, decode_lists
from spm_lite.decode.decoder import Decoder
from spm_lite.errors import ArgumentTypeError, IdError

BYTES = [(b"<0x%02X>" % byte, 0.0, BYTE) for byte in range(256)]
START = [(b"<unk>", 0.0, UNKNOWN), (b"<s>", 0.0, CONTROL), (b"</s>", 0.0, CONTROL)]
SURFACE = " \u2047 ".encode()


def make(pieces, byte_fallback=True, dummy=True, remove=True, surface=SURFACE):
    return Decoder(native.build_vocab(pieces, "unigram", byte_fallback), dummy, remove, surface, None)


@pytest.mark.parametrize("dummy", [False, True])
@pytest.mark.parametrize("remove", [False, True])
@pytest.mark.parametrize("seed", range(30))
def test_equals_twin(seed, dummy, remove):
    rng = random.Random(seed)
    byte_fallback = rng.random() < 0.6
    surface = rng.choice([SURFACE, b"", SPACE])
    pieces = random_pieces(rng, byte_fallback, ill_formed=rng.random() < 0.3)
    if pieces[0][2] == UNKNOWN and rng.random() < 0.3:
        pieces[0] = (SPACE + b"unk", 0.0, UNKNOWN)
    if byte_fallback:
        pieces.append((b"\0", 0.0, rng.choice([NORMAL, CONTROL, UNUSED])))
    vocab = native.build_vocab(pieces, "unigram", byte_fallback)
    decoder = Decoder(vocab, dummy, remove, surface, None)
    common = [i for i, (_, _, kind) in enumerate(pieces) if kind != BYTE]
    for _ in range(60):
        ids = [
            rng.choice(common) if rng.random() < 0.8 else rng.randrange(len(pieces)) for _ in range(rng.randrange(12))
        ]
        items = [(pieces[i][0], i) for i in ids]
        for raw in (False, True):
            assert decoder.decode_bytes(ids, raw) == decode(pieces, items, dummy, remove, surface, raw)
        strings = [rng.choice([pieces[i][0], b"not a piece", SPACE + b"odd" + SPACE]) for i in ids]
        items = [(text, vocab.find_id(text)) for text in strings]
        assert decoder.decode_pieces(strings, False) == decode(pieces, items, dummy, remove, surface)


def test_vectors():
    pieces = [
        *START,
        (SPACE + b"he", 0.0, NORMAL),
        (b"ll", 0.0, NORMAL),
        (b"o", 0.0, NORMAL),
        (SPACE + b"a", 0.0, NORMAL),
    ]
    decoder = make(pieces, False)
    assert decoder.decode([3, 4, 0, 5]) == "hell \u2047 o"
    assert decoder.decode_pieces([SPACE + b"a", b"b"], False) == b"ab"
    assert decoder.decode_pieces([b"hello world", b"x"], False) == b"hello worldx"
    decoder = make([*BYTES, (b"a", 0.0, NORMAL)])
    assert decoder.decode_pieces([b"<0xE3>", b"<0x81>", b"a"], False).decode() == "\ufffd\ufffda"
    assert decoder.decode_pieces([b"<0xE3>", b"<0x81>", b"a"], True) == b"\xe3\x81a"
    assert decoder.decode_pieces([b"zz"], False) == b"zz"


@pytest.mark.parametrize("num_threads", [1, 3])
def test_batches_equal_single_texts(num_threads):
    rng = random.Random(num_threads)
    decoder = make(random_pieces(rng, True))
    lists = [[rng.randrange(decoder.vocab.size) for _ in range(rng.choice([0, 1, 5, 9000]))] for _ in range(60)]
    texts = [decoder.decode(ids) for ids in lists]
    assert decode_lists(decoder, lists, num_threads, False) == texts
    assert decode_lists(decoder, lists, num_threads, True) == [decoder.decode_bytes(ids, True) for ids in lists]
    flat, offsets = array("i", [i for ids in lists for i in ids]), array("q", [0])
    for ids in lists:
        offsets.append(offsets[-1] + len(ids))
    assert decode_flat(decoder, flat, offsets, num_threads, False) == texts
    assert decode_lists(decoder, [], num_threads, False) == []
    assert decode_flat(decoder, array("i"), array("q", [0]), num_threads, False) == []


@pytest.mark.parametrize("number", [-1, 4, 2**31, 2**63, -(2**70)])
def test_ids_outside(number):
    decoder = make([*START, (b"a", 0.0, NORMAL)], False)
    with pytest.raises(IdError, match=rf"id {number} at position 1 is outside the vocabulary: ids are 0 to 3"):
        decoder.decode([3, number])
    with pytest.raises(IdError, match=rf"id {number} at position 0 of text 1"):
        decode_lists(decoder, [[3], [number]], 2, False)
    if -(2**31) <= number < 2**31:
        with pytest.raises(IdError, match="of text 1"):
            decode_flat(decoder, array("i", [3, number]), array("q", [0, 1, 2]), 2, False)


@pytest.mark.parametrize("item", [True, 1.0, "1", None, [1]])
def test_wrong_types(item):
    decoder = make([*START, (b"a", 0.0, NORMAL)], False)
    with pytest.raises(ArgumentTypeError, match=f"position 1 is {type(item).__name__}"):
        decoder.decode([3, item])


def test_wrong_offsets():
    decoder = make([*START, (b"a", 0.0, NORMAL)], False)
    for offsets in ([-1, 1], [1, 0], [0, 3], []):
        with pytest.raises(ValueError, match="offset"):
            decode_flat(decoder, array("i", [3, 3]), array("q", offsets), 1, False)


@pytest.mark.parametrize("size", [0, 1, 14, 15, 16, 40])
def test_pieces_around_the_length_of_short_ones(size):
    pieces = [*START, (b"x" * size + b"y", 0.0, NORMAL), (b"z", 0.0, NORMAL), *BYTES]
    decoder = make(pieces)
    ids = [4, *[3, 4] * 100, 2, 3, 5 + 0x41, 3, 0, 4]
    expected = b"z" + (b"x" * size + b"yz") * 100 + b"x" * size + b"yA" + b"x" * size + b"y" + SURFACE + b"z"
    assert decoder.decode_bytes(ids, True) == expected
    assert decoder.decode(ids) == expected.decode()


@pytest.mark.parametrize("seed", range(20))
def test_str_is_what_python_decodes(seed):
    # Pieces hold any bytes: characters of one to four bytes, parts of them, surrogates, what is too long.
    rng = random.Random(seed)
    units = ["a", "é", "ÿ", "Ā", "߿", "ࠀ", "漢", "\uffff", "🤗"]
    odd = [b"\x80", b"\xc3", b"\xe6\xbc", b"\xed\xa0\x80", b"\xe0\x80\x80", b"\xc0\x80", b"\xf0\x9f", b"\xff"]
    known = rng.sample(units, rng.randrange(1, 4))
    texts = ["".join(rng.choices(known, k=rng.randrange(1, 9))).encode() for _ in range(30)]
    if seed % 3 == 0:
        texts += odd
    pieces = [*START, *((text, 0.0, NORMAL) for text in dict.fromkeys(texts))]
    decoder = make(pieces, False, dummy=False, remove=False)
    for _ in range(30):
        ids = [rng.randrange(3, len(pieces)) for _ in range(rng.randrange(6))]
        assert decoder.decode(ids) == b"".join(pieces[i][0] for i in ids).decode("utf-8", "replace")


def test_lists_that_are_not_all_ints():
    decoder = make([*START, (b"a", 0.0, NORMAL), (b"b", 0.0, NORMAL)], False)

    class Number:
        def __index__(self):
            ids.clear()  # while it is read
            return 4

    ids = [3, 4, Number(), 3]
    assert decoder.decode(ids) == "abba"
    for bad in (5, -1, 2**31, 2**70, -(2**70)):
        with pytest.raises(IdError, match=rf"id {bad} at position 2 .* 0 to 4"):
            decoder.decode([3, 4, bad, 3])
        with pytest.raises(IdError, match="at position 1 of text 1"):
            decode_lists(decoder, [[3], [3, bad]], 1, False)
    with pytest.raises(ArgumentTypeError, match="position 1 is bool"):
        decoder.decode([3, True])
