"""Spans of given ids: against the naive twin, against sentencepiece, and what holds for every model."""

import random

import numpy as np
import pytest
import sentencepiece
from oracle import native
from oracle.decoding import after_rules, owners, spans_of
from oracle.normalizer import Normalizer as NaiveNormalizer
from oracle.random_models import TYPES, WELL_FORMED, random_model, random_pieces, random_tokenizer
from oracle.segmentation import BYTE, CONTROL, NORMAL, UNKNOWN
from oracle.slow import slow_after

import spm_lite
from spm_lite import ArgumentTypeError, Batch, IdError, OptionError, Tokenizer
from spm_lite.decode.decoded_spans import decoded_spans
from spm_lite.decode.decoder import Decoder
from spm_lite.normalize.normalizer import Normalizer
from spm_lite.normalize.rules.charsmap import Charsmap
from spm_lite.normalize.rules.named_rules import compile_rules

UNITS = ["byte", "char", "utf16"]
MODELS = ["t5_base.model", "llama2.model", "albert_30k.model", "google_test_ja_model.model", "jamo_ko_50k.model"]
START = [(b"<unk>", 0.0, UNKNOWN), (b"<s>", 0.0, CONTROL)]
BYTES = [(b"<0x%02X>" % byte, 0.0, BYTE) for byte in range(256)]


def in_unit(text: str, unit: str) -> str | bytes:
    """A text whose items are the units; two bytes are one unit of UTF-16."""
    return text if unit == "char" else text.encode("utf-8" if unit == "byte" else "utf-16-le")


