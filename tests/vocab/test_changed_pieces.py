"""Models with more or fewer pieces: pieces that no text would match are refused, and merges are left out."""

import random

import pytest

import spm_lite
from spm_lite.errors import ArgumentTypeError, OptionError

TEXTS = ["a b <new 0> c"] * 9
LOSSY = {"normalization": "nmt_nfkc"}
rng = random.Random(1)
WORDS = ["".join(rng.choices("abcdef", k=rng.randrange(1, 7))) for _ in range(200)] + ["日本語", "é", "mill", "123"]
LINES = [" ".join(rng.choices(WORDS, k=8)) for _ in range(150)]


def model(kind, **options):
    return spm_lite.train(TEXTS, vocab_size=300, hard_vocab_limit=False, model_type=kind, **options)


@pytest.mark.parametrize("kind", ["unigram", "bpe", "char"])
def test_strict_models_escape_the_mark(kind):
    tok = model(kind, lossless="strict")
    with pytest.raises(OptionError, match="strict") as caught:
        tok.add_pieces(["\u2581x"])
    assert "lossless=True" in str(caught.value)
    assert len(tok) in model(kind).add_pieces(["\u2581x"]).encode("a x")
    data = tok.add_pieces(["zebras"]).to_bytes()
    with pytest.raises(spm_lite.ModelError, match="U\\+2581, which the rules escape"):
        spm_lite.load(data.replace(b"zebras", "\u2581\u2581".encode()))


def test_pieces_that_are_there():
    tok = model("unigram", control_symbols=["<c>"])
    for piece, words in (
        ("<c>", "of type control"),
        ("<unk>", "of type unknown"),
        ("<0x41>", "of type byte"),
        ("\u2581", "of type normal"),
    ):
        for control in (False, True):
            with pytest.raises(OptionError, match=f"is piece [0-9]+ of the model already, {words}: leave it out"):
                tok.add_pieces(["zebra", piece], control=control)
    with pytest.raises(OptionError, match="'x y' is named twice"):
        tok.add_pieces(["x y", "z", "x y"], control=True)
    with pytest.raises(ArgumentTypeError, match="not int 3"):
        tok.add_pieces(["zebra", 3])
    with pytest.raises(OptionError, match="has 8000 bytes"):
        tok.add_pieces(["zebra", "a" * 8000])
    with pytest.raises(spm_lite.TextError, match="lone surrogate"):
        tok.add_pieces(["zebra", "\ud800"])
    assert tok.add_pieces([]) == tok


@pytest.mark.parametrize("kind", ["unigram", "bpe", "char", "word"])
def test_pieces_that_normalization_changes(kind):
    options = {"byte_fallback": False} if kind == "word" else {}
    tok = model(kind, normalization="nmt_nfkc_cf", **options)
    with pytest.raises(OptionError, match="holds '▁dog' in its place: add that") as caught:
        tok.add_pieces(["▁cat", "▁Dog"])
    named = str(caught.value).rpartition("holds ")[2].split("'")[1]
    assert len(tok) in tok.add_pieces([named]).encode("a Dog x")
    if kind != "word":
        with pytest.raises(OptionError, match="holds 'b▁c' in its place"):
            model(kind, remove_extra_whitespaces=True).add_pieces(["b▁▁c"])
        with pytest.raises(OptionError, match="holds '▁' in its place: leave it out"):
            tok.add_pieces(["▁▁"])
        assert len(tok) in tok.add_pieces(["Dog"]).encode("a Dog x")  # rules leave it alone
        assert len(tok) not in tok.add_pieces(["Dog"]).encode("a dog x")


def test_pieces_after_steps():
    tok = model("unigram", normalization="nfc")
    with pytest.raises(OptionError, match="holds 'é' in its place: add that"):
        tok.add_pieces(["e\u0301"])
    assert len(tok) in tok.add_pieces(["é"]).encode("ae\u0301")


def test_bytes_of_many_pieces():
    """The parts of a model are joined as protobuf writes the whole."""
    from spm_lite.vocab.messages import extension_of, serialize

    for kind in ("unigram", "word", "byte_bpe"):
        tok = model(kind, **({"byte_fallback": False} if kind == "word" else {}))
        pieces = ["▁new" if kind == "word" else "<new>", "zebra"]
        for control in (False, True):
            message = tok._file.message()
            entries = extension_of(message).pieces if tok._file.has_own_pieces else message.pieces
            lowest = min(map(tok.score, range(len(tok))))
            for number, piece in enumerate(pieces, 1):
                entry = entries.add()
                entry.piece = piece.encode() if tok._file.has_own_pieces else piece
                entry.type = 3 if control else 1 if kind == "word" else 4
                entry.score = lowest - number if entry.type == 1 else 0.0
            message.trainer_spec.vocab_size = len(tok) + 2
            assert tok.add_pieces(pieces, control=control).to_bytes() == serialize(message)


