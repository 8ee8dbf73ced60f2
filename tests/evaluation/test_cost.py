"""What a vocabulary costs in operations and memory, by the formulas."""

import pytest

from spm_lite.evaluation.cost import MODELS, cheapest, cost_figures, operations_per_byte


def test_costs():
    model = MODELS[0]
    assert operations_per_byte(32000, 4.0, model) == 2 * (100e6 + 32000 * 768) / 4
    figures = cost_figures({"a": 32000, "b": 64000}, {"en": {"a": 4.0, "b": 4.4}, "ja": {"a": None, "b": 2.0}})
    small = figures["tokenizers"]["a"]["models"]["100M"]
    assert small["embedding"] == 32000 * 768
    assert small["share"] == small["embedding"] / (100e6 + small["embedding"])
    assert figures["tokenizers"]["b"]["logits_bytes_per_position"] == 256000
    row = figures["texts"]["en"]["100M"]
    assert row["a"]["against_first"] == 1
    assert row["b"]["against_first"] == pytest.approx((100e6 + 64000 * 768) / (100e6 + 32000 * 768) / 1.1)
    assert figures["texts"]["ja"]["100M"]["b"]["against_first"] is None
    assert cheapest([(32000, 2.0), (8000, 1.0), (16000, 1.0)]) == 8000
