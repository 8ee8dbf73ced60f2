"""What BERT's normalizer drops and sets apart, and bytes spelled as GPT-2 does, against tokenizers and naive twins."""

import json
import pickle
import random
from itertools import product

import pytest

from spm_lite.errors import ModelError
from spm_lite.normalize.component_steps import is_late, steps_of
from spm_lite.normalize.sign_steps import BertStep, SpellStep

SIGNS = [
    *"abZİΣ É\u0301\u0300\u05b0中文々〇\u3400\uf900ｱ\u3131\u1100  \t\n\r\u00a0\u3000\u200b\u200d\ufffd\ufeff\0\x7f\x85",
    *"\ue000\uf8ff\u2028\U00020000\U000f0000👍ßǅ\u0345ก\u0e33\u1e9b\u0323", "e\u0301", "한국",
]  # fmt: skip
FLAGS = ("clean_text", "handle_chinese_chars", "lowercase")


def random_text(draw, k=12):
    return "".join(draw.choices(SIGNS, k=draw.randint(0, k)))


@pytest.mark.parametrize("strips", [None, True, False])
@pytest.mark.parametrize("flags", [*product((True, False), repeat=3)])
def test_all_options_of_a_bert_normalizer(flags, strips):
    tokenizers = pytest.importorskip("tokenizers")
    options = {**dict(zip(FLAGS, flags, strict=True)), "strip_accents": strips}
    there = tokenizers.normalizers.BertNormalizer(**options)
    step = steps_of([json.dumps({"type": "BertNormalizer", **options})])[0]
    draw = random.Random(str(options))
    texts = [random_text(draw) for _ in range(400)]
    for text in texts:
        assert step.normalize(text.encode()).decode() == there.normalize_str(text), text


@pytest.mark.slow
@pytest.mark.parametrize("flags", [(True, True, True), (True, True, False), (False, True, True), (False, False, True)])
def test_every_character_of_a_bert_normalizer(flags):
    tokenizers = pytest.importorskip("tokenizers")
    options = dict(zip(FLAGS, flags, strict=True))
    there = tokenizers.normalizers.BertNormalizer(**options)
    step = steps_of([json.dumps({"type": "BertNormalizer", **options})])[0]
    for code in range(0x110000):
        if not 0xD800 <= code < 0xE000:
            text = f"a{chr(code)}b"
            assert step.normalize(text.encode()).decode() == there.normalize_str(text), hex(code)


def test_what_bert_drops_and_sets_apart():
    assert BertStep(True, True).normalize("a\0\ufffd中b".encode()).decode() == "a 中 b"
    assert BertStep(True, False).normalize("a\0\ufffd中b".encode()).decode() == "a中b"
    assert BertStep(False, True).normalize("a\0\ufffd中b".encode()).decode() == "a\0\ufffd 中 b"
    assert BertStep(True, True).normalize(b"\xffa\xe3\x28") == b"\xffa\xe3\x28"


def test_bytes_are_spelled_as_in_tokenizers():
    tokenizers = pytest.importorskip("tokenizers")
    there = tokenizers.normalizers.ByteLevel()
    step = steps_of(['{"type": "ByteLevel"}'])[0]
    draw = random.Random(3)
    for text in ["", *map(chr, range(0x400)), *(random_text(draw) for _ in range(300))]:
        assert step.normalize(text.encode()).decode() == there.normalize_str(text), text


def test_each_byte_is_spelled():
    spelled = [SpellStep().normalize(bytes([byte])).decode() for byte in range(256)]
    assert len({*spelled}) == 256 and all(len(sign) == 1 for sign in spelled)
    assert all(sign == chr(byte) for byte, sign in enumerate(spelled) if 0x21 <= byte < 0x7F)
    assert is_late({"type": "ByteLevel", "add_prefix_space": True}) and not is_late({"type": "ByteLevel"})


def test_steps_are_values():
    for step in (BertStep(True, False), BertStep(False, True), SpellStep()):
        text = "a\0中 ".encode()
        assert pickle.loads(pickle.dumps(step)).normalize(text) == step.normalize(text)


@pytest.mark.parametrize("name", [*FLAGS, "strip_accents"])
@pytest.mark.parametrize("value", ["false", 0, 1.5, [], "\ud800"])
def test_flags_of_another_type(name, value):
    with pytest.raises(ModelError, match=f"BertNormalizer.{name} is .*: it must be true or false"):
        steps_of([json.dumps({"type": "BertNormalizer", name: value})])
