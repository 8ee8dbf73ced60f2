"""sweep: each size equals its own training, and its tokens are those of its own encoding."""

import pickle
import random

import pytest
from oracle.slow import slow_after

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
    found = spm_lite.sweep(iter(LINES), SIZES, held_out=HELD_OUT, **options)
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


SOURCES = {"a": LINES[:300], "b": LINES[300:340], "c": ["ça va bien", "水 の 水"] * 9}
SHARES = [
    {},
    {"weights": {"a": 1, "b": 2, "c": 1}},
    {"temperature": 0.3, "share_of": "texts"},
    {"weights": {"a": 3, "b": 1, "c": 1}, "share_of": "characters", "memory_limit": "1GB"},
]


@pytest.mark.parametrize("shares", slow_after(2, SHARES))
@pytest.mark.parametrize(
    "options",
    [
        *({"model_type": name, "hard_vocab_limit": False} for name in ("bpe", "byte_bpe", "wordpiece", "word", "char")),
        *({"seed_source": source, "hard_vocab_limit": hard} for source in ("bpe", "substrings") for hard in (0, 1)),
        {"min_count": 3, "hard_vocab_limit": False},
    ],
    ids=lambda options: "-".join(map(str, options.values())),
)
def test_sources_in_each_size(options, shares):
    options = {**options, "hard_vocab_limit": bool(options.get("hard_vocab_limit", True)), "num_threads": 1}
    found = spm_lite.sweep(SOURCES, sizes=SIZES, held_out=HELD_OUT, **shares, **options)
    assert [row.size for row in found.rows] == sorted(SIZES)
    for row in found.rows:
        tok = spm_lite.train(SOURCES, vocab_size=row.size, **shares, **options)
        assert found[row.size].to_bytes() == tok.to_bytes()
        assert row.tokens == int(tok.count_batch(HELD_OUT).sum())


def test_the_characters_of_each_size_are_chosen_for_it():
    options = {"character_coverage": "auto", "model_type": "bpe", "num_threads": 1}
    found = spm_lite.sweep(LINES, SIZES, held_out=HELD_OUT, **options)
    for size in SIZES:
        assert found[size].to_bytes() == spm_lite.train(LINES, vocab_size=size, **options).to_bytes()


def test_the_report_of_each_size_names_the_sources():
    found = spm_lite.sweep(SOURCES, sizes=[300, 400], **SHARES[1])
    for size in (300, 400):
        report = spm_lite.train(SOURCES, vocab_size=size, **SHARES[1]).report
        ours = found[size].report
        assert (ours.sources, ours.share_of) == (report.sources, report.share_of)
        assert (ours.rare_pieces, ours.rare_by_source) == (report.rare_pieces, report.rare_by_source)
        assert (ours.digest, ours.data_digest) == (report.digest, report.data_digest)


@pytest.mark.parametrize("seed_source", ["bpe", "substrings"])
@pytest.mark.parametrize("hard", [True, False])
@pytest.mark.parametrize("shares", slow_after(1, SHARES[:2]))
def test_sizes_for_which_seeds_run_out(seed_source, hard, shares):
    """The largest needs more pieces than there are merges, and rare strings fill up; the smallest does not."""
    few = {"a": LINES[:40], "b": LINES[40:45], "c": LINES[45:46]}
    merges = spm_lite.train(few, **shares, model_type="bpe", vocab_size=9999, hard_vocab_limit=False)
    try:
        spm_lite.train(few, **shares, vocab_size=99999, seed_source=seed_source)
    except TrainingError as error:
        most = int(str(error).split("<= ")[1].split(".")[0])
    assert most > len(merges)
    sizes = [300, 340, 500, len(merges) - 1, len(merges) + 1, most - 1, most]
    options = {"seed_source": seed_source, "hard_vocab_limit": hard, "num_threads": 1}
    found = spm_lite.sweep(few, sizes=sizes, held_out=HELD_OUT, **shares, **options)
    for size in sizes:
        tok = spm_lite.train(few, vocab_size=size, **shares, **options)
        assert found[size].to_bytes() == tok.to_bytes()
        assert len(tok) == size or not hard


