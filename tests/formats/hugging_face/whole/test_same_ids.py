"""Files that look like those of ours, and in which tokenizers gives other ids: symbols, whole pieces, skipped lines."""

import itertools
import json

import pytest
from oracle import partners

import spm_lite
from spm_lite.errors import ModelError
from spm_lite.formats.gpt2_files import SPELLING
from spm_lite.formats.hugging_face.read_merges import merges_of
from spm_lite.tokenizer.conversions import json_of
from spm_lite.vocab.split_pattern_names import GPT2_PATTERN

tokenizers = pytest.importorskip("tokenizers")

TEXTS = ["".join(signs) for size in range(1, 7) for signs in itertools.product("abc", repeat=size)]


def byte_level(pieces, merges, symbols, looks_up=False, use_regex=False):
    """A file of byte-level BPE over the bytes and some pieces of ASCII letters."""
    last = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": use_regex}
    cuts = (
        [{"type": "Split", "pattern": {"Regex": symbols}, "behavior": "Isolated", "invert": False}] if symbols else []
    )
    vocab = {text: i for i, text in enumerate([*SPELLING.values(), *pieces])}
    model = {"type": "BPE", "ignore_merges": looks_up, "vocab": vocab, "merges": [merge.split() for merge in merges]}
    return {
        "version": "1.0",
        "added_tokens": [],
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [*cuts, last]},
        "decoder": last,
        "model": model,
    }


def read(parts, tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(parts), encoding="utf-8")
    return spm_lite.Tokenizer.load(path, format="tokenizer.json")


@pytest.mark.parametrize(
    ("pieces", "merges", "symbols", "looks_up"),
    [
        (["ab", "bc"], ["a b", "b c"], "ab", False),
        (["ab", "bc"], ["b c"], "ab", True),
        (["ab", "bc", "abc"], ["a b", "b c", "a bc", "ab c"], "abc|ab", False),
        (["ab", "cc", "ccc", "bc", "bcc"], ["a b", "c c", "cc c", "b c", "bc c", "b cc"], "ab", False),
    ],
)
@pytest.mark.parametrize("use_regex", [False, True])
def test_ids_of_files_with_symbols(pieces, merges, symbols, looks_up, use_regex, tmp_path):
    parts = byte_level(pieces, merges, symbols, looks_up, use_regex and not looks_up)
    tok, other = read(parts, tmp_path), tokenizers.Tokenizer.from_str(json.dumps(parts))
    assert tok.encode_lists(TEXTS) == [one.ids for one in other.encode_batch(TEXTS)]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (byte_level(["ab"], ["a b"], "ab|c"), "Split at 'c', a single byte"),
        (byte_level(["ab"], [], "ab"), "Split at 'ab', which does not become one piece"),
        (byte_level(["bc", "ca"], ["b c", "c a"], "ab", True), "Split at 'ab', which does not become one piece"),
        (byte_level(["ab", "bc", "abc"], ["b c", "a bc"], "abc|ab"), "Split at 'ab', which does not"),
        # As many merges as splits of normal pieces, but one is of the symbol.
        (
            byte_level(["ab", "bc", "cc", "bcc"], ["a b", "b c", "bc c", "b cc"], "ab"),
            "Split at 'ab', with merges that",
        ),
        # Within the symbol a piece would be made otherwise than alone.
        (
            byte_level(["aa", "ba", "baa", "aabaa"], ["a a", "b a", "ba a", "aa baa"], "aabaa|aa"),
            "with merges that scores cannot",
        ),
    ],
)
def test_other_symbols_are_refused(parts, message, tmp_path):
    with pytest.raises(ModelError, match=message):
        read(parts, tmp_path)


