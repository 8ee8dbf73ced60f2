"""Calls that change vocabularies or train them in newer ways: extended, pruned, merged, superwords, fairness."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import spm_lite
from spm_lite import Tokenizer, VocabMap

if TYPE_CHECKING:
    from public_calls import Calls, Inputs

SMALL: dict[str, Any] = {"model_type": "byte_bpe", "vocab_size": 400, "hard_vocab_limit": False}


def fair_calls(given: Inputs, n: int) -> Calls:
    """The trainings that weigh languages or go on across spaces, on n threads."""
    few = given.few
    sources = {"a": few[:-20], "b": few[-20:]}
    parallel = {"a": few[:20], "b": few[-20:]}
    fair: dict[str, Any] = {**SMALL, "parallel": parallel, "num_threads": n}
    return {
        "train superwords": lambda: spm_lite.train(few, **{**SMALL, "superwords": 0.8, "num_threads": n}),
        "train unigram superwords": lambda: spm_lite.train(
            few, model_type="unigram", vocab_size=500, superwords=0.8, hard_vocab_limit=False, num_threads=n
        ),
        "train balance": lambda: balanced(sources, fair),
        "train parity": lambda: spm_lite.train(sources, objective="parity", **fair),
        "sweep fair": lambda: fair_sweep(sources, fair),
    }


def balanced(sources: dict[str, list[str]], options: dict[str, Any]) -> tuple[Any, ...]:
    """The model of a balanced training, and what its report says of the balance."""
    tok = spm_lite.train(sources, balance="tokens", **options)
    assert tok.report is not None
    found = tok.report.balance
    assert found is not None
    return tok, found.summary(), found.table()


def fair_sweep(sources: dict[str, list[str]], options: dict[str, Any]) -> tuple[Any, ...]:
    """What a sweep of both ways to fairness finds."""
    given = {name: value for name, value in options.items() if name != "vocab_size"}
    found = spm_lite.sweep(sources, [400], balance=["tokens", "parity"], **given)
    return str(found.best(400, 0.03)), found.table(), found.svg(), sorted(found.to_dict())


def vocabulary_calls(given: Inputs) -> Calls:
    """The calls that give a model with other pieces, and their maps."""
    bpe, words = (
        given.bpe,
        ["".join(pair) for pair in zip("abcdefghij" * 20, "qrstuvwxyzklmnopqrst" * 10, "bcdefghija" * 20, strict=True)]
        * 3,
    )
    with_names = spm_lite.train(
        given.few,
        model_type="bpe",
        vocab_size=350,
        hard_vocab_limit=False,
        num_threads=1,
        control_symbols=["<unused0>"],
    )
    extended = bpe.extend(words, 5, num_threads=1)
    return {
        "extend": lambda: revised(bpe.extend(words, 20, num_threads=1)),
        "extend unigram": lambda: revised(given.tok.extend(words, 20, only="all", num_threads=1)),
        "extend superwords": lambda: revised(bpe.extend(words * 3, 3, superwords=True, num_threads=1)),
        "prune": lambda: revised(bpe.prune(len(bpe) - 60, source=given.few, num_threads=1)),
        "prune unigram": lambda: revised(given.tok.prune(len(given.tok) - 60, source=given.few, num_threads=1)),
        "replace": lambda: revised(bpe.replace(words, 10, prune_for=given.few, num_threads=1)),
        "merge": lambda: revised(spm_lite.merge(given.byte_level, with_names)),
        "rename": lambda: revised(with_names.rename({"<unused0>": "<tool>"})),
        "claim_unused": lambda: revised(with_names.claim_unused(["<tool>"])),
        "VocabMap": lambda: map_of(extended.map),
        "get_vocab": lambda: bpe.get_vocab(),
        "pieces of ids": lambda: [(bpe.score(i), bpe.piece_type(i), bpe.token_bytes(i)) for i in range(len(bpe))],
        "ids of pieces": lambda: [bpe.piece_to_id(name) for name in bpe.get_vocab()],
    }


def revised(found: Any) -> tuple[Any, ...]:
    """The model and the map of a result."""
    tok: Tokenizer = found.tokenizer
    return tok, found.map.to_json()


def map_of(found: VocabMap) -> tuple[Any, ...]:
    """What a map says, after it was written and read."""
    again = VocabMap.from_json(found.to_json())
    assert again == found
    return str(again.rows("mean")), str([again.old_ids(i) for i in range(again.n_new)])
