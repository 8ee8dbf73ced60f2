"""Random sequences of extend, add_pieces, restrict, with_vocab_size and save keep the laws of vocabularies."""

import random
from functools import cache
from itertools import pairwise

import pytest
from oracle.slow import slow_after

import spm_lite
from spm_lite.errors import OptionError, TrainingError
from spm_lite.kinds import NORMAL
from spm_lite.tokenizer.lone_pieces import LonePieces

sentencepiece = pytest.importorskip("sentencepiece")

BLOCK = 10  # sequences of one test
OLD_WORDS = ["the", "cat", "hats", "sat", "12", "on", "at", "é", "a\u2581b", "cafe\u0301"]
NEW_WORDS = [
    "кот", "шляпа", "на", "дело", "2024", "cats", "ไทย", "ภาษา", "日本", "日本語", "e\u0301", "👩\u200d🚀", "\u2581x",
    "  ", "a\0b", "กำ", "ﬁn", "Ⅳ",
]  # fmt: skip
HARD = [
    "", " ", "  a  ", "\u2581x", "x\u2581", "\u2581\u2581", "a\0b", "ไทยไทย the", "e\u0301\u0301", "👩\u200d🚀👩",
    "\u200b日本語", "\u3000a", "ﬁnⅣ", "\t\n", "<s>", "<0x41>", "</s>кот", "<unk>", "<a><a>", "\U0010ffff", "a \u0301b",
]  # fmt: skip
ILL_FORMED = [b"\xff", b"a\xe2\x96", b"\xe0\xb8", b"\xed\xa0\x80", b"\xf4\x90\x80\x80 the", b"\xc3 \xa9"]
ADDED = [
    "\u2581quokka", "\u2581the", "\u2581\u2581", "a\u2581", "\u2581a", "a\u2581b", "\u2581e\u0301", "\u0301\u2581",
    "日本", "x", "кот", "themill", "<a>", "👩", "ไท", "\u200d", " the",
]  # fmt: skip
REFUSED = ("char", "word", "wordpiece")
MODELS = {
    "bpe": {"model_type": "bpe", "vocab_size": 300},
    "few": {"model_type": "bpe", "vocab_size": 40, "byte_fallback": False},
    "nfkc": {"model_type": "bpe", "vocab_size": 90, "byte_fallback": False, "normalization": "nmt_nfkc"},
    "suffix": {
        "model_type": "bpe", "vocab_size": 300, "treat_whitespace_as_suffix": True, "split_digits": True,
        "lossless": False,
    },
    "sentences": {"model_type": "bpe", "vocab_size": 330, "split_by_whitespace": False},
    "symbols": {
        "model_type": "bpe", "vocab_size": 310, "user_defined_symbols": ["кот", "<a>"], "control_symbols": ["на"],
    },
    "bytes": {"model_type": "byte_bpe", "vocab_size": 300, "user_defined_symbols": ["<a>", "ไท"]},
    "gpt2": {"model_type": "byte_bpe", "vocab_size": 290, "split_pattern": "gpt2"},
    "regex": {"model_type": "byte_bpe", "vocab_size": 290, "split_pattern": r"\p{L}+| ?[^\p{L}]+"},
    "unigram": {"model_type": "unigram", "vocab_size": 300, "user_defined_symbols": ["кот", "<a>"]},
    "unigram_few": {"model_type": "unigram", "vocab_size": 60, "byte_fallback": False},
    "unigram_nfkc": {"model_type": "unigram", "vocab_size": 60, "byte_fallback": False, "normalization": "nfkc_rules"},
    **{kind: {"model_type": kind, "vocab_size": 300} for kind in REFUSED},
}  # fmt: skip


def lines(rng, words, n):
    return [" ".join(rng.choices(words, k=6)) for _ in range(n)]


OLD = lines(random.Random(7), OLD_WORDS, 90)
MIXED = lines(random.Random(8), OLD_WORDS + NEW_WORDS, 90)


@cache
def model(name):
    return spm_lite.train([*OLD, "<a> <a>"], hard_vocab_limit=False, **MODELS[name])


def pieces_of(tok):
    vocab = tok._file.vocab
    return [(vocab.text(i), vocab.type(i)) for i in range(len(vocab))]


def check_laws(tok, texts):
    """Whatever was done: the file gives the same model, nothing is lost, and sentencepiece gives the same ids."""
    again = spm_lite.load(tok.to_bytes())
    assert again.to_bytes() == tok.to_bytes()
    assert again.encode_lists(texts) == tok.encode_lists(texts)
    for text in [*texts, *ILL_FORMED]:
        ids = tok.encode(text)
        if tok.info.is_lossless and isinstance(text, str):
            assert tok.decode(ids) == text
        elif tok.info.is_lossless:
            assert tok.decode_bytes(ids) == text
    if not tok._file.has_own_pieces:
        other = sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes())
        # sentencepiece takes a literal U+2581 for a space, and drops U+0000
        texts = [text for text in texts if "\u2581" not in text and "\0" not in text]
        assert [other.encode(text) for text in texts] == tok.encode_lists(texts)


