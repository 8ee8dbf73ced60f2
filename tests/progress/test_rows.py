"""Rows of the progress display: what is in them, and that they fit."""

import pytest

from spm_lite.progress.meter import Progress
from spm_lite.progress.rows import PhaseState, Row, clock, line_of, row_of, shown_amount, shown_seconds

COUNT = Progress("count", 0.5, 2e6, 60_000_000, "bytes")
RUNNING = PhaseState(COUNT, 30.0, True)


def test_all_that_is_known():
    row = row_of(RUNNING, 200)
    assert row == Row("counting", 40, 0.5, (" 50%", "60.0 MB", "2.0 MB/s", "0:30", "0:30 left"))
    assert row.text("#", ".") == f"counting  {'#' * 20}{'.' * 20}   50%  60.0 MB  2.0 MB/s  0:30  0:30 left"
    assert row_of(RUNNING._replace(is_running=False), 200).text() == "counting  30.0 s  60.0 MB  2.0 MB/s"


@pytest.mark.parametrize(
    "progress", [COUNT, Progress("merges", 1.0, 9e9, 10**12, "merges"), Progress("x", 0.5, None, 0, "")]
)
@pytest.mark.parametrize("is_running", [True, False])
def test_a_row_fits(progress, is_running):
    state = PhaseState(progress, 1e6, is_running)
    for width in range(1, 220):
        for label_width in (0, 14):
            assert len(row_of(state, width, label_width).text()) <= width


def test_what_a_narrow_row_has():
    """Forty columns hold the bar, the percentage and the time left; eighty hold everything."""
    assert [field.strip() for field in row_of(RUNNING, 40, 14).fields] == ["50%", "0:30 left"]
    assert row_of(RUNNING, 40, 14).bar_width >= 6
    assert len(row_of(RUNNING, 80, 14).fields) == 5 and row_of(RUNNING, 80, 14).bar_width >= 6


def test_what_is_not_known():
    assert row_of(PhaseState(Progress("count", None, None, 0, "bytes"), 3.0, True), 80).text() == "counting  0:03"
    assert row_of(PhaseState(Progress("seeds", 0.0, None, 0, ""), 3.0, True), 80).text() == "seed pieces  0:03"
    assert row_of(PhaseState(Progress("count", None, 1e6, 3_000_000, "bytes"), 3.0, True), 80).bar_width == 0


def test_a_phase_of_the_caller_is_shown_without_control_characters():
    state = PhaseState(Progress("\x1b[31mx\n", None, None, 0, ""), 1.0, True)
    assert row_of(state, 80).text() == "\\x1b[31mx\\n  0:01"
    assert line_of(state) == "\\x1b[31mx\\n: 0:01"


def test_lines_of_a_log():
    assert line_of(RUNNING) == "counting: 50%, 60.0 MB, 2.0 MB/s, 0:30, 0:30 left"


def test_times_and_amounts():
    assert [clock(seconds) for seconds in (0, 59.6, 3599, 3600, 360_000)] == [
        "0:00",
        "1:00",
        "59:59",
        "1:00:00",
        "100:00:00",
    ]
    assert [shown_seconds(seconds) for seconds in (0.04, 59.9, 60, 4000)] == ["0.0 s", "59.9 s", "1:00", "1:06:40"]
    assert [shown_amount(n, "bytes") for n in (0, 1e9, 12e9)] == ["0.0 MB", "1,000.0 MB", "12.0 GB"]
    assert shown_amount(5, "") == ""
