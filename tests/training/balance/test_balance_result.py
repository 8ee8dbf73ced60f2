"""Balance: its sums, and its table in 40 columns."""

import json
import pickle
from dataclasses import asdict

import pytest

import spm_lite
from spm_lite.training.balance.balance_result import BalanceRound, BalanceRow, balance_of


def made():
    rows = {
        "eng": BalanceRow(20_000, 21_000, weight=0.0312),
        "zho-CN": BalanceRow(30_000, 24_000, weight=0.000341),
        "code": BalanceRow(None, None, weight=0.25),
    }
    rounds = (BalanceRound(50_000, 0.1, None, {}), BalanceRound(45_000, 1 / 30, {}, {}))
    return balance_of("tokens", rows, weights={}, rounds=rounds, warnings=("a\x1b: differs",), stopped_by="the price")


def test_sums():
    balance = made()
    assert (balance.total_before, balance.total_after) == (50_000, 45_000)
    assert balance.gini_before == pytest.approx(0.1)
    assert balance.gini_after == pytest.approx(1 / 30)
    assert balance.max_min_before == 1.5
    assert balance.max_mean_before == 1.2
    assert balance.summary() == "Gini 0.1000 to 0.0333, tokens -10.0%"


def test_costs_are_shares_of_targets():
    rows = {"a": BalanceRow(30, 20, target=10.0), "b": BalanceRow(10, 10, target=10.0), "c": BalanceRow(99, 99)}
    balance = balance_of("tokens", rows)
    assert balance.max_min_before == 3
    assert balance.gini_before == 0.25
    assert balance.total_after == 129
    assert balance_of("tokens", {"a": rows["a"]}).gini_before is None


def test_the_table():
    assert str(made()).splitlines() == [
        "         before  after change   weight",
        "eng      20,000 21,000  +5.0%   0.0312",
        "zho-CN   30,000 24,000 -20.0% 0.000341",
        "code                              0.25",
        "all      50,000 45,000 -10.0%",
        "Gini     0.1000 0.0333",
        "max/min   1.500  1.143",
        "max/mean  1.200  1.067",
        "2 trainings, ended by: the price",
        "warning: a\\x1b: differs",
    ]
    assert "merges" in str(balance_of("parity", {"a": BalanceRow(3, 2, merges=7), "b": BalanceRow(3, 2, merges=1234)}))
    assert "<table" in made()._repr_html_()
    assert repr(made()).startswith("<Balance: Gini")


def test_it_can_be_stored():
    assert pickle.loads(pickle.dumps(made())) == made()
    assert json.loads(json.dumps(asdict(made())))["rounds"][0]["total"] == 50_000
    assert isinstance(made(), spm_lite.Balance)
