"""FairSweep: the front of each size, the best way at each price, and what people see of it."""

import pytest

from spm_lite.errors import OptionError
from spm_lite.evaluation.fair_figures import FairFigures, FairSweep

WAYS = [
    ("plain", 0.0, 0.05, {}),
    ("weights 1", 0.004, 0.03, {"balance": "tokens", "price": 0.01}),
    ("weights 2", 0.012, 0.02, {"balance": "tokens", "price": 0.02}),
    ("weights 3", 0.016, 0.025, {"weights": {"a": 1.0, "b": 3.0}}),
    ("parity", 0.028, 0.004, {"objective": "parity"}),
]


@pytest.fixture(name="found")
def of_two_sizes():
    rows = [
        FairFigures(size, way, round(100_000 * (1 + price)), price, gini, 1 + gini, options)
        for size in (8000, 500)
        for way, price, gini, options in WAYS
    ]
    return FairSweep(rows, {"model_type": "bpe"}, {(8000, "weights 2"): "tok"})


def test_rows(found):
    assert found.sizes == [500, 8000]
    assert len(found) == 10
    assert [row.way for row in found.rows[:5]] == [way for way, *_ in WAYS]
    assert [row.is_on_front for row in found.rows[:5]] == [True, True, True, False, True]
    assert repr(found) == "<FairSweep over 500, 8,000 pieces: 10 ways>"


def test_best(found):
    assert [found.best(500, price).way for price in (0, 0.005, 0.02, 1)] == [
        "plain",
        "weights 1",
        "weights 2",
        "parity",
    ]
    assert found[8000, 0.02] == "tok"
    with pytest.raises(OptionError, match="size 9: the sizes are 500, 8000"):
        found.best(9, 0.01)
    with pytest.raises(OptionError, match="Plain training costs 0, so give 0 or more"):
        found.best(500, -0.01)


def test_choices(found):
    choices = [(one.row.way, one.prices, one.options) for one in found.choices if one.row.size == 500]
    rest = {"model_type": "bpe", "vocab_size": 500}
    assert choices == [
        ("weights 1", (0.005, 0.01), {"balance": "tokens", "price": 0.01, **rest}),
        ("weights 2", (0.02,), {"balance": "tokens", "price": 0.02, **rest}),
        ("parity", (0.03,), {"objective": "parity", **rest}),
    ]
    assert found.reasons[0] == (
        "500 pieces, at most 0.5 to 1 % more tokens: weights 1 (Gini .03, 40 % less than plain, at +0.40% tokens). "
        "train(sources, parallel=dev, balance='tokens', price=0.01, model_type='bpe', vocab_size=500)"
    )
    assert [list(one) for one in (found.to_dict(), found.to_dict()["ways"][0])] == [
        ["ways", "choices"],
        ["size", "way", "tokens", "price", "gini", "max_mean", "options", "is_on_front"],
    ]


def test_what_people_see(found):
    assert max(map(len, str(found).splitlines())) <= 79
    assert ".03 *" in str(found)
    picture = found.svg()
    assert picture.startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    assert picture.endswith("</svg>\n")
    assert picture.count(">weights 1</text>") == 2
    assert "8,000 pieces" in picture
    assert "data:image/svg+xml;base64," in found._repr_html_()
