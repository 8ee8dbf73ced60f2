"""Unigram models of a tokenizer.json add scores in double precision, as the package tokenizers does."""

import json
import random
import struct

import pytest
from oracle import double_paths

import spm_lite
from spm_lite.errors import ModelError
from spm_lite.vocab import messages

SIGNS = "ab.\u2581c"


def random_file(seed, **metaspace):
    """A file of a small vocabulary, many of whose pieces cost as much as their characters; and its pieces."""
    rng = random.Random(seed)
    pieces = {sign: -rng.random() * rng.choice([1, 5, 12]) for sign in SIGNS}
    for _ in range(rng.randrange(3, 40)):
        piece = "".join(rng.choice(SIGNS) for _ in range(rng.randrange(2, 6)))
        sums = [sum(pieces[sign] for sign in piece), -rng.random() * 15, -rng.randrange(1, 12) / 4]
        pieces[piece] = rng.choice(sums)
    parts = {
        **dict.fromkeys(("truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder")),
        "version": "1.0",
        "added_tokens": [],
        "model": {"type": "Unigram", "unk_id": 0, "vocab": [("<unk>", 0.0), *pieces.items()], "byte_fallback": False},
    }
    if metaspace:
        parts["pre_tokenizer"] = {"type": "Metaspace", "replacement": "\u2581", **metaspace}
    return json.dumps(parts), {text: double_paths.number(repr(score)) for text, score in pieces.items()}


def random_texts(seed, n=60):
    rng = random.Random(seed)
    return ["".join(rng.choice("abc.. d") for _ in range(rng.choice([3, 10, 40, 300]))) for _ in range(n)]


def tokens(tok, text):
    return [tok.id_to_piece(i) for i in tok.encode(text)]


def expected(pieces, text, splits):
    """The pieces of a text; text without a piece is the unknown piece."""
    text = text.replace(" ", "\u2581")
    parts = double_paths.words(text) if splits else [text]
    found = [piece for part in parts for piece in double_paths.best_path(pieces, part)]
    return [piece if piece in pieces else "<unk>" for piece in found]


@pytest.mark.parametrize("splits", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_the_naive_twin(seed, splits):
    data, pieces = random_file(seed, prepend_scheme="never", split=splits)
    tok = spm_lite.load(data)
    texts = random_texts(seed)
    texts.append("".join(texts) * 3)  # more than one block
    wanted = [expected(pieces, text, splits) for text in texts]
    assert [tokens(tok, text) for text in texts] == wanted
    assert [[tok.id_to_piece(i) for i in ids] for ids in tok.encode_lists(texts)] == wanted
    assert [tok.count(text) for text in texts] == [*map(len, wanted)]


@pytest.mark.parametrize("scheme", ["always", "first", "never", None])
@pytest.mark.parametrize("seed", range(4))
def test_tokenizers(seed, scheme):
    tokenizers = pytest.importorskip("tokenizers")
    for splits in (False, True):
        data, _ = random_file(seed, **({} if scheme is None else {"prepend_scheme": scheme, "split": splits}))
        tok, other = spm_lite.load(data), tokenizers.Tokenizer.from_str(data)
        texts = [*random_texts(seed), "".join(random_texts(seed, 300))]
        wanted = [found.ids for found in other.encode_batch(texts)]
        assert tok.encode_lists(texts) == wanted
        assert spm_lite.load(tok.to_bytes()).encode_lists(texts) == wanted


@pytest.mark.parametrize("scheme", ["always", "first", "never"])
@pytest.mark.parametrize("seed", range(4))
def test_written_back(seed, scheme, tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    for splits in (False, True):
        data, _ = random_file(seed, prepend_scheme=scheme, split=splits)
        tok, path = spm_lite.load(data), tmp_path / "tokenizer.json"
        tok.save(path, format="tokenizer.json", allow="unused")
        texts = random_texts(seed)
        wanted = tok.encode_lists(texts)
        assert [found.ids for found in tokenizers.Tokenizer.from_file(str(path)).encode_batch(texts)] == wanted
        assert spm_lite.load(path).encode_lists(texts) == wanted


def test_sums_begin_anew_after_an_added_token():
    tokenizers = pytest.importorskip("tokenizers")
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized", "special"), False)
    for seed in range(8):
        parts = json.loads(random_file(seed)[0])
        parts["added_tokens"] = [{"id": len(parts["model"]["vocab"]), "content": "ca", **flags}]
        data = json.dumps(parts)
        texts = random_texts(seed)
        wanted = [found.ids for found in tokenizers.Tokenizer.from_str(data).encode_batch(texts)]
        assert spm_lite.load(data).encode_lists(texts) == wanted


def test_single_precision_for_sentencepiece():
    sentencepiece = pytest.importorskip("sentencepiece")
    normalizers = [{"type": "Prepend", "prepend": "\u2581"}]
    normalizers.append({"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"})
    parts = json.loads(random_file(3)[0])
    parts["normalizer"] = {"type": "Sequence", "normalizers": normalizers}
    data = json.dumps(parts)
    exact, tok = spm_lite.load(data), spm_lite.load(data, allow="near ties")
    assert not exact.info.conditions or "near tie" not in str(exact.info.conditions)
    assert "near tie" in str(tok.info.conditions)
    other = sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes())
    texts = random_texts(3)
    assert [other.encode(text) for text in texts] == tok.encode_lists(texts)
    with pytest.raises(RuntimeError):
        sentencepiece.SentencePieceProcessor(model_proto=exact.to_bytes())


def changed_model(change):
    """The bytes of a model whose scores were changed."""
    message = messages.parse("ModelProto", spm_lite.load(random_file(1)[0]).to_bytes())
    extension = messages.extension_of(message)
    extension.exact_scores = change(extension.exact_scores)
    return message.SerializeToString()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda scores: struct.pack("<d", float("nan")) + scores[8:], "not a finite number"),
        (lambda scores: scores + bytes(800), "do not fit the"),
        (lambda scores: scores[:-1], "do not fit the"),
    ],
)
def test_damaged_scores_are_refused(change, words):
    with pytest.raises(ModelError, match=words):
        spm_lite.load(changed_model(change))


