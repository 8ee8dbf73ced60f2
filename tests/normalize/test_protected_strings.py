"""Protected strings: the longest at a place, in any order; and text is the same whether offsets are wanted or not."""

import pickle
import random

import pytest
from oracle import normalizer as oracle

from spm_lite.errors import ModelError
from spm_lite.normalize.normalizer import Normalizer
from spm_lite.normalize.protected_strings import ProtectedStrings
from spm_lite.normalize.rules.charsmap import Charsmap
from spm_lite.normalize.rules.named_rules import compile_rules

RULES = {"e\u0301": "é", "ab": "X", "b": "BB", "\t": " ", "c\u2581": "", "日": "nichi", "ﬁ": "fi", " x": "_"}
ALPHABET = ["a", "b", "c", "e", "\u0301", " ", " ", "\t", "\u2581", "日", "本", "ﬁ", "x", "👩\u200d🔧", "\0"]


def test_a_set_of_strings():
    strings = ProtectedStrings([b"b", b"a", b"ab", b"a", "日".encode()])
    assert list(strings) == [b"a", b"ab", b"b", "日".encode()]
    assert (len(strings), strings.longest, strings.are_plain) == (4, 3, True)
    assert list(pickle.loads(pickle.dumps(strings))) == list(strings)
    assert not ProtectedStrings()
    assert not ProtectedStrings([b"a b"]).are_plain
    assert not ProtectedStrings([b"\xff"]).is_well_formed
    for wrong in (b"", b"a\0"):
        with pytest.raises(ModelError, match="symbol"):
            ProtectedStrings([wrong])


def test_many_strings_are_sorted_by_their_bytes():
    rng = random.Random(1)
    texts = {bytes(rng.choices(range(1, 256), k=rng.randrange(1, 20))) for _ in range(3000)}
    texts |= {b"same begin " + bytes([k % 255 + 1]) * (k // 255 + 1) for k in range(1000)}
    assert list(ProtectedStrings(texts)) == sorted(texts)


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("has_rules", [False, True])
def test_text_without_offsets(compact, has_rules):
    rng = random.Random(2)
    rules = RULES if has_rules else {}
    charsmap = Charsmap(compile_rules(rules)) if has_rules else Charsmap()
    for _ in range(1500):
        flags = [rng.random() < 0.5, rng.random() < 0.5, True, rng.random() < 0.2]
        protected = ["".join(rng.choices(ALPHABET[:-1], k=rng.randrange(1, 5))).encode() for _ in range(4)]
        if rng.random() < 0.7:
            protected = [text.replace(b" ", b"a") for text in protected]
        text = "".join(rng.choices(ALPHABET + [one.decode() for one in protected], k=rng.randrange(30))).encode()
        if rng.random() < 0.1:
            text += b"\xe6\x97"
        twin = oracle.Normalizer({a.encode(): b.encode() for a, b in rules.items()}, *flags, protected=protected)
        found = Normalizer(charsmap, *flags, compact=compact, protected=protected)
        assert found.normalize(text) == found.normalize(text, True)[0] == twin.normalize(text)[0], (text, protected)