def check_extension(tok, extended, texts):
    """Old pieces stay, each new one is one id, and a text without a new piece keeps its ids."""
    made, change = extended.tokenizer, extended.map
    old, new = pieces_of(tok), [made._file.vocab.text(i) for i in extended.map.grown]
    assert pieces_of(made)[: len(old)] == old
    assert len({text for text, _ in old} | {*new}) == len({text for text, _ in old}) + len(new)
    lone = LonePieces(made)
    assert [lone.ids(text) for text in new] == [[i] for i in change.grown]
    for text in texts:
        normalized = text if tok._file.vocab.is_bytes else tok.normalize(text)
        if not any(piece in normalized.encode() for piece in new):
            assert made.encode(text) == tok.encode(text), text
    assert spm_lite.VocabMap.from_json(change.to_json()) == change
    rows = change.rows("overlap", pad_to_multiple_of=8)
    assert len(rows.indptr) % 8 == 1
    ends = rows.indptr.tolist()
    sums = [rows.weights[begin:end].sum() for begin, end in pairwise(ends)]
    assert sums == pytest.approx([1.0] * change.n_new + [0.0] * (len(sums) - change.n_new))


def extend(tok, rng, texts):
    """The extended tokenizer; `tok` if the text has no new pieces, or the model is refused by name."""
    options = {
        "only": rng.choice([None, "all", "all", "new", "Thai", ["Cyrillic", "Han"]]),
        "min_count": rng.choice([1, 2, 5]),
        "max_length": rng.choice([None, 1, 2, 8]),
        "coverage": rng.choice([0.98, 0.9995, 1.0]),
        "n_new": rng.choice([1, 2, 5, 20, 60]),
    }
    if rng.random() < 0.2 and tok.model_type != "unigram":
        options["protect"] = rng.choice([OLD[:30], MIXED[:20], HARD])
    source = rng.sample(MIXED + OLD, rng.choice([1, 5, 60, 120]))
    try:
        extended = tok.extend(source, **options)
    except TrainingError as error:
        if not error.remedies:
            return tok
        options |= error.remedies[0]
        extended = tok.extend(source, **options)
    except OptionError as error:
        assert tok.model_type in str(error) if tok.model_type in REFUSED else "letters of all scripts" in str(error)
        return tok
    assert tok.model_type not in REFUSED
    check_extension(tok, extended, texts)
    if "protect" in options:
        assert extended.tokenizer.encode_lists(options["protect"]) == tok.encode_lists(options["protect"])
    again = tok.extend(source[::-1], **options, num_threads=rng.choice([1, 3]))
    assert again.tokenizer.to_bytes() == extended.tokenizer.to_bytes()
    return extended.tokenizer


def changed(tok, rng, texts):
    """The tokenizer after one random operation; `tok` if it cannot have it."""
    action = rng.choice(["extend", "extend", "add", "control", "restrict", "size"])
    if action == "extend":
        return extend(tok, rng, texts)
    plain = [text.decode("utf-8", "surrogateescape") for text, kind in pieces_of(tok) if kind == NORMAL]
    try:
        if action == "restrict":
            made = tok.restrict(rng.sample(plain, len(plain) * 2 // 3))
        elif action == "size":
            return tok.with_vocab_size(tok.vocab_size - rng.choice([0, 1, 5, 30]))
        else:
            made = tok.add_pieces(rng.sample(ADDED, 3), control=action == "control")
    except OptionError:
        return tok
    assert [text for text, _ in pieces_of(made)][: tok.vocab_size] == [text for text, _ in pieces_of(tok)]
    if action == "control":
        assert made.encode_lists(texts) == tok.encode_lists(texts)
    return made


@pytest.mark.parametrize("block", slow_after(2, range(200)))
def test_sequences(block) -> None:
    for seed in range(block * BLOCK, block * BLOCK + BLOCK):
        rng = random.Random(seed)
        tok = model(rng.choice([*MODELS]))
        is_lossless = tok.info.is_lossless
        for _ in range(rng.randrange(1, 6)):
            texts = [*HARD, *lines(rng, OLD_WORDS + NEW_WORDS, 5), "".join(rng.choices(OLD_WORDS + NEW_WORDS, k=30))]
            tok = changed(tok, rng, texts)
            assert tok.info.is_lossless == is_lossless
            check_laws(tok, texts)
