"""The cursor against protobuf's own parser: the same files taken, the same files refused."""

import functools
import math
import struct
import time
from importlib.metadata import version

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from spm_lite.errors import ModelError
from spm_lite.io.messages import message_class
from spm_lite.io.wire import read_pieces, write_pieces

DEPTH = 100
OLD_PROTOBUF = int(version("protobuf").split(".")[0]) < 5


def by_message(data):
    """Pieces, and the model without them, as protobuf reads them; None: refused."""
    error = __import__("google.protobuf.message", fromlist=["message"]).DecodeError
    try:
        model = message_class("ModelProto").FromString(data)
    except error:
        return None
    pieces = [(as_bytes(piece.piece), bits(piece.score), piece.type) for piece in model.pieces]
    del model.pieces[:]
    return pieces, model.SerializeToString(deterministic=True)


def by_cursor(data):
    """The same with the cursor."""
    try:
        vocab, rest = read_pieces(data)
    except ModelError:
        return None
    others = by_message(rest)
    if others is None:
        return None
    assert others[0] == []
    pieces = [(vocab.text(i), bits(vocab.score(i)), vocab.type(i)) for i in range(len(vocab))]
    return pieces, others[1]


def as_bytes(text):
    return text if isinstance(text, bytes) else text.encode()


def bits(score):
    return "nan" if math.isnan(score) else struct.pack("<f", score)


def varint(value, size=0):
    """A varint, made longer than it need be when `size` says so."""
    out = bytearray()
    while value >= 128 or len(out) + 1 < size:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def assert_same(data):
    """Both readers give the same. The parser of protobuf 4 takes lengths of six bytes and more; later ones do not.

    Field number 0 inside a group is refused by the cursor, as by sentencepiece, and taken by protobuf's Python parser.
    """
    ours = by_cursor(data)
    if ours is None and (OLD_PROTOBUF or has_field_zero(data)):
        return
    assert ours == by_message(data)


def has_field_zero(data):
    try:
        read_pieces(data)
    except ModelError as error:
        return "has the number 0" in str(error)
    return False


def field(body, number=1):
    return varint(number << 3 | 2) + varint(len(body)) + body


def groups(depth):
    return b"\x3b" * depth + b"\x3c" * depth


A = b"\x0a\x01a"
CASES = {
    "nothing": b"",
    "piece": field(A),
    "empty piece": field(b""),
    "text twice": field(A + b"\x0a\x02bc"),
    "score twice": field(A + b"\x15\0\0\x80\x3f\x15\0\0\0\x40"),
    "unknown type": field(A + b"\x18\x63"),
    "unknown type last": field(A + b"\x18\x03\x18\x63"),
    "unknown type first": field(A + b"\x18\x63\x18\x03"),
    "negative type": field(A + b"\x18" + varint(2**64 - 1)),
    "type above 32 bits": field(A + b"\x18" + varint(2**32 + 3)),
    "type with 11 bytes": field(A + b"\x18" + varint(3, 11)),
    "type as fixed32": field(A + b"\x1d\x03\0\0\0"),
    "type packed": field(A + b"\x1a\x01\x03"),
    "score as fixed64": field(A + b"\x11" + bytes(8)),
    "score as bytes": field(A + b"\x12\x04\0\0\x80\x3f"),
    "score cut": field(A + b"\x15\0\0"),
    "text as varint": field(A + b"\x08\x05"),
    "text as group": field(A + b"\x0b\x0c"),
    "extension in piece": field(A + field(b"xyz", 200)),
    "ill-formed text": field(b"\x0a\x02\xff\xfe"),
    "ill-formed name": field(b"\xea\x02\x01\xff", 2) + field(b"\x0a\x01\xff", 3),
    "piece as varint": b"\x08\x05",
    "piece as group": b"\x0b\x0a\x01b\x0c",
    "end of group in piece": field(A + b"\x0c"),
    "group across the end of a piece": b"\x0a\x04" + A + b"\x3b\x3c",
    "group across the end of the model": b"\x3b",
    "group in group": b"\x3b\x43\x08\x01\x44\x3c",
    "groups crossed": b"\x3b\x43\x3c\x44",
    "end without group": b"\x3c",
    "wire type 6": b"\x3e",
    "wire type 7": b"\x3f",
    "field 0": b"\x00\x01",
    "field 0 as bytes": b"\x02\0",
    "field 0 as group": b"\x03\x04",
    "field 0 as end": b"\x04",
    "largest field": b"\xf8\xff\xff\xff\x0f\x01",
    "beyond the largest field": b"\xf8\xff\xff\xff\x1f\x01",
    "long tag": varint(10, 5) + b"\x03" + A,
    "too long tag": varint(10, 6) + b"\x03" + A,
    "long length": b"\x0a" + varint(3, 5) + A,
    "too long length": b"\x0a" + varint(3, 6) + A,
    "length above 32 bits": b"\x0a" + varint(2**32 + 3) + A,
    "length too large": b"\x0a\x04" + A,
    "largest length": b"\x3a" + varint(2**31 - 1),
    "long varint": b"\x38" + varint(1, 10),
    "varint above 64 bits": b"\x38" + b"\xff" * 9 + b"\x7f",
    "too long varint": b"\x38" + varint(1, 11),
    "cut tag": b"\x8a",
    "cut varint": b"\x38\x80",
    "cut fixed32": b"\x3d\0\0\0",
    "cut fixed64": b"\x39" + bytes(7),
    "spec in two parts": field(b"\x18\x02", 2) + field(A) + field(b"\x20\x07", 2),
    "self test data": field(b"\x0a\x00", 4),
    "deepest groups": groups(DEPTH),
    "too deep groups": groups(DEPTH + 1),
    "deepest groups in a piece": field(A + groups(DEPTH - 1)),
    "too deep groups in a piece": field(A + groups(DEPTH)),
}


