"""The whole face of a byte-level BPE model: nothing is lost, whatever the bytes; what makes no sense is refused."""

import random
import subprocess
import sys
import textwrap
from itertools import pairwise

import pytest
from oracle import byte_bpe
from oracle.slow import slow_after

import spm_lite
from spm_lite.errors import ModelError, OptionError

BITS = [
    " ",
    "  ",
    "\u2581",
    "the",
    "a",
    "e\u0301",
    "日本",
    "語",
    "🌍",
    "👨\u200d👩\u200d👧",
    "ไทย",
    "\0",
    "\n",
    "\t",
    "한국",
]
BITS += ["<user>", "</s>", "é"]


def corpus():
    rng = random.Random(11)
    return ["".join(rng.choices([*BITS[:-3], "ing ", "word", " cat"], k=20)) for _ in range(800)]


@pytest.fixture(scope="module")
def tok():
    return spm_lite.train(
        corpus(), model_type="byte_bpe", vocab_size=1200, user_defined_symbols=["<user>"], split_by_unicode_script=False
    )


def pieces_of(tok):
    return [tok.token_bytes(i) for i in range(len(tok)) if tok.piece_type(i) == "normal"]


def odd_texts(n, seed):
    rng = random.Random(seed)
    for _ in range(n):
        data = bytearray("".join(rng.choices(BITS, k=rng.randrange(13))).encode())
        for _ in range(rng.choice([0, 0, 1, 3]) if data else 0):
            data[rng.randrange(len(data))] = rng.randrange(256)
        yield bytes(data)


def test_ids(tok):
    pieces, symbol = pieces_of(tok), tok.piece_to_id("<user>")
    for data in odd_texts(1500, 1):
        expected = []
        for number, part in enumerate(data.split(b"<user>")):
            expected += [symbol] * (number > 0) + byte_bpe.encode(part, pieces)
        assert tok.encode(data) == expected, data
        assert tok.decode_bytes(expected) == data
        assert tok.count(data) == len(expected)


def test_layout(tok):
    assert [tok.token_bytes(i) for i in range(256)] == [bytes([byte]) for byte in range(256)]
    assert (tok.unk_id, tok.bos_id, tok.eos_id, tok.pad_id) == (-1, 1197, 1198, -1)
    assert tok.piece_to_id("<user>") == 1199
    assert tok.info.is_lossless
    assert (tok.model_type, len(tok)) == ("byte_bpe", 1200)
    for piece_id in range(1200):
        assert tok.piece_to_id(tok.id_to_piece(piece_id)) == piece_id
    assert tok.piece_to_id("no such piece") == -1
    assert tok.normalize(" a\u2581 b") == " a\u2581 b"


def test_views_of_a_text(tok):
    for data in odd_texts(400, 2):
        try:
            text = data.decode()
        except UnicodeDecodeError:
            continue
        ids = tok.encode(text)
        assert tok.decode(ids) == text
        spans = tok.spans(text)
        assert tok.decode_spans(ids) == spans
        assert all(a[1] == b[0] for a, b in pairwise(spans))
        assert not text or (spans[0][0], spans[-1][1]) == (0, len(text))
        assert "".join(tok.pieces(text)).encode("utf-8", "surrogateescape") == data
        assert next(found.ids for found in tok.nbest(text, 1)) == ids
        assert all(tok.decode(found.ids) == text for found in tok.nbest(text, 4))
        assert tok.decode(tok.sample(text, alpha=0.4, seed=3)) == text
        assert tok.decode(tok.sample(text, dropout=0.3, seed=3)) == text


def test_any_ids_decode_alike(tok):
    rng = random.Random(5)
    for _ in range(1500):
        ids = [rng.randrange(len(tok)) for _ in range(rng.randrange(9))]
        text = tok.decode(ids)
        stream = tok.stream()
        assert "".join(map(stream.push, ids)) + stream.flush() == text
        stream = tok.stream(as_bytes=True)
        assert b"".join(map(stream.push, ids)) + stream.flush() == tok.decode_bytes(ids)
        spans = tok.decode_spans(ids)
        assert (spans[-1][1] if spans else 0) == len(text)
        assert tok.decode_batch([ids, ids], num_threads=2) == [text, text]


def test_every_character(tok):
    """All 1,112,064 scalar values, in blocks."""
    for begin in range(0, 0x110000, 0x1000):
        text = (
            "".join(map(chr, range(begin, begin + 0x1000)))
            if not 0xD000 <= begin < 0xE000
            else "".join(chr(code) for code in range(begin, begin + 0x1000) if not 0xD800 <= code < 0xE000)
        )
        assert tok.decode(tok.encode(text)) == text


@pytest.mark.parametrize("seed", slow_after(2, range(50)))
def test_random_bytes(tok, seed):
    rng = random.Random(seed)
    data = [rng.randbytes(rng.randrange(12)) for _ in range(20_000)]
    batch = tok.encode_batch(data, num_threads=2)
    assert [tok.decode_bytes(ids) for ids in batch.to_lists()] == data