@pytest.mark.parametrize("kind", ["unigram", "bpe", "char"])
@pytest.mark.parametrize("piece", ["<new 0>", " x"])
@pytest.mark.parametrize("options", [{}, LOSSY])
def test_the_remedy_works(kind, piece, options):
    tok = model(kind, **options)
    with pytest.raises(spm_lite.OptionError, match="write ") as caught:
        tok.add_pieces([piece])
    named = str(caught.value).rpartition("write ")[2].strip("'")
    assert len(tok) in tok.add_pieces([named]).encode(f"a {piece} b x")


def test_words():
    tok = model("word", byte_fallback=False)
    with pytest.raises(spm_lite.OptionError, match=r"2 words.*\['▁<new', '▁0>'\]"):
        tok.add_pieces(["<new 0>"])
    with pytest.raises(spm_lite.OptionError, match="write '▁dog'"):
        tok.add_pieces([" dog"])
    assert tok.add_pieces(["▁dog"]).encode("a dog")[1] == len(tok)


def test_byte_level_pieces_may_have_spaces():
    tok = model("byte_bpe")
    assert len(tok) in tok.add_pieces(["<new 0>"]).encode("a <new 0> b")
    with pytest.raises(OptionError, match="write ' dog'"):
        tok.add_pieces(["\u2581dog"])
    assert len(tok) in tok.add_pieces([" dog"]).encode("a dog b")


@pytest.mark.parametrize("kind", ["unigram", "word", "byte_bpe"])
def test_control_pieces_may_have_spaces(kind):
    tok = model(kind).add_pieces(["<a b>"], control=True)
    assert tok.piece_type(len(tok) - 1) == "control"


def test_without_spaces():
    tok = model("unigram")
    assert len(tok) in tok.add_pieces(["<new>"]).encode("a <new> b")


@pytest.mark.parametrize("model_type", ["bpe", "byte_bpe"])
@pytest.mark.parametrize(
    "options",
    [{}, {"treat_whitespace_as_suffix": True}, {"control_symbols": ["<x>"], "user_defined_symbols": ["mill"]},
     {"split_digits": True}],
)  # fmt: skip
def test_the_bytes_of_a_smaller_training(model_type, options):
    large = spm_lite.train(LINES, vocab_size=400, model_type=model_type, hard_vocab_limit=False, **options)
    for size in range(300, len(large) + 1, 25):
        small = spm_lite.train(LINES, vocab_size=size, model_type=model_type, hard_vocab_limit=False, **options)
        assert large.with_vocab_size(size).to_bytes() == small.to_bytes()


def test_symbols_that_are_found_before_a_text_is_cut_move_too():
    options = {"model_type": "byte_bpe", "split_pattern": "llama3", "hard_vocab_limit": False}
    options |= {"user_defined_symbols": ["mill", "<sep>"], "control_symbols": ["<x>"]}
    large = spm_lite.train(LINES, vocab_size=400, **options)
    for size in range(270, len(large) + 1, 25):
        small = large.with_vocab_size(size)
        assert small.to_bytes() == spm_lite.train(LINES, vocab_size=size, **options).to_bytes()
        assert small.pieces("a<sep>mill") == ["a", "<sep>", "mill"]


def test_limits():
    tok = spm_lite.train(LINES, vocab_size=320, model_type="bpe")
    assert tok.with_vocab_size(320) == tok
    for size in (321, 10, -1):
        with pytest.raises(OptionError, match="can have") as caught:
            tok.with_vocab_size(size)
        assert len(tok.with_vocab_size(**caught.value.remedies[0]))
    with pytest.raises(ArgumentTypeError):
        tok.with_vocab_size("300")
    with pytest.raises(OptionError, match="no merges to leave out"):
        spm_lite.train(LINES, vocab_size=320).with_vocab_size(300)


def test_a_real_model(shared_data):
    tok = spm_lite.Tokenizer.load(shared_data / "models" / "llama2.model")
    small = tok.with_vocab_size(20_000)
    assert len(small) == 20_000
    assert small.decode(small.encode("Ein Text, 日本語")) == "Ein Text, 日本語"
    assert {small.id_to_piece(i) for i in range(20_000)} < {tok.id_to_piece(i) for i in range(32_000)}
