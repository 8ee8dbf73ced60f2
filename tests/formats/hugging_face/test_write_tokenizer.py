"""tokenizer.json of all types and families: the ids in tokenizers, or a condition that the text does not meet."""

import json

import pytest
from oracle import partners

import spm_lite
from spm_lite.errors import OptionError
from spm_lite.tokenizer.conversions import json_of

tokenizers = pytest.importorskip("tokenizers")

LOSSY = {"lossless": False, "byte_fallback": False}
SENTENCEPIECE = {
    "default": {},
    "strict": {"lossless": "strict"},
    "unknown": LOSSY,
    "no prefix": {**LOSSY, "add_dummy_prefix": False},
    "extra spaces": {**LOSSY, "remove_extra_whitespaces": True},
    "extra spaces, no prefix": {**LOSSY, "remove_extra_whitespaces": True, "add_dummy_prefix": False},
    "suffix": {**LOSSY, "treat_whitespace_as_suffix": True},
    "bytes": {"lossless": False, "remove_extra_whitespaces": True},
    "symbols": {"user_defined_symbols": ["<sep>", "at", "12"]},
    "symbols, no prefix": {**LOSSY, "user_defined_symbols": ["<sep>", "at", " x"], "add_dummy_prefix": False},
    "rules": {"lossless": False, "normalization": "nmt_nfkc"},
    "few rules": {"lossless": False, "normalization": {"a": "b", "b": "c", "m": ""}},
    "control": {"control_symbols": ["<cls>", "<mask>"], "pad_id": 3},
}
OTHERS = [
    ("word", LOSSY),
    ("word", {**LOSSY, "treat_whitespace_as_suffix": True}),
    ("char", {}),
    ("char", {"lossless": "strict", "user_defined_symbols": ["at"]}),
    ("byte_bpe", {}),
    ("byte_bpe", {"split_by_whitespace": False}),
    ("byte_bpe", {"user_defined_symbols": ["<sep>", "at"]}),
    ("wordpiece", {"normalization": "bert_uncased"}),
    ("wordpiece", {"normalization": "bert_cased"}),
    ("wordpiece", {"normalization": "nfkc", "split_by_punctuation": False}),
    ("wordpiece", {"normalization": "identity", "continuation_prefix": "@@", "max_word_length": 4}),
]
CASES = [(kind, options) for kind in ("bpe", "unigram") for options in SENTENCEPIECE.values()] + OTHERS
NAMES = [f"{kind}, {name}" for kind in ("bpe", "unigram") for name in SENTENCEPIECE] + [
    f"{k} {n}" for n, (k, _) in enumerate(OTHERS)
]


@pytest.mark.parametrize(("model_type", "options"), CASES, ids=NAMES)
def test_ids_are_the_same_or_a_condition_says_why(model_type, options):
    tok = partners.trained(model_type, **options)
    findings, text = partners.written(tok)
    many = partners.texts(tok)
    other = tokenizers.Tokenizer.from_str(text)
    assert partners.unexplained(tok, findings, other, many) == []
    assert sum(bool(partners.unmet(findings, text)) for text in partners.corpus()) < 200 or model_type == "word"
    prefix = options.get("continuation_prefix", "##") if model_type == "wordpiece" else "\0"
    many = [text for text in many if not text.lstrip().startswith(prefix)]  # a first piece keeps its prefix there
    decoded = other.decode_batch(tok.encode_lists(many), skip_special_tokens=False)
    assert decoded == tok.decode_batch(tok.encode_lists(many))


@pytest.mark.parametrize("model_type", ["bpe", "char"])
def test_a_strict_model_without_special_tokens_is_exact(model_type):
    tok = partners.trained(model_type, lossless="strict")
    findings, text = partners.written(tok, match_special=False, lists_special=False)
    assert findings.conditions == []
    many = partners.texts(tok, 2000)
    assert partners.unexplained(tok, findings, tokenizers.Tokenizer.from_str(text), many) == []


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base", "llama3", "qwen2", "tekken"])
def test_split_patterns(name, tmp_path):
    tok = partners.trained("byte_bpe", vocab_size=400)
    tok.to_tiktoken(tmp_path / "x")
    split = spm_lite.Tokenizer.from_tiktoken(tmp_path / "x", name=name, special_tokens=["<|end|>"])
    findings, text = partners.written(split)
    other = tokenizers.Tokenizer.from_str(text)
    assert partners.unexplained(split, findings, other, partners.texts(split)) == []


