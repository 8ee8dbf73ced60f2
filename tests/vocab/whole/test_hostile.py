"""Model files that mean harm: each is a ModelError that says why, in bounded time and memory, or a model that works."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import spm_lite
from spm_lite import ModelError, Tokenizer
from spm_lite.kinds import MODEL_TYPES
from spm_lite.normalize.rules.named_rules import compile_rules
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.model_writer import write_model

PIECES = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("\u2581", -1.0, 1), ("a", -1.0, 1), ("b", -2.0, 4)]
PLAIN = TrainerSpec(byte_fallback=False, lossless=False)
RULES = NormalizerSpec(precompiled_charsmap=compile_rules({"é": "a", "ab": ""}))
BASE = write_model(PIECES, PLAIN, NormalizerSpec())
TEXT = " ab é\u2581 ba\xff".encode()

TRAINER, NORMALIZER, DENORMALIZER = b"\x12", b"\x1a", b"\x2a"
GROUP, END = b"\x0b", b"\x0c"  # of field 1


def varint(value):
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def sized(tag, body, size=None):
    return tag + varint(len(body) if size is None else size) + body


def use(data):
    """Load and try a model; the ids of a text, None where it is refused."""
    try:
        tok = Tokenizer.load(data)
    except ModelError:
        return None
    ids = tok.encode(TEXT)
    tok.decode(range(len(tok)))
    return ids


@pytest.mark.parametrize("model_type", list(MODEL_TYPES))
def test_every_cut(model_type):
    data = write_model(PIECES, replace(PLAIN, model_type=model_type), RULES)
    assert use(data) is not None
    for size in range(len(data)):
        use(data[:size])


@pytest.mark.parametrize("model_type", list(MODEL_TYPES))
def test_every_flipped_bit(model_type):
    data = write_model(PIECES, replace(PLAIN, model_type=model_type), NormalizerSpec())
    for i in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[i // 8] ^= 1 << i % 8
        use(bytes(flipped))


@pytest.mark.parametrize("size", [2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**35, 2**63, 2**64 - 1])
@pytest.mark.parametrize("tag", [b"\x0a", TRAINER, NORMALIZER, DENORMALIZER, b"\x3a"])
def test_claimed_lengths(tag, size):
    """Lengths of fields of the model, and of what is in them, that go far beyond the file."""
    with pytest.raises(ModelError, match=r"a length has more than 5 bytes|longer than what is left"):
        Tokenizer.load(BASE + sized(tag, b"abc", size))
    inner = sized(b"\x0a", b"abc", size)  # a piece's text, a trainer's input, a normalizer's name
    if tag != b"\x3a":  # an unknown field, in which nothing is read
        with pytest.raises(ModelError, match=r"a length has more|longer than what is left"):
            Tokenizer.load(BASE + sized(tag, inner))


@pytest.mark.parametrize(
    ("field", "message"),
    [
        (b"\x0d\0\0\0\0", None),  # pieces as fixed32: an unknown field
        (b"\x08\x05", None),
        (b"\x13\x08\x01\x14", None),  # trainer_spec as a group
        (b"\x15\0\0", "a value is cut off"),
        (b"\x0e", "a wire type that does not exist"),
        (b"\x0f", "a wire type that does not exist"),
        (b"\x0c", "a group ends that did not begin"),
        (sized(TRAINER, b"\x1d\x02\0\0\0"), None),  # model_type as fixed32
        (sized(TRAINER, b"\x1e"), "a wire type that does not exist"),
        (sized(NORMALIZER, b"\x10\x05"), None),  # precompiled_charsmap as a number
        (sized(NORMALIZER, b"\x0c"), "a group ends that did not begin"),
    ],
)
def test_wrong_wire_types(field, message):
    if message is None:
        assert Tokenizer.load(BASE + field).encode("ab") == Tokenizer.load(BASE).encode("ab")
        return
    with pytest.raises(ModelError, match=message):
        Tokenizer.load(BASE + field)


@pytest.mark.parametrize("depth", [101, 10_000, 300_000])
def test_nested_groups(depth):
    for nested in (GROUP * depth + END * depth, GROUP * depth):
        with pytest.raises(ModelError, match="groups are nested more than 100 deep"):
            Tokenizer.load(BASE + nested)
        with pytest.raises(ModelError, match="groups are nested more than 100 deep"):
            Tokenizer.load(BASE + sized(b"\x0a", nested))
        for spec in (TRAINER, NORMALIZER, DENORMALIZER):
            with pytest.raises(ModelError, match="groups are nested more than 100 deep"):
                Tokenizer.load(BASE + sized(spec, nested))


@pytest.mark.compiled_protobuf
def test_nested_messages_are_not_entered():
    """Unknown fields that hold each other, like a zip bomb: their bytes are kept, nothing in them is read."""
    nested = b""
    for _ in range(2000):
        nested = sized(b"\x3a", nested)
    data = BASE + nested + sized(TRAINER, nested) + sized(NORMALIZER, nested)
    assert Tokenizer.load(data).encode("ab") == Tokenizer.load(BASE).encode("ab")


@pytest.mark.parametrize("score", [b"\0\0\xc0\x7f", b"\0\0\xc0\xff", b"\0\0\x80\x7f", b"\0\0\x80\xff"])
@pytest.mark.parametrize("model_type", list(MODEL_TYPES))
def test_scores_that_are_no_numbers(model_type, score):
    """Unigram models refuse them, the others have no use for more than their order."""
    data = write_model(PIECES, replace(PLAIN, model_type=model_type), NormalizerSpec(add_dummy_prefix=False))
    data += sized(b"\x0a", b"\x0a\x02ab\x15" + score) + sized(b"\x0a", b"\x0a\x02aa\x15" + score)
    if model_type == "unigram":
        with pytest.raises(ModelError, match="piece 5 'ab': score is NaN or Inf"):
            Tokenizer.load(data)
    else:
        text = "aa" if model_type == "word" else "aa abab aaa"
        tok = Tokenizer.load(data)
        assert tok.decode(tok.encode(text)) == text


def test_largest_scores():
    """Sums of finite scores may leave the range of a float32; there is still a best path."""
    largest = 3.4028234663852886e38
    for score in (largest, -largest):
        pieces = [*PIECES, ("ab", score, 1), ("aa", score, 1), ("aab", -score, 1)]
        tok = Tokenizer.load(write_model(pieces, PLAIN, NormalizerSpec()))
        for text in ("a" * 9, "ab" * 40, "aab z" * 9):
            assert tok.decode(tok.encode(text)).replace(" \u2047 ", "z") == text


@pytest.mark.parametrize("model_type", list(MODEL_TYPES))
@pytest.mark.parametrize("piece_type", [1, 3, 4, 5])
def test_duplicates(model_type, piece_type):
    spec = replace(PLAIN, model_type=model_type)
    twice = [*PIECES, ("zz", 0.0, piece_type), ("zz", -1.0, piece_type)]
    with pytest.raises(ModelError, match=r"piece 6 'zz': zz is already defined. Piece 5 has the same text"):
        Tokenizer.load(write_model(twice, spec, NormalizerSpec()))


UNLIMITED = """
import resource, sys
from spm_lite import ModelError, Tokenizer
from spm_lite.vocab.model_writer import write_model
from spm_lite.specs import NormalizerSpec, TrainerSpec
plain = TrainerSpec(byte_fallback=False, lossless=False)
base = write_model([("<unk>", 0.0, 2), ("a", 0.0, 1)], plain, NormalizerSpec())
unit, count = bytes.fromhex(sys.argv[1]), int(sys.argv[2])
size = len(unit) * count
header = b""
if len(sys.argv) > 3:
    header = bytes([int(sys.argv[3]), *(size >> 7 * k & 127 | 128 for k in range(4)), size >> 28])
