"""Counting and cutting by ids: against trying every place, with real and with small random models."""

import random
import tracemalloc
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import graphemes
from oracle import limits as naive
from oracle.interrupts import count_checks
from oracle.random_byte_models import KINDS, random_file
from oracle.random_byte_models import random_text as random_runs
from oracle.random_cut_models import CUT_KINDS, cut_model, random_cut_model
from oracle.random_models import TYPES, WELL_FORMED, random_text, random_tokenizer
from oracle.slow import slow_after

import spm_lite
from spm_lite import ArgumentTypeError, ModelError, OptionError, TextError, Tokenizer
from spm_lite.tokenizer import token_limits as limits

MODELS = [
    "t5_base.model",
    "llama2.model",
    "nerdstash_bpe_65k.model",
    "llmjp_v4a_unigram_196k.model",
    "google_test_ja_model.model",
    "tfasr_vi_bpe_1k.model",
    "kerashub_word_tiny.model",
    "speechlm_char_en_de.model",
]
PROSE = 'Hello wörld, "this is text." こんにちは世界。次の文！ A second\u00a0sentence follows!  \n\n  '
PROSE += "Übermäßig ﾊﾟｲ e\u0301 👩\u200d💻 "
GRAPHEMES = "e\u0301 \r\n👩\u200d💻🇩🇪🇫🇷 क्षत्रिय한국\u1112\u1161\u11abก\u0e33❤\ufe0f\u0600a\u200d"
NASTY = [
    "a" * 50_000,
    " " * 50_000,
    "\u2581" * 5_000,
    "".join(map(chr, range(0x4E00, 0x9000))),
    "ab" * 20_000,
    "👩" * 9_000,
]


@pytest.fixture(scope="module", params=slow_after(4, MODELS))
def tok(request, shared_data):
    return Tokenizer.load((shared_data / "models" / request.param).read_bytes())


def has_unused_merges(tok):
    return tok.model_type == "bpe" and any(tok.piece_type(i) == "unused" for i in range(len(tok)))


