"""sweep: each size equals its own training, and its tokens are those of its own encoding."""

import random

import pytest

import spm_lite
from spm_lite.errors import OptionError, TrainingError

rng = random.Random(3)
WORDS = ["".join(rng.choices("abcdefgh", k=rng.randrange(1, 7))) for _ in range(300)] + ["é", "世界", "x1"]
LINES = [" ".join(rng.choices(WORDS, k=9)) for _ in range(400)]
HELD_OUT = [" ".join(rng.choices(WORDS, k=9)) for _ in range(60)] + ["new 語 text", ""]
SIZES = [350, 420, 300, 500]


@pytest.mark.parametrize("model_type", ["bpe", "byte_bpe", "unigram", "wordpiece", "word", "char"])
def test_each_size_is_its_own_training(model_type):
    options = {"model_type": model_type, "hard_vocab_limit": False, "num_threads": 2}
    found = spm_lite.sweep(iter(LINES), SIZES, texts=HELD_OUT, **options)
    assert [row.size for row in found.rows] == sorted(SIZES)
    for row in found.rows:
        tok = spm_lite.train(LINES, vocab_size=row.size, **options)
        assert found[row.size].to_bytes() == tok.to_bytes()
        assert row.tokens == int(tok.count_batch(HELD_OUT).sum())
        assert row.bytes_per_token == sum(len(text.encode()) for text in HELD_OUT) / row.tokens


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"prune": "top"},
        {"seed_source": "bpe"},
        {"shrinking_factor": 0.6},
        {"shrinking_factor": 0.95},
        {"num_sub_iterations": 3},
    ],
)
def test_unigram_goes_on_where_sizes_part(options):
    more = {"num_sub_iterations": 1, "hard_vocab_limit": False, "seed_sentencepiece_size": 900, **options}
    found = spm_lite.sweep(LINES, [300, 340, 380, 480], **more)
    for size in (300, 340, 380, 480):
        tok = spm_lite.train(LINES, vocab_size=size, **more)
        assert found[size].to_bytes() == tok.to_bytes()
        assert found[size].report.figures == tok.report.figures


def test_files_and_the_table(tmp_path):
    (tmp_path / "a.txt").write_text("\n".join(LINES) + "\n", encoding="utf-8")
    found = spm_lite.sweep(tmp_path / "a.txt", [300, 350, 400, 450], model_type="bpe")
    again = spm_lite.sweep(LINES, [450, 400, 350, 300], model_type="bpe", num_threads=1)
    assert found.to_dict() == again.to_dict()
    assert found.rows[0].tokens_saved is None
    assert all(row.tokens_saved > 0 for row in found.rows[1:])
    assert "cost, 1B" in str(found)
    assert "300" in repr(found)
    assert "<table" in found._repr_html_()
    assert set(found.cheapest.values()) <= {300, 350, 400, 450}


def test_mistakes():
    for sizes, message in (
        ([], "at least one"),
        ([0], "at least one"),
        ([300, 99999], "too high"),
        ([20], "too small"),
    ):
        with pytest.raises((OptionError, TrainingError), match=message):
            spm_lite.sweep(LINES, sizes, model_type="bpe")
    with pytest.raises(OptionError, match="read only once"):
        spm_lite.sweep(iter(LINES), [300])
    with pytest.raises(OptionError, match="count table"):
        spm_lite.sweep(spm_lite.CountTable.count(LINES), [300])
    with pytest.raises(OptionError, match="leave out vocab_size"):
        spm_lite.sweep(LINES, [300], vocab_size=300)
    with pytest.raises(TrainingError, match="no text"):
        spm_lite.sweep(LINES, [300], texts=[""])
    with pytest.raises(OptionError, match="the sizes are 300"):
        spm_lite.sweep(LINES, [300])[301]