def test_a_piece_that_holds_a_symbol(tmp_path):
    """With a pattern, a match that is such a piece is one token here, and cut there."""
    parts = byte_level(["ab", "bc", "abc"], ["a b", "b c", "a bc", "ab c"], "ab", True)
    pattern = {"type": "Split", "pattern": {"Regex": GPT2_PATTERN}, "behavior": "Isolated", "invert": False}
    parts["pre_tokenizer"]["pretokenizers"].insert(0, pattern)
    with pytest.raises(ModelError, match="a text that the piece b'abc' holds"):
        read(parts, tmp_path)


@pytest.mark.parametrize("change", ["no lookup", "no piece"])
def test_symbols_of_bpe_that_are_refused(change, tmp_path):
    parts = json.loads(json_of(partners.trained("bpe", user_defined_symbols=["at"])))
    split = parts["pre_tokenizer"]["pretokenizers"][-1]
    assert split["pattern"] == {"Regex": "at"}
    if change == "no piece":
        split["pattern"] = {"Regex": "qj|at"}
    else:
        parts["model"]["ignore_merges"] = False
    with pytest.raises(ModelError, match="which does not become one piece"):
        read(parts, tmp_path)


def test_a_symbol_that_the_normalizer_changes(tmp_path):
    """There it changes the text before the symbols are looked for."""
    parts = json.loads(json_of(partners.trained("bpe", user_defined_symbols=["at"])))
    rule = {"type": "Replace", "pattern": {"String": "a"}, "content": "b"}
    parts["normalizer"] = {"type": "Sequence", "normalizers": [rule, parts["normalizer"]]}
    with pytest.raises(ModelError, match="Split at 'at', which the normalizer changes before"):
        read(parts, tmp_path)
    rule["pattern"] = {"String": "e"}
    tok, other = read(parts, tmp_path), tokenizers.Tokenizer.from_str(json.dumps(parts))
    assert tok.encode("she sat there") == other.encode("she sat there", add_special_tokens=False).ids


def test_whole_texts_that_merging_does_not_reach(tmp_path):
    """é has two bytes: pieces are made of characters."""
    vocab = {text: i for i, text in enumerate(["<unk>", "é", "b", "éé", "ééé", "é" * 6])}
    merges = ["é é", "é éé", "éé é", "ééé ééé"]
    model = {"type": "BPE", "unk_token": "<unk>", "fuse_unk": True, "ignore_merges": True, "vocab": vocab}
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    added = [{"id": 0, "content": "<unk>", "special": True, **flags}]
    parts = {"version": "1.0", "added_tokens": added, "model": model | {"merges": merges}}
    tok, other = read(parts, tmp_path), tokenizers.Tokenizer.from_str(json.dumps(parts))
    assert tok._file.vocab.merge_list is not None  # scores cannot say that
    for text in ("é" * 6, "é" * 5, "b" + "é" * 6, "b"):
        assert tok.encode(text) == other.encode(text).ids
    del vocab["é" * 6]
    parts["model"]["merges"].pop()
    assert read(parts, tmp_path).encode("é" * 6) == [3, 3, 3]


def test_lines_that_tokenizers_skips(tmp_path):
    """It takes a merge whose first part begins as a header does for one."""
    assert merges_of(["#version: 0.2", "a b", "#version s"]) == [["a", "b"]]
    assert merges_of(["a b", "b c"]) == [["a", "b"], ["b", "c"]]
    with pytest.raises(ModelError, match="holds strings and others"):
        merges_of(["a b", ["b", "c"]])


@pytest.mark.parametrize("n_texts", [0, 1, 2])
def test_a_template_holds_the_text_once(tmp_path, n_texts):
    """Without it tokenizers gives no ids of the text, and with it twice all of them twice."""
    parts = byte_level(["ab"], ["a b"], "")
    single = [{"Sequence": {"id": "A", "type_id": 0}}] * n_texts
    parts["post_processor"] = {"type": "TemplateProcessing", "single": single, "pair": [], "special_tokens": {}}
    if n_texts == 1:
        assert read(parts, tmp_path).encode("ab") == [256]
    else:
        with pytest.raises(ModelError, match="a template that does not hold the text once"):
            read(parts, tmp_path)
