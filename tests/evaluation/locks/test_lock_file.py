"""Lock files: what is no lock, damaged or of a later version is refused with an error that says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import spm_lite
from spm_lite.evaluation.locks.lock_file import MOST_BYTES

BIG = 1 << 40


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=272)
    return spm_lite.lock(tok, ["the cat"]).to_dict()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a lock"), (b"GGUF\x03\0\0\0", "not a lock"), (b"[1]", "not a lock"), (b"{", "is not JSON"),
        (b'{"version": "1.0", "model": {}}', "not a lock"), (b'{"spm_lite_lock": 99}', "later version"),
        (b'{"a": ' + b"[" * 100 + b"]" * 100 + b"}", "levels of nesting"), (b" " * (MOST_BYTES + 1), "more than"),
    ],
)  # fmt: skip
def test_what_is_no_lock_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    path.write_bytes(content)
    with pytest.raises(spm_lite.ModelError, match=message) as caught:
        spm_lite.Lock.load(path)
    assert "x.lock" in str(caught.value)


def test_a_missing_lock(tmp_path: Path) -> None:
    with pytest.raises(spm_lite.MissingFileError):
        spm_lite.Lock.load(tmp_path / "none.lock")
    with pytest.raises(spm_lite.FileError):
        spm_lite.Lock.load(tmp_path)


def test_a_later_version_is_named(data: dict[str, Any]) -> None:
    for later in ({"spm_lite_lock": 2}, {"corpus": 2}):
        with pytest.raises(spm_lite.ModelError, match=r"a later version of spm_lite made this lock .*0.2.0"):
            spm_lite.Lock(data | later)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value in JSON."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, one in inner for place in places(one, (*path, key)))]


WRONG = st.sampled_from([None, "", "x", "!!", "AAAA", -1, 0, BIG, 1.5, [], [1], {}, {"a": 1}, True, "a" * 5000])


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(draw=st.data(), value=WRONG)
def test_damaged_locks_end_in_a_typed_error_or_a_result(data: dict[str, Any], draw: st.DataObject, value: Any) -> None:
    """Any value in any place: no other exception, and no endless work."""
    place = draw.draw(st.sampled_from(places(data)[1:]))
    damaged = json.loads(json.dumps(data))
    part = damaged
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    try:
        lock = spm_lite.Lock(damaged)
        assert str(lock) and repr(lock)
        str(lock.check(spm_lite.byte_tokenizer()))
    except spm_lite.SpmLiteError as error:
        assert str(error)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("parts", "pieces", "whole"), 3, r"the lock\.parts\.pieces\.whole is 3, not 16 bytes in hex"),
        (("parts", "special", 0, 1), "\ud800", r"special\[0\]\[1\] is .*not a text without lone surrogates"),
        (("parts", "settings", "byte_fallback"), 0.5, r"settings\.byte_fallback is 0\.5"),
        (("rows", "hard.ids", "each"), "AA==", r"rows\.hard\.ids\.each is 'AA==', not digests"),
        (("rows", "hard.ids"), None, r"rows\.hard\.ids is None, not an object"),
        (("conversions", "gguf"), True, r"conversions\.gguf is True"),
        (("corpus",), 0.5, r"corpus is 0\.5"),
    ],
)
def test_a_damaged_lock_names_the_value(data: dict[str, Any], place: Any, value: Any, message: str) -> None:
    damaged = json.loads(json.dumps(data))
    part = damaged
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    with pytest.raises(spm_lite.ModelError, match=message):
        spm_lite.Lock(damaged)


def test_locks_are_compared_by_content(data: dict[str, Any]) -> None:
    assert spm_lite.Lock(data) == spm_lite.Lock(json.loads(json.dumps(data)))
    assert spm_lite.Lock(data) != spm_lite.Lock(data | {"made_by": {"spm_lite": "9", "unicode": "9"}})
    assert spm_lite.Lock(data) != 1
