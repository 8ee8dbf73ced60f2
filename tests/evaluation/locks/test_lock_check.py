"""What differs from a lock: planted changes are found in texts, and the cause that is named is the one planted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import spm_lite
from spm_lite.evaluation.locks.lock_rows import IDS, SPECIAL, rows_of_suite
from spm_lite.kinds import NORMAL
from spm_lite.vocab.messages import serialize

Change = Callable[[Any], None]


def changed(tok: spm_lite.Tokenizer, change: Change) -> spm_lite.Tokenizer:
    """The model with something else in its message."""
    message = tok._file.message()
    change(message)
    return spm_lite.load(serialize(message))


def rename(message: Any) -> None:
    next(piece for piece in message.pieces if piece.piece == "\u2581cat").piece = "\u2581cow"


def rename_special(message: Any) -> None:
    next(piece for piece in message.pieces if piece.piece == "<x>").piece = "<y>"


def make_normal(message: Any) -> None:
    next(piece for piece in message.pieces if piece.piece == "<x>").type = NORMAL


def reverse_merges(message: Any) -> None:
    long = [piece for piece in message.pieces if piece.type == NORMAL and len(piece.piece) > 1]
    scores = [piece.score for piece in long]
    for piece, score in zip(long, reversed(scores), strict=True):
        piece.score = score


def lower_score(message: Any) -> None:
    next(piece for piece in message.pieces if piece.piece == "\u2581the").score -= 20


def set_flag(name: str, value: bool) -> Change:
    return lambda message: setattr(message.normalizer_spec, name, value)


def no_rules(message: Any) -> None:
    message.normalizer_spec.precompiled_charsmap = b""


def as_suffix(message: Any) -> None:
    message.trainer_spec.treat_whitespace_as_suffix = True


@pytest.mark.parametrize(
    ("name", "change", "cause"),
    [
        ("symbols", rename, "vocabulary: id "),
        ("symbols", rename_special, "special tokens: id 3 was '<x>' (control), is '<y>' (control)"),
        ("symbols", make_normal, "special tokens: id 3 was '<x>' (control), is none"),
        ("symbols", reverse_merges, "merges or scores: the order of merges differs at "),
        ("plain unigram", lower_score, "merges or scores: the scores differ at id "),
        ("symbols", set_flag("add_dummy_prefix", False), "normalization: add_dummy_prefix was True, is False"),
        ("symbols", set_flag("escape_whitespaces", False), "normalization: escape_whitespaces was True, is False"),
        ("symbols", no_rules, "normalization: charsmap was '"),
        ("symbols", as_suffix, "normalization: treat_whitespace_as_suffix was False, is True"),
    ],
)
def test_a_planted_change_is_found_and_named(
    name: str, change: Change, cause: str, toks: dict[str, spm_lite.Tokenizer], lines: list[str]
) -> None:
    options: Any = {"vocab_size": 420, "hard_vocab_limit": False, "lossless": False}
    tok = toks[name] if name in toks else spm_lite.train(lines, model_type="unigram", **options)
    if name == "symbols":
        symbols: Any = {"control_symbols": ["<x>"], "model_type": "bpe", "normalization": "nmt_nfkc"}
        tok = spm_lite.train(lines, **symbols, **options)
    found = spm_lite.lock(tok).check(changed(tok, change))
    assert not found.same
    assert any(sentence.startswith(cause) for sentence in found.changes), found.changes
    assert sum(found.differ.values()) > 0
    assert any(cause in one.cause for one in found.differences), str(found)


def test_ids_of_both_sides(toks: dict[str, spm_lite.Tokenizer], locks: dict[str, spm_lite.Lock]) -> None:
    tok, other = toks["bpe"], toks["bpe"].with_vocab_size(300)
    found = locks["bpe"].check(other)
    assert found.changes[0].startswith("vocabulary: there were 331 pieces, there are 300")
    for one in found.differences:
        if one.suite == "hard" and one.mode == IDS:
            assert one.ids == tok.encode(one.text) != one.other_ids == other.encode(one.text)
            assert one.ids is not None and isinstance(one.other_ids, list)
            assert one.first is not None and one.ids[: one.first] == one.other_ids[: one.first]
            assert one.other_pieces == [other.id_to_piece(i) for i in one.other_ids]
            named = zip(one.ids, one.pieces or (), strict=True)
            assert all(piece in (None, tok.id_to_piece(i)) for i, piece in named)  # never one that an id had not
    assert f"{found.differ['hard']:,} differ" in str(found)


def test_texts_must_be_those_that_were_locked(
    toks: dict[str, spm_lite.Tokenizer], locks: dict[str, spm_lite.Lock], lines: list[str]
) -> None:
    lock, tok = locks["bpe"], toks["bpe"]
    assert "not compared" in lock.check(tok).notes[0]
    for texts in (lines[:8], [*lines[:8], "other"], []):
        with pytest.raises(spm_lite.OptionError, match="are not the 9 that were locked"):
            lock.check(tok, texts=texts)
    other = lock.check(tok.with_vocab_size(290), texts=lines[:9])
    assert other.differ["texts"] > 0
    mine = next(one for one in other.differences if one.suite == "texts")
    assert mine.ids is None and mine.text == lines[mine.number - 1] and mine.n_texts == 1


def test_many_texts_share_a_digest(toks: dict[str, spm_lite.Tokenizer]) -> None:
    texts = [f"the cat {k}" for k in range(5000)]
    lock = spm_lite.lock(toks["bpe"], texts)
    found = lock.check(toks["bpe"].with_vocab_size(290), texts=texts)
    assert found.compared["texts"] == 1667
    assert "one of 3 of texts of yours" not in str(found)
    assert "one of 3 of text of yours, from" in "\n".join(
        line for one in found.differences if one.suite == "texts" for line in one._lines()
    )


def test_another_pattern_is_named(lines: list[str], tmp_path: Path) -> None:
    options: Any = {"model_type": "byte_bpe", "vocab_size": 300, "hard_vocab_limit": False}
    pattern = spm_lite.train(lines, **options).to_tiktoken(tmp_path / "m.tiktoken")
    lock = spm_lite.lock(spm_lite.load(tmp_path / "m.tiktoken", pattern=pattern))
    found = lock.check(tmp_path / "m.tiktoken", pattern=" ?[a-z]|[^a-z]+")
    assert found.changes == [] and found.notes[0].startswith("in another form, split pattern: ")
    assert not found.same and found.differences[0].cause.startswith("split pattern: ")


def test_rows_follow_the_texts(toks: dict[str, spm_lite.Tokenizer]) -> None:
    """Rows of a suite are numbered, hold their texts, and are made in blocks of any size."""
    from spm_lite.evaluation.locks.lock_rows import own_side

    tok = toks["symbols"]
    texts = [f"the <x> cat {k}" for k in range(10_000)]
    blocks = iter([texts[k : k + 3] for k in range(0, len(texts), 3)])
    rows = list(rows_of_suite("texts", own_side(tok), tok, blocks))
    assert [row.number for row in rows] == list(range(len(rows)))
    assert [text for row in rows for text in row.texts] == texts
    assert all(row.texts == texts[row.first : row.first + 3] for row in rows)
    for row in rows[::500]:
        assert row.found[IDS] == tok.encode_lists(row.texts)
        assert row.found[SPECIAL] == [tok.encode(text, allow_special="all") for text in row.texts]


def test_kinds_of_special_tokens_are_listed(locks: dict[str, spm_lite.Lock]) -> None:
    special = locks["symbols"].to_dict()["parts"]["special"]
    assert ["<x>", "control", []] in [token[1:] for token in special]
    assert ["<sep>", "user-defined", []] in [token[1:] for token in special]