def test_byte_models():
    tok = spm_lite.byte_tokenizer()
    findings, text = partners.written(tok)
    other = tokenizers.Tokenizer.from_str(text)
    assert partners.unexplained(tok, findings, other, partners.texts(tok)) == []
    assert other.encode("h\u00e9", add_special_tokens=False).ids == [107, 198, 172]


def test_the_template_adds_bos_and_eos():
    tok = partners.trained()
    other = tokenizers.Tokenizer.from_str(json_of(tok, bos=True, eos=True))
    assert other.encode("the cat").ids == tok.encode("the cat", bos=True, eos=True)
    pair = other.encode("the cat", "sat")
    assert pair.ids == tok.encode("the cat", bos=True, eos=True) + tok.encode("sat", bos=True, eos=True)
    assert set(pair.type_ids) == {0, 1}
    other = tokenizers.Tokenizer.from_str(json_of(tok, bos=True))
    assert other.encode("the cat").ids == tok.encode("the cat", bos=True)
    with pytest.raises(OptionError, match="no piece for it"):
        json_of(partners.trained(bos_id=-1), bos=True)


def test_the_template_of_bert():
    tok = partners.trained("wordpiece", normalization="bert_uncased")
    other = tokenizers.Tokenizer.from_str(json_of(tok))
    assert other.encode("the cat").ids == tok.encode("the cat", bos=True, eos=True)
    assert other.encode("the", "cat").tokens == ["[CLS]", "the", "[SEP]", "cat", "[SEP]"]
    assert tokenizers.Tokenizer.from_str(json_of(tok, bos=False, eos=False)).encode("the cat").ids == tok.encode(
        "the cat"
    )


def test_offsets_are_those_of_spans():
    tok = partners.trained("unigram")
    other = tokenizers.Tokenizer.from_str(json_of(tok))
    text = "the cat sat on a caf\u00e9"
    assert [end for _, end in other.encode(text).offsets] == [end for _, end in tok.spans(text)]


def test_the_file_is_json_with_the_keys_of_the_format():
    parts = json.loads(json_of(partners.trained()))
    assert [*parts][:4] == ["version", "truncation", "padding", "added_tokens"]
    assert [token["content"] for token in parts["added_tokens"]] == ["<unk>", "<s>", "</s>"]


REFUSED = [
    ("word", {}, "byte fallback"),
    ("wordpiece", {"unknown": "char"}, "unknown='char'"),
    ("wordpiece", {"normalization": "bert_cased", "split_by_punctuation": False}, "punctuation"),
]


@pytest.mark.parametrize(("model_type", "options", "message"), REFUSED)
def test_what_the_format_cannot_say_is_refused(model_type, options, message):
    with pytest.raises(OptionError, match=message):
        json_of(partners.trained(model_type, **options))


def edited(tok, change):
    """A model with a change of its message."""
    message = tok._file.message()
    change(message)
    return spm_lite.Tokenizer.load(message.SerializeToString())


def test_unused_pieces_are_refused_unless_allowed():
    tok = partners.trained("bpe", **LOSSY)

    def change(message):
        message.pieces[20].type = message.SentencePiece.UNUSED

    changed = edited(tok, change)
    with pytest.raises(OptionError, match="unused pieces") as caught:
        json_of(changed)
    assert caught.value.remedies == ({"allow": ("unused",)},)
    findings, _ = partners.written(changed, allow="unused")
    assert [condition.name for condition in findings.conditions] == ["special", "unused"]


def test_a_piece_with_a_character_that_is_none_is_refused():
    tok = partners.trained("bpe", **LOSSY)

    def change(message):
        message.pieces.add(piece="\u1234a", score=-999.0)

    with pytest.raises(OptionError, match="not pieces themselves"):
        json_of(edited(tok, change))


