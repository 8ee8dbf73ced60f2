"""Folders of transformers without a tokenizer.json: the class and the settings decide the ids."""

import json

import pytest
from oracle import partners

import spm_lite
from spm_lite.errors import ModelError, OptionError
from spm_lite.formats.hugging_face.folder_classes import OTHER_IDS


def folder(tmp_path, config, name="spiece.model", **others):
    place = tmp_path / "folder"
    place.mkdir()
    partners.trained("bpe").save(place / name) if name.endswith("model") else None
    (place / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    for file, content in others.items():
        (place / file.replace("_json", ".json")).write_text(json.dumps(content), encoding="utf-8")
    return place


@pytest.mark.parametrize("name", OTHER_IDS)
@pytest.mark.parametrize("fast", ["", "Fast"])
def test_a_class_with_other_ids_is_refused_by_name(tmp_path, name, fast):
    place = folder(tmp_path, {"tokenizer_class": f"{name}Tokenizer{fast}"})
    for load in (spm_lite.load, spm_lite.Tokenizer.from_hf):
        with pytest.raises(ModelError, match=f"the class {name}Tokenizer"):
            load(place)
    assert spm_lite.load(place / "spiece.model") == partners.trained("bpe")


@pytest.mark.parametrize("name", ["LlamaTokenizer", "AlbertTokenizerFast", "PreTrainedTokenizerFast", None])
def test_a_class_with_the_ids_of_its_file(tmp_path, name):
    place = folder(tmp_path, {} if name is None else {"tokenizer_class": name})
    assert spm_lite.load(place) == partners.trained("bpe")


def test_an_unknown_class_must_be_allowed(tmp_path):
    place = folder(tmp_path, {"tokenizer_class": "OwnTokenizer"})
    with pytest.raises(OptionError, match="the class OwnTokenizer is not known"):
        spm_lite.load(place)
    assert spm_lite.load(place, allow="config").encode("the cat") == partners.trained("bpe").encode("the cat")


def test_a_vocab_json_beside_a_model_file_may_decide(tmp_path):
    with pytest.raises(ModelError, match=r"holds vocab\.json beside a model file"):
        spm_lite.load(folder(tmp_path, {}, vocab_json={"a": 0}))


@pytest.mark.parametrize(
    ("config", "others", "words"),
    [
        ({"tokenizer_class": "LlamaTokenizer"}, {"added_tokens_json": {"<new>": 999}}, "adds '<new>'"),
        ({"added_tokens_decoder": {"999": {"content": "<new>"}}}, {}, "adds '<new>'"),
        ({"tokenizer_class": "T5Tokenizer"}, {}, "adds '<extra_id_0>'"),
    ],
)
def test_tokens_that_a_folder_adds(tmp_path, config, others, words):
    place = folder(tmp_path, config, **others)
    with pytest.raises(OptionError, match=words) as caught:
        spm_lite.load(place)
    assert caught.value.remedies == ({"allow": ("config",)},)
    assert spm_lite.load(place, allow="config").vocab_size == partners.trained("bpe").vocab_size
    (place / "spiece.model").unlink()
    partners.trained("wordpiece", normalization="bert_cased").save(place / "vocab.txt", format="vocab.txt")
    if "T5Tokenizer" not in str(config):
        settings = {**config, "do_lower_case": False, "tokenizer_class": "BertTokenizer"}
        (place / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
        with pytest.raises(OptionError, match=words):
            spm_lite.load(place)


def test_a_space_before_each_text_of_two_files(tmp_path):
    partners.trained("byte_bpe").save(tmp_path / "pair", format="gpt2")
    config = {"tokenizer_class": "GPT2Tokenizer", "add_prefix_space": True}
    (tmp_path / "pair" / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(ModelError, match="add_prefix_space"):
        spm_lite.load(tmp_path / "pair")
