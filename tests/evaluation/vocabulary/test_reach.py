"""Pieces that no text can give: the right values, and models whose faults are known."""

import base64

import pytest
from oracle.slow import slow_after

import spm_lite
from spm_lite.evaluation.figures.subjects import OwnSubject
from spm_lite.evaluation.vocabulary.examine import vocabulary_figures
from spm_lite.evaluation.vocabulary.piece_kinds import VocabularyView
from spm_lite.evaluation.vocabulary.reach import reach_figures

MODELS = [
    "faulty_unigram", "faulty_bpe", "google_test_ja_model", "t5_base", "llama2", "wikipedia_default_bpe_16k",
    "nerdstash_bpe_65k", "llmjp_v4a_unigram_196k",
]  # fmt: skip
FOUND = {"jamo_ko_50k": 28, "tftext_fast_4k": 19, "plbart_code_bpe_50k": 2}  # in published models


@pytest.mark.slow
@pytest.mark.parametrize("name", slow_after(3, MODELS))
def test_right_values(name, golden, subject, check):
    check(vocabulary_figures(subject(name), 2), golden["vocabulary"][name])


@pytest.mark.parametrize("name", slow_after(1, FOUND))
def test_published_models(name, subject):
    figures = reach_figures(VocabularyView(subject(name)), 2)
    assert len(figures["unreachable"]) == FOUND[name]
    assert "written_by_rule" not in str(figures) or name == "jamo_ko_50k"


@pytest.mark.parametrize("name", ["speechlm_char_en_de", "kerashub_word_tiny", "kspon_ko_bpe_5k", "albert_30k"])
def test_text_that_shows_it(name, subject):
    """Encoding the text of an unreachable piece between others never gives the piece; of all others, it does."""
    each = subject(name)
    figures = reach_figures(VocabularyView(each), 1)
    for entry in figures["unreachable"]:
        for text in (entry["text"], f"x{entry['text']}x", f" {entry['text']} "):
            assert entry["id"] not in each.own.encode(text)


@pytest.mark.slow
@pytest.mark.parametrize("model_type", ["unigram", "bpe", "char", "word", "byte_bpe"])
def test_own_trainings(model_type):
    """Our trainers make no piece that cannot come."""
    texts = ["the cat sat on the mat", "a dog and a cat", "über 10 €", "日本 日本語"] * 5
    tok = spm_lite.train(texts, model_type=model_type, vocab_size=300, hard_vocab_limit=False)
    figures = vocabulary_figures(OwnSubject("x", tok), 1)
    assert figures["reach"]["tested"] > 10
    assert figures["reach"]["unreachable"] == []


TEXTS = ["о пробе слов", "กา กิ กี ขา", "का की के कु", "don't  stop 12", "한글 한국"] * 20


@pytest.mark.parametrize("pattern", ["", "gpt2", "llama3", "o200k", r"\p{L}+|[^\p{L}]"])
def test_byte_pieces_are_reached(pattern):
    """Parts of characters with other text come where the character has no piece, whatever the pattern."""
    tok = spm_lite.train(
        TEXTS, model_type="byte_bpe", vocab_size=360, hard_vocab_limit=False, split_pattern=pattern, min_count=2
    )
    figures = reach_figures(VocabularyView(OwnSubject("x", tok)), 1)
    assert figures["tested"] == len(tok) - 2 and figures["unreachable"] == []


def test_byte_pieces_that_no_text_gives(tmp_path):
    """A piece that the pattern cuts everywhere is found; parts of characters are not."""
    pieces = [*(bytes([byte]) for byte in range(256)), b"bc", b"abc", b"a b", b"\xe0\xb8", b"x\xe0", b"\x81x"]
    ranks = [base64.b64encode(piece) + b" %d\n" % i for i, piece in enumerate(pieces)]
    (tmp_path / "r.tiktoken").write_bytes(b"".join(ranks))
    tok = spm_lite.Tokenizer.load(tmp_path / "r.tiktoken", pattern=r"\S+|\s+")
    figures = reach_figures(VocabularyView(OwnSubject("x", tok)), 1)
    assert [(one["piece"], one["reason"]) for one in figures["unreachable"]] == [("a b", "merges")]


@pytest.mark.parametrize(("name", "n"), [("gpt2", 0), ("llama-3", 0), ("deepseek-v3", 0), ("gpt-neox", 3), ("opt", 2)])
def test_byte_level_files_of_others(name, n, shared_data):
    """Pieces of bytes are reached; what added tokens hide is not. Two of the files have added tokens, and refuse FF."""
    path = shared_data / "shapes" / name / "tokenizer.json"
    if not path.exists():
        pytest.skip("no shapes in the shared test data")
    tok = spm_lite.Tokenizer.load(path)
    figures = vocabulary_figures(OwnSubject("x", tok), 1)
    assert len(figures["reach"]["unreachable"]) == n
    assert figures["bytes"]["cut_characters"]["count"] >= figures["bytes"]["cut_characters"]["joined"] > 0


def test_wordpiece():
    tok = spm_lite.train(["the cat sat"] * 5, model_type="wordpiece", vocab_size=60, hard_vocab_limit=False)
    figures = vocabulary_figures(OwnSubject("x", tok), 1)
    assert figures["reach"]["tested"] is None
    assert "notes" in figures["reach"]
