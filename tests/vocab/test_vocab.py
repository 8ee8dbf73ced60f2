import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import native, vocab_oracle

from spm_lite.errors import IdError, ModelError
from spm_lite.kinds import MODEL_TYPES
from spm_lite.vocab.derived import without_symbols
from spm_lite.vocab.messages import message_class
from spm_lite.vocab.vocab import Vocab

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
BYTES = [(b"<0x%02X>" % byte, 0.0, BYTE) for byte in range(256)]
UNK = (b"<unk>", 0.0, UNKNOWN)
A = (b"a", -1.0, NORMAL)


def reference(pieces, model_type, byte_fallback):
    """The original with these pieces; the message of its error where it refuses them."""
    sentencepiece = pytest.importorskip("sentencepiece")
    model = message_class("ModelProto")()
    model.trainer_spec.model_type = MODEL_TYPES[model_type]
    model.trainer_spec.byte_fallback = byte_fallback
    data = model.SerializeToString()
    for text, score, piece_type in pieces:
        # A string field refuses ill-formed UTF-8, so the text goes in as an unknown field of the same number.
        piece = message_class("ModelProto.SentencePiece")(score=score, type=piece_type).SerializeToString()
        body = b"\x0a" + varint(len(text)) + text + piece
        data += b"\x0a" + varint(len(body)) + body
    try:
        return sentencepiece.SentencePieceProcessor(model_proto=data)
    except (RuntimeError, UnicodeDecodeError) as error:  # the latter where its message holds an ill-formed piece
        return str(error)


def varint(value):
    out = b""
    while value >= 128:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def check(pieces, model_type, byte_fallback):
    """Ours, the twin and the original agree on these pieces."""
    expected = vocab_oracle.refusal(pieces, model_type, byte_fallback)
    original = reference(pieces, model_type, byte_fallback)
    if expected is not None:
        with pytest.raises(ModelError) as caught:
            native.build_vocab(pieces, model_type, byte_fallback)
        assert expected in str(caught.value)
        assert isinstance(original, str)
        if expected.isascii() and "\\" not in expected:
            assert original.endswith(expected)
        return
    assert not isinstance(original, str), original
    vocab = native.build_vocab(pieces, model_type, byte_fallback)
    assert len(vocab) == len(pieces) == len(original)
    for i, (text, score, piece_type) in enumerate(pieces):
        assert vocab.text(i) == text
        assert vocab.score(i) == original.get_score(i) or math.isnan(score)
        assert vocab.type(i) == (UNUSED if byte_fallback and text == b"\0" else piece_type)
        for probe in (text, text + b"x", text[:-1]):
            found = vocab.find_id(probe)
            assert found == vocab_oracle.find(pieces, probe, byte_fallback)
            assert found == original.piece_to_id(probe)
    special = (original.unk_id(), original.bos_id(), original.eos_id(), original.pad_id())
    assert vocab.special_ids() == special


@pytest.mark.parametrize("model_type", list(MODEL_TYPES))
@pytest.mark.parametrize(
    ("pieces", "byte_fallback"),
    [
        ([], False),
        ([UNK], False),
        ([UNK, A], False),
        ([A], False),
        ([A], True),
        ([A, *BYTES], True),
        ([A, *BYTES[:-1]], True),
        (BYTES, True),
        ([UNK, A, *BYTES], False),
        ([UNK, A, (b"<0x4a>", 0.0, BYTE)], True),
        ([UNK, A, (b"<0x4A", 0.0, BYTE)], True),
        ([UNK, A, (b"", 0.0, NORMAL)], False),
        ([UNK, A, (b"", 0.0, CONTROL)], False),
        ([UNK, A, A], False),
        ([UNK, A, (b"a", 0.0, CONTROL)], False),
        ([(b"a", 0.0, UNKNOWN), A], False),
        ([A, (b"a", 0.0, UNKNOWN)], False),
        ([UNK, A, (b"b", 0.0, UNKNOWN)], False),
        ([UNK, A, UNK], False),
        ([UNK, A, (b"\0", 0.0, NORMAL)], False),
        ([UNK, A, (b"\0", 0.0, NORMAL), (b"\0", 0.0, CONTROL), *BYTES], True),
        ([UNK, (b"\0", 0.0, NORMAL), *BYTES], True),
        ([UNK, A, (b"x\0", 0.0, NORMAL), *BYTES], True),
        ([UNK, A, (b"\0", math.inf, NORMAL), *BYTES], True),
        ([UNK, A, (b"b" * 7999, 0.0, NORMAL)], False),
        ([UNK, A, (b"", 0.0, NORMAL), (b"b" * 8000, 0.0, NORMAL)], False),
        ([UNK, A, (b"b" * 8000, math.nan, NORMAL)], False),
        ([UNK, A, (b"b", -math.inf, NORMAL)], False),
        ([(b"<unk>", math.nan, UNKNOWN), A], False),
        ([UNK, A, (b"\xff", 0.0, NORMAL)], False),
        ([UNK, A, (b"<s>", 0.0, USER_DEFINED), (b"</s>", 0.0, CONTROL), (b"<pad>", 0.0, UNUSED)], False),
        ([(b"other", 0.0, UNKNOWN), A, (b"<unk>", 0.0, CONTROL)], False),
        ([(b"other", 0.0, UNKNOWN), A], False),
        ([UNK, (b"a", 0.0, UNUSED)], False),
        ([UNK, A, (b"\0", 0.0, UNUSED), (b"\0", 0.0, UNUSED)], False),
        ([UNK, (b"\0", 0.0, UNUSED)], False),
    ],
)
def test_rules(pieces, byte_fallback, model_type):
    check(pieces, model_type, byte_fallback)


