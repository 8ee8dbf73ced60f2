"""BPE by a list of merges against its definition; how chunks, offsets, prefixes and dropout go with it."""

import random
from itertools import pairwise

import pytest
from oracle import merge_lists
from oracle.slow import slow_after

import spm_lite
from spm_lite.errors import OptionError
from spm_lite.kinds import CONTROL, NORMAL, UNKNOWN, UNUSED
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.merge_list import MergeList
from spm_lite.vocab.model_writer import write_model

PLAIN = NormalizerSpec("identity", b"", False, False, True)


def tokenizer_of(model, **options):
    """The Tokenizer of a model of the oracle: its pieces, then the unknown one."""
    pieces = [*model["vocab"]]
    ids = {text: i for i, text in enumerate(pieces)}
    prefix = model["prefix"]
    listed = [ids[text] for left, right in model["merges"] for text in (left, right, left + right.removeprefix(prefix))]
    merges = MergeList(listed, model["fuse"], model["whole"], prefix.encode(), model["suffix"].encode())
    entries = [(text, -float(i), NORMAL) for i, text in enumerate(pieces)]
    if model["unknown"] is not None:
        entries.append((model["unknown"], 0.0, UNKNOWN))
    entries.append(("<s>", 0.0, CONTROL))
    spec = TrainerSpec(model_type="bpe", vocab_size=len(entries), byte_fallback=False)
    return spm_lite.load(write_model(entries, spec, PLAIN, merges=merges), **options)


def expected(model, text):
    unknown = len(model["vocab"])
    return [unknown if one is None else model["vocab"].index(one) for one in merge_lists.merged(text, model)]


@pytest.mark.parametrize("seed", slow_after(40, range(400)))
def test_ids_are_those_of_the_definition(seed):
    draw = random.Random(seed)
    model = merge_lists.random_model(draw)
    tok, uncached = tokenizer_of(model), tokenizer_of(model, cache_bytes=0)
    for size in (*range(12), 12, 40, 200):
        text = "".join(draw.choices("abé漢zß"[: draw.randint(1, 6)], k=size))
        ids = expected(model, text)
        assert tok.encode(text) == ids == uncached.encode(text) == tok.encode(text), text
        assert tok.count(text) == len(ids) == len(tok.pieces(text)) == len(tok.spans(text))
        for limit in range(1, len(ids) + 1, 3):
            assert tok.count(text, limit=limit) == min(len(ids), limit)
            cut = tok.truncate(text, limit)
            assert tok.count(cut) <= limit
            if size < 20:
                assert len(cut) == max(n for n in range(size + 1) if tok.count(text[:n]) <= limit)
        spans = tok.spans(text)
        assert all(begin <= end for begin, end in spans)
        assert all(left[1] <= right[0] for left, right in pairwise(spans))


def test_a_long_part_merges_in_little_time():
    """Quadratic work would never end."""
    model = {
        "vocab": ["a", "aa", "aaaa", "b"], "merges": [("aa", "aa"), ("a", "a")], "prefix": "", "suffix": "",
        "unknown": None, "fuse": False, "whole": False,
    }  # fmt: skip
    tok = tokenizer_of(model)
    assert tok.encode("a" * 1_000_000) == [2] * 250_000
    assert tok.encode("ba" * 300_000) == [3, 0] * 300_000


FEW = {
    "vocab": ["a", "b", "c", "ab", "bc", "abc"], "merges": [("b", "c"), ("a", "b"), ("ab", "c")], "prefix": "",
    "suffix": "", "unknown": "<unk>", "fuse": True, "whole": False,
}  # fmt: skip


def test_a_piece_is_made_in_one_way_only():
    tok = tokenizer_of(FEW)
    assert tok.pieces("abc") == ["a", "bc"]  # `a bc` is no merge
    assert tok.pieces("ab c") == ["ab", "\u2581", "c"]
    assert tok.encode("abzzzc") == [3, 6, 2]
    assert tok.spans("abzzzc") == [(0, 2), (2, 5), (5, 6)]
    assert tok.decode(tok.encode("abcab")) == "abcab"


def test_dropout_drops_merges():
    tok = tokenizer_of(FEW)
    assert tok.sample("abab", dropout=1.0, seed=1) == [0, 1, 0, 1]
    assert tok.sample("abab", dropout=0.0, seed=1) == [3, 3]
    drawn = {tuple(tok.sample("abab", dropout=0.5, seed=seed)) for seed in range(99)}
    assert drawn == {(0, 1, 0, 1), (3, 0, 1), (0, 1, 3), (3, 3)}


def test_a_character_that_vanishes_is_in_a_span_beside_it():
    tok = tokenizer_of(FEW | {"unknown": None})
    assert tok.encode("zazbz") == [3]  # both neighbours merge
    assert tok.spans("zazbz") == [(0, 5)]
    assert tok.encode("zzz") == [] and tok.spans("zzz") == []


def test_ids_without_a_piece():
    entries = [("a", -3.0, NORMAL), ("", 0.0, UNUSED), ("b", -4.0, NORMAL), ("", 0.0, UNUSED), ("ab", -1.0, NORMAL)]
    spec = TrainerSpec(model_type="bpe", vocab_size=5, byte_fallback=False, unk_id=-1)
    data = write_model(entries, spec, PLAIN, merges=MergeList([0, 2, 4]))
    tok = spm_lite.load(data)
    assert tok.encode("abba") == [4, 2, 0]
    assert tok.decode([1, 0, 3, 2]) == "ab"
    assert tok.id_to_piece(1) == ""
    assert spm_lite.load(tok.to_bytes()) == tok


def test_merges_are_explained_by_their_places_in_the_list():
    found = str(tokenizer_of(FEW).explain("abcab"))
    assert "Merge no. 1 (b + c) came before merge no. 2 (a + b)" in found
    assert "merge no. 1: b + c" in found and "merge no. 2: a + b" in found and "merge no. 3" not in found
    assert found.splitlines()[-1].split() == ["0", "4", "3", "ids"]
    for other in ({"unknown": None}, {"whole": True}, {"suffix": "</w>"}):
        with pytest.raises(OptionError, match="Its merges are not drawn"):
            tokenizer_of(FEW | other).explain("abc")


def test_what_a_list_cannot_do_is_refused_by_name():
    tok = tokenizer_of(FEW)
    with pytest.raises(OptionError, match="cannot be restricted"):
        tok.restrict(["a"])
    assert [one.ids for one in tok.nbest("ab", 3)] == [[3], [0, 1]]
    with pytest.raises(OptionError, match="sample with dropout"):
        tokenizer_of(FEW | {"unknown": None}).nbest("ab", 3)
    figures = spm_lite.audit(tok, ["abc ab"] * 9)
    assert figures is not None


def test_affixes_of_pieces_are_not_in_decoded_text():
    model = {
        "vocab": ["a", "##b", "a##", "b</w>", "##b</w>", "ab</w>"], "merges": [("a", "##b</w>")], "prefix": "##",
        "suffix": "</w>", "unknown": "<unk>", "fuse": True, "whole": False,
    }  # fmt: skip
    tok = tokenizer_of(model)
    assert tok.encode("ab") == [5]
    assert tok.encode("abb") == [0, 1, 4]
    assert tok.decode([0, 1, 4, 5]) == "abb ab "
    assert tok.pieces("abb") == ["a", "##b", "##b</w>"]
    assert "".join(tok.stream().push(i) for i in [5]) in ("ab ", "ab")
