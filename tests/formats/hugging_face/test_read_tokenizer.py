"""tokenizer.json read as a model: files of our own and published ones; what differs is refused by its name."""

import copy
import json
import random

import pytest
from oracle import partners

import spm_lite
from spm_lite.errors import ModelError, OptionError
from spm_lite.formats.gpt2_files import SPELLING
from spm_lite.formats.hugging_face.read_byte_level import read_cuts
from spm_lite.tokenizer.conversions import json_of

tokenizers = pytest.importorskip("tokenizers")

LOSSY = {"lossless": False, "byte_fallback": False}
MODELS = {
    "bpe": ("bpe", {}),
    "strict": ("bpe", {"lossless": "strict"}),
    "unigram": ("unigram", {}),
    "strict unigram": ("unigram", {"lossless": "strict"}),
    "extra spaces": ("unigram", {**LOSSY, "remove_extra_whitespaces": True, "normalization": "nmt_nfkc"}),
    "suffix": ("bpe", {**LOSSY, "treat_whitespace_as_suffix": True}),
    "no prefix": ("bpe", {**LOSSY, "add_dummy_prefix": False, "remove_extra_whitespaces": True}),
    "symbols": ("bpe", {"user_defined_symbols": ["<sep>", "at", "12"]}),
    "rules": ("bpe", {"lossless": False, "normalization": {"a": "b", "b": "c"}}),
    "char": ("char", {}),
    "char symbols": ("char", {**LOSSY, "user_defined_symbols": ["at"]}),
    "word": ("word", LOSSY),
    "byte_bpe": ("byte_bpe", {}),
    "byte_bpe symbols": ("byte_bpe", {"user_defined_symbols": ["<sep>", "at"]}),
    "uncased": ("wordpiece", {"normalization": "bert_uncased"}),
    "other words": ("wordpiece", {"normalization": "nfkc", "split_by_punctuation": False, "max_word_length": 9}),
}


def again(tok, tmp_path, **options):
    path = tmp_path / "tokenizer.json"
    path.write_text(json_of(tok, **options), encoding="utf-8")
    return spm_lite.Tokenizer.load(path, format="tokenizer.json", allow="unknown" if tok.model_type == "word" else ())


def kinds(tok):
    return [tok._file.vocab.type(i) for i in range(len(tok))]


@pytest.mark.parametrize("name", MODELS)
def test_out_and_in_again(name, tmp_path):
    model_type, options = MODELS[name]
    tok = partners.trained(model_type, **options)
    read = again(tok, tmp_path)
    assert [read.id_to_piece(i) for i in range(len(read))] == [tok.id_to_piece(i) for i in range(len(tok))]
    if "symbols" not in name or model_type != "unigram":
        assert kinds(read) == kinds(tok)
    assert (read.model_type, read.info.is_strict) == (tok.model_type, tok.info.is_strict)
    ids = [(each.unk_id, each.bos_id, each.eos_id, each.pad_id) for each in (read, tok)]
    assert ids[0] == ids[1]
    many = [
        text for text in partners.texts(tok) if "\u2581" not in text or not tok.info.is_lossless or tok.info.is_strict
    ]
    assert read.encode_lists(many) == tok.encode_lists(many)
    assert read.decode_batch(read.encode_batch(many)) == tok.decode_batch(tok.encode_batch(many))
    assert again(read, tmp_path).to_bytes() == read.to_bytes()
    read.save(tmp_path / "m.model")
    assert spm_lite.Tokenizer.load(tmp_path / "m.model") == read


def test_byte_models(tmp_path):
    tok = spm_lite.byte_tokenizer(after=["<extra>"])
    read = again(tok, tmp_path)
    assert read.model_type == "byte"
    assert read.encode("h\u00e9", eos=True) == tok.encode("h\u00e9", eos=True)


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base", "llama3", "qwen2", "tekken"])
def test_split_patterns(name, tmp_path):
    partners.trained("byte_bpe").to_tiktoken(tmp_path / "x")
    tok = spm_lite.Tokenizer.from_tiktoken(tmp_path / "x", name=name, special_tokens=["<|end|>"])
    read = again(tok, tmp_path)
    many = partners.texts(tok)
    assert read.encode_lists(many) == tok.encode_lists(many)


def test_bos_and_eos_come_from_the_template(tmp_path):
    tok = partners.trained(bos_piece="<begin>", eos_piece="<end>")
    assert (again(tok, tmp_path).bos_id, again(tok, tmp_path).eos_id) == (-1, -1)
    read = again(tok, tmp_path, bos=True, eos=True)
    assert (read.bos_id, read.eos_id) == (tok.bos_id, tok.eos_id)


