"""Other names of special and spare pieces: ids and texts stay, and sentencepiece finds the new names."""

import pytest

import spm_lite
from spm_lite.errors import ArgumentTypeError, OptionError

TEXTS = ["the cat sat on the mat", "a dog"] * 9
OPTIONS = {
    "vocab_size": 300, "hard_vocab_limit": False, "control_symbols": ["<unused0>", "<|reserved_1|>", "[x]"],
    "user_defined_symbols": ["<sep>"],
}  # fmt: skip
KINDS = ["bpe", "unigram", "word", "char"]


def model(kind="bpe"):
    return spm_lite.train(TEXTS, model_type=kind, **OPTIONS)


@pytest.mark.parametrize("kind", [*KINDS, "byte_bpe", "wordpiece"])
def test_names_of_special_pieces(kind) -> None:
    options = {**OPTIONS, "user_defined_symbols": []} if kind in ("byte_bpe", "wordpiece") else OPTIONS
    tok = spm_lite.train(TEXTS, model_type=kind, **options)
    names = {"[x]": "<|y|>", "<unused0>": "[x]"}  # the name of one goes to another
    result = tok.rename(names)
    made = result.tokenizer
    assert [made.id_to_piece(tok.piece_to_id(old)) for old in names] == [*names.values()]
    assert result.map.new_ids == tuple(range(len(tok)))
    assert result.reasons == dict.fromkeys(sorted(map(tok.piece_to_id, names)), "renamed")
    assert made.encode_lists(TEXTS) == tok.encode_lists(TEXTS)
    assert made.encode("<|y|>", allow_special=["<|y|>"])[-1:] == [tok.piece_to_id("[x]")]
    assert tok.rename(names).tokenizer.to_bytes() == made.to_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_sentencepiece_finds_them(kind) -> None:
    sentencepiece = pytest.importorskip("sentencepiece")
    tok = model(kind)
    made = tok.rename({"<s>": "<begin>", "</s>": "<end>", "<unk>": "<?>", "<sep>": "<cut>"}).tokenizer
    made = made.claim_unused(["<tool>"]).tokenizer.claim_unused(["<here>"], control=False).tokenizer
    other = sentencepiece.SentencePieceProcessor(model_proto=made.to_bytes())
    assert (other.bos_id(), other.eos_id(), other.unk_id()) == (tok.bos_id, tok.eos_id, tok.unk_id)
    assert (made.bos_id, made.eos_id, made.unk_id) == (tok.bos_id, tok.eos_id, tok.unk_id)
    assert other.id_to_piece(list(range(len(tok)))) == [made.id_to_piece(i) for i in range(len(tok))]
    texts = [*TEXTS[:2], "a<cut>b <sep>", "<here>the cat<here>", "<tool>"]
    assert [other.encode(text) for text in texts] == made.encode_lists(texts)
    assert made.piece_type(made.piece_to_id("<tool>")) == "control"
    assert made.piece_type(made.piece_to_id("<here>")) == "user_defined"


def test_spare_pieces_come_in_order() -> None:
    tok = model()
    made = tok.claim_unused(["<b>", "<a>"])
    assert [*made.reasons] == [tok.piece_to_id("<unused0>"), tok.piece_to_id("<|reserved_1|>")]
    assert [made.tokenizer.id_to_piece(i) for i in made.reasons] == ["<b>", "<a>"]
    assert set(made.reasons.values()) == {"claimed"}
    restricted = spm_lite.train(TEXTS, model_type="unigram", vocab_size=300, hard_vocab_limit=False).restrict(
        ["\u2581the"]
    )
    cat = restricted.piece_to_id("\u2581cat")
    assert restricted.piece_type(cat) == "unused"
    assert restricted.claim_unused(["<a>"]).tokenizer.piece_to_id("<a>") in range(len(restricted))


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        ({}, OptionError, "names is empty"),
        (["<s>"], ArgumentTypeError, "names is list: pass old and new names"),
        ({"the": "x"}, OptionError, "'the' is no piece of the model"),
        ({"\u2581the": "x"}, OptionError, "piece of type normal, whose name is what it stands for"),
        ({"<0x41>": "x"}, OptionError, "piece of type byte"),
        ({"<s>": "\u2581the"}, OptionError, r"the new name '\u2581the' is piece \d+ of the model already"),
        ({"<s>": "<a>", "</s>": "<a>"}, OptionError, "the new name '<a>' is there twice"),
        ({"<s>": ""}, OptionError, "has 0 bytes"),
        ({"<s>": 3}, ArgumentTypeError, "a piece is str or bytes, not int 3"),
        ({3: "<a>"}, ArgumentTypeError, "a piece is str or bytes, not int 3"),
        ({"<sep>": "a b"}, OptionError, "has a space"),
    ],
)
def test_wrong_names(names, error, message) -> None:
    with pytest.raises(error, match=message):
        model().rename(names)


def test_wrong_claims() -> None:
    with pytest.raises(OptionError, match="3 spare pieces are wanted, and the model has 2"):
        model().claim_unused(["<a>", "<b>", "<c>"])
    with pytest.raises(OptionError, match="names is empty"):
        model().claim_unused([])
    with pytest.raises(OptionError, match="is there twice"):
        model().claim_unused(["<a>", "<a>"])
    with pytest.raises(ArgumentTypeError):
        model().claim_unused("<a>")
    tok = spm_lite.train(TEXTS, model_type="wordpiece", vocab_size=300, hard_vocab_limit=False)
    with pytest.raises(OptionError, match="pass control=True"):
        tok.claim_unused(["<a>"], control=False)
