"""Folders of transformers without a tokenizer.json: the class and the settings decide the ids."""

import json

import pytest
from oracle import partners

import spm_lite
from spm_lite.errors import ModelError, OptionError
from spm_lite.formats.hugging_face.folder_classes import REFUSED


def folder(tmp_path, config, name="spiece.model", **others):
    place = tmp_path / "folder"
    place.mkdir()
    partners.trained("bpe").save(place / name) if name.endswith("model") else None
    (place / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    for file, content in others.items():
        (place / file.replace("_json", ".json")).write_text(json.dumps(content), encoding="utf-8")
    return place


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("fast", ["", "Fast"])
def test_a_class_whose_ids_cannot_be_told_is_refused_by_name(tmp_path, name, fast):
    place = folder(tmp_path, {"tokenizer_class": f"{name}Tokenizer{fast}"})
    for load in (spm_lite.load, spm_lite.Tokenizer.from_hf):
        with pytest.raises(ModelError, match=f"the class {name}Tokenizer"):
            load(place)
    assert spm_lite.load(place / "spiece.model") == partners.trained("bpe")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("extra_ids", "100", "extra_ids is '100', not a whole number, 0 to 9999"),
        ("offset", 1e4, "offset is 10000.0, not a whole number"),
        ("legacy", 0, "legacy is 0, not true or false"),
        ("language_codes", ["base"], "language_codes is"),
    ],
)
def test_settings_of_another_type(tmp_path, name, value, message):
    """They are errors where a class may read them; null stands for the usual value."""
    place = folder(tmp_path, {"tokenizer_class": "T5Tokenizer", name: value})
    with pytest.raises(ModelError, match=rf"tokenizer_config\.json\.{message}"):
        spm_lite.load(place)
    found = []
    for setting in ({name: None}, {}):
        config = json.dumps({"tokenizer_class": "T5Tokenizer", **setting})
        (place / "tokenizer_config.json").write_text(config, encoding="utf-8")
        found.append(spm_lite.load(place))
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["LlamaTokenizer", "ReformerTokenizerFast", "PreTrainedTokenizerFast", None])
def test_a_class_with_the_ids_of_its_file(tmp_path, name):
    place = folder(tmp_path, {} if name is None else {"tokenizer_class": name})
    found, trained = spm_lite.load(place), partners.trained("bpe")
    assert [found.id_to_piece(i) for i in range(len(found))] == [trained.id_to_piece(i) for i in range(len(trained))]
    assert found.encode("the cat sat") == trained.encode("the cat sat")
    assert (found == trained) == (name in ("PreTrainedTokenizerFast", None))


def test_the_model_type_names_a_class(tmp_path):
    place = folder(tmp_path, {}, config_json={"model_type": "albert"})
    with pytest.raises(ModelError, match="the class AlbertTokenizer"):
        spm_lite.load(place)
    (place / "config.json").write_text('{"model_type": "own"}', encoding="utf-8")
    with pytest.raises(OptionError, match="model_type='own'"):
        spm_lite.load(place)


def test_an_unknown_class_must_be_allowed(tmp_path):
    place = folder(tmp_path, {"tokenizer_class": "OwnTokenizer"})
    with pytest.raises(OptionError, match="the class OwnTokenizer is not known"):
        spm_lite.load(place)
    assert spm_lite.load(place, allow="config").encode("the cat") == partners.trained("bpe").encode("the cat")


def test_a_vocab_json_beside_a_model_file_may_decide(tmp_path):
    with pytest.raises(ModelError, match=r"holds vocab\.json beside a model file"):
        spm_lite.load(folder(tmp_path, {}, vocab_json={"a": 0}))


def test_special_tokens_of_a_folder_get_the_ids_that_it_says(tmp_path):
    trained = partners.trained("bpe")
    n = len(trained)
    decoder = {str(n): {"content": "<new>", "special": True, "lstrip": True}}
    tok = spm_lite.load(folder(tmp_path, {"tokenizer_class": "LlamaTokenizer", "added_tokens_decoder": decoder}))
    assert tok.piece_to_id("<new>") == n and tok.piece_type(n) == "control"
    assert tok.encode("the cat  <new>", allow_special="all") == [*trained.encode("the cat"), n]


def test_a_token_that_leaves_a_hole_is_refused(tmp_path):
    place = folder(tmp_path, {"added_tokens_decoder": {"9999": {"content": "<new>", "special": True}}})
    with pytest.raises(ModelError, match="gives '<new>' the id 9999"):
        spm_lite.load(place)