def compare(tok, text, n):
    """`truncate` and `count_up_to` against all places; what each part of the text tells against the whole."""
    n_ids = len(tok.encode(text))
    end = naive.longest_start(tok.encode, text, n)
    assert tok.count(text, limit=n) == min(n_ids, n)
    if has_unused_merges(tok):
        assert len(tok.encode(tok.truncate(text, n))) <= n
        return
    assert tok.truncate(text, n) == text[:end]
    cutter = tok._variants.limits().cutter()
    for size in {len(text) // 3, len(text) // 2, max(len(text) - 3, 0)}:
        for boundary in range(1, len(limits.BOUNDARIES)):
            assert cutter.cut(text[:size], n, False, boundary) in (-1, cutter.cut(text, n, True, boundary))
        assert cutter.cut(text[:size], n, False, 0) in (-1, end)
        assert cutter.count_up_to(text[:size], max(n, 1), False) in (-1, min(n_ids, max(n, 1)))


@pytest.mark.parametrize("seed", slow_after(150, range(600)))
def test_random_models(seed):
    rng = random.Random(seed)
    tok = random_tokenizer(rng, TYPES[seed % 4])
    for _ in range(5):
        text = random_text(rng, rng.random() < 0.3, rng.choice([b" ", b"  ", "\u2581".encode()]))
        text *= rng.choice([1, 1, 2, 5])
        for n in {0, 1, 2, 3, rng.randrange(1, 9), rng.randrange(1, 50)}:
            compare(tok, text, n)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", slow_after(6, range(30)))
def test_random_byte_level_models(seed, kind, tmp_path):
    draw = random.Random(f"{kind} {seed}")
    for _ in range(3):
        path, units = random_file(draw, kind, tmp_path)
        tok = spm_lite.load(path)
        for _ in range(6):
            text = random_runs(draw, units)
            for n in {0, 1, 3, draw.randrange(1, 12), draw.randrange(1, 40)}:
                compare(tok, text, n)


@pytest.mark.long_input
@pytest.mark.parametrize("kind", ["scores", "whole", "lacking", "odd"])
def test_long_runs_of_byte_level_models(kind, tmp_path):
    """Work that grows with the square of a run never ends. Merges with a suffix, and rare lists, still do it."""
    draw = random.Random(f"long {kind} 0")
    path, units = random_file(draw, kind, tmp_path)
    tok = spm_lite.load(path)
    for unit in [*draw.sample(units, min(len(units), 2)), "".join(draw.choices(units, k=2)), "\u1112\u1161"]:
        text = unit * 100_000
        for n in (1, 100, 20_000):
            assert tok.count(tok.truncate(text, n)) <= n
        assert tok.count(text, limit=10**9) == tok.count(text)
        for (begin, end), _ in zip(tok.chunks(text, 100, boundary="word"), range(20), strict=False):
            assert tok.count(text[begin:end]) <= 100


OWN_PATTERNS = [r"\p{L}+|\p{N}|[^\p{L}\p{N}\s]+|\s+(?!\S)|\s+", r" ?\w+|\s*\n+(?=[\s\S])|\s+(?=\s)|[\s\S]"]


@pytest.mark.parametrize("pattern", ["gpt2", "cl100k_base", "llama3", "o200k_base", "tekken", *OWN_PATTERNS])
def test_white_space_that_a_split_pattern_cuts(pattern):
    """One match holds all line ends of its white space, so no more of the text than the limit needs is looked at."""
    tok = spm_lite.train(
        ["a \n\n\n\n  b\r\n\r\n\tc  \n \n  \n"] * 9, model_type="byte_bpe", split_pattern=pattern, vocab_size=280,
        hard_vocab_limit=False,
    )  # fmt: skip
    draw = random.Random(pattern)
    for units in (["\n"], [" ", "\n"], ["\r\n", "\t", "  "], ["\n", "\u3000", "a", "."], [" "] * 5 + ["\n"]):
        for _ in range(4):
            text = draw.choice(["", "a", ".", "!\n", " "]) + "".join(draw.choices(units, k=draw.randrange(20, 70)))
            for n in {0, 1, draw.randrange(2, 9), draw.randrange(9, 40)}:
                compare(tok, text + draw.choice(["", "a", " b", "\n"]), n)
    for text in ("\n" * 3_000_000, " \n" * 1_500_000):
        for (begin, end), _ in zip(tok.chunks(text, 200), range(500), strict=False):
            assert end - begin >= 200
        assert tok.count(tok.truncate(text, 100_000)) <= 100_000


def count_characters(monkeypatch):
    """A list that gets the length of each part of a text that is looked at from now on."""
    seen = []
    look = limits.look

    def count(cutter, method, text, *rest):
        def counted(part, *options, **named):
            seen.append(len(part))
            return method(part, *options, **named)

        return look(cutter, counted, text, *rest)

    monkeypatch.setattr(limits, "look", count)
    return seen


@pytest.mark.parametrize("text", ["\n" * 12_000, " \n" * 6_000, "a\n" + " " * 12_000])
def test_chunks_look_at_a_few_times_their_text(text, monkeypatch):
    """A match of white space may give up its last character only, so its cuts are known long before its end."""
    tok = spm_lite.train(
        ["a \n\n  b  \n \n c"] * 9, model_type="byte_bpe", split_pattern=OWN_PATTERNS[0], vocab_size=262,
        hard_vocab_limit=False,
    )  # fmt: skip
    seen = count_characters(monkeypatch)
    assert [end for _, end in tok.chunks(text, 100)][-1] == len(text)
    assert sum(seen) < 8 * len(text)


MARKS = ["\u0301", "\u0323", "\u0345", "\u0308\u0301"]


@pytest.mark.parametrize("kind", ["bpe", "unigram", "char"])
@pytest.mark.parametrize("form", ["nfc", "nfkc", "nfd"])
def test_a_run_of_marks_that_a_form_sorts(kind, form):
    """No later mark need be looked at once a prefix of the run has far more ids than the limit."""
    draw = random.Random(kind + form)
    lines = ["e" + "".join(draw.choices(MARKS, k=draw.randrange(30))) + " a" for _ in range(40)]
    tok = spm_lite.train(
        lines, model_type=kind, normalization=form, lossless=False, byte_fallback=kind != "char", vocab_size=310,
        hard_vocab_limit=False, split_by_unicode_script=False,
    )  # fmt: skip
    for marks in ([MARKS[0]], MARKS[:2], MARKS, [*MARKS, "\u0327", "\0"]):
        run = "e" + "".join(draw.choices(marks, k=500))
        text = draw.choice(["", "a ", "日 ", "é" * 300]) + run + draw.choice(["", " a", "e", "\u0323" * 9])
        for n in {0, 1, draw.randrange(2, 40), draw.randrange(40, 500)}:
            compare(tok, text, n)
    text = "e" + "\u0301\u0323\u0327" * 300_000
    for n in (1, 400):
        assert tok.count(tok.truncate(text, n)) <= n
    if kind != "char":  # there, marks without a piece are one unknown token
        for (begin, end), _ in zip(tok.chunks(text, 100), range(500), strict=False):
            assert tok.count(text[begin:end]) <= 100


@pytest.mark.parametrize(
    ("kind", "form", "fallback"), [("wordpiece", "nfc", None), ("unigram", "nfkc", False), ("bpe", "nfkc", False)]
)
def test_a_run_of_marks_that_is_one_unknown_token(kind, form, fallback):
    """Every prefix of it has one id too many: no cut is in it, and none before it is missed."""
    options = {} if fallback is None else {"byte_fallback": fallback, "lossless": False}
    tok = spm_lite.train(
        ["x y z the cat sat"] * 9, model_type=kind, normalization=form, vocab_size=60, hard_vocab_limit=False, **options
    )
    for size in (9, 90, 900, 200_000):
        text = "x y z " + "\u0302\u0327" * size
        n = tok.count(text) - 1
        assert tok.count(text[:7]) > n
        assert tok.truncate(text, n) == "x y z "
        assert next(iter(tok.chunks(text, n))) == (0, 6)


@pytest.mark.parametrize("name", ["smollm", "starcoder", "minicpm-5"])
def test_two_splits_that_cut_a_text(name, shared_data):
    """Digits are cut first, and a pattern cuts the text between two of them, however long it is."""
    tok = spm_lite.load(shared_data / "shapes" / name / "tokenizer.json")
    draw = random.Random(name)
    for _ in range(60):
        text = "".join(
            draw.choices([*"ab' .\n12", "  ", "'re", "the", "e\u0301", "日本", "👩\u200d", "\0", "\u0e01"], k=40)
        )
        for n in {0, 1, draw.randrange(2, 20), draw.randrange(20, 40)}:
            compare(tok, text, n)
    text = "A word, and another's; " * 50_000
    assert tok.count(tok.truncate(text, 200_000)) == 200_000


@pytest.mark.parametrize("rules", ["identity", "bert_cased", "bert_uncased"])
@pytest.mark.parametrize("unknown", ["word", "char"])
def test_words_too_long_for_wordpiece(rules, unknown):
    """A prefix of such a word is one unknown token, whatever its length."""
    tok = spm_lite.train(
        ["abc ab cab é日"] * 9, model_type="wordpiece", normalization=rules, max_word_length=4, vocab_size=40,
        unknown=unknown, hard_vocab_limit=False,
    )  # fmt: skip
    draw = random.Random(rules + unknown)
    for _ in range(60):
        text = "".join(draw.choices([*"abcé .x日", "e\u0301", "\0", "\u200d", "\ufffd"], k=25))
        for n in {0, 1, 2, draw.randrange(3, 20)}:
            compare(tok, text, n)
        compare(tok, text.encode() + b"\xff" + draw.choice([b"", b"ab\xe6\x97"]), 3)
        compare(tok, b"".join(draw.choices([b"a", b"\xf0\x9f", b"\xf0\x9f\x80", b"\xff"], k=9)), draw.randrange(4))
    assert len(tok.truncate("abc" * 500_000, 1)) == 1_500_000
    assert tok.truncate("ab " + "abc" * 500_000, 1) == "ab "


@pytest.mark.parametrize("rules", ["identity", "bert_cased", "bert_uncased"])
@pytest.mark.parametrize("unknown", ["word", "char"])
def test_long_words_of_wordpiece(rules, unknown):
    """Of a prefix that ends in a word, only the last piece is matched anew, however long the word is."""
    tok = spm_lite.train(
        ["abc abab cab é日 cabc"] * 9, model_type="wordpiece", normalization=rules, max_word_length=10**6,
        unknown=unknown, vocab_size=50, hard_vocab_limit=False,
    )  # fmt: skip
    draw = random.Random(rules + unknown)
    for _ in range(40):
        text = "".join(
            draw.choices([*"abcabcabcé x日", "abcab", "e\u0301", "\0", "\u200d", "\ufffd"], k=draw.randrange(60))
        )
        for n in {0, 1, 2, draw.randrange(3, 30)}:
            compare(tok, text, n)
        compare(tok, text.encode() + b"\xff" + draw.choice([b"", b"ab\xe6\x97"]), 3)
    text = "abcab" * 60_000
    assert tok.count(tok.truncate(text, 500)) == 500


@pytest.mark.parametrize("rules", ["identity", "bert_uncased", "nfc", "nmt_nfkc"])
@pytest.mark.parametrize("longest", [40, 10**6])
@pytest.mark.parametrize("unknown", ["word", "char"])
def test_chunks_of_long_words(rules, longest, unknown, monkeypatch):
    """Of a word that goes on after the part that is looked at, only known ones may be cut there."""
    monkeypatch.setattr(limits, "MIN_PART", 8)
    tok = spm_lite.train(
        ["abc abab cab é cabc aBa"] * 9, model_type="wordpiece", normalization=rules, max_word_length=longest,
        unknown=unknown, vocab_size=50, hard_vocab_limit=False,
    )  # fmt: skip
    draw = random.Random(rules + unknown)
    for _ in range(12):
        units = [*"abcBabcab", *draw.sample(["é", "e\u0301", "\0", "\u200d", "x", " ", ".", "℀"], 1)]
        text = "".join(draw.choices(units, [9] * 9 + [draw.choice([0, 1, 1, 9])], k=draw.randrange(40, 120)))
        for boundary in (None, draw.choice(limits.BOUNDARIES)):
            check_chunks(tok, text, draw.randrange(1, 12), boundary)
        spans = list(tok.chunks(text.encode(), 5))
        expected = [naive.longest_start(tok.encode, text.encode()[begin:], 5) for begin, _ in spans]
        assert [end - begin for begin, end in spans] == expected


@pytest.mark.parametrize("unknown", ["word", "char"])
@pytest.mark.parametrize("text", ["abcab" * 4_000, "ab " + "caB" * 6_000 + " ab" * 200])
def test_chunks_read_a_long_word_once(text, unknown, monkeypatch):
    """Each span knows from the one before that the rest of its word has pieces."""
    tok = spm_lite.train(
        ["abc abab cab aBa cabc"] * 9, model_type="wordpiece", normalization="bert_uncased", max_word_length=10**6,
        unknown=unknown, vocab_size=50, hard_vocab_limit=False,
    )  # fmt: skip
    seen = count_words(monkeypatch)
    assert [end for _, end in tok.chunks(text, 100)][-1] == len(text)
    assert sum(seen) < 8 * len(text)


def count_words(monkeypatch):
    """`count_characters`, with those of words that are read."""
    seen = count_characters(monkeypatch)
    read = limits.LastWord.read

    def count(word, place):
        read(word, place)
        seen.append(word.end - word.begin)

    monkeypatch.setattr(limits.LastWord, "read", count)
    return seen


PLAIN = [r"\w+|[^\w\s]+", r"\p{L}+"]


@pytest.mark.parametrize("longest", [9, 10**6])
@pytest.mark.parametrize("pattern", [*PLAIN, "c", "ab|c", "a+b", "b+(?!c)", r"\.a"])
@pytest.mark.parametrize("behavior", ["Isolated", "Removed", "Contiguous", "MergedWithPrevious"])
def test_chunks_of_long_parts(pattern, behavior, longest, monkeypatch):
    monkeypatch.setattr(limits, "MIN_PART", 8)
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": False}
    data = cut_model("WordPiece", ["a", "b", "ab", "ba"], [split], longest)
    tok = spm_lite.load(data, format="tokenizer.json")
    draw = random.Random(pattern + behavior)
    for _ in range(5):
        text = "".join(draw.choices(["ab", "ba", "a", *". c"], [9, 9, 9, 1, 1, draw.choice([0, 1])], k=60))
        check_chunks(tok, text, draw.randrange(1, 9), None)


@pytest.mark.parametrize("pattern", PLAIN)
@pytest.mark.parametrize("text", ["ab" * 8_000, "ab" * 4_000 + ". " + "ba" * 4_000 + " a" * 200])
def test_chunks_read_a_long_part_once(pattern, text, monkeypatch):
    """Its rest has pieces up to a place where the pattern always cuts, or up to the end of the text."""
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    tok = spm_lite.load(cut_model("WordPiece", ["a", "b", "ab", "ba"], [split]), format="tokenizer.json")
    seen = count_words(monkeypatch)
    assert [end for _, end in tok.chunks(text, 100)][-1] == len(text)
    assert sum(seen) < 8 * len(text)


def count_gaps(monkeypatch):
    """`count_words`, with the characters that are read to find gaps."""
    seen = count_words(monkeypatch)
    read = limits.Gaps.read_split

    def count(gaps, split, begin):
        read(gaps, split, begin)
        seen.append(gaps.read_ends[split] - begin)

    monkeypatch.setattr(limits.Gaps, "read_split", count)
    return seen


FAR = ["a+b", "[ab]+c", r"a[^b]*b|é", "a+b(?!c)"]


@pytest.mark.parametrize("kind", CUT_KINDS)
@pytest.mark.parametrize("pattern", FAR)
@pytest.mark.parametrize("behavior", ["Isolated", "Removed", "Contiguous", "MergedWithNext"])
def test_matches_with_a_far_end(pattern, behavior, kind, monkeypatch):
    monkeypatch.setattr(limits, "MIN_PART", 4)
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": False}
    draw = random.Random(pattern + behavior)
    for steps in ([split], [{"type": "Whitespace"}, split], [split, {"type": "Digits", "individual_digits": False}]):
        forms = [{"type": draw.choice(["NFC", "NFD", "Lowercase", "Prepend"]), "prepend": "a"}]
        data = cut_model(kind, ["a", "b", "c", "aa", "ab"], steps, normalizers=draw.choice([[], forms]))
        tok = spm_lite.load(data, format="tokenizer.json")
        for last in ["", "b", "c", "e\u0301\u0302b", " ab"]:
            text = draw.choice(["", "c", "ab"]) + "a" * draw.randrange(20, 60) + draw.choice(["", "1", "é", "A"]) + last
            check_chunks(tok, text + "a" * draw.randrange(20), draw.randrange(1, 9), None)


@pytest.mark.parametrize("kind", ["WordPiece", "Unigram", "BPE"])
@pytest.mark.parametrize("behavior", ["Isolated", "Removed"])
@pytest.mark.parametrize("text", ["a" * 16_000, "ab" + "a" * 8_000 + "c" + "a" * 8_000])
def test_chunks_read_text_without_a_match_once(text, kind, behavior, monkeypatch):
    """Each span knows from the one before that no match begins in what it looks at, however far one may end."""
    split = {"type": "Split", "pattern": {"Regex": "a+b"}, "behavior": behavior, "invert": False}
    tok = spm_lite.load(cut_model(kind, ["a", "b", "c", "ab", "aa"], [split]), format="tokenizer.json")
    seen = count_gaps(monkeypatch)
    assert [end for _, end in tok.chunks(text, 10)][-1] == len(text)
    assert sum(seen) < 12 * len(text)


@pytest.mark.parametrize("kind", ["WordPiece", "BPE"])
@pytest.mark.parametrize("pattern", ['"[^"]*"|[^"]', "(?:ab)+c|b"])
@pytest.mark.parametrize("behavior", ["Isolated", "Contiguous"])
def test_a_prefix_is_cut_on_from_a_match_after_a_failed_one(pattern, behavior, kind):
    """A match that the whole text lacks is not in its prefixes either: cutting each from the start never ends."""
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": False}
    tok = spm_lite.load(cut_model(kind, ["a", "b", "ab", "ba", '"'], [split]), format="tokenizer.json")
    for text in ('"' + "ab" * 40, "c" + "ab" * 40, 'a"' + "ba" * 20 + "c" * 9, '"' + "a" * 40 + '"' + "ab" * 20):
        for n in (1, 7, 30):
            compare(tok, text, n)
    text = text[:1] + "ab" * 8_000
    for n in (1, 100):
        end = len(tok.truncate(text, n))
        assert tok.count(text[:end]) <= n
        assert end == len(text) or tok.count(text[: end + 1]) > n


@pytest.mark.parametrize("kind", CUT_KINDS)
@pytest.mark.parametrize("seed", slow_after(4, range(80)))
def test_parts_of_models_of_all_types(seed, kind):
    draw = random.Random(f"{kind} {seed}")
    for _ in range(3):
        data, units = random_cut_model(draw, kind)
        tok = spm_lite.load(data, format="tokenizer.json")
        for _ in range(4):
            text = random_runs(draw, units)
            for n in {0, 1, 2, draw.randrange(3, 12), draw.randrange(10, 40)}:
                compare(tok, text, n)
            check_chunks(tok, text, draw.randrange(1, 12), draw.choice(limits.BOUNDARIES))


@pytest.mark.parametrize("kind", ["Unigram", "BPE"])
@pytest.mark.parametrize("behavior", ["MergedWithPrevious", "MergedWithNext", "Contiguous"])
@pytest.mark.parametrize("inverts", [False, True])
def test_matches_that_join_other_text(kind, behavior, inverts, monkeypatch):
    """A text is cut on from where a part begins, and the beginnings of a long part are told in one walk."""
    split = {"type": "Split", "pattern": {"Regex": "b|cc?"}, "behavior": behavior, "invert": inverts}
    pieces = ["a", "b", "c", "ab", "ba", "aa", "bb"]
    tok = spm_lite.load(cut_model(kind, pieces, [split]), format="tokenizer.json")
    draw = random.Random(kind + behavior)
    seen = count_characters(monkeypatch)
    for units in ("a", "b", "ab", "abc", "aab ", "c", "ac"):
        text = "".join(draw.choices(units, k=30))
        for n in {0, 1, draw.randrange(2, 30)}:
            compare(tok, text, n)
        text = units * (4_000 // len(units))
        seen.clear()
        assert [end for _, end in tok.chunks(text, 50)][-1] == len(text)
        assert sum(seen) < 8 * len(text)


BERT = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "lowercase": True}
FORMED = [[BERT], [{"type": "Lowercase"}, {"type": "NFD"}], [{"type": "NFKC"}, {"type": "StripAccents"}]]
SIGNS = ["é", "e\u0301\u0323", "\u0301", "B\u0301", "\0", "中", "が", "각", "ﬁ", "İ", "\u200b", "\u0344"]


@pytest.mark.parametrize("kind", CUT_KINDS)
@pytest.mark.parametrize("normalizers", FORMED, ids=["bert", "nfd", "nfkc"])
def test_steps_that_change_each_character_by_itself(kind, normalizers, monkeypatch):
    """Beside a form of Unicode they leave places that no later text changes, so a text is not normalized whole."""
    monkeypatch.setattr(limits, "MIN_PART", 8)
    pieces = ["a", "b", "e", "fi", "ab", "é", "中", "か", "e\u0323"]
    tok = spm_lite.load(
        cut_model(kind, pieces, [{"type": "Whitespace"}], normalizers=normalizers), format="tokenizer.json"
    )
    draw = random.Random(kind)
    for _ in range(15):
        text = "".join(draw.choices([*"abAb e ", *draw.sample(SIGNS, 3)], k=draw.randrange(5, 40)))
        for n in {0, 1, 2, draw.randrange(3, 30)}:
            compare(tok, text, n)
        compare(tok, text.encode() + draw.choice([b"\xe3\x81", b"\x80a\xcc", b""]), draw.randrange(9))
        check_chunks(tok, text, draw.randrange(2, 9), draw.choice(limits.BOUNDARIES))
    seen = count_characters(monkeypatch)
    text = "ab Ba \u00e9 " * 3_000
    assert [end for _, end in tok.chunks(text, 10)][-1] == len(text)
    assert sum(seen) < 8 * len(text)


@pytest.mark.parametrize("kind", ["unigram", "bpe", "char"])
def test_a_symbol_that_ends_within_what_a_character_becomes(kind):
    tok = spm_lite.train(
        ["xe axe x e é"] * 9, model_type=kind, normalization="nfd", user_defined_symbols=["xe", "axe"], lossless=False,
        byte_fallback=True, vocab_size=300, hard_vocab_limit=False,
    )  # fmt: skip
    for text in ("xé", "axé", "bxéxé b"):
        for n in range(8):
            compare(tok, text, n)


@pytest.mark.parametrize("behavior", ["Contiguous", "MergedWithNext"])
def test_a_match_only_where_the_text_ends(behavior):
    """Text before a match is not joined with what is one in a prefix alone."""
    split = {"type": "Split", "pattern": {"Regex": "a+b(?!a)"}, "behavior": behavior, "invert": False}
    tok = spm_lite.load(cut_model("Unigram", ["a", "b", "aab", "baa", "bb"], [split]), format="tokenizer.json")
    text = "b" + "a" * 22 + "bab" + "b" * 16
    for n in range(30):
        compare(tok, text, n)


@pytest.mark.parametrize("kind", CUT_KINDS)
@pytest.mark.parametrize("pattern", ["abc", "x(?=..)", "ab ca|a", "x(?!x)|xx"])
@pytest.mark.parametrize("inverts", [False, True])
def test_text_that_is_dropped_only_where_it_is_whole(kind, pattern, inverts):
    """A mark keeps a cut from the end of the second match; before that, its beginning counts."""
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Removed", "invert": inverts}
    tok = spm_lite.load(cut_model(kind, ["x", "a", "b", "c", "ab"], [split]), format="tokenizer.json")
    for text in ("xabcabc\u0301", "abcabcx" * 5, "abc" * 5 + "x" * 40 + "abcab", "a xxxxxx b", "axxx cb aaaa cab"):
        for n in range(1, 5):
            compare(tok, text, n)
            for boundary in ("word", "grapheme"):
                assert tok.count(tok.truncate(text, n, boundary=boundary)) <= n


TOKENS = ["<x>", "<x>>", "ab", "a b", "<a long token of letters>"]
WHOLE = [
    [], [{"type": "NFC"}], [{"type": "Strip", "strip_left": True, "strip_right": True}],
    [{"type": "Prepend", "prepend": "ab"}, {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}],
    [{"type": "Prepend", "prepend": "\u2581"}], [{"type": "Lowercase"}, {"type": "NFD"}, {"type": "StripAccents"}],
]  # fmt: skip


@pytest.mark.parametrize("kind", CUT_KINDS)
@pytest.mark.parametrize("seed", slow_after(8, range(120)))
def test_texts_with_added_tokens(seed, kind):
    """A prefix is counted between two tokens, and may end in one, or in white space that one takes."""
    draw = random.Random(f"{kind} {seed}")
    tok = None
    while tok is None:
        added = draw.sample(TOKENS, draw.randrange(1, 4))
        data, units = random_cut_model(draw, kind, added, WHOLE[seed % len(WHOLE)])
        with suppress(ModelError):  # not every token goes with every normalizer
            tok = spm_lite.load(data, format="tokenizer.json")
    for _ in range(3):
        text = random_runs(draw, [*units, *added, *added, "<", " " * draw.randrange(1, 30), "e\u0301"])
        for n in {0, 1, draw.randrange(2, 12), draw.randrange(10, 40)}:
            compare(tok, text, n)
        check_chunks(tok, text, draw.randrange(1, 12), draw.choice(limits.BOUNDARIES))


@pytest.mark.parametrize("normalizers", WHOLE)
@pytest.mark.parametrize("text", ["", "   ", "\u0301"])
def test_texts_of_which_normalization_leaves_nothing(text, normalizers):
    data = cut_model("WordPiece", ["a"], [], normalizers=normalizers, added=[{"content": "<x>"}])
    tok = spm_lite.load(data, format="tokenizer.json")
    for n in range(3):
        compare(tok, text, n)
    check_chunks(tok, text, 2, "word")


@pytest.mark.parametrize("kind", CUT_KINDS)
@pytest.mark.parametrize("pattern", ["a+b", '"[^"]*"|[^"]'])
@pytest.mark.parametrize("behavior", ["Removed", "Isolated", "MergedWithPrevious"])
def test_a_far_character_that_ends_a_match_between_added_tokens(kind, pattern, behavior):
    """The longer prefix has fewer ids, and as many fewer as the match is long."""
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": False}
    added = [{"content": "<x>"}, {"content": "<mask>", "lstrip": True}]
    tok = spm_lite.load(cut_model(kind, ["a", "b", '"', "ab"], [split], added=added), format="tokenizer.json")
    for unit in ("a", '"'):
        text = "b<x>" + unit + "a" * 70 + ("b" if unit == "a" else unit) + "bab  <mask>" + "a" * 40
        for n in (0, 1, 2, 4, 30, 60):
            compare(tok, text, n)


def test_the_byte_of_a_mark_in_a_text_without_added_tokens():
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    replace = {"type": "Replace", "pattern": {"Regex": "[ab]"}, "content": "ab"}
    tok = spm_lite.load(cut_model("BPE", ["a", "b"], [level], normalizers=[replace]), format="tokenizer.json")
    for text in (b"\xff", b"a\xff\x80\x80\x80\x81b", b"\xffa" * 40):
        for n in range(9):
            compare(tok, text, n)


@pytest.mark.parametrize("dropped", ["\0", " ", "\u0301"])
def test_an_added_token_with_dropped_characters_may_be_long(dropped):
    """How far it goes on is told in normalized text: all that steps drop from it does not count."""
    letters = "yzwyzwyzw"
    steps = [{**BERT, "lowercase": False, "strip_accents": True}]
    steps += [{"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}] if dropped == " " else []
    added = [{"content": (" " if dropped == " " else "").join(letters), "normalized": True}]
    data = cut_model("Unigram", [*"abyzw "], [], normalizers=steps, added=added)
    tok = spm_lite.load(data, format="tokenizer.json")
    text = "ab" + (150 * dropped).join(letters) + "ab"
    cutter = tok._variants.limits().cutter()
    assert len(tok.encode(text)) == 5
    for size in range(0, len(text), 10):
        assert cutter.cut(text[:size], 3, False, 0) in (-1, len(tok.truncate(text, 3)))
        assert cutter.cut(text[:size], 4, False, 0) in (-1, len(tok.truncate(text, 4)))


@pytest.mark.parametrize("kind", CUT_KINDS)
@pytest.mark.parametrize("text", ["ab " * 5_000, "<x>ab " * 2_000, "a. " * 2_000 + "<x>" * 2_000, "\n" * 6_000])
def test_chunks_of_texts_with_added_tokens_are_linear(kind, text, monkeypatch):
    split = {"type": "Split", "pattern": {"Regex": r"\s+|\w+"}, "behavior": "Isolated", "invert": False}
    data = cut_model(kind, ["a", "b", " ", "\n"], [split], 100, added=[{"content": "<x>", "lstrip": True}])
    tok = spm_lite.load(data, format="tokenizer.json")
    seen = count_characters(monkeypatch)
    assert [end for _, end in tok.chunks(text, 100)][-1] == len(text)
    assert sum(seen) < 40 * len(text)


def split_twice():
    """Two splits, of which the second cuts long parts of the first."""

    def split(pattern, behavior="Removed"):
        return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": False}

    digits = {"type": "Digits", "individual_digits": True}
    return [
        [{"type": "Whitespace"}, digits],
        [split(r"\p{L}+", "Isolated"), split("c")],
        [split("[ab1]+", "Isolated"), split("(ab)+1"), digits],
        [digits, split("a+b")],
        [split(r"\w+(?!c)", "Isolated"), split(r"a\w*?b", "Isolated")],
    ]


@pytest.mark.parametrize("kind", CUT_KINDS)
@pytest.mark.parametrize("splits", split_twice())
def test_long_matches_that_a_further_split_cuts(kind, splits):
    tok = spm_lite.load(cut_model(kind, ["a", "b", "c", "ab", "ba"], splits), format="tokenizer.json")
    draw = random.Random(kind)
    for units in ("ab1", "aaab", "abc", "abc1 ."):
        text = "".join(draw.choices(units, k=80))
        for n in (0, 3, draw.randrange(4, 50)):
            compare(tok, text, n)
        check_chunks(tok, text, draw.randrange(2, 12), None)


@pytest.mark.long_input
@pytest.mark.parametrize("kind", slow_after(1, CUT_KINDS))
@pytest.mark.parametrize("splits", split_twice()[:4])
def test_prefixes_of_long_matches_that_a_further_split_cuts(kind, splits):
    """They are cut from the last place before their end, not from the begin of the match: its square never ends."""
    tok = spm_lite.load(cut_model(kind, ["a", "b", "c", "ab", "cab"], splits), format="tokenizer.json")
    for unit in ("ab1", "abc", "a"):
        text = unit * (60_000 // len(unit))
        for n in (2, 500, 10_000):
            end = len(tok.truncate(text, n))
            assert tok.count(text[:end]) <= n
            assert end == len(text) or tok.count(text[: end + 1]) > n


@pytest.mark.long_input
@pytest.mark.parametrize("kind", CUT_KINDS)
@pytest.mark.parametrize("step", slow_after(1, ["BertPreTokenizer", "Whitespace", "WhitespaceSplit"]))
def test_long_parts_of_models_of_all_types(kind, step):
    """Of a prefix that ends in a part, only the end is segmented anew: work with its square never ends."""
    tok = spm_lite.load(cut_model(kind, ["a", "b", "c", "ab", "cab"], [{"type": step}]), format="tokenizer.json")
    text = "a b c " + "abcab" * 20_000 + " abc"
    for n in (2, 500, 1_000_000):
        assert tok.count(tok.truncate(text, n)) == min(n, tok.count(text))
    assert next(iter(tok.chunks(text, 1000)))[1] > 3


@pytest.mark.parametrize("seed", slow_after(60, range(200)))
def test_chunks_of_random_models(seed):
    rng = random.Random(seed)
    tok = random_tokenizer(rng, TYPES[seed % 4])
    for _ in range(3):
        text = "".join(rng.choices([*WELL_FORMED, " ", " ", "\n", ".", "。", '"', ")"], k=rng.randrange(40)))
        for n in {1, 2, 3, rng.randrange(1, 20)}:
            for boundary in limits.BOUNDARIES:
                check_chunks(tok, text, n, boundary, exact=not has_unused_merges(tok))


def check_chunks(tok, text, n, boundary, exact=True):
    expected = naive.chunks(tok.encode, text, n, boundary) if exact else None
    try:
        spans = list(tok.chunks(text, n, boundary=boundary))
    except OptionError as error:
        assert "max_tokens" in str(error)
        assert expected is None
        return
    assert not exact or spans == expected
    assert "".join(text[b:e] for b, e in spans) == text
    assert all(len(tok.encode(text[b:e])) <= n for b, e in spans)


@pytest.mark.parametrize("n", [1, 2, 5, 17, 60])
def test_real_models(tok, n):
    compare(tok, PROSE, n)
    compare(tok, PROSE.encode() + b"\xff\xe3\x81 \xf0\x9f", n)
    for boundary in limits.BOUNDARIES:
        check_chunks(tok, PROSE * 3, n, boundary)
    for text in (PROSE, GRAPHEMES, GRAPHEMES[3:]):
        check_graphemes(tok, text, n)


def check_graphemes(tok, text, n):
    """`truncate` against all places; the parts of a text tell the same or nothing; bytes are cut where str is."""
    end = naive.longest_graphemes(tok.encode, text, n)
    assert tok.truncate(text, n, boundary="grapheme") == text[:end]
    assert tok.truncate(text.encode(), n, boundary="grapheme") == text[:end].encode()
    cutter = tok._variants.limits().cutter()
    for whole, place in ((text, end), (text.encode(), len(text[:end].encode()))):
        for size in range(len(whole)):
            assert cutter.cut(whole[:size], n, False, limits.GRAPHEME) in (-1, place)


@settings(deadline=None)
@given(st.text(st.sampled_from(GRAPHEMES), max_size=20), st.integers(0, 30))
def test_graphemes_of_any_text(tok, text, n):
    check_graphemes(tok, text, n)
    check_chunks(tok, text, n + 1, "grapheme")


@pytest.mark.parametrize("boundary", ["word", "line", "sentence"])
def test_truncation_is_the_first_chunk(tok, boundary):
    for n in (6, 17, 40, 10_000):
        begin, end = next(iter(tok.chunks(PROSE * 3, n, boundary=boundary)))
        assert tok.truncate(PROSE * 3, n, boundary=boundary) == (PROSE * 3)[begin:end]
    with pytest.raises(
        OptionError, match="boundary 'page': must be one of None, 'word', 'line', 'sentence', 'grapheme'"
    ):
        tok.truncate(PROSE, 5, boundary="page")


@pytest.mark.parametrize("overlap", [1, 3, 9])
def test_overlap_of_graphemes(tok, overlap):
    """Spans begin and end where graphemes do; they share at most that many ids."""
    text = GRAPHEMES * 5
    begins = set(graphemes.begins(text))
    spans = list(tok.chunks(text, 60, overlap=overlap, boundary="grapheme"))
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    assert {place for span in spans for place in span} <= begins
    for (begin, end), (other, other_end) in pairwise(spans):
        assert begin < other <= end < other_end
        starts = [place for place, _ in tok.spans(text[begin:end])]
        shared = begin + starts[-overlap] if len(starts) > overlap else end
        assert other == min(place for place in begins if place >= shared)


def test_a_grapheme_above_the_limit(shared_data):
    """`chunks` cuts it between characters; what follows is not cut: the place in the whole text counts."""
    tok = Tokenizer.load(shared_data / "models" / "llama2.model")
    family, flags = "👨\u200d👩\u200d👧", "🇩🇪🇫🇷"
    text = f"a{family}b{flags}"
    assert tok.truncate(family, 9, boundary="grapheme") == ""
    for n in (6, 7, 9, 12):
        parts = [text[begin:end] for begin, end in tok.chunks(text, n, boundary="grapheme")]
        assert "".join(parts) == text
        assert all(len(tok.encode(part)) <= n for part in parts)
    assert [text[b:e] for b, e in tok.chunks(text, 100, boundary="grapheme")] == [text]
    zalgo = "x" + "\u0301" * 500 + "y\u0301z"
    spans = list(tok.chunks(zalgo, 20, boundary="grapheme"))
    assert spans[-1][1] == len(zalgo)
    assert all(zalgo[end : end + 1] != "\u0301" or begin < 501 for begin, end in spans)


def test_long_spans_end_at_graphemes(tok, monkeypatch):
    monkeypatch.setattr(limits, "LONG_PART", 100)
    monkeypatch.setattr(limits, "LONG_IDS", 1)
    text = GRAPHEMES * 30
    begins = set(graphemes.begins(text))
    for given_text in (text, text.encode()):
        spans = list(tok.chunks(given_text, 10**6, boundary="grapheme"))
        places = {0, *begins} if given_text is text else {len(text[:place].encode()) for place in begins}
        assert {end for _, end in spans} <= places
        assert given_text[:0].join(given_text[b:e] for b, e in spans) == given_text


@pytest.mark.slow
@settings(deadline=None)
@given(
    st.text(st.sampled_from(" \u2581ab日か\u3099\uff8a\uff9f\uff76👩\u200d\u0301\n\0"), max_size=30), st.integers(0, 12)
)
def test_any_text(tok, text, n):
    compare(tok, text, n)
    compare(tok, text.encode(), n)


@settings(max_examples=30, deadline=None)
@given(st.binary(max_size=30), st.integers(0, 12))
def test_any_bytes(tok, data, n):
    compare(tok, data, n)


@pytest.mark.parametrize("n", [3, 40, 1000])
@pytest.mark.parametrize("text", NASTY, ids=lambda text: f"{text[:2]!r}")
def test_nasty_texts(tok, text, n):
    try:
        spans = list(tok.chunks(text, n))
    except OptionError as error:
        assert n == 3  # byte pieces of one character
        assert "or more" in str(error)
        return
    assert "".join(text[b:e] for b, e in spans) == text
    assert all(len(tok.encode(text[b:e])) <= n for b, e in spans)
    # None can take the next character.
    for b, e in spans[:50]:
        if e < len(text):
            assert len(tok.encode(text[b : e + 1])) > n


@pytest.mark.parametrize("overlap", [1, 3, 9])
def test_overlap(tok, overlap):
    text = PROSE * 20
    for boundary in (None, "word"):
        spans = list(tok.chunks(text, 30, overlap=overlap, boundary=boundary))
        assert spans[0][0] == 0
        assert spans[-1][1] == len(text)
        assert all(len(tok.encode(text[b:e])) <= 30 for b, e in spans)
        for (begin, end), (other, other_end) in pairwise(spans):
            assert begin < other <= end < other_end
            starts = [place for place, _ in tok.spans(text[begin:end])]
            assert other == end or other == begin + starts[-overlap]
    assert sum(e - b for b, e in spans) >= len(text)


def test_chunks_of_bytes_are_whole_characters(tok):
    data = (PROSE * 5).encode() + b"\xff\x80\xe3" + PROSE.encode()
    spans = list(tok.chunks(data, 20))
    assert b"".join(data[b:e] for b, e in spans) == data
    assert {e for _, e in spans} <= set(naive.places(data))
    assert all(len(tok.encode(data[b:e])) <= 20 for b, e in spans)


def test_long_spans_end_somewhere(tok, monkeypatch):
    monkeypatch.setattr(limits, "LONG_PART", 100)
    monkeypatch.setattr(limits, "LONG_IDS", 1)
    for text in (PROSE * 9, (PROSE * 9).encode(), "日本" * 500, ("日本" * 500).encode()):
        spans = list(tok.chunks(text, 10**6))
        assert text[:0].join(text[b:e] for b, e in spans) == text
        assert max(e - b for b, e in spans) <= 2 * 4 * 10**6
        assert {e for _, e in spans} <= set(naive.places(text))


def test_bos_and_eos_count(shared_data):
    tok = Tokenizer.load(shared_data / "models" / "llama2.model")
    for b, e in tok.chunks(PROSE * 9, 12, bos=True, eos=True):
        assert len(tok.encode((PROSE * 9)[b:e], bos=True, eos=True)) <= 12
    assert list(tok.chunks(PROSE, 40, bos=True)) == list(tok.chunks(PROSE, 39))


def test_limits_below_one_character(shared_data):
    tok = Tokenizer.load(shared_data / "models" / "llama2.model")
    with pytest.raises(OptionError, match=r"max_tokens 4 is less than the 5 ids of '🤗' at 3: pass 5 or more"):
        list(tok.chunks("abc🤗", 4))
    with pytest.raises(OptionError, match=r"max_tokens 5 is less than the 6 ids of b'.*' at 3: pass 6 or more"):
        list(tok.chunks("abc🤗".encode(), 5, bos=True))
    assert tok.truncate("🤗", 4) == ""
    assert tok.truncate("🤗".encode(), 5) == "🤗".encode()


def test_bad_arguments(tok):
    for call in (tok.truncate, lambda text, n: tok.count(text, limit=n)):
        with pytest.raises(OptionError, match="below 0"):
            call("a", -1)
        with pytest.raises(ArgumentTypeError):
            call("a", 1.5)
        with pytest.raises(ArgumentTypeError, match="not str or bytes"):
            call(None, 1)
        with pytest.raises(TextError, match="at character 3"):
            call("abc\ud800", 10)
    with pytest.raises(TextError, match="at character 1000"):
        list(tok.chunks("abc " * 250 + "\ud800", 10))
    for options, words in [
        ({"max_tokens": 0}, "below 1"),
        ({"max_tokens": -5}, "below 1"),
        ({"max_tokens": 5, "overlap": 5}, "overlap 5"),
        ({"max_tokens": 5, "overlap": -1}, "overlap -1"),
        (
            {"max_tokens": 5, "boundary": "page"},
            "boundary 'page': must be one of None, 'word', 'line', 'sentence', 'grapheme'",
        ),
        ({"max_tokens": 5, "boundary": 1}, "boundary 1"),
        ({"max_tokens": 5, "boundary": ["word"]}, "boundary"),
    ]:
        with pytest.raises(OptionError, match=words):  # at once, not when the first span is asked for
            tok.chunks("abc", **options)
    assert list(tok.chunks("", 5)) == list(tok.chunks(b"", 5)) == []


@pytest.mark.thread_unsafe
def test_a_limit_is_all_that_is_paid_for(tok):
    if len(tok) < 10:
        return  # all of it is one unknown word after the other: one id
    text = PROSE * 40_000
    assert tok.truncate(text, 50) == tok.truncate(text[:1000], 50)  # the text as UTF-8 is made before
    for call in (tok.truncate, lambda text, n: tok.count(text, limit=n)):
        assert count_checks(lambda call=call: call(text, 50)) == count_checks(lambda call=call: call(text[:1000], 50))
    assert count_checks(lambda: tok.count(text)) > count_checks(lambda: tok.count(text[:1000]))


@pytest.mark.thread_unsafe
def test_memory_does_not_grow_with_the_text(shared_data):
    tok = Tokenizer.load(shared_data / "models" / "t5_base.model")
    text = "日" * 3_000_000  # one id, in a model that does not know it
    tracemalloc.start()
    try:
        spans = list(tok.chunks(text, 100))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert sum(e - b for b, e in spans) == len(text)
    assert peak < 40_000_000
