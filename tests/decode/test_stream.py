"""Streams against decoding at once: the same text, as early as it can be known."""

import copy
import itertools
import pickle
import random
import signal
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.random_models import TYPES, random_tokenizer
from oracle.small_models import small_model

from spm_lite import ByteStream, TextStream, Tokenizer, train
from spm_lite.errors import ArgumentTypeError, IdError
from spm_lite.kinds import BYTE, NORMAL, UNKNOWN
from spm_lite.normalize.rules.named_rules import compile_rules
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.model_writer import write_model

BYTES = [(f"<0x{byte:02X}>", 0.0, BYTE) for byte in range(256)]


def model(texts, denormalizer=None, byte_fallback=True, remove=False, dummy=True):
    """`<unk>` is 0, byte b is 1 + b, the texts follow from 257 on."""
    pieces = [("<unk>", 0.0, UNKNOWN), *BYTES, *((text, -1.0, NORMAL) for text in texts)]
    spec = NormalizerSpec(add_dummy_prefix=dummy, remove_extra_whitespaces=remove)
    return Tokenizer.load(write_model(pieces, TrainerSpec(byte_fallback=byte_fallback), spec, denormalizer))


def check_law(tok, ids, rng):
    for stream, want in ((tok.stream(), tok.decode(ids)), (tok.stream(as_bytes=True), tok.decode_bytes(ids))):
        empty = type(want)()
        for _ in range(2):  # after flush it is as new
            assert empty.join([stream.push(i) for i in ids]) + stream.flush() == want
        cuts = [0, *sorted(rng.randrange(len(ids) + 1) for _ in range(3)), len(ids)]
        parts = []
        for begin, end in itertools.pairwise(cuts):
            parts.append(stream.push_many(ids[begin:end]))
            stream = stream.copy()
        assert empty.join(parts) + stream.flush() == want
        head = stream.push_many(ids[: cuts[1]])
        stream.flush()
        stream.prime(ids[: cuts[1]])
        assert head + stream.push_many(ids[cuts[1] :]) + stream.flush() == want


def random_ids(tok, rng, common, length):
    return [rng.choice(common) if rng.random() < 0.8 else rng.randrange(tok.vocab_size) for _ in range(length)]


@pytest.mark.parametrize("seed", range(40))
def test_any_ids_of_any_model(seed):
    rng = random.Random(seed)
    for _ in range(6):
        tok = random_tokenizer(rng, rng.choice(TYPES))
        common = [i for i in range(tok.vocab_size) if tok.piece_type(i) != "byte"]
        for _ in range(20):
            check_law(tok, random_ids(tok, rng, common, rng.randrange(14)), rng)


def test_real_models(shared_data):
    rng = random.Random(7)
    for path in sorted((shared_data / "models").glob("*.model")):
        tok = Tokenizer.load(path)
        of_bytes = [i for i in range(tok.vocab_size) if tok.piece_type(i) == "byte"] or [0]
        for _ in range(15):
            check_law(tok, random_ids(tok, rng, of_bytes, rng.randrange(60)), rng)
            check_law(tok, [rng.randrange(tok.vocab_size) for _ in range(rng.randrange(60))], rng)


@pytest.fixture(scope="module")
def trained():
    return train(["ab äb 日本語 🤗 \u2581 x"] * 20, vocab_size=280, hard_vocab_limit=False)


@settings(deadline=None)
@given(text=st.text() | st.binary())
def test_texts(trained, text):
    ids = trained.encode(text)
    stream = trained.stream(as_bytes=True) if isinstance(text, bytes) else trained.stream()
    parts = [stream.push(i) for i in ids]
    assert type(text)().join(parts) + stream.flush() == text
    if isinstance(text, str):
        whole = ["".join(parts[:k]) for k in range(len(parts) + 1)]
        assert all(text.startswith(part) for part in whole)


@pytest.mark.parametrize("remove", [False, True])
@pytest.mark.parametrize("dummy", [False, True])
def test_nothing_waits_that_is_certain(dummy, remove):
    """What waits can still become something else, or nothing of it is known."""
    tok = model(["\u2581", "a", "\u2581a", "é"], remove=remove, dummy=dummy)
    few = [1 + byte for byte in (0x20, 0x61, 0xE3, 0x81, 0x82, 0xF0, 0x9F, 0xA4, 0x97, 0xC3, 0xED)]
    rng = random.Random(3)
    for _ in range(400):
        ids = rng.choices([*few, *few, 257, 258, 259, 260], k=rng.randrange(6))
        stream = tok.stream()
        given_out = stream.push_many(ids)
        waits = tok.decode(ids)[len(given_out) :]
        if waits:
            ends = [
                [],
                *([i] for i in few),
                *([i, k] for i in few for k in few),
                *([i, k, 1 + 0x97] for i in few for k in few),
            ]
            assert len({tok.decode(ids + end)[len(given_out) :][:1] for end in ends}) > 1


def test_characters_and_spaces():
    tok = model(["\u2581", "\u2581he", "llo"])
    stream = tok.stream()
    assert [stream.push(i) for i in (258, 259, 257, 257)] == ["he", "llo", " ", " "]
    assert [stream.push(1 + byte) for byte in "日".encode()] == ["", "", "日"]
    assert [stream.push(i) for i in (1 + 0xE6, 1 + 0x97, 259)] == ["", "", "\ufffd\ufffdllo"]
    assert stream.push(1 + 0xE6) == "" and stream.flush() == "\ufffd"
    assert stream.push(258) == "he"  # a new text
    stream = tok.stream(as_bytes=True)
    assert [stream.push(1 + byte) for byte in b"\xe6\xff"] == [b"\xe6", b"\xff"]


