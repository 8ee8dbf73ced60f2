"""Folders for transformers: written whole or not at all, replaced only if asked, and read by the file that counts."""

import errno
import json
import os
import re
import signal
from pathlib import Path

import pytest
from oracle import partners

import spm_lite
from spm_lite.errors import ArgumentTypeError, FileError, MissingFileError, ModelError, OptionError, TextError
from spm_lite.files import new_files, paired_files
from spm_lite.files.temporary_files import new_folder
from spm_lite.tokenizer.conversions import json_of, write_gpt2
from spm_lite.tokenizer.convert_files import convert

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
        ({"chat_template": "a\ud800"}, TextError, "chat_template holds a lone surrogate at position 1"),
        ({"model_max_length": 10**5000}, OptionError, "above 10\\^30"),
        ({"allow": "all"}, OptionError, "'metaspace'"),
        ({"allow": [3]}, ArgumentTypeError, "allow"),
        ({"verify": b"text"}, ArgumentTypeError, "verify"),
        ({"verify": "text"}, MissingFileError, "no file 'text'"),
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
    real = new_files.NewFile.commit

    def commit(self):
        calls.append(self)
        if len(calls) == n + 1:
            raise OSError(28, "No space left on device")
        real(self)

    monkeypatch.setattr(new_files.NewFile, "commit", commit)
    with pytest.raises(FileError, match="No space"):
        other.to_hf(tmp_path / "old", overwrite=True)
    assert {path.name: path.read_bytes() for path in (tmp_path / "old").iterdir()} == before
    calls.clear()
    with pytest.raises(FileError, match="No space"):
        other.to_hf(tmp_path / "a" / "new")
    assert names_in(tmp_path) == ["old"]


def killed_at_commit(n, call):
    """Make a call in a child that dies before its n-th rename of a file."""
    child = os.fork()
    if child == 0:
        left = iter(range(n, -1, -1))

        def commit(self, real=new_files.NewFile.commit):
            if next(left) == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            real(self)

        new_files.NewFile.commit = commit
        try:
            call()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def contents(place):
    return {path.name: path.read_bytes() for path in place.iterdir()}


@pytest.mark.skipif(os.name != "posix", reason="POSIX only")
@pytest.mark.parametrize("n", range(3))
def test_killed_between_two_renames(tok, tmp_path, n):
    """Files of two calls are never taken for those of one, and the next call leaves only its own."""
    tok.to_hf(tmp_path / "old", model_max_length=1)
    old = contents(tmp_path / "old")
    other = partners.trained("unigram")
    assert killed_at_commit(n, lambda: other.to_hf(tmp_path / "old", model_max_length=2, overwrite=True))
    assert "tokenizer.json" not in contents(tmp_path / "old")
    again = partners.trained("unigram")
    again.to_hf(tmp_path / "old", model_max_length=3, chat_template="x", overwrite=True)
    assert names_in(tmp_path / "old") == ["chat_template.jinja", *FILES]
    assert killed_at_commit(n, lambda: other.to_hf(tmp_path / "new"))
    assert len(names_in(tmp_path)) == 2
    tok.to_hf(tmp_path / "new", model_max_length=1)
    assert contents(tmp_path / "new") == old
    assert names_in(tmp_path) == ["new", "old"]


@pytest.mark.skipif(os.name != "posix", reason="POSIX only")
def test_a_folder_that_a_living_process_makes_stays(tok, tmp_path):
    with new_folder(tmp_path / "new") as hidden:
        tok.to_hf(tmp_path / "new")
        assert hidden.exists()
        elsewhere = hidden.with_name(f".new.{2**22}-{0:016}.tmp")  # as if its process were on another machine
        hidden.rename(elsewhere)
        tok.to_hf(tmp_path / "new", overwrite=True)
        assert elsewhere.exists()
    tok.to_hf(tmp_path / "new", overwrite=True)
    assert names_in(tmp_path) == ["new"]


@pytest.mark.parametrize("error", [None, PermissionError(errno.EACCES, "Access is denied")])
def test_two_processes_make_the_same_folder(error, tok, tmp_path, monkeypatch):
    """error: of a rename to a folder that is there, on Windows; None: that of this system."""
    other = spm_lite.byte_tokenizer()
    write = paired_files.write_set
    calls = []

    def write_beside_another(files, *more):
        write(files, *more)
        calls.append(files)
        if len(calls) == 1:  # before the first folder gets its name
            other.to_hf(tmp_path / "new")

    rename = Path.replace

    def replace(path, target):
        if error is not None and Path(target).is_dir():
            raise error
        return rename(path, target)

    monkeypatch.setattr(Path, "replace", replace)
    monkeypatch.setattr(paired_files, "write_set", write_beside_another)
    tok.to_hf(tmp_path / "new")
    assert len(calls) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    assert spm_lite.load(tmp_path / "new").vocab_size == len(tok)


def test_the_first_file_counts(tmp_path):
    tok = partners.trained("bpe")
    tok.save(tmp_path / "tokenizer.model")
    assert spm_lite.Tokenizer.from_hf(tmp_path) == tok
    (tmp_path / "tokenizer.json").write_text(json_of(partners.trained("unigram")), encoding="utf-8")
    assert spm_lite.Tokenizer.from_hf(tmp_path).model_type == "unigram"