def test_a_score_that_is_no_number_is_refused():
    data = json.loads(random_file(2)[0])
    data["model"]["vocab"][1][1] = 10**400
    with pytest.raises(ModelError, match="not a finite number"):
        spm_lite.load(json.dumps(data))


def small_file(model, content, normalizers=(), **flags):
    """A file with one added token."""
    usual = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized", "special"), False)
    normalizer = {"type": "Sequence", "normalizers": list(normalizers)} if normalizers else None
    vocab = model["vocab"]
    names = [text for text, _ in vocab] if isinstance(vocab, list) else [*vocab]
    place = names.index(content) if content in names else len(names)
    parts = dict.fromkeys(("truncation", "padding", "pre_tokenizer", "post_processor", "decoder"))
    added = [{"id": place, "content": content, **usual, **flags}]
    return json.dumps({"version": "1.0", **parts, "added_tokens": added, "normalizer": normalizer, "model": model})


PREPEND = {"type": "Prepend", "prepend": "x"}


def test_a_special_token_in_another_form_is_a_piece_of_texts_too():
    vocab = [("<unk>", 0.0), ("<s>", -1.0), *((sign, -3.0) for sign in "ax<s>")]
    model = {"type": "Unigram", "unk_id": 0, "vocab": [*vocab[:-2], (">", -3.0)], "byte_fallback": False}
    spelled, made = spm_lite.load(small_file(model, "<s>", [PREPEND], special=True, normalized=True)).info.conditions
    assert "spells a reserved piece" in spelled
    assert "becomes a special piece when it is normalized" in made and "'<s>'" in made
    plain = spm_lite.load(small_file(model, "<s>", [PREPEND], special=True)).info.conditions
    assert all("<s>" not in sentence for sentence in plain if sentence != made)


def test_an_unknown_piece_that_begins_a_word():
    from spm_lite.formats.hugging_face.read_tokenizer import model_of_json
    from spm_lite.formats.proof.conditions import Findings

    vocab = [("\u2581it", 0.0), ("\u2581", -1.0), *((sign, -3.0) for sign in "ita")]
    parts = json.loads(small_file({"type": "Unigram", "unk_id": 0, "vocab": vocab, "byte_fallback": False}, "a"))
    parts["pre_tokenizer"] = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True}
    parts["added_tokens"] = []
    findings = Findings(())
    model_of_json(json.dumps(parts).encode(), "the file", findings)
    (test,) = [one for one in findings.conditions if one.name == "reserved"]
    assert not test.is_met("it") and not test.is_met("a it") and test.is_met("a")


@pytest.mark.parametrize(
    ("model", "content", "flags", "words"),
    [
        (
            {"type": "BPE", "vocab": {"a": 0, "x": 1}, "merges": []},
            "\u2581",
            {"normalized": True},
            "a character that is not in the model",
        ),
        (
            {"type": "WordLevel", "unk_token": "<unk>", "vocab": {"<unk>": 0, "\u2581the": 1}},
            "\u2581the",
            {"normalized": True, "special": True},
            "special and normalized, in a model of words",
        ),
    ],
)
def test_tokens_that_no_model_has_are_refused(model, content, flags, words):
    with pytest.raises(ModelError, match=words):
        spm_lite.load(small_file(model, content, [PREPEND], **flags))


def test_words_without_a_piece_for_their_space_are_refused():
    """Each is an unknown piece of its own there, and side by side they are one here."""
    model = {"type": "Unigram", "unk_id": 0, "vocab": [("<unk>", 0.0), ("a", -1.0)], "byte_fallback": False}
    parts = json.loads(small_file(model, "a"))
    parts["added_tokens"] = []
    parts["pre_tokenizer"] = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first", "split": True}
    with pytest.raises(ModelError, match="Metaspace that splits, with no piece for"):
        spm_lite.load(json.dumps(parts))