def check(tok, ids, prefix_space=None):
    """The spans cover the text in order, in every unit; those of a beginning of the ids never hold more."""
    text = tok.decode(ids, prefix_space=prefix_space)
    for unit in UNITS:
        spans = tok.decode_spans(ids, unit=unit, prefix_space=prefix_space)
        whole, width = in_unit(text, unit), 2 if unit == "utf16" else 1
        assert len(spans) == len(ids)
        places = [place for span in spans for place in span]
        if ids:
            assert (places[0], places[-1]) == (0, len(whole) // width)
            assert places == sorted(places)
            assert places[1:-1:2] == places[2::2]
        parts = [whole[width * begin : width * end] for begin, end in spans]
        assert whole[:0].join(parts) == whole
        if unit != "byte":  # no span cuts a character
            decoded = [part if isinstance(part, str) else part.decode("utf-16-le") for part in parts]
            assert "".join(decoded) == text
    assert tok.decode_spans(ids, prefix_space=prefix_space) == tok.decode_spans(
        ids, unit="char", prefix_space=prefix_space
    )


def random_ids(rng, pieces):
    """Ids that no encoder would give: many of each kind, bytes in runs."""
    of_bytes = [i for i, (_, _, kind) in enumerate(pieces) if kind == BYTE]
    others = [i for i, (_, _, kind) in enumerate(pieces) if kind != BYTE]
    ids = []
    for _ in range(rng.randrange(9)):
        if of_bytes and rng.random() < 0.3:
            text = rng.choice(["é", "漢", "🤗"]).encode()
            run = text[rng.randrange(2) : rng.randrange(1, len(text) + 1)] + bytes(rng.choices(range(256), k=1))
            ids += [of_bytes[byte] for byte in run]
        else:
            ids.append(rng.choice(others))
    return ids


@pytest.mark.parametrize("has_rules", [False, True])
@pytest.mark.parametrize("seed", slow_after(40, range(60)))
def test_equals_twin(seed, has_rules):
    rng = random.Random(seed)
    byte_fallback = rng.random() < 0.6
    dummy, remove = rng.random() < 0.5, rng.random() < 0.5
    surface = rng.choice([" \u2047 ".encode(), b"", b"\xe3\x81"])
    pieces = random_pieces(rng, byte_fallback, ill_formed=rng.random() < 0.5)
    rules, denormalizer = {}, None
    if has_rules:
        units = [*WELL_FORMED[:-2], " ", "🤗"]
        rules = {
            "".join(rng.choices(units, k=rng.randrange(1, 4))): "".join(rng.choices(units, k=rng.randrange(4)))
            for _ in range(rng.randrange(1, 9))
        }
        rules = {source: target for source, target in rules.items() if source != target} or {"a": "b"}
        denormalizer = Normalizer(Charsmap(compile_rules(rules)), False, False, False)
    decoder = Decoder(native.build_vocab(pieces, "unigram", byte_fallback), dummy, remove, surface, denormalizer)
    naive = NaiveNormalizer({source.encode(): target.encode() for source, target in rules.items()})
    for _ in range(40):
        ids = random_ids(rng, pieces)
        found = owners(pieces, ids, dummy, remove, surface)
        if has_rules:
            found = after_rules(found, naive)
        assert b"".join(byte for byte, _ in found).decode("utf-8", "replace") == decoder.decode(ids)
        for number, unit in enumerate(UNITS):
            assert decoded_spans(decoder, ids, number) == spans_of(found, len(ids), unit), (ids, unit)


@pytest.mark.parametrize("seed", range(120))
def test_any_model(seed):
    """Also denormalizers that add and remove spaces, and odd names of special pieces."""
    rng = random.Random(seed)
    tok = random_tokenizer(rng, TYPES[seed % 4])
    lists = [[rng.randrange(tok.vocab_size) for _ in range(rng.randrange(12))] for _ in range(12)]
    for ids in lists:
        for prefix_space in (None, True, False):
            check(tok, ids, prefix_space)
    for unit in UNITS:
        texts, rows = tok.decode_spans_batch(lists, unit=unit, num_threads=1 + seed % 3)
        assert texts == tok.decode_batch(lists)
        assert rows.tolist() == [list(span) for ids in lists for span in tok.decode_spans(ids, unit=unit)]


@pytest.mark.parametrize("seed", range(80))
def test_equals_sentencepiece(seed):
    """Where the original gives offsets in the text: in models without denormalizer, whose pieces are UTF-8."""
    rng = random.Random(seed)
    while True:
        data = random_model(rng, TYPES[seed % 4])
        try:
            tok = Tokenizer.load(data)
            ref = sentencepiece.SentencePieceProcessor(model_proto=data)
        except (spm_lite.ModelError, RuntimeError):
            continue
        if tok._decoder.denormalizer is None and tok._file.vocab.is_well_formed:
            break
    check_against(tok, ref, rng, 60)


def check_against(tok, ref, rng, n_lists):
    for _ in range(n_lists):
        ids = [rng.randrange(tok.vocab_size) for _ in range(rng.randrange(10))]
        told = ref.decode(ids, return_type="proto")
        if told.text != tok.decode(ids):  # a difference of the original between its own two kinds of output
            continue
        assert tok.decode_spans(ids, unit="byte") == [(piece.begin, piece.end) for piece in told.pieces]
        mapping = ref.decode(ids, return_type="offset_mapping")
        assert tok.decode_spans(ids) == [tuple(span) for span in mapping["offsets"]]


@pytest.mark.parametrize("name", MODELS)
def test_real_models(name, shared_data):
    data = (shared_data / "models" / name).read_bytes()
    tok, ref = Tokenizer.load(data), sentencepiece.SentencePieceProcessor(model_proto=data)
    rng = random.Random(name)
    check_against(tok, ref, rng, 300)
    for text in ("", " ", "two  words", "日本 🤗 e\u0301", "\u2581a"):
        check(tok, tok.encode(text))
        check(tok, [*tok.encode(text), tok.unk_id, *tok.encode(text)])


def make(pieces, rules=None, **flags):
    denormalizer = Normalizer(Charsmap(compile_rules(rules)), False, False, False) if rules else None
    return Decoder(native.build_vocab([*START, *pieces], "unigram", True), False, False, b"?", denormalizer)


def plain(*texts):
    return [(text if isinstance(text, bytes) else text.encode(), 0.0, NORMAL) for text in texts]


def test_bytes_of_one_character():
    decoder = make([*BYTES, *plain("a")])
    ids = [2 + byte for byte in "🤗".encode()]
    assert decoded_spans(decoder, [258, *ids, 258], 0) == [(0, 1), (1, 1), (1, 1), (1, 1), (1, 5), (5, 6)]
    # A run that a control piece or the end of the ids interrupts has no character: each byte is a U+FFFD.
    assert decoded_spans(decoder, [*ids[:2], 1, *ids[2:]], 1) == [(0, 1), (1, 2), (2, 2), (2, 3), (3, 4)]
    assert decoded_spans(decoder, [0, 1, 258], 1) == [(0, 1), (1, 1), (1, 2)]


def test_rule_that_reads_several_pieces():
    decoder = make([*plain("a", "b", "ab", "c"), *BYTES], {"abc": "X", "cc": "", "ca": "🤗🤗"})
    a, b, ab, c = 2, 3, 4, 5
    assert decoded_spans(decoder, [a, b, c], 1) == [(0, 0), (0, 0), (0, 1)]
    assert decoded_spans(decoder, [ab, c, b], 1) == [(0, 0), (0, 1), (1, 2)]
    assert decoded_spans(decoder, [a, c, c, b], 1) == [(0, 1), (1, 1), (1, 1), (1, 2)]
    assert decoded_spans(decoder, [b, c, ab], 2) == [(0, 1), (1, 1), (1, 6)]


def test_pieces_that_are_no_text_alone():
    decoder = make([*plain(b"\xe6\xbc", b"\xa2", b"\xff", b"\xf0\x9f", b"a"), *BYTES])
    cut, rest, bad, start, a = range(2, 7)
    assert decoder.decode([cut, rest, cut, a]) == "漢\ufffda"
    assert decoded_spans(decoder, [cut, rest, cut, a], 1) == [(0, 0), (0, 1), (1, 2), (2, 3)]
    assert decoded_spans(decoder, [cut, bad, start], 0) == [(0, 3), (3, 6), (6, 9)]


@pytest.fixture(scope="module")
def tok():
    return spm_lite.train(["the mill turns all day"] * 9, vocab_size=300, hard_vocab_limit=False)


def test_batches(tok):
    lists = [tok.encode("the mill ☃"), [], [3, 4] * 9000, [tok.unk_id]]
    expected = [list(span) for ids in lists for span in tok.decode_spans(ids)]
    for batch in (lists, iter(lists), Batch.from_lists(lists), [np.array(ids, dtype=np.uint16) for ids in lists]):
        texts, rows = tok.decode_spans_batch(batch)
        assert texts == tok.decode_batch(lists)
        assert rows.dtype == np.int32
        assert rows.tolist() == expected
    whole = Batch.from_lists(lists)
    part = Batch(whole.ids, whole.offsets[1:3])  # ids of no text have the span (0, 0)
    texts, rows = tok.decode_spans_batch(part)
    assert texts == tok.decode_batch(lists)[1:2]
    assert rows[: part.offsets[0]].tolist() == [[0, 0]] * int(part.offsets[0])
    texts, rows = tok.decode_spans_batch([])
    assert (texts, rows.shape, rows.dtype) == ([], (0, 2), np.int32)


def test_spans_of_encoded_text_are_the_same(tok):
    """In a model without rules the spans of a text are those of its ids."""
    for text in ("the mill turns", "  day 🤗é", "\ufeffx\u00a0y"):
        for unit in UNITS:
            assert tok.decode_spans(tok.encode(text), unit=unit) == tok.spans(text, unit=unit)


def test_bad_arguments(tok):
    for unit in ("bytes", "", 1, True, b"char", []):
        with pytest.raises(OptionError, match="unit"):
            tok.decode_spans([1], unit=unit)
        with pytest.raises(OptionError, match="unit"):
            tok.decode_spans_batch([[1]], unit=unit)
    for ids, error, words in (
        ([0, tok.vocab_size], IdError, "at position 1 is outside"),
        ([-1], IdError, "id -1"),
        (["a"], ArgumentTypeError, "position 0 is str"),
        ("ab", ArgumentTypeError, "ids is str"),
        (None, ArgumentTypeError, "NoneType"),
        ([True], ArgumentTypeError, "bool"),
    ):
        with pytest.raises(error, match=words):
            tok.decode_spans(ids)
        with pytest.raises(error):
            tok.decode_spans_batch([[0], ids])
    with pytest.raises(IdError, match="of text 1"):
        tok.decode_spans_batch([[0], [tok.vocab_size]])
    for batch in ("ab", b"ab", 3, None):
        with pytest.raises(ArgumentTypeError, match="batch"):
            tok.decode_spans_batch(batch)
    with pytest.raises(ArgumentTypeError, match="prefix_space"):
        tok.decode_spans([1], prefix_space="no")
