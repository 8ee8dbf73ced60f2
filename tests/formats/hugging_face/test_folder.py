"""Folders for transformers: what is in them, all or none of it, and nothing replaced unasked."""

import json

import pytest
from oracle import partners

from spm_lite.errors import ArgumentTypeError, FileError, OptionError
from spm_lite.formats.hugging_face import folder

pytest.importorskip("tokenizers")

FILES = ["special_tokens_map.json", "tokenizer.json", "tokenizer_config.json"]


@pytest.fixture(scope="module")
def tok():
    return partners.trained(pad_id=3, control_symbols=["<mask>"])


def names_in(place):
    return sorted(path.name for path in place.iterdir())


def config_of(place):
    return json.loads((place / "tokenizer_config.json").read_text(encoding="utf-8"))


def test_the_files(tok, tmp_path):
    place = tmp_path / "new" / "model"
    conversion = tok.to_hf(place)
    assert names_in(place) == FILES
    assert names_in(place.parent) == ["model"]
    assert conversion.path == str(place)
    config = config_of(place)
    assert config["tokenizer_class"] == "PreTrainedTokenizerFast"
    assert [config[name] for name in ("bos_token", "eos_token", "unk_token", "pad_token", "mask_token")] == [
        "<s>", "</s>", "<unk>", "<pad>", "<mask>",
    ]  # fmt: skip
    assert config["clean_up_tokenization_spaces"] is False
    assert "model_max_length" not in config and "split_special_tokens" not in config


def test_settings(tok, tmp_path):
    tok.to_hf(
        tmp_path / "x",
        chat_template="{{ x }}",
        model_max_length=512,
        padding_side="left",
        match_special=False,
        bos=True,
    )
    config = config_of(tmp_path / "x")
    assert (config["model_max_length"], config["padding_side"], config["split_special_tokens"]) == (512, "left", True)
    assert (tmp_path / "x" / "chat_template.jinja").read_text(encoding="utf-8") == "{{ x }}"
    written = json.loads((tmp_path / "x" / "tokenizer.json").read_text(encoding="utf-8"))
    assert written["post_processor"]["special_tokens"]["<s>"]["ids"] == [tok.bos_id]


def test_wordpiece_names_cls_and_sep(tmp_path):
    partners.trained("wordpiece", normalization="bert_cased").to_hf(tmp_path)
    config = config_of(tmp_path)
    assert (config["cls_token"], config["sep_token"], config["mask_token"]) == ("[CLS]", "[SEP]", "[MASK]")
    assert "token_type_ids" in config["model_input_names"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"model_max_length": 0}, OptionError, "below 1"),
        ({"model_max_length": "many"}, ArgumentTypeError, "model_max_length"),
        ({"padding_side": "middle"}, OptionError, "'left' or 'right'"),
        ({"chat_template": 3}, ArgumentTypeError, "chat_template"),
        ({"allow": "all"}, OptionError, "'metaspace'"),
        ({"allow": [3]}, ArgumentTypeError, "allow"),
        ({"verify": "text"}, ArgumentTypeError, "verify"),
        ({"verify": [3]}, ArgumentTypeError, "verify"),
        ({"overwrite": 1}, ArgumentTypeError, "overwrite"),
    ],
)
def test_wrong_settings_write_nothing(tok, tmp_path, options, error, message):
    with pytest.raises(error, match=message):
        tok.to_hf(tmp_path / "x", **options)
    assert names_in(tmp_path) == []


def test_nothing_is_replaced_unasked(tok, tmp_path):
    (tmp_path / "weights").write_bytes(b"w")
    tok.to_hf(tmp_path)
    with pytest.raises(FileError, match=r"tokenizer.json.*overwrite=True"):
        tok.to_hf(tmp_path)
    partners.trained("unigram").to_hf(tmp_path, overwrite=True)
    assert '"Unigram"' in (tmp_path / "tokenizer.json").read_text(encoding="utf-8")
    assert names_in(tmp_path) == [*FILES, "weights"]
    with pytest.raises(FileError, match="is a file"):
        tok.to_hf(tmp_path / "weights", overwrite=True)


@pytest.mark.parametrize("n", range(3))
def test_a_failure_leaves_all_as_it_was(tok, tmp_path, monkeypatch, n):
    tok.to_hf(tmp_path / "old")
    before = {path.name: path.read_bytes() for path in (tmp_path / "old").iterdir()}
    other = partners.trained("unigram")
    calls = []
    real = folder.NewFile.commit

    def commit(self):
        calls.append(self)
        if len(calls) == n + 1:
            raise OSError(28, "No space left on device")
        real(self)

    monkeypatch.setattr(folder.NewFile, "commit", commit)
    with pytest.raises(FileError, match="No space"):
        other.to_hf(tmp_path / "old", overwrite=True)
    assert {path.name: path.read_bytes() for path in (tmp_path / "old").iterdir()} == before
    calls.clear()
    with pytest.raises(FileError, match="No space"):
        other.to_hf(tmp_path / "a" / "new")
    assert names_in(tmp_path) == ["old"]