def test_bos_and_eos_come_from_the_folder(tmp_path):
    tok = partners.trained(bos_piece="<begin>", eos_piece="<end>", pad_piece="<fill>", pad_id=3)
    tok.to_hf(tmp_path)
    read = spm_lite.Tokenizer.from_hf(tmp_path)
    assert (read.bos_id, read.eos_id, read.pad_id) == (tok.bos_id, tok.eos_id, tok.pad_id)


def parts_of(tok):
    return json.loads(json_of(tok))


@pytest.fixture(scope="module")
def bpe():
    return parts_of(partners.trained("bpe"))


@pytest.fixture(scope="module")
def byte_bpe():
    return parts_of(partners.trained("byte_bpe"))


@pytest.fixture(scope="module")
def unigram():
    return parts_of(partners.trained("unigram", **LOSSY))


@pytest.fixture(scope="module")
def wordpiece():
    return parts_of(partners.trained("wordpiece", normalization="bert_cased"))


def read(parts, tmp_path, **options):
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(parts), encoding="utf-8")
    return spm_lite.Tokenizer.load(path, format="tokenizer.json", **options)


METASPACE = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first", "split": False}
REFUSED = [  # file, what is changed, new value, what the message names
    ("bpe", "normalizer", {"type": "Replace", "pattern": {"Regex": r"(a)\1"}, "content": ""}, "Replace of"),
    ("bpe", "pre_tokenizer", {"type": "Split", "pattern": {"Regex": r"(a)\1"}, "behavior": "Isolated"}, "pattern"),
    ("bpe", "pre_tokenizer", {"type": "Unheard"}, "the component Unheard"),
    ("bpe", "pre_tokenizer", {"type": "a" * 9000}, "'a{40,60}.{0,30}not a component"),
    ("bpe", "decoder", {"type": "BPEDecoder", "suffix": "</w>"}, "BPEDecoder"),
    ("bpe", "model.end_of_word_suffix", "</w>", "byte_fallback: true, with an affix"),
    ("bpe", "model.continuing_subword_prefix", "##", "byte_fallback: true, with an affix"),
    ("bpe", "model.unk_token", "nothing", "not a piece"),
    ("bpe", "model.type", "Other", "model.type"),
    ("bpe", "model.merges", [["\u2581", "nothing"]], "not a piece"),
    ("bpe", "model.merges", [["<0x41>", "<0x41>"]], "not a piece"),
    ("bpe", "model.merges", ["a b c"], "two pieces"),
    ("bpe", "model.merges", [["a"]], "two pieces"),
    ("bpe", "model.merges", [3], "two pieces"),
    ("bpe", "model.merges", ["a b", 3], "strings"),
    ("bpe", "model.vocab", {"a": 1, "b": 1}, "the same id, 1"),
    ("bpe", "model.vocab", {"a": 0, "b": "1"}, "not one from 0"),
    ("bpe", "model.vocab", [], "must be an object"),
    ("bpe", "model.ignore_merges", "yes", "true or false"),
    ("bpe", "model", None, "no model"),
    ("bpe", "model", [], "must be an object"),
    ("bpe", "version", "2.0", "version"),
    ("bpe", "pipeline", {}, "pipeline"),
    ("bpe", "added_tokens", [{"content": 3}], "must be a string"),
    ("bpe", "added_tokens", [{}], "missing"),
    ("bpe", "added_tokens", ["<s>"], "must be an object"),
    ("bpe", "normalizer", [], "not a component"),
    ("bpe", "normalizer", {"type": "Precompiled", "precompiled_charsmap": "%"}, "base64"),
    (
        "bpe",
        "normalizer",
        {"type": "Precompiled", "precompiled_charsmap": "AAAA"},
        "Blob for normalization rule is broken",
    ),
    (
        "byte_bpe",
        "pre_tokenizer",
        {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "Split", "pattern": {"Regex": r"(a+)\1$"}, "behavior": "Isolated", "invert": False},
                {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False},
            ],
        },
        r"pre_tokenizer: the pattern .* holds the escape .*1 at character 4, which spm_lite does not read",
    ),
    ("bpe", "normalizer", {"type": "Replace", "pattern": {"Regex": []}, "content": ""}, "Replace of"),
    ("bpe", "normalizer", {"type": "Replace", "pattern": {"String": "a"}, "content": None}, "content is None"),
    ("bpe", "normalizer", {"type": "Prepend", "prepend": "\ud800"}, "a lone surrogate: .*ud800"),
    ("bpe", "pre_tokenizer", {"type": "Split", "pattern": {"Regex": "\ud800"}, "behavior": "Isolated"}, "surrogate"),
    (
        "bpe",
        "pre_tokenizer",
        {"type": "Split", "pattern": {"Regex": "a"}, "behavior": "Isolated", "invert": 0},
        "invert",
    ),
    ("bpe", "pre_tokenizer", {"type": "Digits", "individual_digits": "no"}, "individual_digits"),
    ("bpe", "pre_tokenizer", {"type": "FixedLength", "length": True}, "length"),
    ("bpe", "pre_tokenizer", {"type": "Metaspace", "prepend_scheme": "no"}, "prepend_scheme is 'no'"),
    ("bpe", "post_processor", 3, "3, which is not a component"),
    ("bpe", "pre_tokenizer", {"type": "Sequence", "normalizers": []}, "pretokenizers is missing"),
    ("bpe", "post_processor", {"type": "Sequence", "processors": [None, 3]}, r"\[1\] is 3"),
    ("bpe", "post_processor", {"type": "BertProcessing", "cls": [5, 1]}, r"cls is \[5, 1\]"),
    ("bpe", "post_processor", {"type": "TemplateProcessing", "single": [3]}, r"single\[0\] is 3"),
    (
        "bpe",
        "post_processor",
        {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": 5}}, {"Sequence": {}}]},
        r"single\[0\].SpecialToken.id is a whole number",
    ),
    ("byte_bpe", "model.merges", [["\u0120", "\u2581"]], "is not a piece"),
    ("byte_bpe", "model.vocab", {"a": 0}, "is not a piece"),
    ("unigram", "model.vocab", [["a", 0.0], ["a", -1.0]], "twice"),
    ("unigram", "model.vocab", [["a", 0.0], ["b"]], "text and its score"),
    ("unigram", "model.vocab", [["a", "b"]], "text and its score"),
    ("unigram", "model.vocab", [["a", 10**400], ["b", 0]], "not a finite number"),
    ("unigram", "model.vocab", {}, "must be an array"),
    ("unigram", "model.unk_id", None, "unk_id"),
    ("unigram", "model.unk_id", 999999, "unk_id"),
    ("unigram", "model.byte_fallback", True, "byte pieces are missing"),
    ("wordpiece", "pre_tokenizer", {"type": "Unheard"}, "the component Unheard"),
    ("wordpiece", "model.unk_token", None, "unk_token"),
    ("wordpiece", "model.max_input_chars_per_word", -1, "below 0"),
]


