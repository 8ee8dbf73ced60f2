"""No public call changes what other threads share: environment, locale, signals, limits, log, collector, streams."""

from __future__ import annotations

import gc
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")
pytest.importorskip("jinja2")
pytest.importorskip("pyarrow")

from oracle.process_state import STATUS, changes, seen_by_a_thread, state, watched

import spm_lite

SOAK = Path(__file__).resolve().parents[2] / "tools" / "soak"
TEXTS = ["the cat sat on the mat", "東京で日本語", "a\u0301 👩\u200d👧 \u2581 12345", "to be or not to be"]

pytestmark = [
    pytest.mark.thread_unsafe,  # looks at what other tests may change
    pytest.mark.skipif(not SOAK.is_dir(), reason="no source tree"),
    pytest.mark.skipif(not STATUS.exists(), reason="needs /proc"),
]


@pytest.fixture(scope="module")
def lists() -> Iterator[Any]:
    """The modules with the lists of public calls."""
    sys.path.insert(0, str(SOAK))
    try:
        import command_calls
        import public_calls

        yield public_calls, command_calls
    finally:
        sys.path.remove(str(SOAK))
        for name in ("command_calls", "public_calls"):
            sys.modules.pop(name, None)


def inputs(lists: Any, folder: Path) -> Any:
    rng = random.Random(5)
    words = ["".join(rng.choices("abcdeghiklmnoprstu", k=rng.randint(2, 7))) for _ in range(90)]
    lines = [" ".join([rng.choice(TEXTS), *rng.choices(words, k=8)]) for _ in range(90)]
    return lists[0].Inputs(lines, 50, folder)


def changed_by(calls: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What calls change, before and after each, for a moment, and as another thread sees it."""
    found = []
    for name, call in calls.items():
        before = state()
        with seen_by_a_thread() as seen, watched(monkeypatch) as noted:
            call()
        seen = [*dict.fromkeys([*changes(before, state()), *seen])]
        found += [f"{name}: {', '.join(seen)}"] if seen else []
        found += [f"{name}: {one}" for one in noted]
    return found


def pause_collections() -> None:
    gc.disable()
    gc.enable()


def set_variable() -> None:
    os.environ["SPM_LITE_TEST"] = "1"


@pytest.mark.parametrize("call", [pause_collections, set_variable])
def test_changes_are_seen(call, monkeypatch):
    monkeypatch.setenv("SPM_LITE_TEST", "0")
    assert changed_by({"call": call}, monkeypatch)


def test_calls_on_texts(lists, tmp_path, monkeypatch):
    """The most frequent calls, on each way to be tested."""
    given = inputs(lists, tmp_path)
    calls = {name: call for name, call in lists[0].of_texts(given).items() if name in ("encode", "decode", "load")}
    for call in calls.values():
        call()
    assert changed_by(calls, monkeypatch) == []


@pytest.mark.slow
def test_no_call_changes_the_process(lists, tmp_path, monkeypatch):
    """Each call comes twice: what a first call imports may set up what it likes."""
    given = inputs(lists, tmp_path)
    calls = lists[0].every(given, 2)
    for call in calls.values():
        call()
    assert changed_by(calls, monkeypatch) == []


@pytest.mark.slow
def test_no_command_changes_the_process(lists, tmp_path, monkeypatch, capfd):
    given = inputs(lists, tmp_path)
    calls = lists[1].commands(given)
    codes = {name: call() for name, call in calls.items()}
    assert {name: code for name, code in codes.items() if code} == {}
    assert changed_by(calls, monkeypatch) == []


@pytest.mark.slow
def test_processes_of_shards_have_their_own_environment(lists, tmp_path, monkeypatch):
    from spm_lite.engines import shards

    (tmp_path / "texts").write_text("the cat\n" * 2000, encoding="utf-8")
    made = shards.plan(tmp_path / "texts", tmp_path / "out", spm_lite.byte_tokenizer(), shard_size=9000)
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    assert len(made) == 2
    assert changed_by({"run": lambda: made.run(num_workers=2)}, monkeypatch) == []
    assert os.environ["OMP_NUM_THREADS"] == "7"
