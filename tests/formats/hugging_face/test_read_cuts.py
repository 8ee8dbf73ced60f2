"""Pipelines that cut a text before it becomes pieces: each text gets the ids of tokenizers, or the file is refused."""

import base64
import json
import pickle
import re
from functools import reduce

import pytest

import spm_lite
from spm_lite.errors import ModelError, OptionError
from spm_lite.normalize.rules.named_rules import compile_rules

BEHAVIORS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
LETTERS = [*"abehtx1é-▁", " ", "\u0301", "東"]
MERGES = [("t", "h"), ("th", "e"), ("a", "b"), ("b", "a"), ("▁", "a"), ("▁", "the"), ("e", "e"), ("1", "1")]
WHOLE = ["the", "ab", "ba", "a", "b", "x", "▁the", "▁a", "1", "-", "é"]
BERT = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True}
TEXTS = [
    *("", " ", "a", " a", "▁a", "the ab", "The  ab\tba", "a-b", "a--b-", "-", "11a1", "éa e\u0301", "ÉA", "東a 東東"),
    *("ab\nba\n", "<unk>", "x y zz", "zz", "a\u00a0b", "a\u3000b", "a\0b", "the▁ab ▁ the", "abab ababa", "thethe", "a"),
    *("\ufffda", "a\u200bb", "aa bb  cc", "b" * 40, "x" * 200, "the " * 30),
]


def split(pattern, behavior="Isolated", invert=False, kind="Regex"):
    return {"type": "Split", "pattern": {kind: pattern}, "behavior": behavior, "invert": invert}


def metaspace(scheme="always", splits=True, sign="▁"):
    return {"type": "Metaspace", "replacement": sign, "prepend_scheme": scheme, "split": splits}


def bpe(affix="", **options):
    """A model of BPE. affix: the name of the option for a prefix or suffix of pieces."""
    sign = {"end_of_word_suffix": "</w>", "continuing_subword_prefix": "##"}.get(affix, "")
    first, last = (sign, "") if affix.startswith("con") else ("", sign)
    texts = ["<unk>", *LETTERS, *dict.fromkeys(left + right for left, right in MERGES)]
    if affix:
        texts += [first + sign + last for sign in LETTERS]
    vocab = {text: i for i, text in enumerate(texts)}
    merges = [] if first else [list(pair) for pair in MERGES]
    for left, right in MERGES if affix else []:
        whole = left + right + last
        if first + right + last in vocab:
            vocab.setdefault(whole, len(vocab))
            merges.append([left, first + right + last])
    model = {"type": "BPE", "unk_token": "<unk>", "vocab": vocab, "merges": merges, **options}
    return model | ({affix: sign} if affix else {})


def with_bytes(model):
    texts = [f"<0x{byte:02X}>" for byte in range(256)]
    if model["type"] == "Unigram":
        return model | {"byte_fallback": True, "vocab": [*model["vocab"], *([text, 0.0] for text in texts)]}
    n = len(model["vocab"])
    return model | {"byte_fallback": True, "vocab": model["vocab"] | {text: n + i for i, text in enumerate(texts)}}