@pytest.mark.compiled_protobuf
@pytest.mark.parametrize("name", list(CASES))
def test_cases(name):
    data = CASES[name]
    assert_same(field(A) + data + field(b"\x0a\x01z"))
    assert_same(data)


@pytest.mark.compiled_protobuf
@pytest.mark.parametrize("name", list(CASES))
def test_cases_like_the_original(name):
    """The original takes and refuses the same, but for tags of more than 32 bits, which it takes modulo 2^32."""
    sentencepiece = pytest.importorskip("sentencepiece")
    data = field(b"\x0a\x05<unk>\x18\x02") + field(b"\x0a\x03xyz") + CASES[name]
    ours = by_cursor(data)
    try:
        loaded = sentencepiece.SentencePieceProcessor(model_proto=data)
    except RuntimeError as error:
        assert ours is None or "parse" not in str(error).lower()
    else:
        assert (ours is None) == (name == "beyond the largest field")
        assert ours is None or len(loaded) == len(ours[0])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("length too large", "a field is longer than what is left of its message (at byte 1)"),
        ("cut varint", "a number is cut off (at byte 1)"),
        ("field 0", "a field has the number 0 (at byte 0)"),
        ("too deep groups", "groups are nested more than 100 deep (at byte 101)"),
    ],
)
def test_messages_name_the_place(name, message):
    with pytest.raises(ModelError) as caught:
        read_pieces(CASES[name])
    assert message in str(caught.value)


@functools.cache
def sample():
    """A small model with a bit of everything."""
    model = message_class("ModelProto")()
    for i, text in enumerate(["<unk>", "<s>", "▁a", "bc", "日本"]):
        model.pieces.add(piece=text, score=-i, type=[2, 3, 1, 4, 5][i])
    model.trainer_spec.vocab_size = 5
    model.trainer_spec.unk_surface = "?"
    model.normalizer_spec.name = "identity"
    data = model.SerializeToString()
    return data + field(b"\x0a\x02ab", 4) + b"\x3b\x08\x05\x3c" + field(b"\x08\x01", 29552)


@st.composite
def damaged(draw):
    """The sample with bytes cut out, changed, put in and doubled."""
    data = bytearray(sample())
    for _ in range(draw(st.integers(1, 4))):
        pos = draw(st.integers(0, len(data)))
        kind = draw(st.sampled_from(["cut", "flip", "insert", "drop", "double", "field"]))
        if kind == "cut":
            del data[pos:]
        elif kind == "flip" and pos < len(data):
            data[pos] ^= 1 << draw(st.integers(0, 7))
        elif kind == "insert":
            data[pos:pos] = draw(st.binary(min_size=1, max_size=4))
        elif kind == "drop":
            del data[pos : pos + draw(st.integers(1, 4))]
        elif kind == "double":
            data[pos:pos] = data[pos : pos + draw(st.integers(1, 12))]
        else:
            data[pos:pos] = draw(st.sampled_from(list(CASES.values())))
    return bytes(data)


@pytest.mark.compiled_protobuf
@given(damaged())
@settings(max_examples=800, deadline=None)
def test_damaged_bytes(data):
    assert_same(data)


@pytest.mark.compiled_protobuf
@given(st.lists(st.sampled_from(list(CASES.values())), max_size=4).map(b"".join) | st.binary(max_size=12))
@settings(max_examples=400, deadline=None)
@example(sample())
def test_any_fields(data):
    assert_same(data)
    assert_same(field(data))
    assert_same(field(data, 2))


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(exclude_categories=["Cs"]), max_size=200), st.floats(width=32), st.integers(1, 6)
        )
    )
)
@settings(max_examples=200, deadline=None)
def test_written_pieces_are_read_again(pieces):
    data = write_pieces(pieces)
    vocab, rest = read_pieces(data)
    assert rest == b""
    expected = [(text.encode(), bits(score), piece_type) for text, score, piece_type in pieces]
    assert [(vocab.text(i), bits(vocab.score(i)), vocab.type(i)) for i in range(len(vocab))] == expected
    model = message_class("ModelProto").FromString(data)
    assert [(piece.piece, bits(piece.score), piece.type) for piece in model.pieces] == [
        (text, bits(score), piece_type) for text, score, piece_type in pieces
    ]


def test_pieces_that_cannot_be_written():
    with pytest.raises(ValueError, match="type 0"):
        write_pieces([("a", 0.0, 0)])
    with pytest.raises(UnicodeEncodeError):
        write_pieces([("\ud800", 0.0, 1)])


@pytest.mark.long_input
@pytest.mark.parametrize("unit", [b"\x0a\x00", field(A), b"\x38\x01", groups(DEPTH), b"\x3b\x3c"])
def test_hostile_repeats_are_linear(unit):
    data = unit * (1_000_000 // len(unit))
    begin = time.perf_counter()
    read_pieces(data)
    assert time.perf_counter() - begin < 1


def test_real_models(shared_data):
    for path in sorted((shared_data / "models").glob("*.model")):
        data = path.read_bytes()
        assert by_cursor(data) == by_message(data), path.name