def test_pieces_with_one_score_are_a_condition():
    tok = partners.trained("bpe", **LOSSY)

    def change(message):
        for piece in message.pieces:
            if piece.type == message.SentencePiece.NORMAL and len(piece.piece) > 1:
                piece.score = float(len(piece.piece) % 2)

    tied = edited(tok, change)
    findings, text = partners.written(tied)
    assert "ties" in [condition.name for condition in findings.conditions]
    many = partners.texts(tied)
    other = tokenizers.Tokenizer.from_str(text)
    assert [found.ids for found in other.encode_batch(many)] != tied.encode_lists(many)
    assert partners.unexplained(tied, findings, other, many) == []


def test_a_text_of_two_pieces_is_refused(tmp_path):
    partners.trained("byte_bpe", vocab_size=300).to_tiktoken(tmp_path / "x")
    tok = spm_lite.Tokenizer.from_tiktoken(tmp_path / "x", pattern=r"[\s\S]+", special_tokens=["\u0120"])
    with pytest.raises(OptionError, match="have the same text"):
        json_of(tok)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["llama2", "t5_base", "google_test_model", "speechlm_char_en_de", "nerdstash_bpe_65k"])
def test_published_models(name, shared_data):
    tok = spm_lite.Tokenizer.load(shared_data / "models" / f"{name}.model")
    findings, text = partners.written(tok)
    other = tokenizers.Tokenizer.from_str(text)
    many = partners.texts(tok, 3000)
    for path in sorted((shared_data / "corpora").glob("*.txt")):
        many += path.read_text(encoding="utf-8").split("\n")[:300]
    assert partners.unexplained(tok, findings, other, many) == []
    assert other.decode_batch(tok.encode_lists(many), skip_special_tokens=False) == tok.decode_batch(
        tok.encode_lists(many)
    )


def test_a_text_of_nothing_but_the_sign_for_a_space_is_a_condition_of_suffix_models():
    options = {"treat_whitespace_as_suffix": True, "remove_extra_whitespaces": True, "normalization": "identity"}
    tok = partners.trained("char", **options)
    findings, text = partners.written(tok)
    other = tokenizers.Tokenizer.from_str(text)
    assert any("U+2581" in condition.sentence for condition in findings.conditions)
    many = ["\u2581", " \u2581\u2581 ", "a\u2581", "", "  ", "the cat"]
    assert partners.unexplained(tok, findings, other, many) == []
    assert tok.encode("\u2581") != other.encode("\u2581", add_special_tokens=False).ids


def test_a_text_of_which_the_rules_leave_nothing_is_a_condition():
    tok = partners.trained("char", remove_extra_whitespaces=False, normalization="nmt_nfkc")
    findings, text = partners.written(tok)
    other = tokenizers.Tokenizer.from_str(text)
    many = ["\x0b", "\x0b\x0b", " ", "", "a\x0b", "\x0b the cat"]
    assert partners.unexplained(tok, findings, other, many) == []
    assert [one for one in many if "no text left" in partners.unmet(findings, one)] == ["\x0b", "\x0b\x0b"]


@pytest.mark.parametrize("match_special", [True, False])
def test_a_special_piece_of_one_character_is_found_in_normalized_text(match_special):
    options = {"model_type": "bpe", "normalization": "nfkc", "lossless": False, "byte_fallback": False}
    tok = spm_lite.train(partners.corpus(), vocab_size=80, hard_vocab_limit=False, control_symbols=["2"], **options)
    findings, text = partners.written(tok, match_special=match_special)
    other = tokenizers.Tokenizer.from_str(text)
    for differing in ("2", "\uff12"):
        assert other.encode(differing).ids != tok.encode(differing)
        assert not all(condition.is_met(differing) for condition in findings.conditions)
    assert all(condition.is_met("the cat") for condition in findings.conditions)


@pytest.mark.parametrize("options", [{"unk_piece": "\u2581"}, {"bos_piece": " "}])
@pytest.mark.parametrize("model_type", ["bpe", "unigram", "char"])
def test_white_space_as_a_special_piece_is_refused(options, model_type):
    tok = spm_lite.train(partners.corpus(), model_type=model_type, vocab_size=400, hard_vocab_limit=False, **options)
    with pytest.raises(OptionError, match="is white space, and tokenizers takes each space for it"):
        json_of(tok)
