"""What a text must meet in llama.cpp, as llama.cpp itself was seen to do (`tools/compare/llama_cpp.py`)."""

import json

import pytest

import spm_lite

LINES = ["the cat sat on the mat", "the (cat) there", "la casa verde de mi hermano", "das gr\u00fcne Haus"] * 9
PLAIN = {"vocab_size": 120, "hard_vocab_limit": False, "byte_fallback": False}


def unmet(folder, text, **options):
    """The conditions that a text does not meet."""
    tok = spm_lite.train(texts=LINES, **options)
    return tok.to_gguf(folder / "m.gguf").unmet(text)


def test_single_spaces_without_a_prefix_are_refused(tmp_path):
    """llama.cpp adds a space at the start of each text then."""
    tok = spm_lite.train(texts=LINES, **PLAIN, remove_extra_whitespaces=True, add_dummy_prefix=False)
    with pytest.raises(spm_lite.OptionError, match="add_dummy_prefix=True"):
        tok.to_gguf(tmp_path / "m.gguf")


@pytest.mark.parametrize(
    ("options", "is_same"),
    [({}, False), ({"add_dummy_prefix": False}, True), ({"remove_extra_whitespaces": True}, False)],
)
def test_texts_after_special_tokens_of_unigram_models(tmp_path, options, is_same):
    """llama.cpp puts the space of the prefix before each of them, and our reader of the file does, too."""
    tok = spm_lite.train(texts=LINES, **PLAIN, **options)
    found = tok.to_gguf(tmp_path / "m.gguf")
    again = spm_lite.load(tmp_path / "m.gguf")
    assert any("after a special token" in sentence for sentence in found.conditions) is not is_same
    assert again.encode_lists(LINES) == tok.encode_lists(LINES)
    pieces = list(map(again.id_to_piece, again.encode("</s>the</s>the", allow_special="all")))
    assert (pieces[1:] == ["\u2581the", "</s>", "\u2581the"]) is not is_same


@pytest.mark.parametrize("scheme", ["first", "always"])
@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
def test_a_space_that_a_text_begins_with(tmp_path, model_type, scheme):
    """Metaspace puts none before it, and llama.cpp does, as our reader of the file."""
    options = PLAIN if model_type == "unigram" else {"vocab_size": 320, "hard_vocab_limit": False}
    own = spm_lite.train(texts=LINES, model_type=model_type, lossless=False, **options)
    own.save(tmp_path / "tokenizer.json", format="tokenizer.json")
    parts = json.loads((tmp_path / "tokenizer.json").read_text())
    parts["normalizer"] = None
    parts["pre_tokenizer"] = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": scheme, "split": False}
    tok = spm_lite.load(json.dumps(parts).encode(), format="tokenizer.json")
    found = tok.to_gguf(tmp_path / "m.gguf")
    again = spm_lite.load(tmp_path / "m.gguf")
    for text in ("the cat", " the cat", "\u2581the", "", "a  b ", "  "):
        is_told = any("at the start of the text" in sentence for sentence in found.unmet(text))
        assert is_told is (tok.encode(text) != again.encode(text)) is text.startswith((" ", "\u2581"))


@pytest.mark.parametrize(("text", "is_same"), [("the cat", True), ("\u2581the", False), ("the\u2581", False)])
def test_the_space_mark_where_spaces_are_removed(tmp_path, text, is_same):
    found = unmet(tmp_path, text, **PLAIN, remove_extra_whitespaces=True)
    assert ("no U+2581 in the text" not in found) is is_same


@pytest.mark.parametrize(
    ("text", "is_same"),
    [
        ("the cat", True),
        ("a <sep> b", False),
        ("a < b", True),
        ("a <\u0301 b", True),
        ("\uff08cat", False),  # becomes a symbol by normalizing
        ("\uff1f", False),  # begins with bytes of a symbol and is normalized
        ("\u65e5", True),
    ],
)
def test_user_defined_symbols(tmp_path, text, is_same):
    symbols = ["<sep>", "(", "\uff11"]
    found = unmet(tmp_path, text, **PLAIN, normalization="nmt_nfkc", user_defined_symbols=symbols)
    assert (not any("user-defined symbol" in sentence for sentence in found)) is is_same