texts = st.sampled_from(
    [b"a", b"b", b"ab", b"<unk>", b"<s>", b"", b"\0", b"\xff\xfe", b"<0x41>", b"\xe2\x96\x81", b"z" * 8000]
)
scores = st.sampled_from([0.0, -0.0, -1.5, 3.0, math.nan, math.inf])
anything = st.lists(st.tuples(texts, scores, st.integers(1, 6)), max_size=6)
sound = st.lists(
    st.tuples(
        st.binary(min_size=1, max_size=40).filter(lambda text: 0 not in text),
        st.floats(-9, 9, width=32),
        st.integers(1, 5),
    ),
    max_size=12,
    unique_by=lambda piece: piece[0],
)


@pytest.mark.slow
@given(anything, st.sampled_from(list(MODEL_TYPES)), st.booleans(), st.booleans())
@settings(max_examples=200, deadline=None)
def test_rules_on_random_pieces(pieces, model_type, byte_fallback, has_bytes):
    check(pieces + (BYTES if has_bytes else []), model_type, byte_fallback)


@pytest.mark.slow
@given(sound, st.sampled_from(list(MODEL_TYPES)))
@settings(max_examples=150, deadline=None)
def test_sound_pieces(pieces, model_type):
    check([UNK, *pieces], model_type, False)


def test_names_what_is_wrong():
    with pytest.raises(ModelError, match=r"piece 2 'a': a is already defined\. Piece 1 has the same text"):
        native.build_vocab([UNK, A, A])
    with pytest.raises(
        ModelError, match=r"piece 1 'zz.*'\.\.\.: piece is too long\. It has 9000 bytes, the limit is 7999"
    ):
        native.build_vocab([UNK, (b"z" * 9000, 0.0, NORMAL)])
    with pytest.raises(ModelError, match=r"piece 1 '<\\nx09>': byte piece <\\nx09> is invalid") as caught:
        native.build_vocab([UNK, (b"<\nx09>", 0.0, BYTE)], byte_fallback=True)
    assert "\n" not in str(caught.value)
    with pytest.raises(ModelError, match="255 are missing, the first is <0x00>"):
        native.build_vocab([UNK, A, (b"<0x01>", 0.0, BYTE)], byte_fallback=True)


def test_well_formed():
    assert native.build_vocab([UNK, A, ("▁日本".encode(), 0.0, NORMAL)]).is_well_formed
    assert native.build_vocab([UNK, A, (b"\xff", 0.0, CONTROL)]).is_well_formed
    assert not native.build_vocab([UNK, A, (b"\xed\xa0\x80", 0.0, UNUSED)]).is_well_formed
    halves = [(b"x\xe6\x97", 0.0, NORMAL), (b"\xa5y", 0.0, NORMAL)]  # one character in two pieces
    assert not native.build_vocab([UNK, *halves]).is_well_formed
    assert not native.build_vocab([UNK, halves[0], (b"\xa5y", 0.0, CONTROL)]).is_well_formed


LEADS = b"\x01A\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc1\xc2\xdf\xe0\xe1\xec\xed\xee\xef\xf0\xf1\xf3\xf4\xf5\xff"


@pytest.mark.parametrize("seed", range(8))
def test_well_formed_as_python_says(seed):
    """Bytes at which the rules change, in well-formed text and without it."""
    rng = random.Random(seed)
    for _ in range(3000):
        chars = "".join(chr(rng.choice([0x41, 0x7FF, 0x800, 0xD7FF, 0xE000, 0x10000, 0x10FFFF])) for _ in range(9))
        text = bytearray(chars[: rng.randrange(10)].encode())
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(text) + 1)
            text[at : at + rng.randrange(3)] = rng.choices(LEADS, k=rng.randrange(0 if len(text) > 3 else 1, 5))
        if not text:
            continue
        try:
            text.decode()
            is_well_formed = True
        except UnicodeDecodeError:
            is_well_formed = False
        assert native.build_vocab([UNK, (bytes(text), 0.0, NORMAL)]).is_well_formed == is_well_formed, text


