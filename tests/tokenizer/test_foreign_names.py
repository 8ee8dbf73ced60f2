"""Names of other libraries: each is an error that says the name here, and that name exists."""

import pydoc
import re
import sys

import pytest

import spm_lite
from spm_lite import ArgumentTypeError, MissingFileError, OptionError, Tokenizer
from spm_lite.texts.batch import BATCH_NAMES
from spm_lite.tokenizer.foreign_names import FOREIGN_NAMES, OLD_NAMES

FACE = [  # a new member is a decision: name it here, and say in the changelog why a Tokenizer needs it
    "load", "save", "to_bytes", "from_hf", "to_hf", "from_tiktoken", "to_tiktoken", "to_gguf", "encode",
    "encode_batch", "encode_lists", "encode_files", "encode_segments", "decode", "decode_batch",
    "decode_bytes", "stream", "pieces", "count", "count_batch", "count_files", "truncate", "chunks", "spans",
    "spans_batch",
    "decode_spans", "decode_spans_batch", "normalize", "nbest", "sample", "sample_batch", "lattice", "show",
    "explain", "roundtrip_report", "vocab_size", "get_vocab", "id_to_piece", "piece_to_id", "token_bytes",
    "piece_type", "score", "unk_id", "bos_id", "eos_id", "pad_id", "model_type", "info", "report",
    "clear_cache", "add_pieces", "restrict", "with_vocab_size", "extend", "growing", "prefix_cache", "is_canonical",
    "encode_chat", "prune", "replace", "rename", "claim_unused",
]  # fmt: skip
MOST_MEMBERS = 62


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
        found = re.match(r"(spm_lite|Tokenizer)?\.?(\w+)", use)
        assert hasattr(spm_lite if found[1] == "spm_lite" else Tokenizer, found[2]), remedy


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


def test_a_batch_knows_names_of_other_libraries(tok):
    batch = tok.encode_batch(["a"])
    for name, remedy in BATCH_NAMES.items():
        if name != "attention_mask":
            with pytest.raises(AttributeError, match=re.escape(f"no attribute {name!r}: use {remedy}")):
                getattr(batch, name)
        with pytest.raises(ArgumentTypeError, match=re.escape(f"For {name!r} use {remedy}")):
            batch[name]
    with pytest.raises(AttributeError, match=r"no attribute 'other'$"):
        batch.other  # noqa: B018


def test_errors_of_python_name_the_class(tok):
    for call in (lambda: tok.nbest(), lambda: tok.encode_batch(), lambda: spm_lite.load()):
        with pytest.raises(TypeError, match=r"^Tokenizer\."):
            call()


@pytest.mark.parametrize("name", ["gpt2", "meta-llama/Llama-3.1-8B"])
def test_nothing_is_downloaded_by_name(name):
    with pytest.raises(MissingFileError, match="Nothing is downloaded by name"):
        spm_lite.load(name)


def test_special_tokens_are_in_info(tok):
    assert tok.info.special_tokens == {"<pad>": 0, "</s>": 1}
    assert "special" in str(tok.info)
    with pytest.raises(OptionError, match=r"no control piece that begins.*info\.special_tokens"):
        tok.encode("a", bos=True)


@pytest.mark.parametrize("name", ["from_file", "from_pretrained", "open", "AutoTokenizer", "get_encoding"])
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


def test_the_face():
    members = {name for name in dir(Tokenizer) if not name.startswith("_")}
    assert members == set(FACE) and len(FACE) <= MOST_MEMBERS


@pytest.mark.parametrize("name", OLD_NAMES)
def test_an_old_name_works_and_names_the_new_call(tok, name):
    assert name not in dir(tok) and name not in dir(Tokenizer)
    with pytest.warns(DeprecationWarning, match=rf"Tokenizer.{name} is gone after this version: write "):
        getattr(tok, name)
    used = re.match(r"(?:Tokenizer\.|spm_lite\.)?(\w+)", OLD_NAMES[name][0])[1]
    assert used in FACE or hasattr(spm_lite, used)


