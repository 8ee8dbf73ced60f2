"""The steps of tokenizers' normalizers: each text becomes what it becomes there, with offsets that never fall."""

import json
import pickle
import random

import pytest

import spm_lite
from spm_lite.errors import ModelError
from spm_lite.normalize.component_steps import is_known, steps_of
from spm_lite.normalize.from_settings import copy_normalizer, make_normalizer
from spm_lite.normalize.normalizer import Normalizer
from spm_lite.normalize.rules.charsmap import Charsmap
from spm_lite.normalize.rules.named_rules import charsmap_of
from spm_lite.normalize.step_chain import StartStep, StepPair, StripStep, WordsStep
from spm_lite.specs import NormalizerSpec


def blob():
    import base64

    return base64.b64encode(charsmap_of("nmt_nfkc")).decode()


PARTS = [
    {"type": "Lowercase"},
    {"type": "StripAccents"},
    {"type": "Nmt"},
    {"type": "NFC"},
    {"type": "NFKD"},
    {"type": "Strip", "strip_left": True, "strip_right": False},
    {"type": "Strip", "strip_left": False, "strip_right": True},
    {"type": "Strip", "strip_left": False, "strip_right": False},
    {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "\u2581"},
    {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "},
    {"type": "Replace", "pattern": {"String": "``"}, "content": '"'},
    {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"},
    {"type": "Replace", "pattern": {"Regex": "\\A\u2581"}, "content": "\u2581\u2581"},
    {"type": "Replace", "pattern": {"Regex": r"\A +| +\z"}, "content": ""},
    {"type": "Prepend", "prepend": "\u2581"},
    {"type": "Precompiled"},
]
SIGNS = [
    *"abZİΣ É\u0301\u0300\u05b0ｶﾞｷ\u3131\u314f\u1100\u1161  \t\n\r\u00a0\u3000``''▁▁①ﬁ\u200b\u200d👍🏽ก",
    *"\u0e33\u0e49\ufeff\ufffd🇩🇪\u0915\u094d\u0937é\0",
    "\r\n", "👩\u200d👩\u200d👧",
]  # fmt: skip


def partner_of(parts):
    """The normalizer of tokenizers with the same components."""
    tokenizers = pytest.importorskip("tokenizers")
    empty = dict.fromkeys(("truncation", "padding", "pre_tokenizer", "post_processor", "decoder"))
    model = {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}
    normalizer = {"type": "Sequence", "normalizers": parts}
    text = json.dumps({"version": "1.0", **empty, "added_tokens": [], "normalizer": normalizer, "model": model})
    return tokenizers.Tokenizer.from_str(text).normalizer


def with_blob(part):
    return {**part, "precompiled_charsmap": blob()} if part["type"] == "Precompiled" else part


@pytest.mark.parametrize("seed", range(40))
def test_texts_become_what_they_become_in_tokenizers(seed):
    draw = random.Random(seed)
    parts = [PARTS[seed]] if seed < len(PARTS) else draw.sample(PARTS, draw.randint(2, 4))
    parts = [with_blob(part) for part in parts]
    partner = partner_of(parts)
    step = steps_of([json.dumps(part) for part in parts])[0]
    for _ in range(300):
        text = "".join(draw.choices(SIGNS, k=draw.randint(0, 10)))
        assert step.normalize(text.encode()).decode() == partner.normalize_str(text), (parts, text)


@pytest.mark.parametrize("seed", range(20))
def test_offsets_never_fall_and_end_in_the_text(seed):
    draw = random.Random(f"offsets {seed}")
    parts = [json.dumps(with_blob(part)) for part in draw.sample(PARTS, 3)]
    if seed % 2:
        parts += ['{"type": "WhitespaceSplit"}', '{"type": "Punctuation"}']
    form, early, words = steps_of(parts)
    normalizer = Normalizer(Charsmap(), False, False, True, compact=True, form=form, early=early, words=words)
    for _ in range(60):
        text = "".join(draw.choices(SIGNS, k=draw.randint(0, 12))).replace("\0", "").encode()
        out, align = normalizer.normalize(text, True)
        assert out == normalizer.normalize(text)
        if out:
            assert len(align) == len(out) + 1 and align == sorted(align) and 0 <= align[0] <= align[-1] <= len(text)


DIGITS = ["1", "23", "\u0664", "\U00011de3", "\U00016ff5"]  # the last two since Unicode 17


@pytest.mark.parametrize(
    "cuts",
    [
        ["WhitespaceSplit"],
        ["Punctuation"],
        ["WhitespaceSplit", "Punctuation"],
        ["Digits"],
        ["WhitespaceSplit", "Digits1", "Punctuation"],
    ],
)
def test_words_are_those_before_a_metaspace(cuts):
    tokenizers = pytest.importorskip("tokenizers")
    made = {
        "WhitespaceSplit": tokenizers.pre_tokenizers.WhitespaceSplit(),
        "Punctuation": tokenizers.pre_tokenizers.Punctuation(),
        "Digits": tokenizers.pre_tokenizers.Digits(False),
        "Digits1": tokenizers.pre_tokenizers.Digits(True),
    }
    metaspace = tokenizers.pre_tokenizers.Metaspace(prepend_scheme="always", split=False)
    partner = tokenizers.pre_tokenizers.Sequence([*(made[cut] for cut in cuts), metaspace])
    parts = [{"type": cut.removesuffix("1"), "individual_digits": cut.endswith("1")} for cut in cuts]
    step = steps_of([json.dumps(part) for part in parts])[0]
    draw = random.Random(str(cuts))
    for _ in range(2000):
        text = "".join(draw.choices([*SIGNS, *DIGITS, ".", "!?", "،", "\u2581"], k=draw.randint(0, 9)))
        expected = "".join(word for word, _ in partner.pre_tokenize_str(text))
        assert step.normalize(text.encode()).decode().replace(" ", "\u2581") == expected, text


def test_a_content_of_nothing_changes_nothing():
    for text in (b"", b"a "):
        assert StartStep(b"").normalize(text) == text


def test_steps_are_values():
    step = StepPair(StripStep(True, True), StartStep("\u2581".encode()))
    assert pickle.loads(pickle.dumps(step)).normalize(b" a ") == step.normalize(b" a ") == "\u2581a".encode()
    words = pickle.loads(pickle.dumps(WordsStep(True, by_punctuation=True)))
    assert words.normalize(b"a  b, c") == b" a b , c"
    assert steps_of([]) == (None, None, None)


@pytest.mark.parametrize(
    "part",
    [
        {"type": "Replace", "pattern": {"Regex": r"(a+)\1$"}, "content": "b"},
        {"type": "Replace", "pattern": {"String": ""}, "content": "b"},
        {"type": "Unheard"},
        {"type": "Precompiled", "precompiled_charsmap": "???"},
    ],
)
def test_other_components_are_named(part):
    assert not is_known(part)
    with pytest.raises(ModelError, match=r"normalizer.*(Replace of|Unheard|not base64)"):
        steps_of([json.dumps(part)])


@pytest.mark.parametrize("step", ["", "[]", "{", '{"type": 3}', "\\xff"])
def test_a_damaged_step_is_an_error(step):
    with pytest.raises(ModelError):
        steps_of([step])


def test_bytes_that_are_not_utf8_stay(tmp_path):
    step = steps_of([json.dumps({"type": "Lowercase"}), json.dumps(with_blob({"type": "Precompiled"}))])[0]
    assert step.normalize(b"A\xff\xe2\x28B") == b"a\xff\xe2(b"
    assert spm_lite.byte_tokenizer().encode("a")


@pytest.mark.parametrize(
    "parts",
    [
        [{"type": "Precompiled"}, {"type": "WhitespaceSplit"}],
        [{"type": "Lowercase"}, {"type": "Precompiled"}, {"type": "WhitespaceSplit"}],
        [{"type": "Precompiled"}, {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "\u2581"}],
        [{"type": "Strip"}, {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "}],
    ],
)
def test_texts_that_no_step_changes_are_copied(parts):
    spec = NormalizerSpec(
        "user_defined", b"", True, False, True, prefix_unless_space=True,
        steps=tuple(json.dumps(with_blob(part)) for part in parts),
    )  # fmt: skip
    own = make_normalizer(spec, may_be_compact=True)
    slow = copy_normalizer(own, plain=None)
    assert own.plain is not None and slow.plain is None
    draw = random.Random(str(parts))
    signs = ["a", "bc", " ", "  ", "é", "日本", "กำ", "①", "\u2581", "\n", "A\u0301", "\u00a0", "x" * 40]
    for _ in range(3000):
        text = "".join(draw.choices(signs, weights=[9, 9, 9, 2, 3, 3, 1, 1, 1, 1, 1, 1, 3], k=draw.randint(0, 9)))
        assert own.normalize(text.encode()) == slow.normalize(text.encode()), text


def test_characters_that_rules_alone_change_are_written_on_the_way():
    parts = [with_blob({"type": "Precompiled"}), {"type": "WhitespaceSplit"}]
    steps = tuple(map(json.dumps, parts))
    spec = NormalizerSpec("user_defined", b"", True, False, True, prefix_unless_space=True, steps=steps)
    own = make_normalizer(spec, may_be_compact=True)
    slow = copy_normalizer(own, plain=None)
    assert own.plain.form is not None
    draw = random.Random(4)
    texts = ["", "\u3000", "\u3000a\u3000", "น้ำ ทำ\u0e33", "\ufeff", "\u0e33" * 5000, "①" * 5000]
    texts += ["".join(draw.choices(SIGNS, k=draw.randint(1, 9))) for _ in range(4000)]
    for text in map(str.encode, texts):
        assert own.normalize(text) == slow.normalize(text), text
