"""The normalizer against its naive twin, and against the original library."""

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import native
from oracle import normalizer as oracle
from oracle.slow import slow_after

from spm_lite.errors import ModelError, OptionError
from spm_lite.normalize.normalizer import Normalizer
from spm_lite.normalize.rules.charsmap import Charsmap
from spm_lite.normalize.rules.compile import compile_blob
from spm_lite.normalize.rules.named_rules import RULE_SETS, charsmap_of, compile_rules, format_rules
from spm_lite.normalize.rules.rule_sets import KEPT_COMPILED, table_rules

MARK = "\u2581"
FLAGS = list(itertools.product([False, True], repeat=4))  # dummy, squeeze, escape, suffix

# Deletions, spaces, chains of prefixes, and sources that end or start inside a character.
RULES = {
    b"a": b"",
    b"ab": b"x ",
    b"abc": b"  ",
    b"\t": b" ",
    b"b" + "\u0301".encode(): "\u1e03".encode(),
    "\u3000".encode(): b" ",
    "か\u3099".encode(): "が".encode(),
    "\u2581".encode(): b" ",
    "😀".encode(): MARK.encode(),
    "é".encode(): b" \xc3\xa9 ",
    b"dc": b"cd",
}
PROTECTED = (b"<s>", b"<s>a", b"a b", b" ", "か".encode(), b"\xe2\x96\x81x", b"abc")

ALPHABET = " \t\u3000\u2581aabbcdx<s>é\u0301か\u3099な漢\ufffd\0\u00a0ｱﾞ😀①ﬁ\u200b\u200dｶ가각ᄀ\u11a8"
WORDS = st.one_of(
    st.sampled_from(list(ALPHABET)).map(str.encode),
    st.sampled_from([b"\xff", b"\xe2", b"\x96\x81", b"\xed\xa0\x80", b"\xc0\x80", b"\xf0\x9f\x98", b"\xe2\x96"]),
    st.sampled_from([b"plain words", b"  ", b"eight by", b"<s>", b"ab" * 9]),
)
TEXTS = st.lists(WORDS, max_size=30).map(b"".join)


def rules_of(charsmap: Charsmap) -> dict[bytes, bytes]:
    return {source.encode(): target.encode() for source, target in charsmap.decompile()}


def random_text(rng: random.Random, alphabet: str, size: int) -> bytes:
    chars = [rng.choice(alphabet).encode() for _ in range(rng.randrange(size))]
    if rng.random() < 0.3:
        chars.insert(rng.randrange(len(chars) + 1), bytes([rng.randrange(128, 256)]))
    return b"".join(chars)


@pytest.fixture(scope="module")
def custom() -> Charsmap:
    return Charsmap(compile_rules({source.decode(): target.decode() for source, target in RULES.items()}))


@pytest.mark.slow
@settings(max_examples=600, deadline=None)
@given(text=TEXTS, flags=st.sampled_from(FLAGS), with_rules=st.booleans(), with_protected=st.booleans())
def test_equals_oracle(custom, text, flags, with_rules, with_protected):
    dummy, squeeze, escape, suffix = flags
    protected = PROTECTED if with_protected else ()
    charsmap = custom if with_rules else Charsmap()
    expected = oracle.Normalizer(RULES if with_rules else {}, *flags, protected=protected).normalize(text)
    for compact in (False, True) if escape else (False,):
        normalizer = Normalizer(charsmap, dummy, squeeze, escape, suffix, compact, False, protected)
        assert normalizer.normalize(text, True) == expected
        assert normalizer.normalize(text) == expected[0]
        assert normalizer.normalize(text, True, True) == (expected[0], oracle.char_alignment(text, *expected))
    assert native.char_alignment(text, *expected) == oracle.char_alignment(text, *expected)