@pytest.mark.parametrize("seed_source", ["bpe", "substrings"])
def test_sizes_that_differ_in_the_number_of_seeds(seed_source):
    """Above 12,500 pieces the default number of seeds grows with the size."""
    options = {"hard_vocab_limit": False, "seed_source": seed_source, "num_threads": 1}
    found = spm_lite.sweep(LINES, [300, 12_400, 13_000], held_out=HELD_OUT, **options)
    for size in (300, 12_400, 13_000):
        assert found[size].to_bytes() == spm_lite.train(LINES, vocab_size=size, **options).to_bytes()
    options = {"hard_vocab_limit": False, "seed_source": seed_source, "num_threads": 1, "seed_sentencepiece_size": 150}
    found = spm_lite.sweep(LINES, [300, 350, 400], held_out=HELD_OUT, **options)
    for size in (300, 350, 400):
        assert found[size].to_bytes() == spm_lite.train(LINES, vocab_size=size, **options).to_bytes()


def test_tokens_of_the_sources_themselves():
    """Without other texts each source is encoded once, whatever its weight."""
    found = spm_lite.sweep(SOURCES, sizes=[300, 350], model_type="bpe", **SHARES[1])
    everything = [text for texts in SOURCES.values() for text in texts]
    assert found.rows[0].tokens == int(found[300].count_batch(everything).sum())
    assert found.rows[1].bytes_per_token == sum(len(t.encode()) for t in everything) / found.rows[1].tokens


def test_sources_that_can_be_read_once():
    once = {"a": iter(LINES[:300]), "b": LINES[300:340], "c": spm_lite.CountTable.count(SOURCES["c"])}
    for name in ("a", "c"):
        with pytest.raises(OptionError, match="as held_out"):
            spm_lite.sweep({"b": once["b"], name: once[name]}, sizes=[300])
    found = spm_lite.sweep(once, sizes=[300, 350], held_out=HELD_OUT)
    again = spm_lite.sweep(SOURCES | {"c": once["c"]}, sizes=[300, 350], held_out=HELD_OUT)
    assert [found[size].to_bytes() for size in (300, 350)] == [again[size].to_bytes() for size in (300, 350)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"source": LINES, "files": SOURCES}, "give one of them"),
        ({}, "nothing to learn from"),
        ({"held_out": HELD_OUT}, "nothing to learn from"),
        ({"source": LINES, "weights": {"a": 1}}, "weights is for several sources"),
        ({"source": LINES, "temperature": 0.5}, "temperature is for several sources"),
        ({"source": LINES, "share_of": "texts"}, "share_of is for several sources"),
        ({"source": SOURCES, "weights": {"a": 1}}, "'b' has no weight"),
        ({"source": SOURCES, "share_of": "lines"}, "must be one of bytes, characters, texts"),
        ({"source": {}}, "at least one"),
    ],
)
def test_mistakes_with_sources(arguments, message):
    with pytest.raises(OptionError, match=message):
        spm_lite.sweep(sizes=[300], **arguments)


def test_files_and_the_table(tmp_path):
    (tmp_path / "a.txt").write_text("\n".join(LINES) + "\n", encoding="utf-8")
    found = spm_lite.sweep(tmp_path / "a.txt", [300, 350, 400, 450], model_type="bpe")
    again = spm_lite.sweep(LINES, [450, 400, 350, 300], model_type="bpe", num_threads=1)
    assert found.to_dict() == again.to_dict()
    assert "give others as held_out=" in str(found)
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
        spm_lite.sweep(LINES, [300], held_out=[""])
    with pytest.raises(OptionError, match="the sizes are 300"):
        spm_lite.sweep(LINES, [300])[301]


def test_a_sweep_is_pickled():
    found = spm_lite.sweep(["the mill turns the wheel"] * 40, [280, 290], hard_vocab_limit=False)
    again = pickle.loads(pickle.dumps(found))
    assert again.rows == found.rows
    assert again[290] == found[290]
