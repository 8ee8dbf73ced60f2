"""SentencePieceNormalizer, call for call beside the original."""

import copy
import inspect
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.slow import slow_after

pytest.importorskip("sentencepiece")

import sentencepiece
from oracle.outcomes import assert_same_outcome

from spm_lite.sentencepiece.standalone_normalizer import SentencePieceNormalizer
from spm_lite.vocab.messages import message_class

Theirs = sentencepiece.SentencePieceNormalizer
RULE_NAMES = ["identity", "nfkc", "nfkc_cf", "nmt_nfkc", "nmt_nfkc_cf"]
FLAGS = ["add_dummy_prefix", "escape_whitespaces", "remove_extra_whitespaces"]
TEXTS = [
    "",
    " ",
    "  a  b ",
    "\uff21\u3000\u2460 \u3351x",
    "\u30cf\u309a",
    "e\u0301\u200b\tx\x01",
    "\u2581a\ufffd",
    "\0",
    "日本",
]


@pytest.fixture(autouse=True, scope="module")
def quiet() -> Any:
    sentencepiece.SetMinLogLevel(3)
    yield
    sentencepiece.SetMinLogLevel(0)


def message(**fields: Any) -> Any:
    return message_class("NormalizerSpec")(**fields)


def assert_same_normalizer(**arguments: Any) -> None:
    """Both refuse, or both have the same rules and spec. Only the placement within the compiled rules may differ."""

    def describe(kind: Any) -> Any:
        normalizer = kind(**arguments)
        spec = message_class("NormalizerSpec").FromString(normalizer.serialized_normalizer_spec())
        model = message_class("ModelProto").FromString(normalizer.serialized_model_proto())
        assert model.normalizer_spec == spec
        model.ClearField("normalizer_spec")
        assert model.SerializeToString() == b""
        is_small = 0 < len(spec.precompiled_charsmap) < 10_000  # the large sets have their own test
        rules = normalizer.decompile() if is_small else None
        has_rules = spec.HasField("precompiled_charsmap")
        spec.ClearField("precompiled_charsmap")
        texts = [normalizer.normalize(text, with_offsets=True) for text in TEXTS + [text.encode() for text in TEXTS]]
        return spec.SerializeToString(deterministic=True), has_rules, rules, texts

    assert_same_outcome(lambda: describe(SentencePieceNormalizer), lambda: describe(Theirs))


def test_names() -> None:
    """Every public name is there, with the same parameters in the same order and with the same defaults."""
    for name in [*vars(Theirs), "__init__"]:
        theirs, ours = getattr(Theirs, name), getattr(SentencePieceNormalizer, name)
        if inspect.isfunction(theirs):
            parameters = [
                [(parameter.name, parameter.kind, parameter.default) for parameter in signature.parameters.values()]
                for signature in (inspect.signature(theirs), inspect.signature(ours))
            ]
            assert parameters[0] == parameters[1], name


@pytest.mark.parametrize("name", RULE_NAMES)
@pytest.mark.parametrize("flags", [{}, *({flag: False} for flag in FLAGS), dict.fromkeys(FLAGS, False)], ids=str)
def test_named(name: str, flags: dict[str, bool]) -> None:
    assert_same_normalizer(rule_name=name, **flags)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nfd", "nfkd", "nfd_cf", "nfkd_cf"])
def test_sets_that_sentencepiece_has_as_tables(name: str, shared_data: Path) -> None:
    """They are built in here. The table is older: its rules are among ours."""
    ours = SentencePieceNormalizer(rule_name=name)
    theirs = Theirs(rule_tsv=str(shared_data / "normalization" / f"{name}.tsv"))
    assert set(ours.decompile()) >= set(theirs.decompile())
    assert [ours.normalize(text) for text in TEXTS] == [theirs.normalize(text) for text in TEXTS]
    with pytest.raises(RuntimeError, match="NOT_FOUND: No precompiled charsmap is found"):
        Theirs(rule_name=name)


@pytest.mark.slow
@pytest.mark.parametrize("name", slow_after(2, RULE_NAMES))
def test_same_rules(name: str) -> None:
    """The compiled rules of the named sets say the same; within the array, states may lie elsewhere."""
    ours, theirs = SentencePieceNormalizer(rule_name=name), Theirs(rule_name=name)
    assert len(ours.serialized_model_proto()) == len(theirs.serialized_model_proto())
    if name == "identity":
        assert ours.serialized_model_proto() == theirs.serialized_model_proto()
    else:
        assert ours.decompile() == theirs.decompile()


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("value", [0, 1, True, False, None, 2.5, "", "false", [], b"x"], ids=repr)
def test_flags(flag: str, value: Any) -> None:
    assert_same_normalizer(norm_map=[("z", "y")], **{flag: value})


