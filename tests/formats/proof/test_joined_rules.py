"""Texts whose rules are of single characters: tokenizers normalizes those as we do, and only those."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spm_lite.formats.proof.condition_checks import reads_alone
from spm_lite.normalize.from_settings import make_normalizer
from spm_lite.normalize.rules.charsmap import Charsmap
from spm_lite.normalize.rules.named_rules import charsmap_of, compile_rules
from spm_lite.specs import NormalizerSpec

tokenizers = pytest.importorskip("tokenizers")
SIGNS = "ae\u00e9\u0301\u0323\u1ecd\uff76\uff9e\u3131\u314f\u1112\u1161\u11ab\r\n\u200d\ufb01"
SIGNS += "\u01c5\u09cd\u09a8\u0958\u2460\u0e33\u0345\u05d0\u05b7 \U0001f468"


@pytest.mark.slow
@given(st.text(st.sampled_from(SIGNS), max_size=8))
def test_such_texts_are_normalized_alike(text):
    blob = charsmap_of("nmt_nfkc")
    other = tokenizers.normalizers.Precompiled(blob)
    if reads_alone(Charsmap(blob), text.encode()):
        own = make_normalizer(NormalizerSpec("", blob, False, False, False))
        assert other.normalize_str(text).encode() == own.normalize(text.encode())


@pytest.mark.parametrize(
    ("text", "is_met"),
    [
        ("", True),
        ("plain", True),
        ("\ufb01x", True),
        ("e\u0301", False),
        ("\u1ecd\u0301", True),
        ("\u2460\u0301", False),
        ("\r\n", False),
        ("\u01c5\u09cd\u09a8", False),
        ("\u09a8\u09cd\u09a8\u09cd\u09a8\ufb01", True),
    ],
)
def test_examples(text, is_met):
    assert reads_alone(Charsmap(charsmap_of("nmt_nfkc")), text.encode()) is is_met


def test_a_rule_of_one_character_in_a_cluster():
    charsmap = Charsmap(compile_rules({"a": "x"}))
    assert reads_alone(charsmap, b"abc")
    assert not reads_alone(charsmap, "a\u0301".encode())
    assert reads_alone(charsmap, "a\u0301\u0301\u0301".encode())