@pytest.mark.parametrize(("name", "place", "value", "message"), REFUSED)
def test_what_no_model_does_is_refused_by_name(name, place, value, message, request, tmp_path):
    parts = copy.deepcopy(request.getfixturevalue(name))
    *folders, last = place.split(".")
    target = parts
    for folder in folders:
        target = target[folder]
    target[last] = value
    if place == "pre_tokenizer.add_prefix_space":
        assert target["type"] == "ByteLevel"
    with pytest.raises(ModelError, match=message) as caught:
        read(parts, tmp_path)
    assert "changed.json" in str(caught.value)


FEW = {"<unk>": 0, "a": 1, "b": 2, "c": 3, "ab": 4, "bc": 5, "abc": 6}


@pytest.mark.parametrize(
    ("merges", "has_list"),
    [
        (["a b", "b c", "ab c", "a bc"], False),
        (["a b", "ab c", "b c", "a bc"], True),  # merges of one piece stand apart
        (["a b", "b c", "ab c"], False),  # one merge a piece is enough, if it is what merging does
        (["b c", "a b", "ab c"], True),
        (["a b", "a b", "b c", "ab c", "a bc"], True),  # one merge twice: the second one counts
        (["a b", "b c", "a b"], True),
        (["b c", "a bc", "a b", "ab c"], True),
        (["a b", "b c"], True),  # no merge makes a piece
        ([], True),
    ],
)
def test_merges_that_scores_cannot_say_stay_a_list(merges, has_list, tmp_path):
    model = {"type": "BPE", "unk_token": "<unk>", "fuse_unk": True, "vocab": FEW, "merges": merges}
    tok = read({"model": model}, tmp_path)
    assert (tok._file.vocab.merge_list is not None) == has_list
    other = tokenizers.Tokenizer.from_str(json.dumps({"model": model}))
    for text in ("abc", "abcbcab", "bcab", "aabbcc", "xabcx", "abxxc"):
        assert tok.encode(text) == other.encode(text).ids
    written = json.loads(tok.to_bytes() and spm_lite.tokenizer.conversions.json_of(tok))["model"]
    assert not has_list or [" ".join(pair) for pair in written["merges"]] == merges


