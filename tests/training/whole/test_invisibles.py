"""What characters that cannot be seen cost: no more than U+0020 and U+200C in their places."""

import io
import random

import pytest
import sentencepiece
from oracle.slow import slow_after

import spm_lite

WORDS = {
    "latin": ["the", "mill", "turns", "all", "day", "and", "the", "wheel", "hums"],
    "thai": ["กังหัน", "หมุน", "ทั้ง", "วัน", "และ", "ล้อ"],
    "hebrew": ["הטחנה", "סובבת", "כל", "היום", "והגלגל"],
    "greek": ["ο", "μύλος", "γυρίζει", "όλη", "μέρα"],
}
IGNORABLES = ["\u00ad", "\u200b", "\u200d", "\u200e", "\u200f", "\u2060", "\ufeff", "\u061c", "\u2066", "\U000e0041"]
BLANKS = ["\t", "\u00a0", "\u2009", "\u202f", "\u3000", "\u2028"]
SIZES = {"bpe": 420, "unigram": 400}


def texts_with(sign: str, words: list[str], spaces: bool, seed: int = 0) -> list[str]:
    """Lines in which `sign` stands between words, or (with spaces) at the end of some."""
    rng = random.Random(seed)
    lines = []
    for _ in range(300):
        line = [rng.choice(words) + (sign if spaces and rng.random() < 0.3 else "") for _ in range(9)]
        lines.append((" " if spaces else sign).join(line))
    return lines


def n_ids(texts: list[str], model_type: str) -> int:
    tok = spm_lite.train(texts, model_type=model_type, vocab_size=SIZES[model_type], hard_vocab_limit=False)
    assert [tok.decode(ids) for ids in tok.encode_lists(texts)] == texts
    return sum(map(len, tok.encode_lists(texts)))


@pytest.mark.slow
@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize("spaces", slow_after(1, [False, True]))
def test_ignorables_cost_what_a_joiner_costs(model_type: str, language: str, spaces: bool) -> None:
    expected = n_ids(texts_with("\u200c", WORDS[language], spaces), model_type)
    for sign in IGNORABLES:
        # Equally good pieces are told apart by their code points, so a few ids may differ.
        assert n_ids(texts_with(sign, WORDS[language], spaces), model_type) <= 1.03 * expected, repr(sign)


@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
@pytest.mark.parametrize("language", WORDS)
def test_blanks_cost_what_a_space_costs(model_type: str, language: str) -> None:
    expected = n_ids(texts_with(" ", WORDS[language], False), model_type)
    for sign in BLANKS:
        assert n_ids(texts_with(sign, WORDS[language], False), model_type) <= 1.03 * expected, repr(sign)


@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
def test_the_drop_in_trains_what_the_original_trains(model_type: str) -> None:
    for sign in ("\u200b", "\u00a0", "\u00ad"):
        texts = texts_with(sign, WORDS["thai"], True) + texts_with(sign, WORDS["latin"], False)
        models = []
        for library in (sentencepiece, spm_lite):
            model = io.BytesIO()
            library.SentencePieceTrainer.train(
                sentence_iterator=iter(texts),
                model_writer=model,
                model_type=model_type,
                vocab_size=80,
                hard_vocab_limit=False,
                normalization_rule_name="identity",
                minloglevel=2,
            )
            models.append(model.getvalue())
        assert models[0] == models[1]


def test_tables_are_cut_where_no_piece_crosses() -> None:
    """A count table of a lossless training keeps such characters with their neighbours; another one cuts there."""
    text = ["abc\u200bdef\u00a0ghi\ufeff"]
    assert [chunk for chunk, _ in spm_lite.CountTable.count(text)] == ["\u00a0ghi\ufeff", "▁abc\u200bdef"]
    lossy = {chunk for chunk, _ in spm_lite.CountTable.count(text, lossless=False)}
    assert lossy == {"▁abc", "\u200b", "def", "\u00a0", "ghi", "\ufeff"}