@pytest.mark.parametrize("seed", slow_after(16, range(80)))
def test_blocks_of_ascii(seed):
    """Which ASCII is left alone is told 32 bytes at a time: by a range with up to three holes."""
    rng = random.Random(f"ascii {seed}")
    touched: set[int] = set()
    for _ in range(rng.choice([0, 1, 1, 2, 3, 4, 6, 12])):
        first = rng.choice([1, 9, 31, 32, 33, 60, 97, 122, 126, 127, rng.randrange(1, 128)])
        touched.update(range(first, min(first + rng.choice([1, 1, 2, 9, 40, 128]), 128)))
    rules = {bytes([c]): rng.choice([b"xx", b"", b"  ", "é".encode()]) for c in touched}
    protected = tuple(bytes([rng.randrange(1, 128)]) + b"<" for _ in range(rng.choice([0, 0, 1, 3])))
    blob = compile_rules({source.decode(): target.decode() for source, target in rules.items()}) if rules else b""
    charsmap = Charsmap(blob)
    others = [c for c in range(128) if c not in touched] or [127]
    for _ in range(6):
        flags = [rng.random() < 0.5 for _ in range(4)]
        twin = oracle.Normalizer(rules, *flags, protected=protected)
        for compact in (False, True) if flags[2] else (False,):
            normalizer = Normalizer(charsmap, *flags, compact, False, protected)
            text = bytearray(rng.choices(others, k=rng.randrange(30, 400)))
            for _ in range(rng.choice([0, 0, 1, 4])):
                text[rng.randrange(len(text))] = rng.choice([32, rng.randrange(128), *touched])
            text += bytes([127]) * rng.choice([0, 32, 40]) + bytes(rng.choices(others, k=rng.choice([0, 2])))
            assert normalizer.normalize(bytes(text), True) == twin.normalize(bytes(text))
            assert normalizer.normalize(bytes(text)) == twin.normalize(bytes(text))[0]


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(text=TEXTS, dummy=st.booleans(), suffix=st.booleans(), with_protected=st.booleans())
def test_lossless(text, dummy, suffix, with_protected):
    protected = (b"<s>", b"a b") if with_protected else ()
    normalizer = Normalizer(Charsmap(), dummy, False, True, suffix, True, True, protected)
    twin = oracle.Normalizer({}, dummy, False, True, suffix, True, protected)
    assert normalizer.normalize(text, True) == twin.normalize(text)
    assert normalizer.normalize(text) == twin.normalize(text)[0]


@pytest.mark.parametrize(
    ("text", "normalized", "align"),
    [
        ("  Hello\u3000 World  ", "▁Hello▁World", [2, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14]),
        ("①②㍿", "▁12株式会社", [0, 0, 1, 2, 2, 2, 2, 3]),
        ("ﾊﾟｲ", "▁パイ", [0, 0, 2, 3]),
        ("\u200bx\u200b", "▁x", [1, 1, 2]),
        ("a\u0007b", "▁ab", [0, 0, 2, 3]),
        ("x\ufffdy", "▁x▁y", [0, 0, 1, 2, 3]),
        (" ", "", [0]),
        ("", "", [0]),
        ("\x01", "", [0]),
        ("\u1e0b\u0323", "▁\u1e0b\u0323", [0, 0, 1, 2]),
        ("e\u0323\u0302", "▁\u1ec7", [0, 0, 3]),
        ("\uff5e\u200d\u0085\0", "▁\uff5e\u200d\u0085\0", [0, 0, 1, 2, 3, 4]),
    ],
)
def test_examples(text, normalized, align):
    for compact in (False, True):
        normalizer = Normalizer(Charsmap(charsmap_of("nmt_nfkc")), compact=compact)
        out, byte_align = normalizer.normalize(text.encode(), True)
        assert out.decode() == normalized
        assert native.char_alignment(text.encode(), out, byte_align) == align


@pytest.mark.parametrize("name", slow_after(2, RULE_SETS))
def test_named_sets_equal_oracle(name):
    charsmap = Charsmap(charsmap_of(name))
    rules = rules_of(charsmap)
    alphabet = ALPHABET + "".join(
        source.decode() for source in random.Random(0).sample(sorted(rules), min(200, len(rules)))
    )
    rng = random.Random(name)
    for flags in FLAGS:
        twin = oracle.Normalizer(rules, *flags)
        for _ in range(60):
            text = random_text(rng, alphabet, 40)
            expected = twin.normalize(text)
            assert Normalizer(charsmap, *flags).normalize(text, True) == expected
            if flags[2]:
                assert Normalizer(charsmap, *flags, compact=True).normalize(text, True) == expected


def test_hostile_rules_equal_oracle():
    """Sources and targets that are not UTF-8, as a damaged or contrived model may hold."""
    rules = {b"\xe2": b"\x96", b"\x96": b"\xe2", b"\x81": b"\x81", b"a\xe3": b" \xff", b"\xf0\x9f": b"\xe2\x96\x81"}
    rules |= {"か".encode() + b"\xe3\x82": b"!", b"\xc3": b"", b"\x80\x80": b" "}
    charsmap = Charsmap(compile_blob(rules))
    assert not charsmap.is_well_formed
    rng = random.Random(1)
    pool = [
        b"\xe2",
        b"\x96",
        b"\x81",
        b"a",
        b" ",
        "か".encode(),
        "\u3099".encode(),
        "😀".encode(),
        b"\xc3\xa9",
        b"\x80",
    ]
    for trial in range(3000):
        text = b"".join(rng.choices(pool, k=rng.randrange(14)))
        flags = FLAGS[trial % 16]
        assert Normalizer(charsmap, *flags).normalize(text, True) == oracle.Normalizer(rules, *flags).normalize(text)


