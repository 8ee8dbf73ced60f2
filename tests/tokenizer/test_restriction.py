"""Vocabulary restriction, compared with sentencepiece and the drop-in; wrong vocabularies are refused."""

import copy
import pickle
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import sentencepiece

import spm_lite
from spm_lite import ArgumentTypeError, FileError, MissingFileError, OptionError, Tokenizer

LINES = ["the bridge over the river", "the mill by the river", "stones from the bridge", "mills and bridges"] * 40
TEXTS = [*LINES[:4], "", " the  theme", "the river <sep> bridge", "thé ponté 橋", "<0x41> the", "a\tb\nthe\n"]


def trained(kind: str, **options: Any) -> Tokenizer:
    return spm_lite.train(LINES, model_type=kind, vocab_size=340, hard_vocab_limit=False, **options)


MODELS = {
    "bpe": trained("bpe", user_defined_symbols=["<sep>"]),
    "unigram": trained("unigram", user_defined_symbols=["<sep>"]),
    "bpe without bytes": trained("bpe", byte_fallback=False, normalization="nmt_nfkc"),
    "unigram without bytes": trained("unigram", byte_fallback=False, normalization="nmt_nfkc"),
}


def normal_pieces(tok: Tokenizer) -> list[str]:
    return [tok.id_to_piece(i) for i in range(len(tok)) if tok.piece_type(i) not in ("control", "byte", "unknown")]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("seed", range(5))
def test_ids_equal_the_originals(name: str, seed: int) -> None:
    tok = MODELS[name]
    allowed = random.Random(seed).sample(normal_pieces(tok), 20)
    restricted = tok.restrict(allowed)
    drop_in = spm_lite.SentencePieceProcessor(model_proto=tok.to_bytes())
    assert drop_in.SetVocabulary(allowed)
    original = sentencepiece.SentencePieceProcessor(model_proto=drop_in.serialized_model_proto())
    for text in TEXTS:
        ids = restricted.encode(text)
        assert ids == drop_in.encode(text) == original.encode(text)
        kept = [i for i in ids if tok.piece_type(i) not in ("byte", "unknown", "user_defined")]
        assert all(tok.id_to_piece(i) in allowed or len(tok.id_to_piece(i)) == 1 for i in kept)
        if tok.info.is_lossless:
            assert restricted.decode(ids) == text
    own = sentencepiece.SentencePieceProcessor(model_proto=restricted.to_bytes())
    assert [own.encode(text) for text in TEXTS] == restricted.encode_lists(TEXTS)


def test_a_new_value() -> None:
    tok = MODELS["bpe"]
    data = tok.to_bytes()
    one, two = tok.restrict(["▁the", "▁br"]), tok.restrict({"▁br": 1, b"\xe2\x96\x81the": 9})
    assert one == two
    assert hash(one) == hash(two)
    assert one != tok != tok.restrict(["▁the"])
    assert tok.to_bytes() == data
    assert len(one) == len(tok)
    assert one.info.is_lossless
    for twin in (pickle.loads(pickle.dumps(one)), copy.deepcopy(one), Tokenizer.load(one.to_bytes())):
        assert twin == one
        assert twin.encode("the bridge") == one.encode("the bridge") != tok.encode("the bridge")
    assert one.restrict(normal_pieces(tok)).encode_lists(TEXTS) == tok.encode_lists(TEXTS)
    with pytest.raises(AttributeError, match="does not change"):
        one.restrict = None  # type: ignore[method-assign,assignment]


def test_counts_and_threshold(tmp_path: Path) -> None:
    tok = MODELS["unigram"]
    counts = Counter(piece for text in LINES for piece in tok.pieces(text))
    frequent = [piece for piece, count in counts.items() if count >= 80]
    wanted = tok.restrict(frequent)
    assert tok.restrict(counts, threshold=80) == wanted
    path = tmp_path / "counts.tsv"
    path.write_text("".join(f"{piece}\t{count}\n" for piece, count in counts.items()), encoding="utf-8")
    assert tok.restrict(path, threshold=80) == tok.restrict(str(path), threshold=80) == wanted
    assert tok.restrict(counts) == tok.restrict(list(counts)) == tok.restrict(set(counts)) == tok.restrict(path)


@pytest.mark.parametrize(
    "data",
    [
        "▁the\t5\n▁br\t7\n",
        "\ufeff▁the\t5\r\n▁br\t7\r\n",
        "▁the\t5\r\n▁br\t7",
        "▁the\t5\tmore\n\n▁br\t07 \n",
        "\ufeff▁br\r\n▁the",
    ],
)
def test_files_of_any_system(tmp_path: Path, data: str) -> None:
    path = tmp_path / "v"
    path.write_bytes(data.encode())
    assert MODELS["bpe"].restrict(path) == MODELS["bpe"].restrict(["▁the", "▁br"])
    sp = spm_lite.SentencePieceProcessor(model_proto=MODELS["bpe"].to_bytes())
    assert sp.LoadVocabulary(str(path), 1)
    assert sp.encode("the bridge") == MODELS["bpe"].restrict(path).encode("the bridge")


def test_pieces_that_no_line_holds(tmp_path: Path) -> None:
    tok = spm_lite.train(["a:\n\tb"] * 9, vocab_size=268, model_type="bpe", hard_vocab_limit=False)
    piece = next(tok.id_to_piece(i) for i in range(259, len(tok)) if "\n" in tok.id_to_piece(i)[1:])
    (tmp_path / "v").write_text(piece.replace("\n", "\\x0a").replace("\t", "\\x09") + "\t3\n", encoding="utf-8")
    assert tok.restrict(tmp_path / "v") == tok.restrict([piece])