def test_tokens_that_are_not_special_are_found_in_all_texts(tmp_path):
    trained = partners.trained("bpe")
    n, own = len(trained), trained.encode("the cat")
    place = folder(tmp_path, {"tokenizer_class": "LlamaTokenizer"}, added_tokens_json={"<new>": n})
    tok = spm_lite.load(place)
    assert tok.piece_to_id("<new>") == n and tok.piece_type(n) == "user_defined"
    assert tok.encode("the cat<new>the cat") == [*own, n, *own]
    assert spm_lite.load(tok.to_bytes()).encode("the cat<new>the cat") == [*own, n, *own]


def test_a_token_that_is_a_piece_too_keeps_its_merges(tmp_path):
    trained = partners.trained("bpe")
    i = trained.piece_to_id("he")
    decoder = {str(i): {"content": "he", "special": False}}
    tok = spm_lite.load(folder(tmp_path, {"tokenizer_class": "LlamaTokenizer", "added_tokens_decoder": decoder}))
    assert tok.piece_type(i) == "normal"
    assert tok.encode("he cat") == [i, *trained.encode(" cat")]


def test_tokens_that_are_not_special_without_a_class(tmp_path):
    n = len(partners.trained("bpe"))
    place = folder(tmp_path, {}, added_tokens_json={"<new>": n})
    with pytest.raises(OptionError, match="adds '<new>', which is not special") as caught:
        spm_lite.load(place)
    assert caught.value.remedies == ({"allow": ("config",)},)
    assert spm_lite.load(place, allow="config").piece_to_id("<new>") == n


def test_added_tokens_of_a_list_of_words(tmp_path):
    place = tmp_path / "words"
    place.mkdir()
    trained = partners.trained("wordpiece", normalization="bert_cased")
    trained.save(place / "vocab.txt", format="vocab.txt")
    names = [trained.id_to_piece(i) for i in range(len(trained))]
    missing = [name for name in ("[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]") if name not in names]
    config = {"tokenizer_class": "BertTokenizer", "do_lower_case": False, "additional_special_tokens": ["<new>"]}
    (place / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    tok = spm_lite.load(place)
    assert [tok.id_to_piece(i) for i in range(len(tok))] == [*names, *missing, "<new>"]


def test_a_class_of_two_files_that_cuts_otherwise(tmp_path):
    place = tmp_path / "pair"
    partners.trained("byte_bpe").save(place, format="gpt2")
    settings = place / "tokenizer_config.json"
    settings.write_text('{"tokenizer_class": "BlenderbotSmallTokenizer"}', encoding="utf-8")
    with pytest.raises(ModelError, match="BlenderbotSmallTokenizer lowercases"):
        spm_lite.load(place, name="gpt2")
    settings.write_text('{"tokenizer_class": "OwnTokenizer"}', encoding="utf-8")
    with pytest.raises(OptionError, match="the class OwnTokenizer is not known"):
        spm_lite.load(place)
    assert spm_lite.load(place, name="gpt2").vocab_size == partners.trained("byte_bpe").vocab_size


def bert_folder(tmp_path, token):
    """An uncased BERT whose settings add a token of the next id."""
    trained = partners.trained("wordpiece", normalization="bert_uncased")
    trained.save(tmp_path / "vocab.txt", format="vocab.txt")
    added = {"added_tokens_decoder": {str(len(trained)): token}}
    config = {"tokenizer_class": "BertTokenizer", "do_lower_case": True, **added}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("is_normalized", [True, False])
@pytest.mark.parametrize("is_special", [True, False])
def test_tokens_of_bert_are_found_in_normalized_text(tmp_path, is_special, is_normalized):
    tokenizers = pytest.importorskip("tokenizers")
    flags = {"special": is_special, "normalized": is_normalized, "single_word": False, "lstrip": False, "rstrip": False}
    place = bert_folder(tmp_path, {"content": "<N\u00e9w>", **flags})
    tok = spm_lite.Tokenizer.from_hf(place)
    other = tokenizers.BertWordPieceTokenizer(str(place / "vocab.txt"), lowercase=True)
    add = other.add_special_tokens if is_special else other.add_tokens
    add([tokenizers.AddedToken("<N\u00e9w>", normalized=is_normalized)])
    new = tok.piece_to_id("<N\u00e9w>")
    for text in ("<N\u00e9w>", "a<N\u00c9W>b <new>", "the <Ne\u0301w> cat", "<new", "<N\u00e9w><NEW>"):
        ids = tok.encode(text, allow_special="all")
        assert ids == other.encode(text, add_special_tokens=False).ids, text
        assert (new in ids) == (text != "<new" and (is_normalized or "<N\u00e9w>" in text))


def test_white_space_in_a_normalized_token_of_bert_is_refused(tmp_path):
    flags = {"special": True, "normalized": True, "single_word": False, "lstrip": False, "rstrip": False}
    with pytest.raises(ModelError, match="'new cat', white space that BERT puts around ideographs too"):
        spm_lite.Tokenizer.from_hf(bert_folder(tmp_path, {"content": "new cat", **flags}))
