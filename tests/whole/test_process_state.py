"""No public call changes what other threads share: environment, locale, signals, limits, log, collector, streams."""

from __future__ import annotations

import gc
import json
import os
import random
import subprocess
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


# A process of its own, in which each call is the first of its kind; argv: the file for what was found, and a function.
ALONE = """
import json, sys
from pathlib import Path
import command_calls, public_calls, pytest
import test_process_state as tests

if __name__ == "__main__":
    found = getattr(tests, sys.argv[2])((public_calls, command_calls), Path(sys.argv[1]).parent)
    Path(sys.argv[1]).write_text(json.dumps(found))
"""


def alone(name: str, folder: Path) -> tuple[list[str], dict[str, str]]:
    """The command and the environment of a process that runs a function of this module."""
    here = Path(__file__).resolve()
    paths = [SOAK, here.parent, here.parents[1], Path(spm_lite.__file__).parents[1]]
    environment = {"PYTHONPATH": os.pathsep.join(map(str, paths))}
    return [sys.executable, "-c", ALONE, str(folder / "found"), name], environment


def changed_by_first_calls(lists: Any, folder: Path) -> list[str]:
    import rich.style  # noqa: F401  (it takes a random number of Python's when it is imported)

    return changed_by(lists[0].every(inputs(lists, folder), 2), pytest.MonkeyPatch())


@pytest.mark.slow
def test_no_first_call_changes_the_process(tmp_path):
    command, environment = alone("changed_by_first_calls", tmp_path)
    subprocess.run(command, cwd=tmp_path, env={**os.environ, **environment}, capture_output=True, check=True)
    assert json.loads((tmp_path / "found").read_text()) == []


def changed_on_a_terminal(lists: Any, folder: Path) -> list[str]:
    """What calls change that write to a terminal: with another thread, and without."""
    import termios

    import rich.style  # noqa: F401  (as above)

    given = inputs(lists, folder)
    tok, options = given.bpe, {"vocab_size": 400, "hard_vocab_limit": False, "progress": True}
    commands = lists[1].commands(given)
    calls = {
        name: commands[f"spm-lite {name}"]
        for name in ("inspect", "vocab", "show", "explain", "compare", "sweep", "count")
    }
    calls |= {
        "train": lambda: spm_lite.train(given.lines, **options),
        "encode_files": lambda: tok.encode_files(folder / "text", folder / "ids.npy", progress=True),
        "audit": lambda: print(spm_lite.audit(tok, {"en": given.few}, progress=True)),
    }
    before, terminal = state(), termios.tcgetattr(2)
    for call in calls.values():
        call()
    found = [*changes(before, state()), *changed_by(calls, pytest.MonkeyPatch())]
    return [*found, "the terminal"] if termios.tcgetattr(2) != terminal else found


@pytest.mark.slow
def test_no_call_on_a_terminal_changes_the_process(tmp_path):
    pytest.importorskip("rich")
    from oracle.terminal import see

    command, environment = alone("changed_on_a_terminal", tmp_path)
    seen = see(command, 100, cwd=tmp_path, **environment)
    assert seen.code == 0, "\n".join(seen.lines)
    assert json.loads((tmp_path / "found").read_text()) == []
    assert b"\x1b[?25l" in seen.raw  # a cursor is hidden while bars are drawn


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