MAPS: list[Any] = [
    [],
    (),
    {},
    {"a": "b"},
    [("a", "b")],
    (("a", "b"), ["b", "c"]),
    ["ab", "bc"],
    {("a", "b")},
    {("a", "b"): None}.keys(),
    [("a", "")],
    [("", "b")],
    [("a", "a")],
    [("a", "b"), ("a", "c")],
    [("a",)],
    [("a", "b", "c")],
    [(1, 2)],
    [("a", None)],
    [(b"a", bytearray(b"b"))],
    [(b"\xff", b"a")],
    [("a", "\ud800")],
    [("\0a", "b")],
    [("a\0b", "c\0d")],
    [("a" * i, "b" * i) for i in range(1, 32)],
    [("a" * i, "b" * i) for i in range(1, 33)],
    "ab",
    5,
]


@pytest.mark.parametrize("pairs", MAPS, ids=lambda pairs: repr(pairs)[:30])
def test_norm_map(pairs: Any) -> None:
    assert_same_normalizer(norm_map=pairs)


def test_norm_map_that_can_be_read_once() -> None:
    def normalized(kind: Any) -> Any:
        return kind(norm_map=iter([("a", "b"), ("c", "d")])).normalize("abc")

    assert_same_outcome(lambda: normalized(SentencePieceNormalizer), lambda: normalized(Theirs))


TABLES = [
    "",
    "\n",
    "41\t61\n\n",
    "#a\tb\n",
    "41\t41\n",
    "D800\t41\n",
    "41\tD800",
    "41\t61\n41\t62\n",
    "41",
    "41\t",
    "110000\t41\n",
    "U+41 0x42\t U+61  62 \tzz\r\n",
    "41\t61\r\n",
    "41x\t62",
    "\t41\n",
    "U+\t41",
    "0\t41",
    "42\t41 0 43",
]


@pytest.mark.parametrize("table", TABLES, ids=repr)
def test_table(tmp_path: Path, table: str) -> None:
    path = tmp_path / "rules.tsv"
    path.write_bytes(table.encode())
    assert_same_normalizer(rule_tsv=str(path))
    assert_same_normalizer(rule_tsv=str(path).encode(), add_dummy_prefix=False)


def test_any_path(tmp_path: Path, shared_data: Path) -> None:
    """Where the original wants a str, any path will do."""
    (tmp_path / "rules.tsv").write_text("41\t42\n")
    assert SentencePieceNormalizer(rule_tsv=tmp_path / "rules.tsv").normalize("A") == "\u2581B"
    assert SentencePieceNormalizer(model_file=shared_data / "models" / "t5_base.model").normalize("\uff21") == "\u2581A"


@pytest.mark.parametrize("name", ["t5_base", "llama2", "kerashub_word_tiny", "jamo_ko_50k", "albert_30k"])
def test_models(shared_data: Path, name: str) -> None:
    path = shared_data / "models" / f"{name}.model"
    assert_same_normalizer(model_file=str(path))
    assert_same_normalizer(model_file=str(path).encode(), remove_extra_whitespaces=True)
    assert_same_normalizer(model_proto=path.read_bytes())
    ours, theirs = SentencePieceNormalizer(model_file=str(path)), Theirs(model_file=str(path))
    assert ours.serialized_normalizer_spec() == theirs.serialized_normalizer_spec()


SOURCES: list[dict[str, Any]] = [
    {},
    {"model_file": ""},
    {"model_file": "/no/such/file"},
    {"model_file": "/tmp"},
    {"model_file": 5},
    {"model_proto": b"xxx"},
    {"model_proto": "text"},
    {"model_proto": 5},
    {"model_proto": b""},
    {"model_proto": b"\x1a\0"},
    {"normalizer_spec": b"\xff"},
    {"normalizer_spec": "text"},
    {"normalizer_spec": 5},
    {"normalizer_spec": message()},
    {"normalizer_spec": message(name="nfkc")},
    {"normalizer_spec": message(precompiled_charsmap=b"zz")},
    {"normalizer_spec": message(normalization_rule_tsv="/no/such/file", add_dummy_prefix=False)},
    {"normalizer_spec": b"\xc2\x3e\x01a\x0a\x01x"},  # a field that nobody knows
    {"rule_tsv": "/no/such/file"},
    {"rule_tsv": "/tmp"},
    {"rule_tsv": 5},
    {"rule_name": b"nfkc"},
    {"rule_name": 5},
    {"rule_name": "Nfkc"},
    {"rule_name": "nfx"},
    {"rule_tsv": "/no/such/file", "rule_name": "nfkc"},
    {"rule_name": "identity", "norm_map": [("a", "b")]},
    {"model_proto": b"\x1a\0", "rule_tsv": "/no/such/file"},
]


@pytest.mark.parametrize("arguments", SOURCES, ids=lambda arguments: repr(arguments)[:40])
def test_sources(arguments: dict[str, Any]) -> None:
    assert_same_normalizer(**arguments)