def test_threads_parts_and_limits(tok):
    text = "".join(corpus() * 12)
    ids = tok.encode(text)
    assert tok.decode(ids) == text
    assert tok.encode_batch([text, text[:9], text], num_threads=2).to_lists() == [ids, tok.encode(text[:9]), ids]
    assert tok.count(text) == len(ids)
    short = tok.truncate(text, 50)
    assert text.startswith(short)
    assert tok.count(short) <= 50 < tok.count(text[: len(short) + 9])
    assert "".join(text[begin:end] for begin, end in tok.chunks(text[:3000], 100)) == text[:3000]


def test_adversarial(tok):
    for text in ("a" * 300_000, " " * 300_000, "ab" * 150_000, "\0" * 200_000, "日" * 100_000):
        assert tok.decode(tok.encode(text)) == text


def test_saved_and_loaded(tok, tmp_path):
    tok.save(tmp_path / "b.model", vocab=True)
    again = spm_lite.Tokenizer.load(tmp_path / "b.model")
    assert again == tok
    assert again.encode("the 日本") == tok.encode("the 日本")
    listed = spm_lite.read_vocab(tmp_path / "b.vocab")
    assert [piece for piece, _ in listed] == [tok.id_to_piece(i) for i in range(len(tok))]


def test_what_makes_no_sense_is_refused(tok):
    with pytest.raises(OptionError, match="prefix_space=True"):
        tok.encode("a", prefix_space=True)
    with pytest.raises(OptionError, match="prefix_space=True"):
        tok.decode([1], prefix_space=True)
    assert tok.encode("a", prefix_space=False) == tok.encode("a")
    with pytest.raises(RuntimeError, match="unk is not defined"):
        spm_lite.SentencePieceProcessor(model_proto=tok.to_bytes())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vocab_size": 200}, "256 bytes"),
        ({"unk_id": 0}, "unk_id=0 has no meaning"),
        ({"byte_fallback": True}, "byte_fallback=True has no meaning"),
        ({"character_coverage": 0.99}, "character_coverage=0.99 has no meaning"),
        ({"normalization": "nfkc"}, "normalization='nfkc' has no meaning"),
        ({"denormalization": [("a", "b")]}, "denormalization=.* has no meaning"),
        ({"add_dummy_prefix": True}, "add_dummy_prefix=True has no meaning"),
        ({"lossless": False}, "nothing is ever lost"),
        ({"lossless": "strict"}, "nothing is ever lost"),
        ({"bos_id": 3}, "cannot be chosen"),
        ({"control_symbols": ["a"]}, "is a byte piece"),
        ({"reference_rules": True}, "reference_rules=True has no meaning"),
        ({"vocab_size": "all"}, "vocab_size='all'"),
        ({"vocab_size": 100_000}, "too high"),
    ],
)
def test_options_without_meaning(options, message):
    with pytest.raises((OptionError, spm_lite.TrainingError), match=message):
        spm_lite.train(["ab ab"] * 9, model_type="byte_bpe", **{"vocab_size": 260, **options})


def damaged(change):
    from spm_lite.vocab.messages import extension_of, message_class

    message = message_class("ModelProto").FromString(
        spm_lite.train(["ab ab"] * 9, model_type="byte_bpe", vocab_size=260).to_bytes()
    )
    change(message, extension_of(message))
    return message.SerializeToString()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda message, own: own.pieces.__delitem__(65), "byte 0x41"),
        (lambda message, own: setattr(own.pieces[256], "type", 6), "type 6 has no meaning"),
        (lambda message, own: setattr(own.pieces[256], "type", 2), "type 2 has no meaning"),
        (lambda message, own: setattr(own.pieces[256], "piece", b"a"), "already defined"),
        (lambda message, own: setattr(own.pieces[256], "piece", b""), "empty"),
        (lambda message, own: setattr(own.pieces[256], "score", float("nan")), "NaN"),
        (lambda message, own: setattr(own, "format_version", 1), "format version 2"),
        (lambda message, own: setattr(own, "format_version", 5), "format version 5 > 4"),
        (lambda message, own: setattr(own, "family", 0), "names no family"),
        (lambda message, own: setattr(own, "lossless", False), "lossless"),
        (lambda message, own: setattr(message.normalizer_spec, "add_dummy_prefix", True), "add_dummy_prefix"),
        (lambda message, own: message.pieces.add(piece="x"), "are elsewhere"),
    ],
)
def test_damaged_models(change, reason):
    with pytest.raises(ModelError, match=reason):
        spm_lite.Tokenizer.load(damaged(change))


LOADERS = {
    "sentencepiece": "import sentencepiece; sentencepiece.SentencePieceProcessor(model_file={path!r})",
    "gigatoken": "import gigatoken; gigatoken.Tokenizer.from_sentencepiece({path!r})",
    "kitoken": "import kitoken; kitoken.Kitoken.from_sentencepiece_file({path!r})",
}


@pytest.mark.parametrize("name", LOADERS)
def test_others_refuse_the_file(tok, tmp_path, name):
    pytest.importorskip(name)
    path = tmp_path / "b.model"
    tok.save(path)
    program = textwrap.dedent(LOADERS[name]).format(path=str(path)) + "; print('loaded')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode != 0
    assert "loaded" not in done.stdout
