"""The final list of Unigram pieces."""

from array import array

from spm_lite.training.unigram.finalize import final_pieces


def single(value: float) -> float:
    return array("f", [value])[0]


def test_characters_first_then_the_best() -> None:
    learned = {"a": -3.0, "ab": -1.0, "ba": -2.0, "aa": -2.5}
    assert final_pieces(["a", "b"], learned, 4) == [("ab", -1.0), ("ba", -2.0), ("a", -3.0), ("b", -3.0)]


def test_rare_characters_rise_from_the_least_score() -> None:
    learned = {"a": -5.0, "ab": -1.0}
    pieces = final_pieces(["a", "y", "b", "x"], learned, 9)
    assert pieces == [
        ("ab", -1.0),
        ("x", single(-5 + 0.0002)),
        ("b", single(-5 + 0.0001)),
        ("a", -5.0),
        ("y", -5.0),
    ]


def test_equal_scores_go_by_code_point() -> None:
    learned = dict.fromkeys(("𐀀", "\uffff", "b", "a"), -1.0)
    assert [piece for piece, _ in final_pieces([], learned, 3)] == ["a", "b", "\uffff"]


def test_equal_in_single_precision_is_equal() -> None:
    learned = {"b": -1.00000000001, "a": -1.00000000002}
    assert final_pieces([], learned, 1) == [("a", -1.0)]


def test_required_characters_stay_even_where_there_is_no_room() -> None:
    assert len(final_pieces(["a", "b", "c"], {"ab": -1.0}, 2)) == 3
    assert final_pieces([], {}, 5) == []