def test_old_names_give_what_they_gave():
    tok = spm_lite.train(["the cat sat"] * 9, vocab_size=270, hard_vocab_limit=False)
    with pytest.warns(DeprecationWarning):
        assert tok.is_byte(tok.encode("\xe9")[-1]) and not tok.is_control(5)
        assert tok.count_up_to("the cat sat", 2, bos=True) == 2
        assert tok.cache_info() == tok.info[-2:]
        assert tok.patches([5, 6, 7], 2, pad_id=0).tolist() == [[5, 6], [7, 0]]
        assert tok.entropy("the cat") == tok.lattice.entropy("the cat")
        assert tok.samples("the cat", 2, seed=1) == tok.lattice.samples("the cat", 2, seed=1)
        assert (tok.is_lossless, tok.is_strict, tok.split_pattern) == (True, False, None)
        assert tok.stream_bytes().push_many(tok.encode("a")) + b"" == b"a"


def test_special_ids_count_in_limits():
    tok = spm_lite.train(["the mill turns the wheel"] * 40, vocab_size=290, hard_vocab_limit=False)
    text = "the mill turns the wheel " * 30
    n = tok.count(text)
    assert tok.count(text, bos=True, eos=True) == len(tok.encode(text, bos=True, eos=True)) == n + 2
    assert tok.count_batch([text, ""], eos=True).tolist() == [n + 1, 1]
    for limit in (0, 1, 2, 3, 16, n + 1, n + 2, n + 3):
        assert tok.count(text, limit=limit, bos=True, eos=True) == min(limit, n + 2)
    for limit in (2, 3, 16, n + 2):
        cut = tok.truncate(text, limit, bos=True, eos=True)
        assert len(tok.encode(cut, bos=True, eos=True)) <= limit
        assert cut == tok.truncate(text, limit - 2)
    with pytest.raises(OptionError, match="n=1 is below the 2 ids of bos and eos: give at least 2"):
        tok.truncate(text, 1, bos=True, eos=True)
    with pytest.raises(OptionError, match="limit"):
        tok.count(text, limit=-1)


def test_pieces_are_not_items(tok):
    with pytest.raises(TypeError, match=r"piece_to_id\(piece\) gives the id of a piece, and id_to_piece\(5\)"):
        tok["a"]


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="pydoc writes long signatures in several lines since 3.13")
def test_help_begins_with_a_table_and_can_be_read() -> None:
    lines = pydoc.render_doc(spm_lite.Tokenizer, renderer=pydoc.plaintext).split("\n")
    assert len(lines) <= 1250
    named = {word for line in lines[6:40] for word in line.split()}
    assert {name for name in dir(spm_lite.Tokenizer) if not name.startswith("_")} <= named


SENTENCEPIECE_NAMES = [
    "EncodeAsIds", "EncodeAsPieces", "Encode", "Decode", "DecodeIds", "DecodePieces", "NBestEncodeAsPieces",
    "SampleEncodeAsIds", "PieceToId", "IdToPiece", "GetPieceSize", "GetScore", "IsControl", "Load",
    "LoadFromSerializedProto", "serialized_model_proto", "sample_encode_as_pieces", "EncodeAsProto", "Normalize",
]  # fmt: skip


@pytest.mark.parametrize("name", SENTENCEPIECE_NAMES)
def test_names_of_sentencepiece_in_both_spellings(tok, name):
    assert name in FOREIGN_NAMES
    assert hasattr(spm_lite.SentencePieceProcessor, name)


@pytest.mark.dev
def test_no_method_of_other_libraries_is_without_a_hint(tok):
    for package, kind in (
        ("tokenizers", "Tokenizer"), ("tiktoken", "Encoding"), ("sentencepiece", "SentencePieceProcessor"),
    ):  # fmt: skip
        names = dir(getattr(pytest.importorskip(package), kind))
        known = {*FOREIGN_NAMES, *OLD_NAMES, *dir(tok)}
        assert [name for name in names if not name.startswith("_") and name not in known] == []
