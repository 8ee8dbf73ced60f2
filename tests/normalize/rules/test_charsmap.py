"""Loading, walking and listing compiled rules, sound and damaged ones."""

import pickle
import random
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spm_lite.base.structures.double_array import build_units
from spm_lite.errors import ModelError
from spm_lite.normalize.normalizer import Normalizer
from spm_lite.normalize.rules.charsmap import Charsmap
from spm_lite.normalize.rules.compile import compile_blob
from spm_lite.normalize.rules.named_rules import compile_rules

VALUE = 1 << 31
KEYS = st.binary(min_size=1, max_size=6).map(lambda key: key.replace(b"\0", b"a"))
CHAR_KEYS = st.text(alphabet="ab あか\u0301é漢😀\u2581\u3099", min_size=1, max_size=4).map(str.encode)
RULES = st.dictionaries(st.one_of(KEYS, CHAR_KEYS), st.binary(max_size=4).map(lambda text: text.replace(b"\0", b"")))


def blob_of(units: list[int], targets: bytes) -> bytes:
    """A blob as it stands in a model."""
    return struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + targets


def array_of(edges: dict[int, tuple[int, int, bool]], size: int = 256) -> list[int]:
    """Units from index -> (label, base, has a value); all others are unused."""
    units = [(i ^ 0xFF) & 0xFF for i in range(size)]
    units[0] = 0
    for i, (label, base, has_value) in edges.items():
        units[i] = label | has_value << 8 | (i ^ base) << 10
    return units


def naive_match(rules: dict[bytes, bytes], text: bytes) -> tuple[int, bytes] | None:
    sizes = [size for size in range(1, len(text) + 1) if text[:size] in rules][:32]
    return (sizes[-1], rules[text[: sizes[-1]]]) if sizes else None


@settings(max_examples=200, deadline=None)
@given(rules=RULES, texts=st.lists(KEYS, max_size=8))
def test_longest_match(rules, texts):
    charsmap = Charsmap(compile_blob(rules)) if rules else Charsmap()
    for text in [*texts, *rules, *(key + b"a" for key in rules), *(key[:-1] for key in rules)]:
        assert charsmap.match(text) == naive_match(rules, text)
    for target in rules.values():
        try:
            target.decode()
        except UnicodeDecodeError:
            assert not charsmap.is_well_formed


def test_no_rules():
    assert Charsmap().match(b"a") is None
    assert Charsmap().decompile() == []
    assert Charsmap().is_well_formed


def test_pickle():
    charsmap = Charsmap(compile_rules({"a": "b"}))
    assert pickle.loads(pickle.dumps(charsmap)).blob == charsmap.blob


def test_at_most_32_matches():
    # An array with a longer chain of prefixes than the compiler allows, as a contrived model may hold.
    units = build_units({b"a" * size: size for size in range(1, 40)})
    blob = struct.pack("<I", len(units)) + units + b"x" * 50 + b"\0"
    assert Charsmap(blob).match(b"a" * 50)[0] == 32


GOOD = compile_rules({"a": "x", "bc": ""})
SIZE = struct.unpack("<I", GOOD[:4])[0]


@pytest.mark.parametrize(
    ("blob", "message"),
    [
        (GOOD[:4], "rule is broken: 4 bytes"),
        (b"\0", "rule is broken: 1 bytes"),
        (GOOD[: 4 + SIZE], "exceeds the input blob size"),
        (struct.pack("<I", 2**32 - 1) + GOOD[4:], "exceeds the input blob size: 4294967295"),
        (struct.pack("<I", 512) + GOOD[4:], "not divisible by 1024: 512"),
        (struct.pack("<I", 0) + GOOD[4:], "not divisible by 1024: 0"),
        (GOOD[:4] + bytes(4 * 255) + GOOD[4:], "unit 0"),
        (GOOD[:-1], "null terminated|exceeds"),
        (GOOD + b"x", "null terminated"),
        (blob_of(array_of({}), b"\0"), "unit 0"),
        (blob_of([1 << 10 | 1, *array_of({})[1:]], b"\0"), "unit 0"),
        (blob_of([1 << 10 | 256, *array_of({})[1:]], b"\0"), "unit 0"),
        (blob_of([VALUE, *array_of({})[1:]], b"\0"), "unit 0"),
        (blob_of([256 << 10, *array_of({})[1:]], b"\0"), "unit 0"),
        (blob_of([1 << 10 | 1 << 9, *array_of({})[1:]], b"\0"), "unit 0"),
        (blob_of([1 << 10, 0x3FFFFF << 10, *array_of({})[2:]], b"\0"), "unit 1"),
        (blob_of([1 << 10, 0x100 | 2 << 10, *array_of({})[2:]], b"\0"), "unit 1"),
        (blob_of([1 << 10, VALUE | 2, *array_of({})[2:]], b"x\0"), "unit 1"),
    ],
)
def test_damaged(blob, message):
    with pytest.raises(ModelError, match=message):
        Charsmap(blob)