@pytest.mark.parametrize(("text", "is_read"), [("é", False), ("\u0120ab", False), ("ab", True)])
def test_special_tokens_that_spell_other_bytes(text, is_read, tmp_path):
    """The model makes such a token of bytes that do not read like it."""
    letters = [*SPELLING.values()]
    vocab = {piece: i for i, piece in enumerate(dict.fromkeys([*letters, "ab", "\u0120ab", "abb"]))}
    merges = [["a", "b"], ["\u0120", "ab"]]
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    added = [{"id": vocab[text], "content": text, "special": True, **flags}]
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    parts = {"added_tokens": added, "pre_tokenizer": level, "model": {"type": "BPE", "vocab": vocab, "merges": merges}}
    if not is_read:
        with pytest.raises(ModelError, match="spells the bytes"):
            read(parts, tmp_path)
        return
    tok, other = read(parts, tmp_path), tokenizers.Tokenizer.from_str(json.dumps({**parts, "version": "1.0"}))
    for given in ("abab", "c abc"):
        assert tok.encode(given, allow_special=[text]) == other.encode(given).ids
    with pytest.raises(ModelError, match="'ab', which the model makes of text that does not spell it"):
        read({**parts, "normalizer": {"type": "StripAccents"}}, tmp_path)


def test_unknown_words_side_by_side_must_be_allowed(tmp_path):
    tok = partners.trained("word", **LOSSY)
    parts = parts_of(tok)
    with pytest.raises(OptionError, match="unknown words side by side are one id here") as caught:
        read(parts, tmp_path)
    assert caught.value.remedies == ({"allow": ("unknown",)},)
    own, other = read(parts, tmp_path, allow="unknown"), tokenizers.Tokenizer.from_str(json.dumps(parts))
    assert own.encode("the xy the") == other.encode("the xy the").ids
    assert own.encode("xy xy") == [own.unk_id] and other.encode("xy xy").ids == [own.unk_id] * 2


@pytest.mark.parametrize("scheme", ["always", "first", "never"])
@pytest.mark.parametrize("split", [True, False, None])
@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_metaspace_is_read_as_it_is(kind, scheme, split, tmp_path):
    options = {"allow_whitespace_only_pieces": True, "split_by_whitespace": False, "control_symbols": ["<|end|>"]}
    texts = ["a    b  c   d", "if a:\n    b\n        c", "the cat sat on the mat"] * 9
    own = spm_lite.train(texts, model_type=kind, vocab_size=320, hard_vocab_limit=False, lossless=False, **options)
    parts = json.loads(json_of(own))
    assert any("\u2581" in own.id_to_piece(i)[1:] for i in range(len(own)))
    more = {} if split is None else {"split": split}
    parts["normalizer"] = None
    parts["pre_tokenizer"] = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": scheme, **more}
    tok, other = read(parts, tmp_path), tokenizers.Tokenizer.from_str(json.dumps(parts))
    assert not [sentence for sentence in tok.info.conditions if "reserved" not in sentence and "tie" not in sentence]
    rng = random.Random(scheme)
    for text in [
        *partners.corpus(50), "", " ", "\u2581", " a", "\u2581a", "a  b", "<|end|> a<|end|>a <|end|>",
        *("".join(rng.choices(["a", " ", "  ", "\u2581", "b c", "<|end|>", "\n"], k=8)) for _ in range(300)),
    ]:  # fmt: skip
        assert tok.encode(text, allow_special="all") == other.encode(text, add_special_tokens=False).ids, text
        if "<|" not in text:
            assert tok.encode(text) == tok.encode(text, allow_special="all") == tok.encode_lists([text])[0]


