"""Phrases cut into chunks are what counting without phrases gives; tables of phrases add up with their like only."""

import random

import pytest
from oracle.slow import slow_after

from spm_lite import CountTable, OptionError, train
from spm_lite.encode.segment.segmenter import make_segmenter
from spm_lite.training.count_table import counting
from spm_lite.training.counts.phrase_cutter import PhraseCutter, words_of

WORDS = [
    "the", "of", "it's", "Bassom", "naïve", "e\u0301t", "मनुष्य", "ไทย", "日本", "boys'", "x1", "12", ",", ".", "--",
    "  ", "\0", "\u2581", "\u2019s", "''", "e.g.", "👩\u200d🚀", "\u0660", "\xa0", "\ufffd", "<sep>",
]  # fmt: skip


@pytest.mark.parametrize("seed", slow_after(20, range(80)))
@pytest.mark.parametrize("model_type", ["bpe", "byte_bpe", "unigram"])
def test_words_are_the_chunks_of_plain_counting(model_type, seed) -> None:
    rng = random.Random(seed)
    texts = [rng.choice(["", " "]).join(rng.choices(WORDS, k=rng.randint(1, 14))) for _ in range(rng.randint(1, 40))]
    options = {"model_type": model_type, "user_defined_symbols": ["<sep>"] if rng.random() < 0.5 else []}
    names = ("split_by_unicode_script", "split_by_number", "allow_whitespace_only_pieces")
    options |= {name: False for name in names if rng.random() < 0.3} | {"split_digits": rng.choice([False, True, 3])}
    with_phrases = {**options, "superwords": {"inside": rng.choice(["letters", "punctuation"])}}
    phrases = CountTable.count(texts, **with_phrases)
    rules = counting(None, None, None, with_phrases).cut_rules()
    assert words_of([phrases.chunks], rules, False).equals(CountTable.count(texts, **options).chunks)
    parts = [CountTable.count(texts[i::2], **with_phrases).chunks for i in range(2)]
    assert words_of(parts, rules, False).equals(CountTable.count(texts, **options).chunks)


def test_tables_of_phrases_keep_to_themselves(tmp_path) -> None:
    phrases = CountTable.count(["in the mill"], superwords=0.8)
    assert CountTable.count(["in the mill"], superwords=0.5) == phrases  # the share has no part in counting
    assert phrases + phrases == CountTable.count(["in the mill"] * 2, superwords=True)
    for other, words in ((None, "no superwords"), ({"inside": "punctuation"}, "inside='punctuation'")):
        with pytest.raises(OptionError, match=words):
            phrases + CountTable.count(["in the mill"], superwords=other)
    for use in (lambda: phrases.save_tsv(tmp_path / "a.tsv"), phrases.to_arrow):
        with pytest.raises(OptionError, match="no documents of phrases"):
            use()
    with pytest.raises(OptionError, match="no documents of phrases"):
        CountTable.load_tsv(tmp_path / "a.tsv", superwords=True)


@pytest.mark.parametrize("model_type", ["bpe", "byte_bpe", "unigram"])
def test_phrases_are_cut_at_rare_pairs_whatever_the_length_of_words(model_type) -> None:
    words = ["a" * n for n in (1, 1019, 1020, 1021, 1022, 1023, 1024, 2046, 2047, 5000)]
    texts = ["of the " + " ".join(words), *["of the"] * 9]
    options = {"model_type": model_type, "superwords": True}
    tok = train(texts, model_type=model_type, vocab_size=300, hard_vocab_limit=False)
    rules = counting(None, None, None, options).cut_rules()
    table = CountTable.count(texts, **options).chunks
    chunks = words_of([table], rules, False)
    cutter = PhraseCutter(chunks, rules, make_segmenter(tok._file.vocab, model_type, False))
    cutter.count(table)
    assert dict(cutter.cut([table], 1, True).items()) == dict(table.items())
    assert dict(cutter.cut([table], 1 << 31, True).items()) == dict(chunks.items())
    parts = dict(cutter.cut([table], 10, True).items())
    assert parts.pop(next(iter(dict(table.items())))) == 10  # "of the", which stands in all texts
    assert parts == {text: n for text, n in chunks.items() if n < 10}
