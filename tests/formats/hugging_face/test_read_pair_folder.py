"""Folders of vocab.json and merges.txt whose class changes texts first."""

import json

import pytest
from oracle import partners

import spm_lite
from spm_lite.errors import ModelError, OptionError

SIGNS = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
BYTES = [chr(i) for i in (*SIGNS, *range(0x100, 0x100 + 256 - len(SIGNS)))]
CLIP_PIECES = [*BYTES, *(sign + "</w>" for sign in BYTES), "th", "the</w>", "<|startoftext|>", "<|endoftext|>"]
CLIP_MERGES = "#version: 0.2\nt h\nth e</w>\n"


def gpt2_folder(place, name, **config):
    if not place.exists():
        partners.trained("byte_bpe").save(place, format="gpt2")
    settings = {"tokenizer_class": f"{name}Tokenizer", **config}
    (place / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    return place


def clip_folder(place, merges=CLIP_MERGES, **config):
    (place / "vocab.json").write_text(json.dumps({text: i for i, text in enumerate(CLIP_PIECES)}), encoding="utf-8")
    (place / "merges.txt").write_text(merges, encoding="utf-8")
    (place / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "CLIPTokenizer", **config}))
    return place


@pytest.mark.parametrize("name", ["GPT2", "CodeGen", "Deberta"])
def test_a_space_before_each_text(tmp_path, name):
    tok = spm_lite.load(gpt2_folder(tmp_path / "pair", name, add_prefix_space=True))
    plain = spm_lite.load(gpt2_folder(tmp_path / "pair", name, add_prefix_space=False))
    for text in partners.corpus(20):
        assert tok.encode(text) == plain.encode(text if text.startswith(" ") else f" {text}")
    assert plain.encode("the cat") != plain.encode(" the cat")


def test_a_space_after_special_tokens(tmp_path):
    tok = spm_lite.load(gpt2_folder(tmp_path / "pair", "Roberta", add_prefix_space=True))
    texts = tok.encode("the cat<mask>the cat", allow_special="all")
    assert texts == [*tok.encode("the cat"), tok.piece_to_id("<mask>"), *tok.encode(" the cat")]


def test_tokens_of_the_settings_are_found(tmp_path):
    n = len(partners.trained("byte_bpe"))
    decoder = {str(n): {"content": "<new>", "special": False}}
    tok = spm_lite.load(gpt2_folder(tmp_path / "pair", "Deberta", add_prefix_space=True, added_tokens_decoder=decoder))
    assert tok.encode("the cat<new>the cat") == [*tok.encode("the cat"), n, *tok.encode("the cat")]


def test_settings_that_are_not_read(tmp_path):
    place = gpt2_folder(tmp_path / "pair", "Qwen2", add_prefix_space=True)
    with pytest.raises(ModelError, match="says add_prefix_space"):
        spm_lite.load(place)
    gpt2_folder(place, "Blenderbot")
    with pytest.raises(ModelError, match="false for the class BlenderbotTokenizer in transformers 4, and true in 5"):
        spm_lite.load(place)
    gpt2_folder(place, "GPT2", add_prefix_space=True)
    with pytest.raises(OptionError, match="leave out name and pattern"):
        spm_lite.load(place, name="gpt2")
    with pytest.raises(OptionError, match="load the folder"):
        spm_lite.load(place / "vocab.json")


def test_clip_lowercases_and_ends_words(tmp_path):
    tok = spm_lite.load(clip_folder(tmp_path))
    pieces = ["the</w>", "c", "a", "t</w>", "1</w>", "2</w>"]
    assert tok.encode("The  CAT 12") == [CLIP_PIECES.index(piece) for piece in pieces]
    assert tok.encode("the<|endoftext|>", allow_special="all")[-1] == CLIP_PIECES.index("<|endoftext|>")
    assert tok.bos_id == CLIP_PIECES.index("<|startoftext|>")


@pytest.mark.parametrize(
    ("merges", "message"),
    [("t h\n", "does not begin with #version"), ("#version: 0.2\nth\n", "'th ' is not two pieces")],
)
def test_merges_that_versions_of_transformers_read_in_other_ways(tmp_path, merges, message):
    with pytest.raises(ModelError, match=message):
        spm_lite.load(clip_folder(tmp_path, merges))


@pytest.mark.dev
def test_verify_compares_with_tokenizers(tmp_path):
    texts = partners.corpus(30)
    assert len(spm_lite.load(clip_folder(tmp_path), verify=texts)) == len(CLIP_PIECES)
    assert spm_lite.load(gpt2_folder(tmp_path / "pair", "GPT2", add_prefix_space=True), verify=texts)