@pytest.mark.parametrize(
    "flags",
    [
        {},
        {"lstrip": True},
        {"rstrip": True},
        {"lstrip": True, "rstrip": True},
        {"single_word": True},
        {"normalized": True},
        {"normalized": True, "lstrip": True},
    ],
)
@pytest.mark.parametrize("kind", ["bpe", "byte_bpe", "wordpiece"])
def test_special_tokens_are_found_by_their_flags(kind, flags, tmp_path):
    """What the folder of a published tokenizer says of its mask and its marks of turns."""
    options = {"normalization": "bert_uncased"} if kind == "wordpiece" else {}
    texts = ["the cat sat on the mat"] * 9
    own = spm_lite.train(texts, model_type=kind, vocab_size=320, hard_vocab_limit=False, **options)
    parts = json.loads(json_of(own))
    if kind == "bpe":
        parts["normalizer"] = {"type": "Sequence", "normalizers": [
            {"type": "Prepend", "prepend": "\u2581"},
            {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"},
        ]}  # fmt: skip
        parts["pre_tokenizer"] = None
    usual = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    names = ["<Mask>", "<end>", "Zap"]
    for i, name in enumerate(names):
        parts["added_tokens"].append(
            {"id": len(own) + i, "content": name, "special": True, **usual, **(flags if name != "<end>" else {})}
        )
    tok, other = read(parts, tmp_path), tokenizers.Tokenizer.from_str(json.dumps(parts))
    rng = random.Random(kind)
    for _ in range(400):
        text = "".join(rng.choices(["the", " ", "  ", "\n", "\xa0", *names, "Zaps", "<mask>", "zap", "_", "é"], k=9))
        ids = other.encode(text, add_special_tokens=False).ids
        assert tok.encode(text, allow_special=names) == ids, text
        assert tok.encode(text.encode(), allow_special=names) == ids, text
    same = spm_lite.load(tok.to_bytes())
    assert same.encode("the <Mask> Zap", allow_special=names) == tok.encode("the <Mask> Zap", allow_special=names)


def test_added_tokens_that_are_not_special_are_found_in_all_texts(bpe, tmp_path):
    parts = copy.deepcopy(bpe)
    token = {"id": 999, "content": "<new>", "special": False, "normalized": False}
    parts["added_tokens"].append({**token, "single_word": False, "lstrip": False, "rstrip": False})
    tok = read(parts, tmp_path)
    assert tok.piece_type(len(tok) - 1) == "user_defined" and tok.id_to_piece(len(tok) - 1) == "<new>"
    other = tokenizers.Tokenizer.from_str(json.dumps(parts))
    for text in ("a <new>  b", "<new><new", "<ne", " <new> "):
        assert other.encode(text, add_special_tokens=False).ids == tok.encode(text)
    parts["added_tokens"][-1]["special"] = True
    tok = read(parts, tmp_path)
    assert tok.piece_type(len(tok) - 1) == "control"


def test_added_tokens_have_ids_in_the_order_of_the_file(tmp_path):
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    for kind in ("bpe", "unigram", "byte_bpe", "wordpiece"):
        parts = parts_of(partners.trained(kind, **(LOSSY if kind == "unigram" else {})))
        first = len(parts["model"]["vocab"])
        for i, is_special in enumerate((True, False, True, False)):
            parts["added_tokens"].append({"id": first + i, "content": f"<{i}>", "special": is_special, **flags})
        tok = read(parts, tmp_path)
        other = tokenizers.Tokenizer.from_str(json.dumps(parts))
        names = [f"<{i}>" for i in range(4)]
        assert [tok.piece_to_id(name) for name in names] == [other.token_to_id(name) for name in names]


def test_added_tokens_of_byte_level(tmp_path):
    parts = json.loads(json_of(partners.trained("byte_bpe")))
    token = {"id": 999, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False}
    parts["added_tokens"].append({**token, "content": "<new>"})
    parts["added_tokens"].append({**token, "content": "\u00e9"})  # the name of the byte 0xE9
    with pytest.raises(ModelError, match="which spells the bytes"):
        read(parts, tmp_path)
    parts["added_tokens"].pop()
    tok = read(parts, tmp_path)
    assert tok.piece_type(len(tok) - 1) == "user_defined" and tok.id_to_piece(len(tok) - 1) == "<new>"
    other = tokenizers.Tokenizer.from_str(json.dumps(parts))
    for text in ("a <new>  b", "<new><new", "<ne"):
        assert other.encode(text, add_special_tokens=False).ids == tok.encode(text)


@pytest.mark.parametrize("pattern", [None, r"\p{N}{1,3}"])
def test_long_texts_with_added_tokens_beside_allowed_ones(byte_bpe, pattern, tmp_path):
    parts = copy.deepcopy(byte_bpe)
    steps = [{"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": pattern is None}]
    if pattern:
        steps.insert(0, {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False})
    parts["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": steps}
    flags = {"single_word": False, "rstrip": False, "normalized": False}
    for i, is_special in enumerate((True, False)):
        parts["added_tokens"].append(
            {"id": 999, "content": f"<{i}>", "special": is_special, "lstrip": not is_special, **flags}
        )
    tok = read(parts, tmp_path)
    rng = random.Random(1)
    text = "".join(rng.choices(["the", " ", "cat ", "\n", "17", "é", "aaaa" * 50], k=60_000))  # is encoded in parts
    for one in (text, "1" * 400_000, "\u1112\u1161" * 90_000):
        assert tok.encode(one, allow_special=["<0>"]) == tok.encode(one)
        assert tok.encode(f"{one}<0>{one} <1>", allow_special=["<0>"]) == [
            *tok.encode(one), tok.piece_to_id("<0>"), *tok.encode(f"{one} <1>"),
        ]  # fmt: skip


@pytest.mark.parametrize("flag", ["lstrip", "rstrip", "single_word"])
def test_an_added_token_that_is_a_symbol_too(flag, tmp_path):
    """Without such a flag it does what the symbol does."""
    parts = json.loads(json_of(partners.trained("byte_bpe", user_defined_symbols=["at"])))
    flags = dict.fromkeys(("lstrip", "rstrip", "single_word", "normalized"), False)
    parts["added_tokens"].append({"id": parts["model"]["vocab"]["at"], "content": "at", "special": False, **flags})
    tok = read(parts, tmp_path)
    other = tokenizers.Tokenizer.from_str(json.dumps(parts))
    for text in ("the at cat", "cat\nat\n"):
        assert other.encode(text, add_special_tokens=False).ids == tok.encode(text)
    parts["added_tokens"][-1][flag] = True
    with pytest.raises(ModelError, match="'at' with lstrip, rstrip or single_word"):
        read(parts, tmp_path)


@pytest.mark.parametrize("blank", [" ", "\u2581", "\u2581 \u2581"])
def test_white_space_is_no_special_piece(blank, bpe, unigram, tmp_path):
    token = {"id": 999, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    for base in (bpe, unigram):
        parts = copy.deepcopy(base)
        parts["added_tokens"].append({**token, "content": blank})
        with pytest.raises(ModelError, match="white space that is a special piece"):
            read(parts, tmp_path)


def test_white_space_is_no_unknown_piece(bpe, unigram, tmp_path):
    parts = copy.deepcopy(bpe)
    parts["model"]["unk_token"] = "\u2581"
    with pytest.raises(ModelError, match=r"model.unk_token: .* white space that is a special piece"):
        read(parts, tmp_path)
    parts = copy.deepcopy(unigram)
    parts["model"]["unk_id"] = next(i for i, (text, _) in enumerate(parts["model"]["vocab"]) if text == "\u2581")
    with pytest.raises(ModelError, match=r"model.unk_id: .* white space that is a special piece"):
        read(parts, tmp_path)


def test_old_forms(bpe, unigram, tmp_path):
    parts = copy.deepcopy(bpe)
    parts["model"]["merges"] = [" ".join(pair) for pair in parts["model"]["merges"]]
    del parts["model"]["type"], parts["version"], parts["truncation"]
    many = partners.corpus(50)
    assert read(parts, tmp_path).encode_lists(many) == read(bpe, tmp_path).encode_lists(many)
    parts = copy.deepcopy(unigram)
    del parts["model"]["type"]
    assert read(parts, tmp_path) == read(unigram, tmp_path)


HOSTILE = [
    (b"", "is empty"),
    (b"\xff\xfe", "not JSON"),
    (b"[1]", "not an object"),
    (b"{", "not JSON"),
    (b'{"model": ' + b"[" * 200_000, "levels of nesting"),
    (b'{"a":' * 100_000, "levels of nesting"),
    (b'{"added_tokens": [' + b'{"content":"x"},' * 1_000_000 + b"{}]}", "added tokens"),
    (b'{"model": {"type": "BPE", "vocab": {"\\ud800": 0}, "unk_token": "\\ud800", "fuse_unk": true}}', "surrogate"),
    (b'{"model": {"type": "BPE", "vocab": {"": 0}, "merges": [], "unk_token": "", "fuse_unk": true}}', "an empty text"),
    (b'{"model": {"type": "Unigram", "vocab": [["a", NaN], ["b", 0]], "unk_id": 1}}', "not a finite number"),
    (b'{"model": {"type": "BPE", "vocab": {"a": 1e999}}}', "not one from 0"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "message"), HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_files_are_one_error(data, message, tmp_path):
    path = tmp_path / "x.json"
    path.write_bytes(data)
    with pytest.raises(ModelError, match=message):
        spm_lite.Tokenizer.load(path, format="tokenizer.json")


def test_a_file_cut_anywhere_is_one_error(bpe, tmp_path):
    data = json.dumps(bpe).encode()
    path = tmp_path / "x.json"
    for end in range(0, len(data) - 1, max(1, len(data) // 200)):
        path.write_bytes(data[:end])
        with pytest.raises(ModelError, match="not JSON" if end else "is empty"):
            spm_lite.Tokenizer.load(path, format="tokenizer.json")


def interop(shared_data):
    return shared_data / "interop"


@pytest.mark.slow
def test_llama2(shared_data):
    read = spm_lite.Tokenizer.load(interop(shared_data) / "llama2.tokenizer.json", format="tokenizer.json")
    tok = spm_lite.Tokenizer.load(shared_data / "models" / "llama2.model")
    assert [read.id_to_piece(i) for i in range(len(read))] == [tok.id_to_piece(i) for i in range(len(tok))]
    assert kinds(read) == kinds(tok)
    many = partners.texts(tok, 2000)
    assert read.encode_lists(many) == tok.encode_lists(many)


def test_mistral(shared_data):
    """Its Metaspace takes a space at the start of a text for the prefix, which the model file does not."""
    path = interop(shared_data) / "mistral01.tokenizer.json"
    read = spm_lite.Tokenizer.load(path, format="tokenizer.json")
    tok = spm_lite.Tokenizer.load(interop(shared_data) / "mistral01.model")
    many = [text for text in partners.texts(tok, 1000) if text[:1] not in (" ", "\u2581")]
    assert read.encode_lists(many) == tok.encode_lists(many)
    other = tokenizers.Tokenizer.from_file(str(path))
    for text in (" a", "\u2581a", "  a", " "):
        assert read.encode(text) == other.encode(text, add_special_tokens=False).ids


@pytest.mark.slow
def test_bert_base_cased(shared_data, tmp_path):
    path = interop(shared_data) / "bert_base_cased.tokenizer.json"
    tok = spm_lite.Tokenizer.load(path, format="tokenizer.json")
    other = tokenizers.Tokenizer.from_file(str(path))
    findings, _ = partners.written(tok)
    many = partners.texts(tok, 1000)
    assert partners.unexplained(tok, findings, other, many) == []
    assert again(tok, tmp_path) == tok


def split_at(pattern, behavior="Isolated", invert=False):
    return {"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert}


@pytest.mark.parametrize(
    ("cuts", "message"),
    [
        ([split_at({"Regex": r"\p{N}{1,3}"}), split_at({"Regex": r"(a)\1"})], r"the escape .* at character 3"),
        ([split_at({"Regex": "(?:ab)++"})], r"a possessive quantifier of more than one character at character 6"),
        ([split_at({"Regex": "a+" * 50 + "("})], r"(a\+){40,}a?'?\.\.\. holds an open group"),
        ([split_at({"Regex": "x"}, "Joined")], "Split.behavior is 'Joined', which is none of Isolated"),
        ([split_at(None)], "Split.pattern is None: it must hold a Regex or a String"),
        ([{"type": "CharDelimiterSplit", "delimiter": "ab"}], "delimiter is 'ab': it must be a character"),
        ([{"type": "FixedLength", "length": 0}], "length is 0: spm_lite reads 1 to 1000"),
        ([{"type": "Unheard"}], "Unheard before ByteLevel"),
    ],
)
def test_other_cuts_before_bytes_are_refused_by_name(cuts, message):
    last = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    with pytest.raises(ModelError, match=message):
        read_cuts({"pre_tokenizer": {"type": "Sequence", "pretokenizers": [*cuts, last]}})


@pytest.mark.parametrize("key", ["model.vocab", "added_tokens"])
def test_a_piece_of_millions_of_characters(key, tmp_path):
    """Its splits are not looked at: they would take hours."""
    long = "z" * 5_000_000
    parts = {
        "added_tokens": [{"id": 1, "content": long if key == "added_tokens" else "b", "special": True}],
        "model": {"type": "BPE", "unk_token": "a", "fuse_unk": True, "vocab": {"a": 0}, "merges": []},
    }
    if key == "model.vocab":
        parts["model"]["vocab"][long] = 1
    (tmp_path / "tokenizer.json").write_text(json.dumps(parts))
    with pytest.raises(ModelError, match="has 5000000 characters: at most 7999"):
        spm_lite.Tokenizer.load(tmp_path / "tokenizer.json", format="tokenizer.json")


SIGNS = {
    "[UNK]": 0,
    "a": 1,
    ".": 2,
    "!": 3,
    ",": 4,
    "n't": 5,
    "'": 6,
    "'re": 7,
    "##.": 8,
    "'s.x": 9,
    "\u2581": 10,
    "a\u2581": 11,
}


def of_signs(cleanup):
    """A file of WordPiece whose words end at spaces alone."""
    split = {"type": "Split", "pattern": {"String": " "}, "behavior": "Removed", "invert": False}
    model = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "vocab": SIGNS}
    decoder = {"type": "WordPiece", "prefix": "##", "cleanup": cleanup}
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
        "pre_tokenizer": split, "post_processor": None, "decoder": decoder,
        "model": {**model, "max_input_chars_per_word": 100},
    }  # fmt: skip


@pytest.mark.parametrize("cleanup", [False, True])
def test_decoded_text_is_cleaned_up_as_the_decoder_says(cleanup, tmp_path):
    parts = of_signs(cleanup)
    tok, other = read(parts, tmp_path), tokenizers.Tokenizer.from_str(json.dumps(parts))
    tok = spm_lite.Tokenizer.load(tok.to_bytes())
    assert tok.decode(tok.encode("a . a n't ? '")) == ("a. an't [UNK] '" if cleanup else "a . a n't [UNK] '")
    assert json.loads(json_of(tok))["decoder"] == parts["decoder"]
    rng = random.Random(1)
    for _ in range(2000):
        ids = [
            rng.choice([i for i in range(len(SIGNS)) if i != 8]),
            *rng.choices(range(len(SIGNS)), k=rng.randrange(6)),
        ]
        text = other.decode(ids, skip_special_tokens=False)
        stream = tok.stream()
        assert tok.decode(ids) == tok.decode_bytes(ids).decode() == text
        assert "".join(map(stream.push, ids)) + stream.flush() == text
        assert "".join(text[begin:end] for begin, end in tok.decode_spans(ids)) == text
        assert tok.decode_batch([ids, ids], num_threads=2) == [text, text]


def test_published_cased_bert_decodes_as_its_file_says(shared_data):
    path = str(shared_data / "interop" / "bert_base_cased.tokenizer.json")
    tok, other = spm_lite.Tokenizer.load(path, format="tokenizer.json"), tokenizers.Tokenizer.from_file(path)
    texts = (shared_data / "corpora" / "en-tweets.txt").read_text(encoding="utf-8").split("\n")[::40]
    many = tok.encode_lists(texts)
    assert tok.decode_batch(many) == other.decode_batch(many, skip_special_tokens=False)


def test_special_tokens_that_the_normalizer_may_make(tmp_path):
    flags = dict.fromkeys(("lstrip", "rstrip", "normalized"), False)
    one = {"id": 0, "content": "<unk>", "special": True, "single_word": True, **flags}
    model = {"type": "BPE", "unk_token": "<unk>", "fuse_unk": True, "vocab": FEW, "merges": []}
    parts = {"model": model, "added_tokens": [one], "normalizer": {"type": "NFKC"}}
    with pytest.raises(ModelError, match="special with single_word, after the normalizer NFKC"):
        read(parts, tmp_path)
    one["single_word"] = False
    assert read(parts, tmp_path).encode("a") == [FEW["a"]]
    model["ignore_merges"] = True
    parts["normalizer"] = {"type": "Sequence", "normalizers": [{"type": "Lowercase"}, {"type": "NFKC"}]}
    (condition,) = read(parts, tmp_path).info.conditions
    assert condition == "no text that becomes a special piece when it is normalized, such as '<unk>'"


def test_text_that_spells_the_unknown_piece_of_whole_words(tmp_path):
    model = {"type": "WordPiece", "unk_token": "<unk>", "vocab": {"<unk>": 0, "a": 1, "<": 2}}
    cut = {"type": "Split", "pattern": {"String": " "}, "behavior": "Removed", "invert": False}
    tok = read({"model": model, "pre_tokenizer": cut}, tmp_path)
    assert any("spells the unknown piece '<unk>'" in sentence for sentence in tok.info.conditions)
