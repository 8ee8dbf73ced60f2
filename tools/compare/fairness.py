"""Measure what `balance="tokens"` gives and costs, and check what the documentation says of it.

    python tools/compare/fairness.py [--vocab-size 32000] [--types bpe unigram byte_bpe] [--languages NAME...]

The texts are those of NTREX, whose line i says the same in all languages. All figures are on test lines, against plain
training of the same type. Three parts:

- Lines are dealt out: of each five, two are learned from, one is dev text, and two are the test.
- Lines in sequence, in the same proportions: the later lines of Yoruba are spelled differently, and must be named.
- Texts of unlike size: the corpora as they are, lines of NTREX for other languages, and code without dev text.

The exit status is 1 if a claim does not hold. Claims are checked with all languages and 32,000 pieces.
"""

from __future__ import annotations

import argparse
import sys
import sysconfig
import time
from pathlib import Path
from typing import Any

from comparison import DATA
from parity_trainers import Lines, dealt, ntrex, parts_of

import spm_lite
from spm_lite.training.balance.inequality import gini, most_to_mean

CLAIMS = ((0.017, 0.017, 0.65), (0.02, 0.02, 0.70), (0.022, 0.022, 0.75))  # price, most tokens more, least fall of Gini
MOST_TRAININGS = 8
MOST_TO_MEAN = 1.3
LANGUAGE_OF = {
    "ar": "arb", "de": "deu", "en": "eng", "fi": "fin", "hi": "hin", "ja": "jpn", "ko": "kor", "ru": "rus",
    "th": "tha", "tr": "tur", "vi": "vie", "zh": "zho-CN",
}  # fmt: skip
HEADER = f"{'':<22} {'price':>6} {'trainings':>9} {'tokens':>7} {'Gini':>14} {'max/mean':>12} {'seconds':>13}"


def tokens_of(tok: spm_lite.Tokenizer, texts: Lines) -> dict[str, int]:
    """The tokens of each language."""
    return {name: int(tok.count_batch(lines).sum()) for name, lines in texts.items()}


def compare(title: str, texts: Any, dev: Lines, test: Lines, price: float, **options: Any) -> tuple[Any, float, float]:
    """Print a row. Returns the Balance, the change of the tokens of the test, and the fall of its Gini."""
    begin = time.process_time()
    plain = spm_lite.train(texts, **options)
    middle = time.process_time()
    fair = spm_lite.train(texts, balance="tokens", parallel=dev, price=price, **options)
    end = time.process_time()
    before, after = (tokens_of(tok, test).values() for tok in (plain, fair))
    more, unfair, still = sum(after) / sum(before) - 1, gini(before) or 0.0, gini(after) or 0.0
    balance = fair.report.balance if fair.report else None
    assert balance is not None
    print(
        f"{title:<22} {price:>6.1%} {len(balance.rounds):>9} {more:>+7.2%} {unfair:.4f}->{still:.4f} "
        f"{most_to_mean(before):.3f}->{most_to_mean(after):.3f} {middle - begin:>5.1f}->{end - middle:.1f}",
        flush=True,
    )
    for warning in balance.warnings:
        print(f"    {warning}")
    return balance, more, 1 - still / unfair


def unlike_sizes(train: Lines) -> dict[str, Any]:
    """Training texts of unlike size: whole corpora, lines of NTREX, and code."""
    found: dict[str, Any] = {}
    for path in sorted((DATA / "corpora").glob("*.txt")):
        found.setdefault(LANGUAGE_OF[path.name[:2]], []).append(path)
    found = {name: found.get(name, lines) for name, lines in train.items()}
    return {**found, "code": sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vocab-size", type=int, default=32_000, metavar="N")
    parser.add_argument("--types", nargs="+", default=["bpe", "unigram", "byte_bpe"], metavar="TYPE")
    parser.add_argument("--languages", nargs="+", default=[], metavar="NAME")
    given = parser.parse_args()
    lines = ntrex(given.languages)
    failures = []
    print(HEADER)
    train, dev, test = dealt(given.languages)
    for model_type in given.types:
        options = {"model_type": model_type, "vocab_size": given.vocab_size}
        for price, most, least in CLAIMS:
            balance, more, fall = compare(f"dealt, {model_type}", train, dev, test, price, **options)
            if more > most or fall < least or len(balance.rounds) > MOST_TRAININGS or balance.warnings:
                failures.append(f"{model_type}, price {price}: {fall:.1%} for {more:.2%}, {balance.warnings}")
    for model_type in given.types:
        options = {"model_type": model_type, "vocab_size": given.vocab_size}
        parts = parts_of(lines, lambda i, n: (0, 0, 1, 2, 2)[5 * i // n])
        balance, _, _ = compare(f"in sequence, {model_type}", *parts, 0.02, **options)
        if [warning.partition(":")[0] for warning in balance.warnings] != ["yor"]:
            failures.append(f"{model_type}, in sequence: warnings {balance.warnings}")
        texts = unlike_sizes(train)
        balance, _, _ = compare(f"unlike sizes, {model_type}", texts, dev, test, 0.02, **options)
        if balance.max_mean_after > MOST_TO_MEAN:
            failures.append(f"{model_type}, unlike sizes: {balance.max_mean_after:.3f} times the mean")
    print("\n".join(failures) or "every claim holds")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