def test_prime():
    tok = model(["\u2581", "\u2581he", "llo"])
    stream = tok.stream()
    assert stream.prime([258, 1 + 0xE6, 1 + 0x97]) is None
    assert stream.push(1 + 0xA5) == "日"
    assert stream.push(258) == " he"
    stream = tok.stream()
    stream.prime([])
    assert stream.push(258) == "he"


def test_denormalizer_holds_back_rules_only():
    rules = NormalizerSpec("", compile_rules({"ab": "X", "abcd": "Y"}), False, False, False)
    tok = model(["\u2581", "a", "b", "c", "d"], rules)
    stream = tok.stream()
    pushed = [stream.push(i) for i in (257, 258, 259, 260, 258, 259, 260, 261, 260, 258)]
    assert pushed == ["", "", "", "", "Xc", "", "", "Y", "c", ""]
    assert stream.flush() == "a"


@pytest.mark.parametrize("number", [-1, 10**9, 2**31, -(2**70), 2**64])
def test_ids_outside(number):
    tok = Tokenizer.load(small_model(byte_fallback=True))
    for stream in (tok.stream(), tok.stream(as_bytes=True)):
        half = tok.encode("漢")[-3:-1]
        first = stream.push_many(half)
        with pytest.raises(IdError, match=f"id {number} is outside the vocabulary: ids are 0 to"):
            stream.push(number)
        with pytest.raises(IdError, match=f"id {number} at position 2 is outside"):
            stream.push_many([5, 6, number])
        with pytest.raises(IdError, match="at position 0"):
            stream.prime([number])
        assert first + stream.push(tok.encode("漢")[-1]) in ("漢", "漢".encode())


@pytest.mark.parametrize("item", [True, 1.5, "1", None, b"1", {1: 1}, {1}])
def test_wrong_types(item):
    tok = Tokenizer.load(small_model())
    for stream in (tok.stream(), tok.stream(as_bytes=True)):
        with pytest.raises(ArgumentTypeError, match=type(item).__name__):
            stream.push(item)
        with pytest.raises(ArgumentTypeError, match=type(item).__name__):
            stream.push_many([3, item])
        for many in ("12", b"12", 12):
            with pytest.raises(ArgumentTypeError, match=type(many).__name__):
                stream.push_many(many)


def test_numpy_ids():
    numpy = pytest.importorskip("numpy")
    tok = Tokenizer.load(small_model())
    ids = tok.encode("hello world")
    stream = tok.stream()
    assert stream.push(numpy.int32(ids[0])) + stream.push_many(numpy.array(ids[1:])) + stream.flush() == "hello world"
    assert stream.push_many(iter(ids)) == "hello world"
    stream.flush()
    for several in (ids, tuple(ids), numpy.array(ids), iter(ids), numpy.array(ids, "uint8")):
        assert stream.push(several) + stream.flush() == "hello world"
    assert stream.push(range(0)) == stream.push([]) == ""
    assert stream.copy().push(numpy.array(ids[0])) == stream.push([ids[0]])
    assert stream.push_many(range(0)) == ""


def test_none_is_made_without_a_decoder():
    for kind in (TextStream, ByteStream):
        with pytest.raises(TypeError):
            kind.__new__(kind)
        with pytest.raises(TypeError):
            kind(None)


def test_copies_go_on_alone():
    tok = model(["\u2581", "\u2581he", "llo"])
    assert [type(tok.stream()), type(tok.stream(as_bytes=True))] == [TextStream, ByteStream]
    for stream in (tok.stream(), tok.stream(as_bytes=True)):
        stream.push_many([258, 1 + 0xE6, 1 + 0x97])
        others = [stream.copy(), copy.copy(stream), copy.deepcopy(stream)]
        stream.push(1 + 0xA5)
        stream.flush()
        assert len({other.push(1 + 0xA5) + other.flush() for other in others}) == 1
        with pytest.raises(ArgumentTypeError, match="cannot be pickled"):
            pickle.dumps(stream)


def test_streams_are_separate():
    tok = model(["\u2581", "\u2581he", "llo"])
    streams = [tok.stream() for _ in range(100)]
    assert [stream.push(1 + 0xE6) for stream in streams] == [""] * 100
    assert streams[3].push_many([1 + 0x97, 1 + 0xA5]) == "日"
    assert streams[4].flush() == "\ufffd"


def test_many_ids_take_linear_time():
    """Did they not, this would take an hour."""
    tok = Tokenizer.load(small_model(byte_fallback=True))
    ids = tok.encode("hello world 漢字 ") * 100_000
    stream = tok.stream()
    parts = [stream.push(i) for i in ids]
    assert "".join(parts) + stream.flush() == tok.decode(ids)


@pytest.mark.parametrize("options", [{}, {"stop": "lloh"}])
def test_interrupt_leaves_the_stream_as_it_was(options):
    tok = model(["\u2581", "\u2581he", "llo"])
    stream = tok.stream(**options)
    stream.push_many([258, 1 + 0xE6, 1 + 0x97])
    ids = [259] * 1_000_000

    def numbers():
        yield from ids
        signal.raise_signal(signal.SIGINT)  # heard when the ids are decoded, or here

    if threading.current_thread() is threading.main_thread():
        with pytest.raises(KeyboardInterrupt):
            stream.push_many(numbers())
    assert stream.push(1 + 0xA5) == "日"


def test_made_by_hand():
    """Arguments may be named."""
    tok = model(["a"])
    assert TextStream(tok._decoder, keeps_surrogates=True).push(tok.piece_to_id("a")) == tok.decode(
        [tok.piece_to_id("a")]
    )
    assert ByteStream(decoder=tok._decoder).flush() == b""