def test_original_refuses_the_same():
    message = pytest.importorskip("sentencepiece.sentencepiece_model_pb2", exc_type=ImportError)
    spm = pytest.importorskip("sentencepiece")
    rng = random.Random(3)
    refused = 0
    for _ in range(600):
        blob = bytearray(GOOD)
        for _ in range(rng.randrange(1, 4)):
            place = rng.choice([rng.randrange(8), rng.randrange(len(blob)), 4 + 4 * ord("a") + rng.randrange(4)])
            blob[place] = rng.randrange(256)
        spec = message.NormalizerSpec(precompiled_charsmap=bytes(blob))
        try:
            original = spm.SentencePieceNormalizer(normalizer_spec=spec.SerializeToString())
        except RuntimeError:
            refused += 1
            with pytest.raises(ModelError):
                Charsmap(bytes(blob))
            continue
        own = Normalizer(Charsmap(bytes(blob)))
        for text in (b"abcabc bc\0a", b"\0\0a\0", bytes(range(256))):
            assert original.normalize(text, with_offsets=True) == own.normalize(text, True)
    assert 50 < refused < 600


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_random_arrays_are_safe(data):
    """Whatever passes the checks can be walked, listed or refused, in bounded time."""
    size = 256
    base = data.draw(st.integers(1, size - 1))
    labels = data.draw(st.lists(st.integers(0, 255), min_size=1, max_size=40))
    edges = {base ^ label: (label, data.draw(st.integers(1, size - 1)), False) for label in labels}
    units = array_of({i: edge for i, edge in edges.items() if i})
    units[0] = base << 10
    for i in data.draw(st.lists(st.integers(1, 255), max_size=8)):
        units[i] = VALUE | data.draw(st.integers(0, 3))
    try:
        charsmap = Charsmap(blob_of(units, b"x\xc3\xa9\0"))
    except ModelError:
        return
    Normalizer(charsmap).normalize(bytes(data.draw(st.lists(st.sampled_from(labels), max_size=300))), True)
    try:
        assert charsmap.decompile() == sorted(charsmap.decompile())
    except ModelError as error:
        assert "recursion depth" in str(error) or "more than" in str(error)


@pytest.mark.slow
def test_array_that_leads_back_to_itself():
    # One node whose child on "a" has the same children: "aaa..." walks for ever, without a rule.
    units = array_of({1 ^ ord("a"): (ord("a"), 1, False)})
    units[0] = 1 << 10
    charsmap = Charsmap(blob_of(units, b"\0"))
    with pytest.raises(ModelError, match="Max recursion depth exceeded"):
        charsmap.decompile()
    assert Normalizer(charsmap, False).normalize(b"a" * 200_000) == b"a" * 200_000


def test_array_where_all_leads_back():
    # Every byte leads to the same node: more ways to spell a character's beginning than are looked at.
    units = array_of({256 ^ byte: (byte, 256, False) for byte in range(1, 256)}, 512)
    units[0] = 256 << 10
    text = "aé界😀".encode() * 1000
    assert Normalizer(Charsmap(blob_of(units, b"\0")), False).normalize(text) == text


def test_array_that_spells_too_much():
    # A chain of nodes, each with two ways to the next one: 2^60 rules in 512 units.
    bases = list(range(64, 64 + 61))
    units = array_of({}, 1024)
    units[0] = bases[0] << 10
    place = {base: 256 + 4 * k for k, base in enumerate(bases)}
    # Children on bytes 1 and 2 of the base 256 + 4k are units 256 + 4k + 1 and + 2.
    units[0] = place[bases[0]] << 10
    for k, base in enumerate(bases[:-1]):
        for label in (1, 2):
            i = place[base] ^ label
            units[i] = label | (i ^ place[bases[k + 1]]) << 10
    for label in (1, 2):
        i = place[bases[-2]] ^ label
        units[i] |= 0x100
    units[place[bases[-1]]] = VALUE
    charsmap = Charsmap(blob_of(units, b"\0"))
    assert charsmap.match(b"\1\2" * 30) == (60, b"")
    with pytest.raises(ModelError, match="more than 4194304 rules"):
        charsmap.decompile()


def test_depth_limit_of_decompile():
    assert Charsmap(compile_rules({"a" * 1000: "x"})).decompile() == [("a" * 1000, "x")]
    with pytest.raises(ModelError, match="Max recursion depth exceeded in decompile: a source is 1001 bytes"):
        Charsmap(compile_rules({"a" * 1001: "x"})).decompile()


def test_decompile_shows_ill_formed_bytes():
    assert Charsmap(compile_blob({b"a\xe3\x81": b"\xff\xc3\xa9"})).decompile() == [("a\ufffd\ufffd", "\ufffdé")]


def test_value_inside_a_character():
    # "é" has two bytes; a value that points at the second one is no UTF-8, though the block is.
    units = [unit for (unit,) in struct.iter_unpack("<I", build_units({b"a": 0, b"b": 1}))]
    assert not Charsmap(blob_of(units, "é".encode() + b"\0")).is_well_formed
    units = [unit for (unit,) in struct.iter_unpack("<I", build_units({b"a": 0, b"b": 2}))]
    assert Charsmap(blob_of(units, "é".encode() + b"\0")).is_well_formed


@pytest.mark.slow
def test_real_models(shared_data):
    """Every published blob loads, is acyclic and is well-formed."""
    message = pytest.importorskip("sentencepiece.sentencepiece_model_pb2", exc_type=ImportError)
    sizes = set()
    for path in sorted((shared_data / "models").glob("*.model")):
        blob = message.ModelProto.FromString(path.read_bytes()).normalizer_spec.precompiled_charsmap
        charsmap = Charsmap(blob)
        assert charsmap.is_well_formed
        sizes.add(len(charsmap.decompile()))
    assert {0, 30_125, 224_654} <= sizes
