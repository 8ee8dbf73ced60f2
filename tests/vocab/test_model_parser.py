"""Model bytes read with the cursor and by protobuf's own parser: the same is taken, refused and found."""

import functools
import math
import struct
from importlib.metadata import version

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from spm_lite.errors import ModelError
from spm_lite.vocab.messages import extension_of, message_class
from spm_lite.vocab.model_parser import read_fields
from spm_lite.vocab.wire import write_pieces

DEPTH = 100
OLD_PROTOBUF = int(version("protobuf").split(".")[0]) < 5


def by_message(data):
    """Pieces and settings as protobuf reads them; None: refused."""
    error = __import__("google.protobuf.message", fromlist=["message"]).DecodeError
    try:
        model = message_class("ModelProto").FromString(data)
    except error:
        return None
    own = extension_of(model).pieces
    pieces = [(as_bytes(piece.piece), bits(piece.score), piece.type) for piece in [*model.pieces, *own]]
    if own and model.pieces:  # the cursor takes them in the order of the file, which is an error later
        pieces.sort(key=repr)
    trainer, names = model.trainer_spec, ("unk_piece", "bos_piece", "eos_piece", "pad_piece")
    return pieces, (
        (trainer.model_type, trainer.treat_whitespace_as_suffix, trainer.byte_fallback),
        (as_bytes(trainer.unk_surface), *(as_bytes(getattr(trainer, name)) for name in names)),
        rules_of(model.normalizer_spec),
        rules_of(model.denormalizer_spec) if model.HasField("denormalizer_spec") else None,
        (extension_of(model).format_version, extension_of(model).lossless, extension_of(model).family, len(own)),
    )


def by_cursor(data):
    """Parse with our bounds-checked reader; None: it refuses."""
    try:
        vocab, found = read_fields(data)
    except ModelError:
        return None
    pieces = [(vocab.text(i), bits(vocab.score(i)), vocab.type(i)) for i in range(len(vocab))]
    if 0 < found.n_own < len(pieces):
        pieces.sort(key=repr)
    return pieces, (
        (found.model_type, found.treat_whitespace_as_suffix, found.byte_fallback),
        (found.unk_surface, *found.special_names),
        rules_of(found.normalizer),
        None if found.denormalizer is None else rules_of(found.denormalizer),
        (found.format_version, found.lossless, found.family, found.n_own),
    )


def rules_of(spec):
    flags = (spec.add_dummy_prefix, spec.remove_extra_whitespaces, spec.escape_whitespaces)
    return spec.precompiled_charsmap, *flags


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
        read_fields(data)
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
    "spec in two parts": field(b"\x18\x02", 2) + field(A) + field(b"\x20\x07\x98\x02\x01", 2),
    "empty specs": field(b"", 2) + field(b"", 3) + field(b"", 5) + field(b"", 29552),
    "model type": field(b"\x18\x03", 2),
    "unknown model types": field(b"\x18\x02\x18\x00\x18\x05\x18" + varint(2**64 - 1), 2),
    "model type above 32 bits": field(b"\x18" + varint(2**40 + 4), 2),
    "flags": field(b"\xc0\x01\x01\x98\x02\x01", 2),
    "flags of any size": field(b"\xc0\x01" + varint(2**32) + b"\x98\x02" + varint(2**63), 2),
    "flags taken back": field(b"\xc0\x01\x01\xc0\x01\x00", 2),
    "flag as bytes": field(b"\xc2\x01\x01\x01", 2),
    "flag cut": field(b"\xc0\x01\x80", 2),
    "names": b"".join(field(field(b"<%d>" % number, number), 2) for number in range(43, 50)),
    "empty names": b"".join(field(field(b"", number), 2) for number in range(44, 49)),
    "name as number": field(b"\xe8\x02\x05", 2),
    "name too long": field(b"\xea\x02\x05<u>", 2),
    "rules": field(b"\x12\x03abc\x18\x00\x20\x00\x28\x00", 3) + field(b"\x28\x00\x12\x00", 5),
    "rules in two parts": field(b"\x12\x03abc", 3) + field(b"\x20\x00", 3),
    "rules as number": field(b"\x10\x03", 3),
    "rules cut": field(b"\x12\x03ab", 5),
    "extension": field(b"\x08\x02\x10\x01", 29552),
    "extension in two parts": field(b"\x10\x01", 29552) + field(b"\x08" + varint(2**33 + 7), 29552),
    "extension cut": field(b"\x10", 29552),
    "extension in a spec": field(field(b"\x10\x01", 29552), 2),
    "group in a spec": field(b"\x3b\x18\x02\x3c\x18\x04", 2),
    "deepest groups in specs": b"".join(field(groups(DEPTH - 1), number) for number in (2, 3, 5, 29552)),
    "too deep groups in a spec": field(groups(DEPTH), 2),
    "too deep groups in rules": field(groups(DEPTH), 5),
    "too deep groups in the extension": field(groups(DEPTH), 29552),
    "self test data": field(b"\x0a\x00", 4),
    "deepest groups": groups(DEPTH),
    "too deep groups": groups(DEPTH + 1),
    "deepest groups in a piece": field(A + groups(DEPTH - 1)),
    "too deep groups in a piece": field(A + groups(DEPTH)),
}


OURS_ALONE = ("beyond the largest field", "extension cut", "too deep groups in the extension")


@pytest.mark.compiled_protobuf
@pytest.mark.parametrize("name", list(CASES))
def test_cases(name):
    data = CASES[name]
    assert_same(field(A) + data + field(b"\x0a\x01z"))
    assert_same(data)


@pytest.mark.compiled_protobuf
@pytest.mark.parametrize("name", list(CASES))
def test_cases_like_the_original(name):
    """The original takes and refuses the same.

    Except tags of more than 32 bits, which it takes modulo 2^32, and our extension, which it does not know.
    """
    sentencepiece = pytest.importorskip("sentencepiece")
    data = field(b"\x0a\x05<unk>\x18\x02") + field(b"\x0a\x03xyz") + CASES[name]
    ours = by_cursor(data)
    try:
        loaded = sentencepiece.SentencePieceProcessor(model_proto=data)
    except RuntimeError as error:
        assert ours is None or "parse" not in str(error).lower()
    else:
        assert (ours is None) == (name in OURS_ALONE)
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
        read_fields(CASES[name])
    assert message in str(caught.value)


@functools.cache
def sample():
    """A small model with a bit of everything."""
    model = message_class("ModelProto")()
    for i, text in enumerate(["<unk>", "<s>", "▁a", "bc", "日本"]):
        model.pieces.add(piece=text, score=-i, type=[2, 3, 1, 4, 5][i])
    model.trainer_spec.vocab_size = 5
    model.trainer_spec.model_type = 2
    model.trainer_spec.byte_fallback = True
    model.trainer_spec.unk_surface = "?"
    model.normalizer_spec.name = "identity"
    model.normalizer_spec.remove_extra_whitespaces = False
    model.denormalizer_spec.precompiled_charsmap = b"xyz"
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


@pytest.mark.slow
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
    for number in (1, 2, 3, 5, 29552):
        assert_same(field(data, number))


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
    vocab, _ = read_fields(data)
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
    """Were they not, this would take hours."""
    read_fields(unit * (5_000_000 // len(unit)))


def test_real_models(shared_data):
    for path in sorted((shared_data / "models").glob("*.model")):
        data = path.read_bytes()
        assert by_cursor(data) == by_message(data), path.name
