"""Codes of subword-nmt: words are cut as that program cuts them, and damaged files are one error."""

import contextlib
import random
from collections import Counter

import pytest
from oracle.subword_nmt import segment

import spm_lite
from spm_lite.errors import FileError, ModelError, OptionError
from spm_lite.formats.proof.conversion import hostile_texts
from spm_lite.formats.proof.partner_programs import of_subword_nmt
from spm_lite.formats.subword_nmt import read_vocabulary
from spm_lite.tokenizer.convert_files import convert

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
    tok = spm_lite.Tokenizer.load(written(tmp_path, codes), format="subword-nmt")
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
            tok = spm_lite.Tokenizer.load(written(tmp_path, head + "\n".join(lines)), format="subword-nmt")
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
    tok = spm_lite.Tokenizer.load(written(tmp_path, CODES), format="subword-nmt")
    assert tok.pieces("th\u732b") == ["th", "<0xE7>", "<0x8C>", "<0xAB>", "\u2581"]
    assert tok.decode(tok.encode("th\u732b the")) == "th\u732b the "
    assert [tok.id_to_piece(i) for i in range(4)] == ["<unk>", "<s>", "</s>", "<0x00>"]


def test_only_the_first_merges(tmp_path):
    path = written(tmp_path, CODES)
    assert spm_lite.Tokenizer.load(path, format="subword-nmt", merges=1).pieces("th h") == ["t", "h\u2581", "h\u2581"]
    assert spm_lite.Tokenizer.load(path, format="subword-nmt", merges=2).pieces("the in") == [
        "the\u2581",
        "<0x69>",
        "<0x6E>",
        "\u2581",
    ]
    with pytest.raises(OptionError, match="merges=0"):
        spm_lite.Tokenizer.load(path, format="subword-nmt", merges=0)


def test_saved_and_loaded(tmp_path):
    tok = spm_lite.Tokenizer.load(written(tmp_path, CODES), format="subword-nmt")
    again = spm_lite.Tokenizer.load(tok.to_bytes())
    assert all(again.encode(text) == tok.encode(text) for text in hostile_texts())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "is empty"),
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
        spm_lite.Tokenizer.load(written(tmp_path, text), format="subword-nmt")
    assert message in str(caught.value)


def test_every_cut_of_a_file_is_read_or_is_one_error(tmp_path):
    data = CODES.encode()
    for size in range(len(data)):
        with contextlib.suppress(ModelError):
            spm_lite.Tokenizer.load(written(tmp_path, data[:size]), format="subword-nmt")
    with pytest.raises(FileError):
        spm_lite.Tokenizer.load(tmp_path / "none.codes", format="subword-nmt")
    with pytest.raises(ModelError, match="subword-nmt"):
        spm_lite.Tokenizer.load(written(tmp_path, CODES), format="tekken.json")


def test_converted_to_a_folder(tmp_path):
    path = written(tmp_path, CODES)
    found = convert(path, tmp_path / "x.model")
    if found.read is not None:  # subword-nmt is installed
        assert found.read.compared > 1000
        assert found.read.conditions == ["no U+2581 in the text", "no CR or LF at the ends of the text"]
    again = spm_lite.Tokenizer.load(tmp_path / "x.model")
    assert again.pieces("the thing") == ["the\u2581", "th", "ing\u2581"]


VOCABULARY = "th@@ 9\nthe 2\nin@@ 7\ni@@ 7\nn 8\n"


@pytest.mark.parametrize(
    ("threshold", "text", "pieces"),
    [
        (None, "the in then", ["the\u2581", "i", "n\u2581", "th", "e", "n\u2581"]),
        (3, "the", ["th", "e\u2581"]),
        (8, "thing in", ["th", "i", "n", "g\u2581", "i", "n\u2581"]),
        (9, "the thing", ["th", "e\u2581", "th", "i", "n", "g\u2581"]),
    ],
)
def test_pieces_that_the_vocabulary_lacks_are_split_again(threshold, text, pieces, tmp_path):
    path = tmp_path / "x.vocab"
    path.write_text(VOCABULARY, encoding="utf-8")
    codes = written(tmp_path, CODES)
    tok = spm_lite.Tokenizer.load(codes, format="subword-nmt", vocabulary=path, vocabulary_threshold=threshold)
    assert tok.pieces(text) == pieces
    plain = spm_lite.Tokenizer.load(codes, format="subword-nmt")
    assert [tok.id_to_piece(i) for i in range(len(tok))] == [plain.id_to_piece(i) for i in range(len(plain))]
    again = spm_lite.Tokenizer.load(tok.to_bytes())
    assert all(again.encode(text) == tok.encode(text) for text in hostile_texts())


