"""Sums in single precision: what the approximations decide is what the original computes."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from oracle import native

logs = st.floats(-200, 0, width=32)


def test_errors_are_within_their_bounds() -> None:
    of_sums, of_exp = native.worst_errors(2_000_000)
    assert of_sums < 2e-10
    assert of_exp < 1e-11


@given(logs, logs)
@example(-1.0, -1.0)
@example(-0.0, 0.0)
@example(-25.0, -1.0)
@example(-60.0, -3.0)
@example(float("-inf"), -3.0)
def test_log_sums(x: float, y: float) -> None:
    ours, exact = native.log_sum(x, y)
    assert ours == exact


@given(st.floats(0, 1e9, width=32), st.floats(1, 2**24, width=32), st.floats(-2000, 0.5, width=32))
@example(0.0, 1.0, 0.0)
@example(0.0, 1.0, -103.25)
def test_expected_sums(total: float, count: float, log_probability: float) -> None:
    ours, exact = native.expected_sum(total, count, log_probability)
    assert ours == exact


def test_many_sums() -> None:
    draw = np.random.default_rng(1)
    xs = draw.uniform(-40, 0, 50_000).astype("float32").tolist()
    gaps = draw.choice([1e-6, 0.1, 1, 10, 30], 50_000) * draw.normal(size=50_000)
    for x, gap in zip(xs, gaps.tolist(), strict=True):
        ours, exact = native.log_sum(x, x + gap)
        assert ours == exact
        ours, exact = native.expected_sum(-x * 1000, 3.0, x)
        assert ours == exact
