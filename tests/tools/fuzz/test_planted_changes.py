"""Planted changes of a few models: a lock finds nearly all, and one that finds nothing fails."""

import importlib.util
from typing import Any

import pytest
from oracle.repository import ROOT

TOOL = ROOT / "tools" / "fuzz" / "planted_changes.py"


@pytest.fixture(scope="module")
def tool() -> Any:
    if not TOOL.exists():
        pytest.skip(f"no {TOOL}: the tests are run without the tools")
    spec = importlib.util.spec_from_file_location("planted_changes", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FILES = [
    "models/tftext_fast_4k.model",
    "models/kspon_ko_bpe_5k.model",
    "shapes/t5/tokenizer.json",
    "shapes/gpt2/tokenizer.json",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_changes_are_found(tool: Any, name: str, shared_data: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert tool.main([str(shared_data / name), "--changes", "25", "--seed", "3"]) == 0
    assert "missed" in capsys.readouterr().out


@pytest.mark.slow
def test_a_lock_that_finds_nothing_fails(tool: Any, shared_data: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool, "outcome_of", lambda *_: "missed")
    assert tool.main([str(shared_data / FILES[0]), "--changes", "3"]) == 1