UNIGRAM = {
    "type": "Unigram", "unk_id": 0,
    "vocab": [["<unk>", 0.0], *([text, -3.0 - 0.37 * i] for i, text in enumerate(dict.fromkeys([*WHOLE, *LETTERS])))],
}  # fmt: skip
WORDS = {"type": "WordLevel", "unk_token": "<unk>", "vocab": {text: i for i, text in enumerate(["<unk>", *WHOLE])}}
PIECES = {
    "type": "WordPiece", "unk_token": "<unk>", "continuing_subword_prefix": "##", "max_input_chars_per_word": 50,
    "vocab": {text: i for i, text in enumerate(["<unk>", *WHOLE, *(f"##{text}" for text in WHOLE)])},
}  # fmt: skip
MODELS = {
    "BPE": bpe(),
    "BPE that fuses": bpe(fuse_unk=True),
    "BPE that loses": bpe(unk_token=None),
    "BPE that looks up": bpe(ignore_merges=True),
    "BPE with a suffix": bpe("end_of_word_suffix"),
    "BPE with a prefix": bpe("continuing_subword_prefix", fuse_unk=True),
    "BPE with bytes": with_bytes(bpe()),
    "Unigram": UNIGRAM,
    "Unigram with bytes": with_bytes(UNIGRAM),
    "words": WORDS,
    "WordPiece": PIECES,
}
CUTS = {
    "Whitespace": [{"type": "Whitespace"}],
    "WhitespaceSplit": [{"type": "WhitespaceSplit"}],
    "BERT": [{"type": "BertPreTokenizer"}],
    "digits": [{"type": "Digits", "individual_digits": True}],
    "runs of digits": [{"type": "Digits", "individual_digits": False}],
    "a sign": [{"type": "CharDelimiterSplit", "delimiter": "-"}],
    "a length": [{"type": "FixedLength", "length": 2}],
    "scripts": [{"type": "UnicodeScripts"}],
    "scripts, then a Metaspace": [{"type": "UnicodeScripts"}, metaspace()],
    "lines": [split("\n", "Contiguous", kind="String")],
    "nothing": [],
    "a pattern that looks back": [split(r"(?<=a)\s|x*")],
    "words, then a Metaspace": [{"type": "Punctuation", "behavior": "Isolated"}, split("a", "Removed"), metaspace()],
    "words, then a Metaspace that begins none": [{"type": "WhitespaceSplit"}, split("b"), metaspace("never")],
    "BERT, then a Metaspace that cuts nothing": [{"type": "BertPreTokenizer"}, metaspace("never", splits=False)],
    "Whitespace, then a Metaspace of another sign": [{"type": "Whitespace"}, metaspace("never", sign="_")],
    "each character": [split("", "Contiguous", kind="String")],
    "each character by a pattern": [split("", "MergedWithNext"), split("a", "Removed")],
    "a Metaspace, then digits": [metaspace("never"), {"type": "Digits", "individual_digits": True}],
    "a Metaspace that splits nothing": [metaspace("always", splits=False), split("-")],
    "a Metaspace of another sign": [metaspace(sign="_"), split("b", "MergedWithPrevious")],
    **{f"punctuation, {behavior}": [{"type": "Punctuation", "behavior": behavior}] for behavior in BEHAVIORS},
    **{f"inverted, {behavior}": [split("[ab]+", behavior, True)] for behavior in BEHAVIORS},
}
STEPS = {
    "nothing": [],
    "Helium": [{"type": "Prepend", "prepend": " "}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}],
    "BERT uncased": [{**BERT, "strip_accents": None, "lowercase": True}],
    "BERT cased": [{**BERT, "clean_text": False, "strip_accents": True, "lowercase": False}],
    "BERT, of Chinese": [{**BERT, "handle_chinese_chars": False, "strip_accents": False, "lowercase": True}],
    "accents": [{"type": kind} for kind in ("NFD", "Lowercase", "StripAccents")],
    "a pattern": [{"type": "Replace", "pattern": {"Regex": r"(?m)^|\bx|\s+$"}, "content": "a"}],
}


def parts_of(model, steps=(), cuts=()):
    added = {"content": "<unk>", "id": 0, "special": True, "single_word": False, "lstrip": False, "rstrip": False}
    return {
        "version": "1.0",
        "added_tokens": [{**added, "normalized": False}],
        "normalizer": {"type": "Sequence", "normalizers": [*steps]},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [*cuts]},
        "model": model,
    }


def load(parts):
    return spm_lite.Tokenizer.load(json.dumps(parts).encode(), format="tokenizer.json")


