"""Truncation, windows and special tokens, against the package tokenizers itself."""

import itertools

import pytest
from oracle.fast_tokenizers import needs_transformers

from spm_lite.transformers.layouts import Settings, kept_sizes, windows

pytestmark = needs_transformers
STRATEGIES = ["longest_first", "only_first", "only_second"]


def words(n, sign):
    return " ".join([sign] * n)


@pytest.fixture(scope="module")
def tok():
    tokenizers = pytest.importorskip("tokenizers")
    found = tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0, "b": 1, "c": 2}, unk_token="c"))
    found.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    return found


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_sizes_are_those_of_tokenizers(tok, strategy):
    for first, second, limit in itertools.product(range(1, 9), range(1, 9), range(1, 12)):
        tok.enable_truncation(limit, strategy=strategy)
        try:
            found = tok.encode(words(first, "a"), words(second, "b"))
        except Exception:
            assert kept_sizes(first, second, limit, strategy) is None
            continue
        assert kept_sizes(first, second, limit, strategy) == (found.ids.count(0), found.ids.count(1))


@pytest.mark.parametrize("direction", ["right", "left"])
def test_windows_are_those_of_tokenizers(tok, direction):
    text = " ".join("abc"[i % 3] for i in range(24))
    for size, limit, stride in itertools.product(range(1, 24), range(1, 9), range(8)):
        if stride >= limit or size <= limit:
            continue
        tok.enable_truncation(limit, stride=stride, direction=direction)
        part = text[: 2 * size - 1]
        found = tok.encode(part)
        ids = [(0, 1, 2)[i % 3] for i in range(size)]
        own = [ids[begin:end] for begin, end in windows(size, limit, stride, direction == "left")]
        assert own == [found.ids, *(one.ids for one in found.overflowing)]
    tok.no_truncation()


def test_each_post_processor_is_read():
    processors = pytest.importorskip("tokenizers").processors
    bert = Settings(processors.BertProcessing(("[SEP]", 102), ("[CLS]", 101)))
    assert bert.layouts[False, True][:8] == ([101], [], [102], [0], [], [0], 0, 0)
    assert bert.layouts[True, True][:8] == ([101], [102], [102], [0], [0], [1], 0, 1)
    roberta = Settings(processors.RobertaProcessing(("</s>", 2), ("<s>", 0)))
    assert roberta.layouts[True, True][:8] == ([0], [2, 2], [2], [0], [0, 0], [0], 0, 0)
    assert roberta.layouts[True, False][:8] == ([], [], [], [], [], [], 0, 0)
    assert Settings(None).layouts[True, True][:8] == ([], [], [], [], [], [], 0, 1)
    twice = processors.TemplateProcessing(single="$A $A", pair="$B $A", special_tokens=[])
    assert Settings(twice).layouts[False, True] is None
    assert Settings(twice).layouts[True, True] is None


def test_the_trimming_of_offsets_is_read():
    processors = pytest.importorskip("tokenizers").processors
    byte_level, bert = processors.ByteLevel(), processors.BertProcessing(("[SEP]", 102), ("[CLS]", 101))
    assert Settings(processors.Sequence([byte_level, bert])).layouts[False, True].trims == (True,)
    assert Settings(processors.Sequence([bert, byte_level])).layouts[False, False].trims is None
    assert Settings(processors.ByteLevel(trim_offsets=False)).layouts[False, True].trims == ()
    roberta = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    assert Settings(roberta).layouts[True, True].trims == (False,)
    assert Settings(bert).layouts[True, True].trims == ()