def test_vocab_txt_and_gpt2(tmp_path):
    words = partners.trained("wordpiece", normalization="bert_cased")
    (tmp_path / "bert").mkdir()
    words.save(tmp_path / "bert" / "vocab.txt", format="vocab.txt")
    (tmp_path / "bert" / "tokenizer_config.json").write_text('{"do_lower_case": false}', encoding="utf-8")
    assert spm_lite.Tokenizer.from_hf(tmp_path / "bert").encode("the cat") == words.encode("the cat")
    write_gpt2(partners.trained("byte_bpe"), tmp_path / "gpt2")
    (tmp_path / "gpt2" / "tokenizer_config.json").write_text('{"tokenizer_class": "GPT2Tokenizer"}', encoding="utf-8")
    assert spm_lite.Tokenizer.from_hf(tmp_path / "gpt2").info.split_pattern is not None


def test_folders_without_a_tokenizer(tmp_path):
    with pytest.raises(MissingFileError, match="no such folder"):
        spm_lite.Tokenizer.from_hf(tmp_path / "none")
    with pytest.raises(MissingFileError, match=r"none of tokenizer\.json"):
        spm_lite.Tokenizer.from_hf(tmp_path)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FileError, match="is a file: from_hf reads a folder, and load a file"):
        spm_lite.Tokenizer.from_hf(tmp_path / "file")


def test_damaged_settings(tmp_path):
    (tmp_path / "tokenizer.json").write_text(json_of(partners.trained()), encoding="utf-8")
    (tmp_path / "tokenizer_config.json").write_text("{", encoding="utf-8")
    with pytest.raises(ModelError, match=r"tokenizer_config\.json is not JSON"):
        spm_lite.Tokenizer.from_hf(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text(
        '{"bos_token": null, "eos_token": {"content": "</s>"}}', encoding="utf-8"
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
        convert(tmp_path, "m.model", check=True)


def test_load_takes_every_file_of_a_folder(tmp_path):
    tok = partners.trained("byte_bpe")
    write_gpt2(tok, tmp_path)
    tok.to_tiktoken(tmp_path / "x.tiktoken")
    partners.trained("wordpiece", normalization="bert_cased").save(tmp_path / "vocab.txt", format="vocab.txt")
    (tmp_path / "tokenizer.json").write_text(json_of(tok), encoding="utf-8")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "X"}), encoding="utf-8")
    pattern = write_gpt2(tok, tmp_path / "pair")
    for name, options in [
        ("tokenizer.json", {}),
        (".", {}),
        ("vocab.json", {"pattern": pattern}),
        ("merges.txt", {"pattern": pattern}),
        ("x.tiktoken", {"pattern": pattern}),
    ]:
        assert spm_lite.load(tmp_path / name, **options).encode("the cat") == tok.encode("the cat")
    with pytest.raises(ModelError, match=r"tokenizer_config.json is a tokenizer_config.json, which holds settings"):
        spm_lite.load(tmp_path / "tokenizer_config.json")
    with pytest.raises(OptionError, match="tokenizer_class"):
        spm_lite.load(tmp_path / "vocab.txt", lowercase=False)


def test_a_config_beside_it_may_choose_another_class(tok, tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "qwen2"}', encoding="utf-8")
    conversion = tok.to_hf(tmp_path)
    assert not conversion.exact and "takes Qwen2Tokenizer" in conversion.conditions[-1]
    assert "PreTrainedTokenizerFast.from_pretrained" in conversion.unmet("the cat")[-1]
    (tmp_path / "config.json").write_text('{"model_type": "llama"}', encoding="utf-8")
    assert all("AutoTokenizer" not in one for one in tok.to_hf(tmp_path, overwrite=True).conditions)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("bos_token", 5, "bos_token is 5, not a token"),
        ("eos_token", {"content": None}, "not a token"),
        ("pad_token", {"content": "<pad>", "lstrip": "no"}, "not a token"),
        ("additional_special_tokens", "<mask>", "not a list of tokens"),
        ("extra_special_tokens", {"image": 1e400}, "not a list of tokens"),
        ("added_tokens_decoder", [], "not an object"),
        ("added_tokens_decoder", {"0": {"content": 7}}, "added_tokens_decoder.0 is {'content': 7}, not a token"),
        ("add_prefix_space", "false", "add_prefix_space is 'false', not true or false"),
        ("tokenizer_class", ["T5Tokenizer"], "tokenizer_class is ['T5Tokenizer'], not the name of a class"),
        ("bos_token", "\ud800", ", not a token: a text of at most 7999 bytes"),
    ],
)
def test_settings_of_another_type(tok, tmp_path, name, value, message):
    tok.to_hf(tmp_path / "x")
    settings = config_of(tmp_path / "x") | {name: value}
    (tmp_path / "x" / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    with pytest.raises(ModelError, match=rf"tokenizer_config\.json\..*{re.escape(message)}"):
        spm_lite.Tokenizer.load(tmp_path / "x")