data = base + header + unit * count
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    print(repr(Tokenizer.load(data)))
except ModelError as error:
    print(error)
used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
assert used < 1 << 20, f"{used} kB"
"""


@pytest.mark.slow
@pytest.mark.compiled_protobuf
@pytest.mark.long_input
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="ru_maxrss in kB")
@pytest.mark.parametrize(
    ("unit", "count", "field", "answer"),
    [
        (b"\x0a\x00", 10_000_000, None, "piece 2 '': piece must not be empty."),
        (sized(b"\x0a", b"\x0a\x01b"), 4_000_000, None, "piece 3 'b': b is already defined. Piece 2 has the same text"),
        (b"\x38\x01", 10_000_000, None, "vocab_size=2"),  # unknown numbers
        (TRAINER + b"\x00", 10_000_000, None, "vocab_size=2"),  # empty specs
        (GROUP + END, 10_000_000, None, "vocab_size=2"),
        (b"\xf2\x01\x00", 7_000_000, TRAINER, "vocab_size=2"),  # empty control_symbols in the trainer spec
        (b"\xb8\x18\x01", 7_000_000, TRAINER, "vocab_size=2"),  # unknown numbers in it
    ],
)
def test_millions_of_tiny_fields(unit, count, field, answer):
    """20 MB of them take less than 1 GB, and no minutes."""
    run = subprocess.run(
        [sys.executable, "-c", UNLIMITED, unit.hex(), str(count), *([] if field is None else [str(field[0])])],
        capture_output=True,
        text=True,
        timeout=500,
        cwd=Path(spm_lite.__file__).parent.parent,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert answer in run.stdout
