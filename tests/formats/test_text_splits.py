"""Pre-tokenizers of tokenizer.json become splits that cut as tokenizers does; known patterns are known by meaning."""

import json
import random

import pytest
from oracle import extras

import spm_lite
from spm_lite.base.patterns.pattern_compiler import compile_pattern
from spm_lite.base.patterns.pattern_parser import RUST
from spm_lite.errors import OptionError
from spm_lite.formats.gpt2_files import BYTES
from spm_lite.formats.hugging_face.components import SPELLINGS
from spm_lite.formats.text_splits import cuts_of, cuts_of_tiktoken
from spm_lite.kinds import BEHAVIORS
from spm_lite.vocab.split_pattern_names import (
    CL100K_PATTERN,
    GPT2_OF_TIKTOKEN,
    GPT2_PATTERN,
    LLAMA3_PATTERN,
    O200K_PATTERN,
    PATTERNS,
    QWEN2_PATTERN,
    SIGNATURES,
    TEKKEN_PATTERN,
)

tokenizers = pytest.importorskip("tokenizers")
SIGNS = ["a", "B", " ", "  ", "\n", "\t", "1", "23", "²", "-", "'s", "é", "中", "あ", "\u0301", ".", "_", "\u200d", "ſ"]


def test_signatures_are_those_of_the_patterns():
    for pattern in (GPT2_PATTERN, LLAMA3_PATTERN, QWEN2_PATTERN, O200K_PATTERN, TEKKEN_PATTERN):
        assert SIGNATURES[compile_pattern(pattern).signature.hex()] == pattern
    assert SIGNATURES[compile_pattern(CL100K_PATTERN, RUST).signature.hex()] == CL100K_PATTERN
    assert SIGNATURES[compile_pattern(SPELLINGS[CL100K_PATTERN]).signature.hex()] == CL100K_PATTERN


@pytest.mark.parametrize(
    ("pattern", "known"),
    [
        (GPT2_OF_TIKTOKEN, GPT2_PATTERN),
        (r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+", GPT2_PATTERN),
        (r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]+|"
         r"\s+(?!\S)|\s+", LLAMA3_PATTERN),
        (r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD]|'ſ)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|"
         r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+", QWEN2_PATTERN),
        (PATTERNS["o200k_base"].replace("(?i:", "(?i:(?:)"), O200K_PATTERN),
        (r"[^\r\n\p{L}\p{N}]?((?=[\p{L}])([^a-z]))*((?=[\p{L}])([^A-Z]))+", ""),
    ],
)  # fmt: skip
def test_known_patterns_are_known_in_every_spelling(pattern, known):
    cuts = cuts_of_tiktoken(pattern)
    assert cuts == known if known else isinstance(cuts, tuple)


def test_all_text_in_matches_is_isolated():
    assert cuts_of([(r"\s+|\S+", "Removed", True)]) == ((r"\s+|\S+", "Isolated", False),)
    assert cuts_of([(GPT2_PATTERN, "Removed", True)]) == GPT2_PATTERN
    assert cuts_of([(r"\p{N}", "Isolated", False), (GPT2_PATTERN, "Isolated", False)])[1][0] == GPT2_PATTERN


def split(pattern, behavior="Isolated", invert=False):
    given = pattern if isinstance(pattern, dict) else {"Regex": pattern}
    return {"type": "Split", "pattern": given, "behavior": behavior, "invert": invert}


STEPS = [
    [split("[a-z]", behavior, invert)] for behavior in BEHAVIORS for invert in (False, True)
] + [
    [{"type": "Digits", "individual_digits": single}] for single in (False, True)
] + [
    [{"type": "Punctuation", "behavior": behavior}] for behavior in BEHAVIORS
] + [
    [{"type": "Whitespace"}], [{"type": "WhitespaceSplit"}], [{"type": "BertPreTokenizer"}],
    [{"type": "CharDelimiterSplit", "delimiter": "-"}], [{"type": "FixedLength", "length": 3}],
    [split({"String": "a."})], [split(r"\p{N}{1,3}"), split("[一-龥]+"), split(r"\s+", "Removed")],
    [split("a", "MergedWithNext"), {"type": "Digits", "individual_digits": False}, split(r"(?=B)|$")],
]  # fmt: skip


@pytest.mark.parametrize("use_regex", [False, True])
@pytest.mark.parametrize("steps", STEPS, ids=[*range(len(STEPS))])
def test_ids_are_those_of_tokenizers(steps, use_regex, tmp_path):
    last = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": use_regex}
    pieces = [*BYTES, "\u0120a", "aB", "\u0120\u0120", "23", "--", "a."]
    merges = [["\u0120", "a"], ["a", "B"], ["\u0120", "\u0120"], ["2", "3"], ["-", "-"], ["a", "."]]
    parts = {
        "version": "1.0", "added_tokens": [], "decoder": last,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [*steps, last]},
        "model": {"type": "BPE", "vocab": {piece: i for i, piece in enumerate(pieces)}, "merges": merges},
    }  # fmt: skip
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(parts), encoding="utf-8")
    there, here = tokenizers.Tokenizer.from_str(json.dumps(parts)), spm_lite.load(path)
    rng = random.Random(5)
    texts = [
        "".join(rng.choice(SIGNS) * rng.choice((1, 1, 2, 3)) for _ in range(rng.randrange(20))) for _ in range(300)
    ]
    expected = [one.ids for one in there.encode_batch(texts)]
    assert here.encode_lists(texts) == expected
    (tmp_path / "again").mkdir()
    here.to_hf(tmp_path / "again")
    again = tokenizers.Tokenizer.from_file(str(tmp_path / "again" / "tokenizer.json"))
    assert [one.ids for one in again.encode_batch(texts)] == expected


@pytest.mark.dev
def test_a_pattern_of_tiktoken_leaves_out_what_it_does_not_match(tmp_path):
    tiktoken = extras.need("tiktoken")
    own = spm_lite.train(["the cat sat"] * 9, model_type="byte_bpe", vocab_size=264)
    own.to_tiktoken(tmp_path / "x")
    ranks = {own.info and own._file.vocab.text(i): i for i in range(own.vocab_size) if own._file.vocab.type(i) == 1}
    for pattern in (r"\w+", r"\p{L}{1,3}+|\s+$", r"(?i)the|\d+", r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,2}|\s+|."):
        tok = spm_lite.Tokenizer.from_tiktoken(tmp_path / "x", pattern=pattern)
        there = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
        for text in ("the cat 12 sat\n", " THE sat-- cat ", "é中 the\u200dcat \n"):
            assert tok.encode(text) == there.encode_ordinary(text), (pattern, text)
        assert tok.to_tiktoken(tmp_path / "y") is not None
    with pytest.raises(OptionError, match="2 patterns cut a text"):
        two = (("a", "Isolated", False), ("b", "Isolated", False))
        from spm_lite.formats.text_splits import tiktoken_pattern

        tiktoken_pattern(two, "a rank file of tiktoken")


def test_a_pattern_with_a_lone_surrogate():
    with pytest.raises(OptionError, match="holds a lone surrogate at position 1"):
        cuts_of_tiktoken("a\ud800")
