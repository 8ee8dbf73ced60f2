"""Names of other libraries: each is an error that says the name here, and that name exists."""

import re

import pytest

import spm_lite
from spm_lite import ArgumentTypeError, OptionError, Tokenizer
from spm_lite.tokenizer.foreign_names import FOREIGN_NAMES


@pytest.fixture(scope="module")
def tok():
    return spm_lite.byte_tokenizer()


@pytest.mark.parametrize("name", FOREIGN_NAMES)
def test_a_foreign_name_says_the_name_here(tok, name):
    remedy = FOREIGN_NAMES[name]
    for owner in (tok, Tokenizer):
        with pytest.raises(AttributeError, match=re.escape(f"no attribute '{name}': use {remedy}")):
            getattr(owner, name)
        assert not hasattr(owner, name)
        assert name not in dir(owner)
    for use in re.split(r" or |, ", remedy)[:1]:
        found = re.match(r"(?:Tokenizer\.)?(\w+)", use)[1]
        assert hasattr(Tokenizer, found), remedy


def test_no_foreign_name_is_a_name_of_a_tokenizer():
    own = {name for kind in Tokenizer.__mro__ if kind.__name__ != "ForeignNames" for name in vars(kind)}
    assert not own & set(FOREIGN_NAMES)


def test_methods_of_one_text_name_those_of_many(tok):
    for call in (tok.encode, tok.pieces, tok.count, tok.normalize):
        with pytest.raises(ArgumentTypeError, match=r"the text is list, .*encode_batch or encode_lists"):
            call(["a", "b"])
    with pytest.raises(ArgumentTypeError, match=r"is list \[1, 2\], not an integer: .*decode_batch"):
        tok.decode([[1, 2]])


def test_a_tokenizer_is_not_a_function(tok):
    with pytest.raises(ArgumentTypeError, match="encode_batch"):
        tok(["a"], padding=True)


@pytest.mark.parametrize("name", ["from_file", "from_pretrained", "open"])
def test_functions_that_the_package_lacks(name):
    with pytest.raises(AttributeError, match=rf"'{name}': use spm_lite\.load\(path\)"):
        getattr(spm_lite, name)


def test_get_vocab(tok):
    vocab = tok.get_vocab()
    assert list(vocab.values()) == list(range(tok.vocab_size))
    assert all(tok.piece_to_id(piece) == i for piece, i in vocab.items())


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("tokenizer.json", "save(path, format='tokenizer.json')"),
        ("x.JSON", "save(folder, format='gpt2')"),
        ("a.b.tiktoken", "save(path, format='tiktoken')"),
        ("vocab.txt", "save(path, format='vocab.txt')"),
        ("x.gguf", "save(path, format='gguf')"),
        ("m.vocab", "vocab='m.vocab'"),
    ],
)
def test_save_refuses_names_of_other_formats(tok, tmp_path, name, remedy):
    with pytest.raises(OptionError, match=f"protobuf.*{re.escape(remedy)}"):
        tok.save(tmp_path / name)
    assert not list(tmp_path.iterdir())
    for good in ("m.model", "m", "m.spm", "m.1"):
        tok.save(tmp_path / good)
        assert Tokenizer.load(tmp_path / good) == tok
