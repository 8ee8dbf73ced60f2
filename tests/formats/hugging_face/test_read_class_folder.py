"""Folders of transformers with a model file: the ids, added tokens and conditions of their class."""

import json

import pytest
from oracle import partners

import spm_lite
from spm_lite.errors import ModelError, OptionError
from spm_lite.formats.hugging_face.language_codes import M2M100, MBART, NLLB

PAD_FIRST = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}


def trained(**options):
    usual = {"model_type": "unigram", "vocab_size": 90, "lossless": False, "byte_fallback": False}
    return spm_lite.train(partners.corpus(), hard_vocab_limit=False, **(usual | options))


def folder(tmp_path, name, tok, config=None, file="sentencepiece.bpe.model", vocab=None):
    tok.save(tmp_path / file)
    settings = {"tokenizer_class": f"{name}Tokenizer", **(config or {})}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    if vocab is not None:
        (tmp_path / "vocab.json").write_text(json.dumps(vocab), encoding="utf-8")
    return tmp_path


def pieces(tok):
    return [tok.id_to_piece(i) for i in range(len(tok))]


FIRST = ["<s>", "<pad>", "</s>", "<unk>"]
LISTS = {  # class -> its ids, of the pieces of a file after the three special ones
    "XLMRoberta": lambda own: [*FIRST, *own, "<mask>"],
    "MBart": lambda own: [*FIRST, *own, *MBART, "<mask>"],
    "Nllb": lambda own: [*FIRST, *own, *["<mask>", *NLLB]],
    "XGLM": lambda own: [*FIRST, *own, *(f"<madeupword{i}>" for i in range(7))],
    "SeamlessM4T": lambda own: ["<pad>", "<unk>", "<s>", "</s>", *own],
    "Camembert": lambda own: [
        "<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED", "<s>", "</s>", *own, "<mask>",
    ],
    "PLBart": lambda own: [*FIRST, *own, "__java__", "__python__", "__en_XX__", "<mask>"],
}  # fmt: skip


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
def test_pieces_are_at_the_ids_of_the_class(tmp_path, name, model_type):
    tok = trained(model_type=model_type)
    read = spm_lite.load(folder(tmp_path, name, tok))
    assert pieces(read) == LISTS[name](pieces(tok)[3:])
    assert read.unk_id == pieces(read).index("<unk>")
    for text in partners.corpus(20):
        assert read.pieces(text) == tok.pieces(text)
    assert any(f"{name}Tokenizer" in sentence for sentence in read._file.conditions)


def test_pegasus_moves_ids_by_its_offset(tmp_path):
    tok = trained(**PAD_FIRST)
    read = spm_lite.load(folder(tmp_path, "Pegasus", tok, file="spiece.model"))
    found = pieces(read)
    assert found[:5] == ["<pad>", "</s>", "<mask_1>", "<mask_2>", "<unk_2>"]
    assert found[105:] == pieces(tok)[2:] and read.unk_id == 105
    (tmp_path / "tokenizer_config.json").unlink()
    config = {"model_type": "bigbird_pegasus", "tokenizer_class": "PegasusTokenizer"}
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert pieces(spm_lite.load(tmp_path)) == found


def test_the_tokens_of_t5(tmp_path):
    tok = trained(**PAD_FIRST)
    read = spm_lite.load(folder(tmp_path, "T5", tok, {"extra_ids": 3}, "spiece.model"))
    assert pieces(read) == [*pieces(tok), "<extra_id_2>", "<extra_id_1>", "<extra_id_0>"]
    own, names = tok.encode("the cat"), ["<extra_id_0>"]
    assert read.encode("the cat  <extra_id_0> the cat", allow_special=names) == [*own, len(tok) + 2, *own]


def test_ids_of_vocab_json(tmp_path):
    tok = trained()
    listed = [*pieces(tok)[::-1], "<pad>", ">>fr<<", "qqzq", "\u0436"]
    vocab = {text: i for i, text in enumerate(listed)}
    read = spm_lite.load(folder(tmp_path, "Marian", tok, file="source.spm", vocab=vocab))
    assert pieces(read) == listed
    assert read.encode("the cat") == [vocab[piece] for piece in tok.pieces("the cat")]
    assert read.piece_type(vocab["qqzq"]) == "unused" and read.piece_type(vocab[">>fr<<"]) == "control"
    assert any("target.spm" in sentence for sentence in read._file.conditions)
    assert any("'\u0436'" in sentence for sentence in read._file.conditions)
    many = spm_lite.load(folder(tmp_path, "M2M100", tok, file="source.spm", vocab=vocab))
    assert pieces(many)[len(listed) :] == [f"__{code}__" for code in M2M100]