def test_random_vocabularies_against_the_definition(tmp_path):
    rng = random.Random(7)
    n_read = 0
    for _ in range(60):
        letters = "abcd@"[: rng.randrange(1, 6)]
        symbols = [*letters, *(letter + "</w>" for letter in letters)]
        lines = []
        for _ in range(rng.randrange(1, 30)):
            left, right = rng.choice([one for one in symbols if not one.endswith("</w>")]), rng.choice(symbols)
            lines.append(f"{left} {right}")
            symbols.append(left + right)
        names = [one.removesuffix("</w>") if one.endswith("</w>") else one + "@@" for one in symbols]
        counts = {name: rng.randrange(10) for name in names if rng.random() < 0.7} | {"z": 9}
        (tmp_path / "x.vocab").write_text("".join(f"{name} {n}\n" for name, n in counts.items()), encoding="utf-8")
        codes = written(tmp_path, "#version: 0.2\n" + "\n".join(lines))
        try:
            tok = spm_lite.Tokenizer.load(
                codes, format="subword-nmt", vocabulary=tmp_path / "x.vocab", vocabulary_threshold=4
            )
        except ModelError as error:
            assert "no line before it makes" in str(error) or "not as it is merged" in str(error)
            continue
        n_read += 1
        known = {name for name, n in counts.items() if n >= 4}
        letters = [letter for letter in letters if any(letter in line for line in lines)]
        for _ in range(40):
            words = ["".join(rng.choices(letters, k=rng.randrange(1, 9))) for _ in range(3)]
            assert cut(tok, " ".join(words)) == [segment(word, lines, 2, known) for word in words]
    assert n_read > 10


@pytest.mark.parametrize(
    ("codes", "vocabulary", "options", "kind", "message"),
    [
        (CODES, "the\n", {}, ModelError, "x.vocab, line 1: 'the' is not a piece, a space and a count"),
        (CODES, "the 1\n\nth@@ 2\n", {}, ModelError, "line 2: ''"),
        (CODES, "the 1.5\n", {}, ModelError, "line 1"),
        (CODES, CODES, {}, ModelError, "line 1: '#version: 0.2'"),
        (CODES, b"\xff 1\n", {}, ModelError, "is not UTF-8"),
        (CODES, b"\xef\xbb\xbfthe 1\n", {}, ModelError, "mark of byte order"),
        (CODES, "", {}, ModelError, "line 1: ''"),
        (CODES, "the 1\n", {"vocabulary_threshold": 2}, OptionError, "a count of 2 or more: the highest is 1"),
        (OLD, "the 1\n", {}, ModelError, "version 0.1 with a vocabulary"),
        ("#version: 0.2\nb c\na b\nab c\na bc\n", "a 1\n", {}, ModelError, "'abc' split into ab and c, not as it is"),
    ],
)
def test_damaged_vocabularies(codes, vocabulary, options, kind, message, tmp_path):
    path = tmp_path / "x.vocab"
    path.write_bytes(vocabulary if isinstance(vocabulary, bytes) else vocabulary.encode())
    with pytest.raises(kind) as caught:
        spm_lite.Tokenizer.load(written(tmp_path, codes), format="subword-nmt", vocabulary=path, **options)
    assert message in str(caught.value)