WRONG_FILES = [  # content, threshold, message
    ("▁the\t-3.25\n", 1, "line 1: -3.25 of '▁the' is a score, as in the .vocab of a training"),
    ("<unk>\t0\n▁the\t-0\n", 0, "line 2: -0 of '▁the' is a score"),
    ("▁the\t-12\n", -100, "line 1: -12 of '▁the' is a score"),
    ("▁the\t1e-05\n", 1, "is a score"),
    ("▁br\n▁the 200\n", 1, "line 2: '▁the 200' has no TAB between the piece and its count"),
    ("▁the,200\n", 1, "line 1: '▁the,200' has no TAB"),
    ("▁the;200\n", 1, "has no TAB"),
    ("▁the\tmany\n", 1, "line 1: the count b'many' of '▁the' is not an integer"),
    ("xyzxyz\t5\nqqq\t6\n", 1, "names no piece of this model; the first name is 'xyzxyz'"),
    ("▁the\t5\n▁br\t7\n", 50, "has no piece with a count of 50 or more: the highest is [57], lower the threshold"),
    ("", 1, "names no piece: a restriction needs at least one"),
    ("\n\n", 1, "names no piece"),
]


@pytest.mark.parametrize(("data", "threshold", "message"), WRONG_FILES)
@pytest.mark.parametrize("name", ["bpe", "unigram"])
def test_wrong_files(tmp_path: Path, name: str, data: str, threshold: int, message: str) -> None:
    path = tmp_path / "wrong.tsv"
    path.write_text(data, encoding="utf-8")
    with pytest.raises(OptionError, match=f"wrong.tsv'.*{message}"):
        MODELS[name].restrict(path, threshold=threshold)
    sp = spm_lite.SentencePieceProcessor(model_proto=MODELS[name].to_bytes())
    before = sp.encode("the bridge")
    with pytest.raises(RuntimeError, match=f"wrong.tsv'.*{message}"):
        sp.LoadVocabulary(path, threshold)
    assert sp.encode("the bridge") == before


@pytest.mark.parametrize("name", MODELS)
def test_the_vocab_file_is_refused(tmp_path: Path, name: str) -> None:
    MODELS[name].save(tmp_path / "m.model", vocab=True)
    with pytest.raises(OptionError, match=r"m\.vocab', line \d+: .* is a score"):
        MODELS[name].restrict(tmp_path / "m.vocab")
    with pytest.raises(FileError, match=r"m\.model' is a model of SentencePiece, not text"):
        MODELS[name].restrict(tmp_path / "m.model")


@pytest.mark.parametrize(
    ("pieces", "kind", "message"),
    [
        ("▁the", MissingFileError, r"no file '▁the' to read \(pieces are passed as a list: \['▁the'\]\)"),
        (b"the", ArgumentTypeError, "the vocabulary is bytes: pass a list of pieces"),
        (5, ArgumentTypeError, "the vocabulary is int, which cannot be iterated over"),
        ([5], ArgumentTypeError, "item 0 of the vocabulary is int 5, not a piece: id_to_piece gives"),
        ([("▁the", 5)], ArgumentTypeError, r"is tuple .*: pass dict\(\.\.\.\) of such pairs"),
        ({5: 1}, ArgumentTypeError, "item 0 of the vocabulary is int 5"),
        ({"▁the": -1.5}, OptionError, "-1.5 of '▁the' is a score, not a count"),
        ({"▁the": -1}, OptionError, "-1 of '▁the' is a score"),
        ({"▁the": "5"}, ArgumentTypeError, "the count of '▁the' is an integer, not str"),
        ([], OptionError, "the vocabulary names no piece: a restriction needs at least one"),
        (["xyz"], OptionError, "the vocabulary names no piece of this model; the first name is 'xyz'"),
        ({"▁the": 0}, OptionError, "no piece with a count of 1 or more: the highest is 0"),
    ],
)
def test_wrong_vocabularies(pieces: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        MODELS["bpe"].restrict(pieces)


def test_other_refusals(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ArgumentTypeError, match="threshold is an integer, not float"):
        MODELS["bpe"].restrict(["▁the"], threshold=1.5)  # type: ignore[arg-type]
    for kind in ("char", "word"):
        tok = spm_lite.train(LINES, model_type=kind, vocab_size=400, hard_vocab_limit=False)
        with pytest.raises(OptionError, match=f"a {kind} model cannot be restricted: only unigram and bpe"):
            tok.restrict(["▁the"])
    assert not caplog.records
    MODELS["bpe"].restrict(["▁the", "the@@", "riv@@"])
    assert "most of its 3 names are not pieces of this model, such as 'the@@'" in caplog.text


def test_a_vocabulary_without_a_match_in_the_drop_in(caplog: pytest.LogCaptureFixture) -> None:
    sp = spm_lite.SentencePieceProcessor(model_proto=MODELS["bpe"].to_bytes())
    assert sp.SetVocabulary(["xyz"])  # as in sentencepiece: single characters remain
    assert set(map(len, sp.encode("the bridge", return_type=str))) == {1}
    assert "the vocabulary of 1 names has no piece of the model" in caplog.text
    with pytest.raises(TypeError, match="is dict, which would give only its keys"):
        sp.SetVocabulary({"▁the": 5})
