"""Sizes: a knee only where savings surely break off, and what to try beyond an edge."""

import math
import random
import re

import numpy as np
import pytest

import spm_lite
from spm_lite.evaluation.size_advice import GROUPS, T_95, knee_of, saved_interval
from spm_lite.evaluation.size_sweep import SizeFigures, Sweep, rows_of

MODELS = ("100M", "1B", "7B")


def rows(savings, half=0.001, first=1000):
    """Sizes that double from `first`, each of which saves a share of the tokens; with intervals of this half width."""
    found, tokens = [], 1e9
    for place, saved in enumerate([None, *savings]):
        tokens *= 1 - (saved or 0)
        cost = dict.fromkeys(MODELS, 1.0 + place)
        between = None if saved is None else (saved - half, saved + half)
        found.append(SizeFigures(first << place, int(tokens), 1.0, saved, cost, cost, between))
    return found


def test_knee():
    assert knee_of(rows([0.342, 0.171, 0.139])) == 2000
    assert knee_of(rows([0.2, 0.19, 0.08])) == 4000
    assert knee_of(rows([0.162, 0.125, 0.114])) is None  # no break: 77 and 91 % of the saving before
    assert knee_of(rows([0.2, 0.12], half=0.001)) == 2000
    assert knee_of(rows([0.2, 0.12], half=0.02)) is None  # within the intervals
    assert knee_of(rows([0.2])) is knee_of(rows([])) is None
    assert knee_of([SizeFigures(n, 9, 1.0, 0.1, {}, {}) for n in (1, 2, 4)]) is None  # no intervals
    assert knee_of(rows([0.2, 0.0])) == 2000
    assert knee_of(rows([-0.1, -0.2])) is None


def test_the_interval_is_that_of_the_jackknife():
    rng = random.Random(5)
    smaller = [rng.randrange(900, 1100) for _ in range(GROUPS)]
    larger = [int(n * rng.uniform(0.85, 0.95)) for n in smaller]
    logs = []
    for left_out in range(GROUPS):
        kept = [i for i in range(GROUPS) if i != left_out]
        logs.append(math.log(sum(larger[i] for i in kept) / sum(smaller[i] for i in kept)))
    mean = sum(logs) / GROUPS
    error = math.sqrt((GROUPS - 1) / GROUPS * sum((one - mean) ** 2 for one in logs))
    middle = math.log(sum(larger) / sum(smaller))
    right = (1 - math.exp(middle + T_95 * error), 1 - math.exp(middle - T_95 * error))
    assert saved_interval(np.array(smaller), np.array(larger)) == pytest.approx(right, rel=1e-9)
    assert saved_interval(np.array([0, *smaller[1:]]), np.array(larger)) is None


def test_intervals_hold_the_truth():
    """Of the intervals of 2,000 samples of documents, 93.5 to 96.5 % hold the saving of the whole text."""
    rng = np.random.default_rng(7)
    smaller = rng.integers(20, 200, 5000)
    larger = (smaller * rng.uniform(0.8, 1.0, 5000)).astype(np.int64)
    truth = 1 - larger.sum() / smaller.sum()
    n_held = 0
    for _ in range(2000):
        drawn = rng.integers(0, 5000, 400).reshape(GROUPS, -1)
        low, high = saved_interval(smaller[drawn].sum(1), larger[drawn].sum(1))
        n_held += low <= truth <= high
    assert 1870 <= n_held <= 1930


LINES = [f"line {n} of a small text about mills and wheels {n * n}" for n in range(400)]


def test_an_edge_names_what_to_try_and_that_works():
    found = spm_lite.sweep(LINES, [300, 330], model_type="bpe", held_out=LINES[::2])
    assert set(found.cheapest.values()) == {330}
    assert found.next_sizes == [660, 1320]
    assert "330 pieces, the largest size tried, need the fewest" in str(found)
    assert "Try 660 and 1,320 too." in str(found)
    assert "Instead of 330 pieces, 300 would need" in str(found)
    more = spm_lite.sweep(LINES, [300, 330, *found.next_sizes], model_type="bpe", hard_vocab_limit=False)
    assert len(more) == 4


def test_a_text_that_has_no_more_pieces():
    few = ["a mill"] * 30
    found = spm_lite.sweep(few, [290, 4000], model_type="bpe", hard_vocab_limit=False)
    assert found.next_sizes in ([], [1])
    assert "4,000 pieces" not in str(found) or "The text allows no larger ones." in str(found)


def test_the_smallest_size():
    """Sizes below the characters and bytes that every model has are not proposed."""
    found = spm_lite.sweep(LINES, [300, 330], model_type="bpe")
    upside_down = [
        row.__class__(**{**row.__dict__, "operations_per_byte": dict.fromkeys(MODELS, row.size)}) for row in found.rows
    ]
    again = Sweep(found.tokenizers, upside_down)
    assert set(again.cheapest.values()) == {300}
    assert again.next_sizes == []
    assert "300 pieces, the smallest size tried" in str(again)
    assert "The text allows no smaller ones." in str(again)


def test_prices_and_knees_in_words():
    of_groups = {1000: 1000, 2000: 800, 4000: 700, 8000: 620}
    made = rows_of({size: np.full(GROUPS, n) for size, n in of_groups.items()}, GROUPS * 4000)
    tok = spm_lite.byte_tokenizer()
    text = str(Sweep(dict.fromkeys(of_groups, tok), made))
    assert "Knee at 2,000: up to it, doubling the vocabulary saves 20.0% of the tokens; after it, 12.5%." in text
    flat = rows_of({size: np.full(GROUPS, n) for size, n in {1000: 1000, 2000: 880, 4000: 790}.items()}, 80000)
    found = Sweep(dict.fromkeys((1000, 2000, 4000), tok), flat).reasons
    assert found[0] == "No clear knee: from size to size, doubling the vocabulary saves 12.0% and 10.2% of the tokens."
    assert re.search(
        r"Instead of 4,000 pieces, 2,000 would need 11.4% more tokens, with 4.1 M fewer parameters", found[-1]
    )


@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
def test_groups_are_of_documents_whatever_the_blocks(model_type):
    options = {"model_type": model_type, "hard_vocab_limit": False, "num_threads": 1}
    found = spm_lite.sweep(LINES, [300, 340], held_out=LINES[:90], **options)
    counts = [[tok.count(line) for line in LINES[:90]] for tok in (found[300], found[340])]
    groups = [np.array([sum(row[g::GROUPS]) for g in range(GROUPS)]) for row in counts]
    assert found.rows[1].tokens_saved_ci95 == saved_interval(*groups)
    assert found.rows[1].tokens == sum(counts[1])
    few = spm_lite.sweep(LINES, [300, 340], held_out=LINES[:9], **options)
    assert few.rows[1].tokens_saved_ci95 is None
    assert few.to_dict()["sizes"][0]["tokens_saved_ci95"] is None