INPUTS: list[Any] = [
    "xabff",
    b"xabff",
    bytearray(b"a"),
    None,
    5,
    ["ab", "ff"],
    ["ab", b"ab"],
    ("ab",),
    [],
    [None],
    ["a", ["b"]],
    {"a"},
    "\ud800",
    ["\ud800"],
    b"\xff\xe3\x81",
    [b"\xff"],
]


@pytest.mark.parametrize("text", INPUTS, ids=repr)
@pytest.mark.parametrize("with_offsets", [None, True, False, 1, "", "x"], ids=repr)
@pytest.mark.parametrize("name", ["normalize", "Normalize"])
def test_inputs(text: Any, with_offsets: Any, name: str) -> None:
    pairs = [("ab", "c"), ("ff", "")]
    ours, theirs = SentencePieceNormalizer(norm_map=pairs), Theirs(norm_map=pairs)
    assert_same_outcome(
        lambda: getattr(ours, name)(text, with_offsets), lambda: getattr(theirs, name)(text, with_offsets)
    )


OURS = {name: SentencePieceNormalizer(rule_name=name) for name in RULE_NAMES}
THEIRS = {name: Theirs(rule_name=name) for name in RULE_NAMES}


@settings(max_examples=300, deadline=None)
@given(
    name=st.sampled_from(RULE_NAMES),
    text=st.text(st.characters(codec="utf-8"), max_size=20)
    | st.text(" \u2581\u3000\u3099かｶﾞe\u0301\0\t\u200b", max_size=12),
    data=st.binary(max_size=12),
)
def test_any_text(name: str, text: str, data: bytes) -> None:
    for given_text in (text, text.encode(), data):
        assert OURS[name].normalize(given_text) == THEIRS[name].normalize(given_text)
        assert OURS[name].normalize(given_text, True) == THEIRS[name].normalize(given_text, True)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["decompile", "Decompile"])
def test_decompile(method: str) -> None:
    for arguments in ({"rule_name": "nmt_nfkc_cf"}, {"rule_name": "identity"}, {"norm_map": [("b", "a"), ("ab", "")]}):
        ours, theirs = SentencePieceNormalizer(**arguments), Theirs(**arguments)
        assert_same_outcome(getattr(ours, method), getattr(theirs, method))


def test_copies() -> None:
    """A copy of any kind has the same spec; and the state of one is the state of the other."""
    arguments: dict[str, Any] = {"norm_map": [("a", "b")], "add_dummy_prefix": False}
    ours, theirs = SentencePieceNormalizer(**arguments), Theirs(**arguments)
    for twin in (copy.copy(ours), copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
        assert twin.serialized_normalizer_spec() == ours.serialized_normalizer_spec()
        assert twin.normalize("aa") == "bb"
    exchanged = SentencePieceNormalizer.__new__(SentencePieceNormalizer)
    exchanged.__setstate__(theirs.__getstate__())
    assert exchanged.normalize("a") == "b"


def test_after_a_bad_state() -> None:
    """What cannot be loaded leaves nothing to work with."""
    for kind in (SentencePieceNormalizer, Theirs):
        normalizer = kind(rule_name="nfkc")
        with pytest.raises(RuntimeError):
            normalizer.__setstate__(b"zzzz")
        with pytest.raises(RuntimeError):
            normalizer.normalize("a")
    with pytest.raises(RuntimeError):
        SentencePieceNormalizer.__new__(SentencePieceNormalizer).normalize("a")


def test_init_again() -> None:
    """The name that older programs call."""
    normalizer = SentencePieceNormalizer(rule_name="nfkc")
    normalizer.Init(rule_name="identity", add_dummy_prefix=False)
    assert normalizer.normalize("\uff21") == "\uff21"


def test_other_rules_in_the_same_object(tmp_path, model) -> None:
    """The calls of 0.2.1 that 0.2.3 has not; a spec keeps its flags."""
    normalizer = SentencePieceNormalizer(rule_name="identity", add_dummy_prefix=False)
    assert normalizer.LoadFromRuleName("nfkc_cf") is True and normalizer.normalize("\uff21") == "\u2581a"
    path = tmp_path / "m.model"
    path.write_bytes(model)
    assert normalizer.LoadFromFile(str(path)) and normalizer.normalize("\uff21") == "\u2581\uff21"
    (tmp_path / "r.tsv").write_text("41\t62\n", encoding="utf-8")
    assert normalizer.LoadFromRuleTSV(tmp_path / "r.tsv") and normalizer.normalize("A") == "\u2581b"
    assert normalizer.LoadFromSerializedProto(model) and normalizer.normalize("A") == "\u2581A"
    with pytest.raises(RuntimeError):
        normalizer.LoadFromRuleName("none")
