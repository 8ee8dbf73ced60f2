"""The front: who is beaten, ties, and tokenizers that lose text."""

from spm_lite.evaluation.figures.fair_front import FairPoint, front_of


def names(points):
    return [point.name for point in front_of(points)]


def test_front():
    plain, fair, poor = FairPoint("plain", 100, 0.05), FairPoint("fair", 102, 0.01), FairPoint("poor", 102, 0.02)
    assert names([poor, fair, plain]) == ["plain", "fair"]
    assert names([fair, FairPoint("same", 102, 0.01)]) == ["fair", "same"]
    assert names([plain, FairPoint("both", 99, 0.01)]) == ["both"]
    assert names([]) == []


def test_what_loses_text_neither_stands_nor_beats():
    lost = FairPoint("lost", 10, 0.0, is_lost=True)
    assert names([lost, FairPoint("kept", 100, 0.05)]) == ["kept"]
    assert names([lost]) == []
