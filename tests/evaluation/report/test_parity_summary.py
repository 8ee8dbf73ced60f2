"""The words about parity: the front in one sentence, small numbers, and the ends of intervals."""

from spm_lite.evaluation.figures.fair_front import FairPoint
from spm_lite.evaluation.report.front_chart import front_chart
from spm_lite.evaluation.report.parity_summary import ends, front_sentence, small

PLAIN, FAIR = FairPoint("plain", 384_000, 0.0518, (0.05, 0.054)), FairPoint("fair", 390_000, 0.0151)


def test_front_sentence():
    assert front_sentence([PLAIN]) == ""
    assert front_sentence([FairPoint("a", 1, 0.1, is_lost=True), FairPoint("b", 1, 0.1, is_lost=True)]) == ""
    assert front_sentence([FAIR, PLAIN]) == (
        "On the front, where no other is better in both tokens and Gini: plain (384,000 tokens, Gini .0518), fair "
        "(390,000 tokens, Gini .0151)."
    )
    best = FairPoint("best", 100, 0.0)
    assert front_sentence([PLAIN, best]) == "best has both the fewest tokens and the lowest Gini."


def test_numbers():
    assert [small(value) for value in (0.0518, 0.0, 1.5, None)] == [".0518", "0", "1.5", "-"]
    assert ends([0.0, 0.0]) == ".0000-.0000"
    assert ends([0.0686912, 0.0690321]) == ".0687-.0690"
    assert ends([3.0, 41.0]) == "3-41"


def test_chart():
    drawn = front_chart([PLAIN, FAIR, FairPoint("<b>", 10, 0.9, is_lost=True)])
    assert "&lt;b&gt;" in drawn
    assert "<b>" not in drawn
    assert "plain: 384,000 tokens, Gini .0518 [.05, .054]" in drawn
    assert front_chart([PLAIN, PLAIN]).count(">plain</text>") == 2
