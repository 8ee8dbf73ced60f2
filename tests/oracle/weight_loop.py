"""The loop over weights, naive: the public `train(weights=)`, texts encoded one by one, exact fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import spm_lite


def gini(costs: list[int]) -> Fraction:
    """Half of the mean difference of two costs, as a share of their mean."""
    differences = sum(abs(one - other) for one in costs for other in costs)
    return Fraction(differences, 2 * len(costs) * sum(costs))


def short(number: Fraction) -> float:
    """A number of four digits."""
    return float(f"{float(number):.4g}")


def balanced(
    texts: dict[str, list[str]], parallel: dict[str, list[str]], price: str, **options: Any
) -> tuple[dict[str, float], bytes, list[int]]:
    """The weights and the model of the fairest training within the price, and the tokens of every training."""
    rows = [row for row in zip(*parallel.values(), strict=True) if all(line.strip() for line in row)]
    lines = dict(zip(parallel, zip(*rows, strict=True), strict=True))
    tok = spm_lite.train(texts, **options)
    assert tok.report is not None
    sizes = {name: figures.bytes_used for name, figures in tok.report.sources.items()}
    weights = {name: short(Fraction(size, sum(sizes.values()))) for name, size in sizes.items()}
    tokens = {name: sum(len(tok.encode(line)) for line in found) for name, found in lines.items()}
    most = sum(tokens.values()) * (1 + Fraction(price))
    totals, fairness = [sum(tokens.values())], gini([*tokens.values()])
    best = fairness, weights, tok.to_bytes()
    beyond, n_back = None, 0
    while fairness and len(totals) < 8:
        if beyond is None:
            mean = Fraction(sum(tokens.values()), len(tokens))
            raw = {name: Fraction(weights[name]) * (tokens[name] / mean) ** 3 for name in tokens}
            scale = sum(Fraction(weights[name]) for name in tokens) / sum(raw.values())
            tried = {name: short(raw[name] * scale) if name in raw else weights[name] for name in weights}
        else:
            tried = {name: short((Fraction(weights[name]) + Fraction(beyond[name])) / 2) for name in weights}
        tok = spm_lite.train(texts, weights=tried, **options)
        found = {name: sum(len(tok.encode(line)) for line in lines[name]) for name in lines}
        totals.append(sum(found.values()))
        after = gini([*found.values()])
        if totals[-1] > most or after > fairness * Fraction(105, 100):
            beyond, n_back = tried, n_back + 1
            if n_back > 2:
                break
            continue
        if after < best[0]:
            best = after, tried, tok.to_bytes()
        if after > fairness * Fraction(95, 100):
            break
        weights, tokens, fairness = tried, found, after
    return best[1], best[2], totals