@pytest.mark.parametrize("seed", slow_after(16, range(60)))
def test_characters_above_ffff(seed):
    """What is known of the rules is known of 64 such characters together."""
    rng = random.Random(f"above {seed}")
    first = rng.choice([0x10000, 0x1F600, 0x1F63F, 0x2FFC0, 0xFFF80, 0x10FF80])
    pool = [chr(min(first + more, 0x10FFFF)) for more in (0, 1, 62, 63, 64, 65, 127)] + list("aéか")
    rules: dict[bytes, bytes] = {}
    for _ in range(rng.choice([1, 1, 2, 5])):
        source = "".join(rng.choices(pool, k=rng.choice([1, 2, 2, 3]))).encode()
        if rng.random() < 0.2:  # a part of a character
            source = source[: rng.randrange(1, len(source) + 1)]
        rules[source] = rng.choice([b"", b"x", b" ", "か".encode(), "😀".encode()])
    charsmap = Charsmap(compile_blob(rules))
    for trial in range(100):
        words = [rng.choice(pool).encode() for _ in range(rng.randrange(12))]
        words += rng.choices(
            [b"\xf0", b"\xf0\x9f", b"\xf4\x90\x80\x80", b"\xf0\x80\x80\x80", b" ", b"plain"], k=rng.choice([0, 0, 1])
        )
        rng.shuffle(words)
        text, flags = b"".join(words), FLAGS[trial % 16]
        expected = oracle.Normalizer(rules, *flags).normalize(text)
        assert Normalizer(charsmap, *flags).normalize(text, True) == expected
        assert Normalizer(charsmap, *flags).normalize(text) == expected[0]


def test_only_the_64_shortest_protected_strings_count():
    protected = [b"a" * size for size in range(1, 80)]
    assert Normalizer(Charsmap(), protected=protected).normalize(b"a" * 70, True)[1][-2:] == [64, 70]


