"""The split of documents, and bits per byte with their errors and verdicts, against the right values."""

import numpy as np
import pytest
from oracle.slow import slow_after

from spm_lite.evaluation.figures.audit_sources import TextSource
from spm_lite.evaluation.figures.id_store import blocks_of
from spm_lite.evaluation.figures.measure import measure
from spm_lite.evaluation.prediction.held_out import n_of_four_fifths, predict, split_of
from spm_lite.evaluation.prediction.paired import add_holm, compare
from spm_lite.evaluation.prediction.verdicts import bits_verdict, tokens_verdict

TEXTS = ["jpn", "eng", "deu", "en-botchan.txt", "en-novels.txt"]


def source_of(name, text_lines, shared_data):
    if name.endswith(".txt"):
        return TextSource(name, text_lines(name))
    lines = (shared_data / f"corpora/parallel/ntrex.{name}.tsv").read_bytes().split(b"\n")
    rows = [line.split(b"\t", 1) for line in lines if line]
    return TextSource(name, [row[1] for row in rows], [row[0].rsplit(b"-", 1)[0] for row in rows], True)


def check_one(name, golden, subject, text_lines, shared_data, check):
    subjects = [subject(model) for model in golden["models"]]
    right = golden["ngram"][name]
    measured = measure(source_of(name, text_lines, shared_data), subjects, 2, 0, None)
    split = split_of(measured)
    assert measured.n_documents == right["documents"]
    assert len(split.training) == right["training_documents"]
    assert len(split.held) == right["held_out_documents"]
    assert split.held_bytes.sum() == right["held_out_bytes"]
    predicted = {each.name: predict(split, each.name, (1, 2, 3), 2) for each in subjects}
    check({model: one.report for model, one in predicted.items()}, right["models"])
    pairs = compare(name, split.held_bytes, predicted, (2, 3), 0)
    for pair in pairs:
        expected = right["pairs"][pair.name]
        for figure in ("n2", "n3", "tokens"):
            check(pair.figures[figure], without(expected[figure], "p_holm", "verdict"))
    return pairs, predicted, len(split.held)


def without(figures, *names):
    return {name: value for name, value in figures.items() if name not in names}


@pytest.mark.parametrize("name", slow_after(2, TEXTS[:4]))
def test_right_values(name, golden, subject, text_lines, shared_data, check):
    check_one(name, golden, subject, text_lines, shared_data, check)


@pytest.mark.slow
def test_verdicts(golden, subject, text_lines, shared_data, check):
    """Holm's correction is over all pairs of all texts, and the verdicts come after it."""
    found = {name: check_one(name, golden, subject, text_lines, shared_data, check) for name in TEXTS}
    add_holm([pair for pairs, _, _ in found.values() for pair in pairs])
    for name, (pairs, predicted, n_documents) in found.items():
        for pair in pairs:
            right = golden["ngram"][name]["pairs"][pair.name]
            for figure in ("n2", "n3", "tokens"):
                check(pair.figures[figure]["p_holm"], right[figure]["p_holm"])
            for verdict, figure in (
                (bits_verdict(pair, predicted, n_documents), "n2"),
                (tokens_verdict(pair, predicted, n_documents), "tokens"),
            ):
                assert [verdict.verdict, *verdict.who] == right[figure]["verdict"]


def measured_of(texts, subject, documents=None, id_bytes=None):
    return measure(TextSource("x", texts, documents), [subject("llama2")], 1, 0, id_bytes)


def test_split(subject):
    split = split_of(measured_of(["aaaa"] * 10, subject))
    assert (split.training.tolist(), split.held.tolist()) == (list(range(8)), [8, 9])
    split = split_of(measured_of(["a", "a" * 70, "b" * 29], subject, [1, 2, 2]))
    assert (split.training.tolist(), split.held.tolist()) == ([0, 1], [])
    train = measured_of(["x", "y"], subject)
    split = split_of(measured_of(["a", "b", "c"], subject), train)
    assert (split.training.tolist(), split.held.tolist()) == ([0, 1], [0, 1, 2])
    assert split.held_bytes.tolist() == [1, 1, 1]


def test_limited_bytes(subject):
    """With a limit, the texts after it are neither for training nor held out."""
    measured = measured_of(["aaaa"] * 100, subject, id_bytes=40)
    split = split_of(measured)
    assert (measured.n_kept, len(split.training), len(split.held)) == (10, 8, 2)
    assert predict(split, "llama2", (2,), 1).tokens.tolist() == measured.readings["llama2"].lengths[8:10].tolist()


def test_other_training_text(subject, shared_data):
    lines = (shared_data / "corpora/en-botchan.txt").read_bytes().split(b"\n")[:900]
    train, held = measured_of(lines[:800], subject), measured_of(lines[800:], subject)
    apart = predict(split_of(held, train), "llama2", (2, 3), 1)
    assert apart.report["n2"]["training_tokens"] == train.readings["llama2"].totals["tokens"]
    assert apart.report["n2"]["held_out_tokens"] == held.readings["llama2"].totals["tokens"]
    assert apart.bits["n2"].shape == (held.n_documents,)
    assert np.isclose(apart.bits["n2"].sum() / held.sizes.sum(), apart.report["n2"]["bits_per_byte_spelled"])


def test_four_fifths_of_the_bytes():
    """Documents train that begin before four fifths of all bytes."""
    draw = np.random.default_rng(1)
    for _ in range(500):
        sizes = draw.integers(0, draw.integers(1, 50), draw.integers(0, 30))
        before = np.cumsum(sizes) - sizes
        assert n_of_four_fifths(sizes) == int((5 * before < 4 * sizes.sum()).sum()), sizes


@pytest.mark.parametrize("longest", [1, 3, 3000])
def test_blocks_cover_all_texts(longest):
    lengths = np.random.default_rng(longest).integers(0, longest, 300_000).astype(np.int32)
    place = n_ids = 0
    for first, last, begin, end in blocks_of(lengths, 5000):
        assert (first, begin) == (place, n_ids)
        assert lengths[first:last].sum() == end - begin < 5000 + longest
        place, n_ids = last, end
    assert (place, n_ids) == (len(lengths), int(lengths.sum()))
