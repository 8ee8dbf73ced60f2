"""The public `lock`: the same bytes each time, no texts in it, and what a conversion changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import spm_lite
from spm_lite.evaluation.locks.lock_texts import hard_texts


@pytest.mark.parametrize("name", ["bpe", "unigram", "byte_bpe", "wordpiece", "word", "char", "symbols"])
def test_a_tokenizer_is_the_same_as_its_lock(
    name: str, toks: dict[str, spm_lite.Tokenizer], locks: dict[str, spm_lite.Lock], lines: list[str], tmp_path: Path
) -> None:
    tok, lock = toks[name], locks[name]
    tok.save(tmp_path / "m.model")
    found = lock.check(tmp_path / "m.model", texts=lines[:9], strict=True)
    assert found.same and not found.changes and not found.notes and not found.differences
    assert found.compared["hard"] == len(hard_texts()) and found.compared["texts"] == 9
    assert lock == spm_lite.lock(tmp_path / "m.model", lines[:9])
    lock.save(tmp_path / "m.lock")
    spm_lite.lock(tok, iter(lines[:9])).save(tmp_path / "again.lock")
    data = (tmp_path / "m.lock").read_bytes()
    assert data == (tmp_path / "again.lock").read_bytes() and len(data) < 110_000
    assert lines[3].encode() not in data
    assert spm_lite.Lock.load(tmp_path / "m.lock") == lock
    assert str(lock).startswith(f"a lock of a {tok.model_type} model of {len(tok)} pieces, with 9 texts of yours")


def test_texts_come_from_files_too(toks: dict[str, spm_lite.Tokenizer], lines: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\n".join(lines[:9]) + "\n", encoding="utf-8")
    assert spm_lite.lock(toks["bpe"], tmp_path / "a.txt") == spm_lite.lock(toks["bpe"], lines[:9])
    with pytest.raises(spm_lite.TextError, match=r"texts: the text .* is not UTF-8"):
        spm_lite.lock(toks["bpe"], [b"\xff"])
    with pytest.raises(spm_lite.ArgumentTypeError, match="texts: a text is str or bytes, not int"):
        spm_lite.lock(toks["bpe"], [1])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("name", "target"), [("bpe", "folder"), ("symbols", "folder"), ("unigram", "folder"), ("bpe", "m.gguf")]
)
def test_what_a_conversion_changes_is_known(
    name: str, target: str, toks: dict[str, spm_lite.Tokenizer], locks: dict[str, spm_lite.Lock], tmp_path: Path
) -> None:
    spm_lite.convert(toks[name].to_bytes(), tmp_path / target)
    found = locks[name].check(tmp_path / target)
    assert found.same, str(found)
    assert all(one.is_known for one in found.differences)
    strict = locks[name].check(tmp_path / target, strict=True)
    assert strict.same == (not sum(found.known.values()) and not found.known_changes)


@pytest.mark.slow
def test_llama_2_and_its_conversions(shared_data: Path, tmp_path: Path) -> None:
    tok = spm_lite.load(shared_data / "models" / "llama2.model")
    lock = spm_lite.lock(tok)
    assert len(json.dumps(lock.to_dict())) < 100_000
    tok.to_hf(tmp_path / "folder")
    tok.to_gguf(tmp_path / "m.gguf")
    assert lock.check(tmp_path / "folder").same and lock.check(tmp_path / "folder").known["hard"] == 0
    found = lock.check(tmp_path / "m.gguf")
    assert found.same and found.known["hard"] == 8 and found.known["tokens"] == 3
    assert found.known_changes == ["special tokens: prefix_each_text was False, is True"]
    assert "after a special token" in found.differences[0].cause
    assert not lock.check(tmp_path / "m.gguf", strict=True).same
    other = lock.check(shared_data / "interop" / "mistral01.model")
    assert not other.same and "vocabulary" in other.changes[0]