@pytest.mark.parametrize(
    ("text", "is_same"),
    [("the<|end|>", True), ("<|start|>", False), ("a<|im_end|>", False), ("<|sep|>", True), ("<|message|>", True)],
)
def test_pieces_whose_type_llama_cpp_changes_by_name(tmp_path, text, is_same):
    options = {"model_type": "byte_bpe", "split_pattern": "gpt2", "vocab_size": 290, "hard_vocab_limit": False}
    symbols = ["<|im_end|>", "<|sep|>", "<|message|>"]
    found = unmet(tmp_path, text, **options, user_defined_symbols=symbols, control_symbols=["<|start|>", "<|end|>"])
    assert (found == []) is is_same


@pytest.mark.parametrize(
    ("text", "is_same"),
    [
        ("the cat's", True),
        ("The iPhone's", True),
        ("\u00e9t\u00e9, \u00c9t\u00e9, \u00c9T\u00c9", True),
        ("\u00e4\u00d6", False),  # two words; one in llama.cpp, for which both signs are capital and small
        ("e\u0301a", False),
        ("\u0939\u093f\u0928\u094d\u0926\u0940", False),
        ("\u00e4<|sep|>\u00d6", True),
        ("\u65e5\u672c\u8a9e 123 \n\n", True),
    ],
)
@pytest.mark.parametrize("pattern", ["o200k", "tekken"])
def test_where_llama_cpp_has_another_pattern(tmp_path, pattern, text, is_same):
    options = {"model_type": "byte_bpe", "split_pattern": pattern, "vocab_size": 280, "hard_vocab_limit": False}
    found = unmet(tmp_path, text, **options, user_defined_symbols=["<|sep|>"])
    assert (found == []) is is_same


@pytest.mark.parametrize("pattern", ["qwen3.5", "deepseek_v3"])
@pytest.mark.parametrize(
    ("text", "is_same"), [("e\u0301 !? \u65e5 12", True), ("a\u0897", False), ("\U0001fae9!", False), ("\u1c89", False)]
)
def test_characters_that_llama_cpp_does_not_know(tmp_path, pattern, text, is_same):
    options = {"model_type": "byte_bpe", "split_pattern": pattern, "vocab_size": 280, "hard_vocab_limit": False}
    assert (unmet(tmp_path, text, **options) == []) is is_same


@pytest.mark.parametrize(("text", "is_same"), [("ab bcd", True), ("xabcdx", False), ("aabab", True)])
def test_overlapping_symbols_of_a_byte_model(tmp_path, text, is_same):
    """llama.cpp finds the longest symbol first, wherever it stands."""
    options = {"model_type": "byte_bpe", "split_pattern": "llama3", "vocab_size": 280, "hard_vocab_limit": False}
    found = unmet(tmp_path, text, **options, user_defined_symbols=["ab", "bcd", "aba"])
    assert (found == []) is is_same


@pytest.mark.parametrize(
    ("normalization", "text", "is_same"),
    [
        ("bert_uncased", "the cat", True),
        ("bert_uncased", "\ud55c\uad6d", False),  # Hangul is not taken apart there
        ("bert_uncased", "\u0939\u093f", False),  # a vowel sign, an accent there
        ("bert_cased", "\ud55c\uad6d", True),
        ("bert_cased", "a\u000bb", False),
        ("bert_cased", "a\u2581b", False),
        ("bert_cased", "a" * 100, True),
        ("bert_cased", "a" * 101, False),
    ],
)
def test_words(tmp_path, normalization, text, is_same):
    options = {"model_type": "wordpiece", "vocab_size": 120, "hard_vocab_limit": False}
    assert (unmet(tmp_path, text, **options, normalization=normalization) == []) is is_same
