"""from_hf: which file of a folder counts; and `Tokenizer.load`, which names the right function."""

import json

import pytest
from oracle import partners

import spm_lite
from spm_lite.errors import FileError, MissingFileError, ModelError, OptionError
from spm_lite.tokenizer.convert_files import convert
from spm_lite.tokenizer.format_entry import Settings


def test_the_first_file_counts(tmp_path):
    tok = partners.trained("bpe")
    tok.save(tmp_path / "tokenizer.model")
    assert spm_lite.Tokenizer.from_hf(tmp_path) == tok
    (tmp_path / "tokenizer.json").write_text(partners.trained("unigram").to_tokenizer_json(), encoding="utf-8")
    assert spm_lite.Tokenizer.from_hf(tmp_path).model_type == "unigram"


def test_vocab_txt_and_gpt2(tmp_path):
    words = partners.trained("wordpiece", normalization="bert_cased")
    (tmp_path / "bert").mkdir()
    words.to_vocab_txt(tmp_path / "bert" / "vocab.txt")
    (tmp_path / "bert" / "tokenizer_config.json").write_text('{"do_lower_case": false}', encoding="utf-8")
    assert spm_lite.Tokenizer.from_hf(tmp_path / "bert").encode("the cat") == words.encode("the cat")
    partners.trained("byte_bpe").to_gpt2(tmp_path / "gpt2")
    assert spm_lite.Tokenizer.from_hf(tmp_path / "gpt2").split_pattern is not None


def test_folders_without_a_tokenizer(tmp_path):
    with pytest.raises(MissingFileError, match="no such folder"):
        spm_lite.Tokenizer.from_hf(tmp_path / "none")
    with pytest.raises(MissingFileError, match=r"none of tokenizer\.json"):
        spm_lite.Tokenizer.from_hf(tmp_path)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FileError, match="from_tokenizer_json"):
        spm_lite.Tokenizer.from_hf(tmp_path / "file")


def test_damaged_settings(tmp_path):
    (tmp_path / "tokenizer.json").write_text(partners.trained().to_tokenizer_json(), encoding="utf-8")
    (tmp_path / "tokenizer_config.json").write_text("{", encoding="utf-8")
    with pytest.raises(ModelError, match=r"tokenizer_config\.json is not JSON"):
        spm_lite.Tokenizer.from_hf(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text(
        '{"bos_token": 3, "eos_token": {"content": "</s>"}}', encoding="utf-8"
    )
    assert spm_lite.Tokenizer.from_hf(tmp_path).eos_id == 2


@pytest.mark.parametrize(
    "change",
    [
        {"pad_token": "<new>"},
        {"mask_token": {"content": "<new>"}},
        {"additional_special_tokens": ["<s>", "<new>"]},
        {"extra_special_tokens": {"image_token": "<new>"}},
        {"added_tokens_decoder": {"999": {"content": "<new>", "special": True}}},
    ],
)
def test_tokens_that_only_the_settings_name(change, tmp_path):
    """transformers adds them to what tokenizer.json holds."""
    tok = partners.trained("bpe")
    tok.to_hf(tmp_path)
    path = tmp_path / "tokenizer_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(OptionError, match="names '<new>', which") as caught:
        spm_lite.Tokenizer.from_hf(tmp_path)
    assert caught.value.remedies == ({"allow": ("config",)},)
    assert len(spm_lite.Tokenizer.from_hf(tmp_path, allow="config")) == len(tok)
    with pytest.raises(OptionError, match="names '<new>'"):
        convert(str(tmp_path), "m.model", Settings(), check=True)


def test_load_names_the_right_function(tmp_path):
    tok = partners.trained("byte_bpe")
    tok.to_gpt2(tmp_path)
    tok.to_tiktoken(tmp_path / "x.tiktoken")
    partners.trained("wordpiece", normalization="bert_cased").to_vocab_txt(tmp_path / "vocab.txt")
    (tmp_path / "tokenizer.json").write_text(tok.to_tokenizer_json(), encoding="utf-8")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "X"}), encoding="utf-8")
    for name, function in [
        ("tokenizer.json", "from_tokenizer_json"),
        ("tokenizer_config.json", "from_hf"),
        ("vocab.json", "from_gpt2"),
        ("x.tiktoken", "from_tiktoken"),
        ("vocab.txt", "from_vocab_txt"),
    ]:
        with pytest.raises(ModelError, match=function):
            spm_lite.Tokenizer.load(tmp_path / name)
    with pytest.raises(FileError, match="from_hf"):
        spm_lite.Tokenizer.load(tmp_path)