def test_pieces_that_vocab_json_lacks(tmp_path):
    tok = trained()
    vocab = {text: i for i, text in enumerate([*pieces(tok)[:-1], "<pad>"])}
    place = folder(tmp_path, "Marian", tok, file="source.spm", vocab=vocab)
    with pytest.raises(OptionError, match=r"vocab\.json lacks"):
        spm_lite.load(place)
    assert pieces(spm_lite.load(place, allow="config")) == [*vocab, pieces(tok)[-1]]


def test_a_text_of_vocab_json_that_merges_would_make(tmp_path):
    tok = trained(model_type="bpe")
    vocab = {text: i for i, text in enumerate([*pieces(tok), "<pad>", "aa"])}
    with pytest.raises(ModelError, match="merges here would make it"):
        spm_lite.load(folder(tmp_path, "Marian", tok, file="source.spm", vocab=vocab))


def test_a_file_whose_first_pieces_are_others(tmp_path):
    with pytest.raises(ModelError, match="the unknown piece first, not as 2"):
        spm_lite.load(folder(tmp_path, "XLMRoberta", trained(**PAD_FIRST)))
    with pytest.raises(ModelError, match="gives the piece 1 of the model file"):
        spm_lite.load(folder(tmp_path, "XLMRoberta", trained(bos_id=-1, eos_id=-1)))


@pytest.mark.parametrize(
    ("name", "config", "message"),
    [
        ("DebertaV2", {"split_by_punct": True}, "split_by_punct=True is not read"),
        ("XLMRoberta", {"sp_model_kwargs": {"enable_sampling": True}}, "sp_model_kwargs"),
        ("PLBart", {"language_codes": "own"}, "has no language_codes 'own'"),
        ("Marian", {}, "takes its ids from vocab.json, which is not there"),
        ("XLMRoberta", {"added_tokens_decoder": {"0": {"content": "<x>", "special": True}}}, "where the class"),
        ("Llama", {"legacy": False, "unk_token": "<u>"}, "legacy=false with another unknown token"),
    ],
)
def test_settings_that_are_not_read(tmp_path, name, config, message):
    with pytest.raises(ModelError, match=message):
        spm_lite.load(folder(tmp_path, name, trained(), config))


def test_texts_after_special_pieces(tmp_path):
    tok = trained(model_type="bpe", byte_fallback=True, vocab_size=400)
    own = tok.encode("the cat")
    each = spm_lite.load(folder(tmp_path, "Llama", tok))
    assert each.encode("<s>the cat</s>the cat", allow_special="all") == [1, *own, 2, *own]
    first = spm_lite.load(folder(tmp_path, "Llama", tok, {"legacy": False}))
    assert first.encode("the cat</s>the cat", allow_special="all") != [*own, 2, *own]


def test_a_conversion_tells_the_conditions_of_reading(tmp_path):
    (tmp_path / "folder").mkdir()
    place = folder(tmp_path / "folder", "XLMRoberta", trained())
    found = spm_lite.convert(place, tmp_path / "new.model")
    assert not found.exact and "XLMRobertaTokenizer" in str(found)
    with pytest.raises(OptionError, match="not exact"):
        spm_lite.convert(place, tmp_path / "new.model", exact=True, overwrite=True)


def test_a_class_that_puts_a_space_before_texts_itself(tmp_path):
    with pytest.raises(ModelError, match="which its model file spells in its own way"):
        spm_lite.load(
            folder(tmp_path, "T5", trained(lossless="strict", byte_fallback=True, vocab_size=400), {"legacy": False})
        )
    read = spm_lite.load(folder(tmp_path, "T5", trained(), {"legacy": False}))
    assert any("near tie" in sentence for sentence in read._file.conditions)


def test_a_user_defined_piece_that_is_an_added_token(tmp_path):
    tok = trained(user_defined_symbols=["<sep>"], normalization="nmt_nfkc")
    i = tok.piece_to_id("<sep>")
    config = {"added_tokens_decoder": {str(i): {"content": "<sep>", "special": False}}}
    read = spm_lite.load(folder(tmp_path, "Llama", tok, config))
    own = tok.encode("the cat")
    assert read.encode("the cat<sep>the cat") == [*own, i, *own]
    assert any("make '<sep>' of" in sentence for sentence in read._file.conditions)


def test_a_reserved_piece_as_a_token_that_is_not_special(tmp_path):
    tok = trained(byte_fallback=True, vocab_size=400)
    config = {"added_tokens_decoder": {str(tok.piece_to_id("<0x0A>")): {"content": "<0x0A>", "special": False}}}
    with pytest.raises(ModelError, match="adds the byte piece '<0x0A>'"):
        spm_lite.load(folder(tmp_path, "Llama", tok, config))
