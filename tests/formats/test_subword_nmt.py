"""Codes of subword-nmt: words are cut as that program cuts them, and damaged files are one error."""

import contextlib
import random

import pytest
from oracle.subword_nmt import segment

import spm_lite
from spm_lite.conversions.convert import convert
from spm_lite.conversions.formats import Settings
from spm_lite.errors import FileError, ModelError, OptionError
from spm_lite.formats.proof.hostile_texts import hostile_texts
from spm_lite.formats.proof.partners import of_subword_nmt

CODES = "#version: 0.2\nt h\nth e</w>\ni n\nin g</w>\nth in\n"
OLD = "t h\nth e\ne </w>\nthe </w>\n"


def written(tmp_path, text):
    path = tmp_path / "x.codes"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def cut(tok, text):
    """The symbols of each word, without the ends of words. The codes have all characters of the text."""
    words = [[]]
    for piece in tok.pieces(text):
        words[-1] += [piece.rstrip("\u2581")] if piece != "\u2581" else []
        if piece.endswith("\u2581"):
            words.append([])
    return words[:-1]


@pytest.mark.parametrize(
    ("codes", "text", "pieces"),
    [
        (CODES, "the  thing", ["the\u2581", "th", "ing\u2581"]),
        (CODES, " then in ", ["th", "e", "n\u2581", "i", "n\u2581"]),  # "i n" is a merge within a word
        (OLD, "the th", ["the\u2581", "th", "\u2581"]),
    ],
)
def test_pieces(codes, text, pieces, tmp_path):
    tok = spm_lite.Tokenizer.from_subword_nmt(written(tmp_path, codes))
    assert tok.pieces(text) == pieces
    assert tok.decode(tok.encode(text)) == " ".join(text.split()) + " "


@pytest.mark.parametrize("version", [1, 2])
def test_random_codes_against_the_pairs_themselves(version, tmp_path):
    rng = random.Random(version)
    n_read = 0
    for _ in range(60):
        letters = "abcd\u00e9"[: rng.randrange(1, 6)]
        symbols = [*letters, *([letter + "</w>" for letter in letters] if version == 2 else ["</w>"])]
        lines = []
        for _ in range(rng.randrange(1, 30)):
            left, right = rng.choice([one for one in symbols if not one.endswith("</w>")]), rng.choice(symbols)
            lines.append(f"{left} {right}")
            symbols.append(left + right)
        head = "#version: 0.2\n" if version == 2 else ""
        try:
            tok = spm_lite.Tokenizer.from_subword_nmt(written(tmp_path, head + "\n".join(lines)))
        except ModelError as error:
            assert "no line before it makes" in str(error)  # a merge that never happens was taken for a part
            continue
        n_read += 1
        letters = [letter for letter in letters if any(letter in line for line in lines)]
        for _ in range(40):
            words = ["".join(rng.choices(letters, k=rng.randrange(1, 9))) for _ in range(3)]
            assert cut(tok, " ".join(words)) == [segment(word, lines, version) for word in words]
    assert n_read > 15


def test_unknown_characters_become_bytes(tmp_path):
    tok = spm_lite.Tokenizer.from_subword_nmt(written(tmp_path, CODES))
    assert tok.pieces("th\u732b") == ["th", "<0xE7>", "<0x8C>", "<0xAB>", "\u2581"]
    assert tok.decode(tok.encode("th\u732b the")) == "th\u732b the "
    assert [tok.id_to_piece(i) for i in range(4)] == ["<unk>", "<s>", "</s>", "<0x00>"]


def test_only_the_first_merges(tmp_path):
    path = written(tmp_path, CODES)
    assert spm_lite.Tokenizer.from_subword_nmt(path, merges=1).pieces("th h") == ["t", "h\u2581", "h\u2581"]
    assert spm_lite.Tokenizer.from_subword_nmt(path, merges=2).pieces("the in") == [
        "the\u2581",
        "<0x69>",
        "<0x6E>",
        "\u2581",
    ]
    with pytest.raises(OptionError, match="merges=0"):
        spm_lite.Tokenizer.from_subword_nmt(path, merges=0)


def test_saved_and_loaded(tmp_path):
    tok = spm_lite.Tokenizer.from_subword_nmt(written(tmp_path, CODES))
    again = spm_lite.Tokenizer.load(tok.to_bytes())
    assert all(again.encode(text) == tok.encode(text) for text in hostile_texts())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "line 1: '' is not two symbols"),
        ("#version: 0.2\n", "there are no merges"),
        ("#version: 0.3\na b\n", "not 0.1 or 0.2"),
        (b"a \xff\n", "is not UTF-8"),
        ("#version: 0.2\na b\na b c\n", "line 3: 'a b c' is not two symbols"),
        ("#version: 0.2\na b\n\nab c\n", "line 3: '' is not two symbols"),
        ("#version: 0.2\nab c\n", "line 2: no line before it makes 'ab'"),
        ("#version: 0.2\na </w>\n", "line 2: no line before it makes '</w>'"),
        ("a</w> b\n", "line 1: nothing follows </w>"),
        ("< /\n</ w\n</w >\n", "line 3: </w> made of characters"),
        ("\u2581 a\n", "line 1: U+2581 in a symbol"),
        ("< s\n<s >\n", "'<s>', which is a special piece"),
        ("a a\n" + "".join(f"{'a' * 2**i} {'a' * 2**i}\n" for i in range(1, 12)), "a piece of 512 characters"),
    ],
)
def test_damaged_files(text, message, tmp_path):
    with pytest.raises(ModelError) as caught:
        spm_lite.Tokenizer.from_subword_nmt(written(tmp_path, text))
    assert message in str(caught.value)


def test_every_cut_of_a_file_is_read_or_is_one_error(tmp_path):
    data = CODES.encode()
    for size in range(len(data)):
        with contextlib.suppress(ModelError):
            spm_lite.Tokenizer.from_subword_nmt(written(tmp_path, data[:size]))
    with pytest.raises(FileError):
        spm_lite.Tokenizer.from_subword_nmt(tmp_path / "none.codes")
    with pytest.raises(ModelError, match="from_subword_nmt"):
        spm_lite.Tokenizer.load(written(tmp_path, CODES))


def test_converted_to_a_folder(tmp_path):
    path = written(tmp_path, CODES)
    found = convert(path, str(tmp_path / "x.model"), Settings())
    if found.read is not None:  # subword-nmt is installed
        assert found.read.compared > 1000
        assert found.read.conditions == ["no U+2581 in the text", "no CR or LF at the ends of the text"]
    again = spm_lite.Tokenizer.load(tmp_path / "x.model")
    assert again.pieces("the thing") == ["the\u2581", "th", "ing\u2581"]


def test_published_codes_in_subword_nmt(shared_data):
    """Every line in 50 of the corpora."""
    pytest.importorskip("subword_nmt")
    path = shared_data / "interop" / "botchan_600.codes"
    tok = spm_lite.Tokenizer.from_subword_nmt(path)
    partner = of_subword_nmt(tok, str(path))
    texts = list(hostile_texts())
    for corpus in sorted((shared_data / "corpora").glob("*.txt")):
        texts += corpus.read_text(encoding="utf-8").split("\n")[::50]
    texts = [text for text in texts if "\u2581" not in text and text.strip(" ") == text.strip("\r\n ")]
    assert tok.encode_lists(texts) == partner.encode(texts)