def test_long_texts_are_linear(custom):
    for unit in (b"a", b"ab", b" ", b"  x", "か".encode(), b"\xff", "か\u3099".encode(), b"<s", b"a b"):
        text = unit * (1_000_000 // len(unit))
        for flags in ((True, True), (False, False)):
            Normalizer(custom, *flags, protected=PROTECTED).normalize(text)
    assert Normalizer(Charsmap(), compact=True).normalize(b" " * 1_000_000) == b""


def test_growth_keeps_what_was_written():
    blob = compile_rules({"x": "wide " * 1000})
    out, align = Normalizer(Charsmap(blob), False, False, True).normalize(b"axb" * 50, True)
    assert out.decode() == ("a" + f"wide{MARK}" * 1000 + "b") * 50
    assert len(align) == len(out) + 1


@pytest.mark.parametrize(
    "options",
    [
        {"lossless": True},
        {"compact": True, "escape_whitespaces": False},
        {"compact": True, "protected": [b"\xff"]},
    ],
)
def test_contradictions(options):
    with pytest.raises(OptionError):
        Normalizer(Charsmap(), **options)


def test_lossless_with_rules():
    """What no rule is for stays as it is."""
    rules = Charsmap(compile_rules({"\u2581": "mark", "a": "b"}))
    text = "a \u2581".encode() + b"\xff\xe2\x96"
    for flags in ({"compact": True}, {"escape_whitespaces": False}):
        normalizer = Normalizer(rules, False, False, lossless=True, **flags)
        space = " " if "escape_whitespaces" in flags else "\u2581"
        assert normalizer.normalize(text) == f"b{space}mark".encode() + b"\xff\xe2\x96"
    with pytest.raises(OptionError, match="compact"):
        Normalizer(rules, lossless=True)


@pytest.mark.parametrize("symbol", [b"", b"a\0b"])
def test_protected_strings_that_cannot_be(symbol):
    with pytest.raises(ModelError, match="NUL"):
        Normalizer(Charsmap(), protected=[symbol])


def test_alignment_of_wrong_size():
    with pytest.raises(ValueError, match="3 entries, 2 expected"):
        native.char_alignment(b"a", b"a", [0, 1, 2])


@pytest.fixture(scope="module", params=[name for name in RULE_SETS if not name.endswith("_rules")])
def named_set(request) -> tuple[str, Charsmap, list[str]]:
    """A named set: name, rules, their sources."""
    charsmap = Charsmap(charsmap_of(request.param))
    return request.param, charsmap, [source for source, _ in charsmap.decompile()]


@pytest.fixture(scope="module")
def spm():
    return pytest.importorskip("sentencepiece")


@pytest.fixture(scope="module")
def original_rules(named_set, tmp_path_factory) -> dict[str, str]:
    """The fields that give the original these rules: the name if it has that name, else a table."""
    name = named_set[0]
    if name == "identity" or name in KEPT_COMPILED:
        return {"rule_name": name}
    path = tmp_path_factory.mktemp("rules") / f"{name}.tsv"
    path.write_text(format_rules(table_rules(name).items()), encoding="utf-8", newline="\n")
    return {"rule_tsv": str(path)}


class TestAgainstOriginal:
    """Equal to sentencepiece 0.2.3."""

    @pytest.mark.parametrize("flags", slow_after(2, list(itertools.product([False, True], repeat=3))))
    def test_named_sets(self, spm, named_set, original_rules, flags):
        name, charsmap, sources = named_set
        dummy, squeeze, escape = flags
        original = spm.SentencePieceNormalizer(
            **original_rules, add_dummy_prefix=dummy, remove_extra_whitespaces=squeeze, escape_whitespaces=escape
        )
        rng = random.Random(f"{name}{flags}")
        for _ in range(300):
            text = random_text(rng, ALPHABET + "".join(rng.choices(sources, k=8) if sources else ""), 60)
            self.check(original, text, Normalizer(charsmap, *flags))
            if escape:
                self.check(original, text, Normalizer(charsmap, *flags, compact=True))

    @pytest.mark.slow
    def test_real_models(self, spm, shared_data):
        """The rules, flags and user-defined symbols of published models."""
        message = pytest.importorskip("sentencepiece.sentencepiece_model_pb2", exc_type=ImportError)
        for path in sorted((shared_data / "models").glob("*.model")):
            model = message.ModelProto.FromString(path.read_bytes())
            spec = model.normalizer_spec
            symbols = [piece.piece.encode() for piece in model.pieces if piece.type == piece.USER_DEFINED]
            charsmap = Charsmap(spec.precompiled_charsmap)
            flags = spec.add_dummy_prefix, spec.remove_extra_whitespaces, spec.escape_whitespaces
            suffix = model.trainer_spec.treat_whitespace_as_suffix
            original = spm.SentencePieceProcessor(model_proto=path.read_bytes())
            forms = [
                Normalizer(charsmap, *flags, suffix, compact, False, symbols)
                for compact in ((False, True) if spec.escape_whitespaces else (False,))
            ]
            rng = random.Random(path.name)
            pool = [source for source, _ in charsmap.decompile()] + [symbol.decode() for symbol in symbols]
            for _ in range(150):
                words = rng.choices(pool, k=5) if pool else []
                text = random_text(rng, ALPHABET, 40) + "".join(words).encode() + random_text(rng, ALPHABET, 10)
                for normalizer in forms:
                    self.check(original, text, normalizer)

    def test_corpora(self, spm, named_set, original_rules, shared_data):
        """Lines of real text in many scripts."""
        charsmap = named_set[1]
        original = spm.SentencePieceNormalizer(**original_rules)
        for path in sorted((shared_data / "corpora").rglob("*.t??")):
            for line in path.read_bytes()[:20_000].split(b"\n"):
                self.check(original, line, Normalizer(charsmap, compact=True))

    def test_custom_rules(self, spm, custom):
        original = spm.SentencePieceNormalizer(norm_map=[(s.decode(), t.decode()) for s, t in RULES.items()])
        rng = random.Random(5)
        for _ in range(3000):
            self.check(original, random_text(rng, ALPHABET, 40), Normalizer(custom, compact=True))

    def check(self, original, text, normalizer):
        out, align = normalizer.normalize(text, True)
        assert original.normalize(text, with_offsets=True) == (out, align)
        try:
            text.decode()
        except UnicodeDecodeError:
            return
        wanted = (out.decode(), native.char_alignment(text, out, align))
        assert original.normalize(text.decode(), with_offsets=True) == wanted


def test_leading_spaces():
    rules = Charsmap(compile_rules({"\t": " ", "xy": " ", "z": ""}))
    for text, size in [("", 0), ("a ", 0), (" ", 1), (" \t a", 3), (" xya", 3), (" x", 1), ("  z ", 2), ("\u2581a", 0)]:
        assert Normalizer(rules).leading_spaces(text.encode()) == size
        assert Normalizer(rules, remove_extra_whitespaces=False).leading_spaces(text.encode()) == size
    assert Normalizer(Charsmap(), protected=[b" a"]).leading_spaces(b"  a") == 1