def test_matchable():
    pieces = [UNK, ("▁a▁".encode(), 0.0, NORMAL), (b"a b", 0.0, USER_DEFINED), (b"\0", 0.0, NORMAL), A, *BYTES]
    vocab = native.build_vocab(pieces, byte_fallback=True)
    assert [native.matchable_text(vocab, i, True) for i in range(6)] == [None, b" a ", None, None, b"a", None]
    assert [native.matchable_text(vocab, i, False) for i in range(3)] == [None, "▁a▁".encode(), b"a b"]
    assert [native.byte_id(vocab, byte) for byte in (0, 255)] == [5, 260]


CUT = [b"\xe2", b"\xe2\x96", b"\x96\x81", b"\x81"]  # parts of U+2581
PARTS = st.sampled_from([*(text.encode() for text in ("▁", "a", "bcdefgh", "é", "…", "界")), *CUT])


@given(st.lists(st.lists(PARTS, min_size=1, max_size=12).map(b"".join), min_size=1, max_size=12, unique=True))
def test_matchable_of_any_size(texts):
    """Pieces are copied by words of 8 and 16 bytes; what follows one in memory has no influence."""
    vocab = native.build_vocab([UNK, *((text, 0.0, NORMAL) for text in texts)])
    for i, text in enumerate(texts, 1):
        assert native.matchable_text(vocab, i, True) == text.replace("▁".encode(), b" ")
        assert native.matchable_text(vocab, i, False) == text


def test_matchable_of_halves():
    """U+2581 in two pieces is in neither."""
    texts = [b"\xe2\x96", b"\x81abc", b"abcd\xe2", b"\x96\x81", b"a" * 20]
    vocab = native.build_vocab([UNK, *((text, 0.0, NORMAL) for text in texts)])
    assert [native.matchable_text(vocab, i, True) for i in range(1, 6)] == texts


@pytest.mark.parametrize("piece_id", [-1, 2, 2**40])
def test_id_out_of_range(piece_id):
    vocab = native.build_vocab([UNK, A])
    for method in (vocab.text, vocab.score, vocab.type):
        with pytest.raises(IdError, match=r"piece id is out of range\. -?\d+ is not in 0\.\.1"):
            method(piece_id)


def test_wrong_arguments():
    with pytest.raises(ValueError, match="type 7"):
        native.build_vocab([(b"a", 0.0, 7)])
    with pytest.raises(ValueError, match="model_type 'lstm'"):
        native.build_vocab([UNK, A], "lstm")


def test_an_unfinished_vocabulary_finds_nothing():
    assert Vocab().find_id(b"a") == -1
    assert len(Vocab()) == 0


@pytest.mark.slow
@pytest.mark.long_input
def test_large_vocabulary_takes_linear_time():
    """Did it not, this would take an hour."""
    pieces = [UNK, *((b"piece %d" % i, -float(i), NORMAL) for i in range(1_000_000))]
    assert native.build_vocab(pieces).find_id(b"piece 999999") == 1_000_000


def test_real_models(shared_data):
    sentencepiece = pytest.importorskip("sentencepiece")
    for path in sorted((shared_data / "models").glob("*.model")):
        model = message_class("ModelProto").FromString(path.read_bytes())
        original = sentencepiece.SentencePieceProcessor(model_file=str(path))
        trainer = model.trainer_spec
        names = {number: name for name, number in MODEL_TYPES.items()}
        pieces = [(piece.piece.encode(), piece.score, piece.type) for piece in model.pieces]
        vocab = native.build_vocab(pieces, names[trainer.model_type], trainer.byte_fallback)
        probes = [text for text, _, _ in pieces[::7]] + [text + b"x" for text, _, _ in pieces[::11]]
        assert [vocab.find_id(probe) for probe in probes] == original.piece_to_id(probes), path.name
        assert [vocab.score(i) for i in range(len(vocab))] == original.get_score(list(range(len(original))))
        named = (trainer.unk_piece, trainer.bos_piece, trainer.eos_piece, trainer.pad_piece)
        special = (original.unk_id(), original.bos_id(), original.eos_id(), original.pad_id())
        assert vocab.special_ids(*(name.encode() for name in named)) == special


@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
def test_without_symbols(model_type):
    pieces = [UNK, *BYTES, A, (b"[X]", 0.0, USER_DEFINED), (b"[Y]", 0.0, UNUSED), (b"<s>", 0.0, CONTROL)]
    vocab = native.build_vocab(pieces, model_type, True)
    other = without_symbols(vocab)
    kinds = [vocab.type(i) for i in range(len(vocab))]
    assert [other.type(i) for i in range(len(other))] == [CONTROL if k == USER_DEFINED else k for k in kinds]
    assert [other.text(i) for i in range(len(other))] == [text for text, _, _ in pieces]
    assert [other.find_id(text) for text, _, _ in pieces] == list(range(len(pieces)))
    assert native.matchable_text(other, vocab.find_id(b"[X]"), True) is None
    assert native.matchable_text(vocab, vocab.find_id(b"[X]"), True) == b"[X]"
    assert (other.byte_fallback, other.unknown_index, native.byte_id(other, 7)) == (True, 0, native.byte_id(vocab, 7))
