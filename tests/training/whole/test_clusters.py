"""`graphemes`: each learned piece occurs in place, in every type of model; and what the option leaves alone."""

import random
from collections import Counter

import pytest
from oracle import graphemes

import spm_lite

WORDS = [
    "नमक", "नमकीन", "क्या", "ज्ञान", "क्षत्रिय", "हिन्दी", "কাজ", "স্ত্রী", "தமிழ்", "கொடி", "กิน", "น้ำ", "ก็",
    "ខ្មែរ", "မြန်မာ", "e\u0301te\u0301", "a\u0323\u0302b", "🇩🇪🇫🇷", "🇩🇪", "👩\u200d👩\u200d👧", "👍🏽👍",
    "❤\ufe0f", "한글", "\u1112\u1161\u11ab", "ab", "the",
]  # fmt: skip
TYPES = ["bpe", "byte_bpe", "unigram", "wordpiece"]
RULES = {"min_count": 2, "character_coverage": 1.0}


def texts_of(seed=1, n=150):
    rng = random.Random(seed)
    return [rng.choice(["", " "]).join(rng.choices(WORDS, k=rng.randrange(1, 9))) for _ in range(n)]


def train(texts, model_type, **options):
    rules = {name: value for name, value in RULES.items() if model_type != "byte_bpe" or name == "min_count"}
    given = {"vocab_size": 700, "hard_vocab_limit": False, **rules, **options}
    return spm_lite.train(texts=texts, model_type=model_type, **given)


def learned(tok, model_type):
    """The text of each piece of several characters, or bytes."""
    pieces = [tok.id_to_piece(i) for i in range(len(tok)) if tok.piece_type(i) == "normal"]
    if model_type == "byte_bpe":
        return [data for piece in pieces if len(data := piece.encode("utf-8", "surrogateescape")) > 1]
    return [text for piece in pieces if len(text := piece.removeprefix("##")) > 1]


def counted_in_place(table, model_type):
    """How often each string of the chunks occurs in place."""
    found = Counter()
    for text, count in table:
        data = text.encode("utf-8", "surrogateescape") if model_type == "byte_bpe" else text
        bounds = graphemes.byte_begins(data) if model_type == "byte_bpe" else {*graphemes.begins(text)}
        for begin in range(len(data)):
            for end in range(begin + 2, min(begin + 64, len(data)) + 1):
                if graphemes.is_in_place(bounds, begin, end):
                    found[data[begin:end]] += count
    return found


@pytest.mark.parametrize("model_type", TYPES)
@pytest.mark.parametrize("options", [{}, {"split_by_whitespace": False}, {"seed_source": "substrings"}], ids=str)
def test_pieces_occur_in_place(model_type, options):
    if options and (model_type == "wordpiece" or ("seed_source" in options and model_type != "unigram")):
        pytest.skip("no such option")
    texts = texts_of()
    rules = {name: value for name, value in options.items() if name != "seed_source"}
    found = counted_in_place(spm_lite.CountTable.count(texts=texts, model_type=model_type, **rules), model_type)
    tok = train(texts, model_type, graphemes=True, **options)
    pieces = learned(tok, model_type)
    assert len(pieces) > 50 and all(found[piece] >= 2 for piece in pieces)
    if model_type != "unigram":  # it drops pieces that few texts need
        plain = learned(train(texts, model_type, **options), model_type)
        assert not all(found[piece] for piece in plain)  # the option does something here
    for text in [*texts, "नमकीय ขี้", "🇫🇷🇩🇪🇩", "👩\u200d👩", "\u0301\u094d"]:
        if model_type != "wordpiece":
            assert tok.decode(tok.encode(text)) == text


@pytest.mark.parametrize("model_type", TYPES)
def test_threads_and_tables_give_the_same_bytes(model_type):
    texts = texts_of(2)
    tok = train(texts, model_type, graphemes=True, num_threads=1)
    table = spm_lite.CountTable.count(texts=texts, model_type=model_type)
    assert train(texts, model_type, graphemes=True, num_threads=5) == tok
    given = {"vocab_size": 700, "hard_vocab_limit": False, "graphemes": True, "min_count": 2}
    coverage = {} if model_type == "byte_bpe" else {"character_coverage": 1.0}
    assert spm_lite.train(table, model_type=model_type, **given, **coverage) == tok


def test_a_cluster_is_learned_before_what_crosses_it():
    """In the text, a consonant is more often the first half of a cluster than a cluster."""
    texts = ["कमी", "नमी", "गमी"] * 30 + ["कम", "नम", "गम"] * 9
    rules = {"vocab_size": 266, "hard_vocab_limit": False, "add_dummy_prefix": False, "bos_id": -1, "eos_id": -1}
    plain, by_cluster = (
        spm_lite.train(texts=texts, model_type="bpe", graphemes=value, **rules) for value in (False, True)
    )
    assert by_cluster.pieces("कमी")[-1].endswith("मी")
    assert learned(by_cluster, "bpe")[0] == "मी" == learned(plain, "bpe")[0]
    assert "कम" not in learned(by_cluster, "bpe")[:3]


@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
def test_flags_are_cut_in_pairs(model_type):
    """The most frequent pair of letters is made of halves of two flags, and in place nowhere."""
    texts = ["🇩🇪🇫🇷", "🇵🇪🇫🇮", "🇾🇪🇫🇴"] * 20
    rules = {"model_type": model_type, "vocab_size": 300, "hard_vocab_limit": False, "add_dummy_prefix": False}
    plain, by_cluster = (
        learned(spm_lite.train(texts=texts, graphemes=value, **rules), model_type) for value in (False, True)
    )
    halves = "🇩🇪🇫🇷"[1:3]
    assert halves in plain or model_type == "unigram"
    assert len(by_cluster) > 2 and all(len(piece) % 2 == 0 and piece != halves for piece in by_cluster)


WRONG = [
    ({"model_type": "word"}, "words and characters are taken whole"),
    ({"model_type": "char"}, "words and characters are taken whole"),
    ({"model_type": "bpe", "reference_rules": True}, "sentencepiece knows no grapheme clusters"),
    ({"model_type": "unigram", "graphemes": 1}, "must be bool"),
]


@pytest.mark.parametrize(("options", "message"), WRONG, ids=str)
def test_wrong_options(options, message):
    given = {"vocab_size": 300, "hard_vocab_limit": False, "graphemes": True, **options}
    with pytest.raises((spm_lite.OptionError, spm_lite.ArgumentTypeError), match=message) as caught:
        spm_lite.train(["a b"] * 9, **given)
    assert caught.value.remedies
    for change in caught.value.remedies:
        assert len(spm_lite.train(["a b"] * 9, **given | change))
