"""Which lines of a corpus are taken: the first ones or a draw, and none that is empty, marked or too long."""

from collections import Counter
from typing import Any

from spm_lite.files.selection import Selection, scaled_draw


def select(size: int, n: int, **options: Any) -> list[bytes]:
    selection = Selection(
        **{"size": size, "draw": True, "seed": 0, "max_line_size": None, "skip_marked": False, **options}
    )
    return selection.select([[str(i).encode() for i in range(n)]])


def test_first_lines() -> None:
    assert select(3, 10, draw=False) == [b"0", b"1", b"2"]
    assert select(30, 10, draw=False) == [str(i).encode() for i in range(10)]


def test_drawn_lines() -> None:
    """One seed gives one selection; every line has the same chance."""
    assert select(5, 50) == select(5, 50)
    assert select(5, 50) != select(5, 50, seed=1)
    hits = Counter(line for seed in range(4000) for line in select(2, 8, seed=seed))
    assert len(hits) == 8
    assert all(880 < count < 1120 for count in hits.values())


def test_left_out_lines_take_no_place() -> None:
    selection = Selection(2, False, 0, 3, True)
    assert selection.select([b"\nlong line\n\xe2\x96\x85\nab\n", [b"cd", b"ef"]]) == [b"ab", b"cd"]
    assert (selection.read, selection.empty, selection.too_long, selection.marked) == (5, 1, 1, 1)


def test_all_usable_lines() -> None:
    selection = Selection(2, False, 0, 3, True)
    assert list(selection.all_usable([b"\nlong line\nab\n", [b"c\nd", b"", b"ef"]])) == [[b"ab"], [b"c\nd", b"ef"]]
    assert (selection.read, selection.usable, selection.empty, selection.too_long) == (6, 3, 2, 1)


def test_draw_is_documented() -> None:
    assert [scaled_draw(0, n) for n in (0, 1, 10, 1000)] == [0, 0, 4, 175]