@pytest.mark.parametrize("cuts", CUTS)
@pytest.mark.parametrize("model", MODELS)
def test_texts_get_the_ids_of_tokenizers(model, cuts, tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    for steps in STEPS.values():
        parts = parts_of(MODELS[model], steps, CUTS[cuts])
        other = tokenizers.Tokenizer.from_str(json.dumps(parts))
        tok = load(parts)
        for text in TEXTS:
            ids = tok.encode(text, allow_special=["<unk>"])
            assert ids == other.encode(text).ids, (text, steps)


@pytest.mark.parametrize("model", MODELS)
def test_all_methods_agree(model, tmp_path):
    for cuts in (
        "Whitespace",
        "lines",
        "a pattern that looks back",
        "words, then a Metaspace",
        "scripts, then a Metaspace",
    ):
        tok = load(parts_of(MODELS[model], STEPS["accents"], CUTS[cuts]))
        batch = tok.encode_batch(TEXTS).to_lists()
        same = [pickle.loads(pickle.dumps(tok)), spm_lite.load(tok.to_bytes())]
        tok.save(tmp_path / "tokenizer.json", format="tokenizer.json")
        same.append(spm_lite.load(tmp_path / "tokenizer.json"))
        for text, ids in zip(TEXTS, batch, strict=True):
            assert tok.encode(text) == ids
            assert all(one.encode(text) == ids for one in same)
            assert tok.count(text) == len(tok.pieces(text)) == len(tok.spans(text)) == len(ids)
            for limit in {0, 1, len(ids) // 2, len(ids)}:
                begins = [n for n in range(len(text) + 1) if tok.count(text[:n]) <= limit]
                assert tok.truncate(text, limit) == text[: begins[-1]]


def test_parts_are_the_texts_of_a_plain_model():
    """The definition: the ids of a text are those of its parts, one after the other."""
    pattern = "[^-]+|-"
    whole = load(parts_of(UNIGRAM, (), []))
    cut = load(parts_of(UNIGRAM, (), [split(pattern)]))
    for text in TEXTS:
        found = [whole.encode(part) for part in re.findall(pattern, text)]
        assert cut.encode(text) == reduce(list.__add__, found, [])


def test_unknown_parts_side_by_side_have_ids_of_their_own():
    tok = load(parts_of(UNIGRAM, (), [{"type": "WhitespaceSplit"}]))
    assert tok.encode("zzz zz a") == [0, 0, tok.piece_to_id("a")]
    assert tok.spans("zzz zz a") == [(0, 4), (4, 7), (7, 8)]


@pytest.mark.parametrize(
    ("cuts", "name"),
    [
        ([{"type": "Unheard"}], "the component Unheard"),
        (
            [split("a"), metaspace("first")],
            "the scheme first beside Split, .* With prepend_scheme always and split true",
        ),
        ([metaspace("first")], "the scheme first beside a model of words"),
        ([split("a"), metaspace("never")], "a cut before a Metaspace"),
        ([split("a"), metaspace(splits=False)], "a cut before a Metaspace"),
        ([metaspace(), split("a"), metaspace()], "a second Metaspace"),
        ([split(r"\p{UnicodeScripts}")], "no pattern of tokenizers"),
        ([split("a"), metaspace(sign="ab")], "the replacement 'ab'"),
        ([split(r"(a)\1"), metaspace()], "the escape"),
        ([{"type": "Whitespace"}, split(r"(a)\1")], "the escape"),
    ],
)
def test_a_component_that_is_not_read_is_named(cuts, name):
    with pytest.raises(ModelError, match=name):
        load(parts_of(WORDS, (), cuts))


def test_what_a_model_with_cuts_cannot_do_is_refused(tmp_path):
    tok = load(parts_of(UNIGRAM, (), [{"type": "Whitespace"}]))
    for call in (
        lambda: tok.add_pieces(["zz"]),
        lambda: tok.nbest("the", 2),
        lambda: tok.explain("the"),
        lambda: tok.restrict(["a"]),
        lambda: tok.save(tmp_path / "x.gguf", format="gguf"),
    ):
        with pytest.raises(OptionError, match="cuts a text by"):
            call()
    assert tok.add_pieces(["<x>"], control=True).encode("the ab") == tok.encode("the ab")
    assert spm_lite.evaluate(tok, texts=["the ab"]).log_likelihood is None


def test_a_condition_names_what_becomes_a_special_piece():
    steps = [{"type": "Lowercase"}]
    tok = load(parts_of(WORDS | {"vocab": WORDS["vocab"]}, steps, [{"type": "WhitespaceSplit"}]))
    (condition,) = tok.info.conditions
    assert condition.startswith("no text that becomes a special piece when it is normalized, such as '<unk>'")
    assert load(parts_of(WORDS, steps, [{"type": "Whitespace"}])).info.conditions == ()


@pytest.mark.parametrize("model", ["words", "WordPiece", "Unigram", "BPE that looks up"])
@pytest.mark.parametrize("is_special", [False, True])
def test_a_normalized_token_has_the_text_of_prepend_before_it(model, is_special):
    """Since the token is normalized, too: it is found at the start of a text, or where a text spells both.

    Elsewhere it may become the piece: a special one only there, so this is a condition.
    """
    tokenizers = pytest.importorskip("tokenizers")
    parts = parts_of(MODELS[model], [{"type": "Prepend", "prepend": "x"}], [{"type": "WhitespaceSplit"}])
    token = parts["added_tokens"][0] | {"content": "<t>", "id": len(MODELS[model]["vocab"]), "special": is_special}
    for is_normalized in (True, False):
        token["normalized"] = is_normalized
        made = parts | {"added_tokens": [*parts["added_tokens"], token]}
        tok, other = load(made), tokenizers.Tokenizer.from_str(json.dumps(made))
        told = any("spells '<t>', to which" in sentence for sentence in tok.info.conditions)
        assert told is (is_special and is_normalized)
        for text in ("<t>", "a <t>", "x<t>", "a x<t> b", "<t><t>", " <t>", "<t>a<t>"):
            assert told or tok.encode(text, allow_special="all") == other.encode(text).ids, text
        assert (token["id"] in other.encode("a <t>").ids) == (not is_normalized)


@pytest.mark.parametrize("kind", ["Replace", "Precompiled"])
@pytest.mark.parametrize("cuts", [[], [metaspace()]])
def test_a_text_that_rules_make_empty_has_no_prefix(kind, cuts):
    blob = base64.b64encode(compile_rules({"\x01": "", "é": "e"})).decode()
    removed = {"Replace": {"pattern": {"String": "\x01"}, "content": ""}, "Precompiled": {"precompiled_charsmap": blob}}
    prefix = [] if cuts else [{"type": "Prepend", "prepend": " "}]
    tok = load(parts_of(UNIGRAM, [{"type": kind, **removed[kind]}, *prefix], cuts))
    assert tok.encode("\x01\x01") == []
    assert tok.encode("\x01x")


def test_dropout_is_a_condition():
    tok = load(parts_of(bpe(dropout=0.5), (), [{"type": "Whitespace"}]))
    assert tok.encode("the") == [tok.piece_to_id("the")]
    (condition,) = tok.info.conditions
    assert "ids without dropout" in condition and "0.5" in condition


@pytest.mark.parametrize("model", ["Unigram", "BPE", "Unigram with bytes"])
@pytest.mark.parametrize(
    "cuts",
    [
        [],
        [{"type": "Punctuation"}],
        [{"type": "WhitespaceSplit"}],
        [{"type": "Digits", "individual_digits": False}],
        [split("the")],
    ],
    ids=lambda cuts: cuts[0]["type"] if cuts else "none",
)
def test_the_space_of_metaspace_is_taken_from_decoded_text(model, cuts, tmp_path):
    """Also where it begins each word. A report on round trips knows it, and a file written again says it."""
    tokenizers = pytest.importorskip("tokenizers")
    tok = load(parts_of(MODELS[model], [{"type": "Lowercase"}], [*cuts, metaspace()]))
    rows = [tok.encode(text) for text in ("the ab", " a", "\u2581a", "ab 1 a", "thethe", "")]
    other = tokenizers.decoders.Metaspace()
    pieces = [[tok.id_to_piece(i) for i in row] for row in rows]
    assert tok.decode_batch(rows) == list(map(other.decode, pieces))
    tok.save(tmp_path / "again.json", format="tokenizer.json")
    written = tokenizers.Tokenizer.from_file(str(tmp_path / "again.json"))
    assert tok.decode_batch(rows) == written.decode_batch(rows, skip_special_tokens=False)
    report = tok.roundtrip_report(["the ab", "ab", "The"])
    assert [(one.given, one.became) for one in report.examples] == [("T", "t")]


@pytest.mark.parametrize(
    ("steps", "cuts"),
    [
        ([], [{"type": "WhitespaceSplit"}, metaspace()]),
        ([], [{"type": "Punctuation", "behavior": "Isolated"}, metaspace()]),
        ([], [split("b"), metaspace()]),
        (STEPS["Helium"], [{"type": "WhitespaceSplit"}]),
    ],
)
def test_a_space_that_a_step_puts_stays(steps, cuts):
    """prefix_space=True asks for it, and puts no second one; False is refused by every method."""
    tok = load(parts_of(MODELS["Unigram"], steps, cuts))
    text = "the ab"
    ids = tok.encode(text)
    assert tok.encode(text, prefix_space=True) == [*tok.growing(text, prefix_space=True).ids] == ids
    parts = [spm_lite.Text(text), spm_lite.Text(text)]
    assert tok.encode_segments(parts, prefix_space=True) == tok.encode_segments(parts) == ids * 2
    for method in (tok.encode, tok.count, tok.pieces, tok.growing):
        with pytest.raises(OptionError, match="prefix_space=False: the steps of this model"):
            method(text, prefix_space=False)


def test_special_tokens_between_texts_with_a_space_of_a_step():
    """What follows one gets no dummy space; the library says so, not the caller."""
    parts = parts_of(UNIGRAM, [{"type": "Prepend", "prepend": "▁"}], [metaspace("first")])
    mark = {**parts["added_tokens"][0], "content": "[X]", "id": len(UNIGRAM["vocab"])}
    tok = load(parts | {"added_tokens": [*parts["added_tokens"], mark]})
    tokenizers = pytest.importorskip("tokenizers")
    other = tokenizers.Tokenizer.from_str(json.dumps(parts | {"added_tokens": [*parts["added_tokens"], mark]}))
    assert tok.encode("the[X]a", allow_special="all") == other.encode("the[X]a").ids


def test_a_decoder_of_the_same_suffix_is_read():
    parts = parts_of(bpe("end_of_word_suffix"), (), [{"type": "Whitespace"}])
    tok = load(parts | {"decoder": {"type": "BPEDecoder", "suffix": "</w>"}})
    assert tok.decode(tok.encode("ab a")) == "ab a "
    with pytest.raises(ModelError, match="BPEDecoder"):
        load(parts | {"decoder": {"type": "BPEDecoder", "suffix": "@@"}})


def test_a_merge_with_the_unknown_piece_is_refused():
    """Unknown characters merge as that piece does in tokenizers, though all text that spells it is a token."""
    model = bpe()
    model["vocab"]["a<unk>"] = len(model["vocab"])
    model["merges"] = [["a", "<unk>"], *model["merges"]]
    with pytest.raises(ModelError, match="a merge with the unknown piece '<unk>'"):
        load(parts_of(model, (), [{"type": "Whitespace"}]))


def test_a_character_that_is_a_token_in_some_places_alone_is_refused():
    parts = parts_of(bpe(), (), [{"type": "Whitespace"}])
    token = parts["added_tokens"][0] | {"content": "%", "id": len(parts["model"]["vocab"]), "special": False}
    parts["added_tokens"].append(token)
    assert load(parts).encode("a%a") == [parts["model"]["vocab"]["a"], token["id"], parts["model"]["vocab"]["a"]]
    token["single_word"] = True
    with pytest.raises(ModelError, match="'%', a character with single_word"):
        load(parts)