def test_many_splits_of_one_piece_are_refused(tmp_path):
    signs = "".join(map(chr, range(0x4E00, 0x4E00 + 103)))
    lines = "".join(f"{signs[:i]} {signs[i]}\n" for i in range(1, len(signs)))
    path = tmp_path / "x.vocab"
    path.write_text("a@@ 1\n", encoding="utf-8")
    with pytest.raises(ModelError, match="more than 100 times"):
        spm_lite.Tokenizer.load(written(tmp_path, "#version: 0.2\n" + lines), format="subword-nmt", vocabulary=path)


def test_other_wrong_uses_of_a_vocabulary(tmp_path):
    codes = written(tmp_path, CODES)
    with pytest.raises(OptionError, match="without a vocabulary"):
        spm_lite.Tokenizer.load(codes, format="subword-nmt", vocabulary_threshold=2)
    with pytest.raises(FileError):
        spm_lite.Tokenizer.load(codes, format="subword-nmt", vocabulary=tmp_path)
    with pytest.raises(ModelError, match="mark of byte order"):
        spm_lite.Tokenizer.load(written(tmp_path, b"\xef\xbb\xbf" + CODES.encode()), format="subword-nmt")


def test_windows_line_ends(tmp_path):
    path = tmp_path / "x.vocab"
    path.write_bytes(VOCABULARY.replace("\n", "\r\n").encode())
    tok = spm_lite.Tokenizer.load(
        written(tmp_path, CODES.replace("\n", "\r\n")), format="subword-nmt", vocabulary=path, vocabulary_threshold=3
    )
    assert tok.pieces("the") == ["th", "e\u2581"]


def test_published_codes_with_a_vocabulary_in_subword_nmt(shared_data, tmp_path):
    """The vocabulary of the text, by several thresholds."""
    pytest.importorskip("subword_nmt")
    path = str(shared_data / "interop" / "botchan_600.codes")
    texts = (shared_data / "corpora" / "en-botchan.txt").read_text(encoding="utf-8").split("\n")[::10]
    texts = [text for text in texts if "\u2581" not in text and text.strip(" ") == text.strip("\r\n ")]
    plain = spm_lite.Tokenizer.load(path, format="subword-nmt")
    counts = Counter(
        piece.removesuffix("\u2581") if piece.endswith("\u2581") else piece + "@@"
        for text in texts
        for piece in plain.pieces(text)
        if piece != "\u2581"
    )
    file = tmp_path / "x.vocab"
    file.write_text("".join(f"{piece} {count}\n" for piece, count in counts.items()), encoding="utf-8")
    for threshold in (None, 5, 50):
        tok = spm_lite.Tokenizer.load(path, format="subword-nmt", vocabulary=file, vocabulary_threshold=threshold)
        partner = of_subword_nmt(tok, path, read_vocabulary(file.read_bytes(), "x", threshold))
        many = [*hostile(), *texts]
        assert tok.encode_lists(many) == partner.encode(many)


def hostile():
    """The hostile texts that meet the conditions."""
    return [text for text in hostile_texts() if "\u2581" not in text and text.strip(" ") == text.strip("\r\n ")]


def test_published_codes_in_subword_nmt(shared_data):
    """Every line in 50 of the corpora."""
    pytest.importorskip("subword_nmt")
    path = shared_data / "interop" / "botchan_600.codes"
    tok = spm_lite.Tokenizer.load(path, format="subword-nmt")
    partner = of_subword_nmt(tok, str(path))
    texts = list(hostile_texts())
    for corpus in sorted((shared_data / "corpora").glob("*.txt")):
        texts += corpus.read_text(encoding="utf-8").split("\n")[::50]
    texts = [text for text in texts if "\u2581" not in text and text.strip(" ") == text.strip("\r\n ")]
    assert tok.encode_lists(texts) == partner.encode(texts)


def test_codes_of_fastbpe_are_codes_with_counts(tmp_path):
    lines = ["t h 900", "th e</w> 800", "i n 30", "in g</w> 20", "th in 5"]
    text = "the thin thing in"
    for end in ("\n", "\r\n"):
        tok = spm_lite.load(written(tmp_path, end.join(lines) + end))
        assert cut(tok, text) == [segment(word, CODES.split("\n")[1:-1], 2) for word in text.split()]
    same = spm_lite.load(written(tmp_path, CODES))
    assert tok == same
