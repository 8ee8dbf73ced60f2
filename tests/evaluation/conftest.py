"""The right values of the audit, made by another program, and what they were made from."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spm_lite import Tokenizer
from spm_lite.evaluation.figures.subjects import OwnSubject

TOLERANCE = 1e-9


@pytest.fixture(scope="session")
def golden(shared_data: Path) -> dict[str, Any]:
    path = shared_data / "audit" / "golden.json"
    if not path.is_file():
        pytest.skip(f"no right values at {path}")
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def subject(shared_data: Path) -> Callable[[str], OwnSubject]:
    """The model with a name, from the models or from the faulty ones."""
    loaded: dict[str, OwnSubject] = {}

    def load(name: str) -> OwnSubject:
        if name not in loaded:
            path = shared_data / "models" / f"{name}.model"
            path = path if path.is_file() else shared_data / "audit" / f"{name}.model"
            loaded[name] = OwnSubject(name, Tokenizer.load(path))
        return loaded[name]

    return load


@pytest.fixture(scope="session")
def text_lines(shared_data: Path, golden: dict[str, Any]) -> Callable[[str], list[bytes]]:
    """Reads the lines that the golden figures are of: those with text, the first `lines` of them."""

    def read(name: str) -> list[bytes]:
        lines = [line for line in (shared_data / "corpora" / name).read_bytes().split(b"\n") if line]
        n = golden["texts"][name]["lines"]
        return lines if n == "all" else lines[:n]

    return read


def differences(ours: Any, right: Any, place: str = "") -> list[str]:
    """Where our values differ from the right ones; what we have besides is not looked at."""
    if isinstance(right, dict):
        if not isinstance(ours, dict):
            return [f"{place}: {ours!r:.80} for a dict"]
        found = [f"{place}/{key} is missing" for key in right if key not in ours]
        return found + [d for key in right if key in ours for d in differences(ours[key], right[key], f"{place}/{key}")]
    if isinstance(right, list) and isinstance(ours, (list, tuple)) and len(ours) == len(right):
        pairs = enumerate(zip(ours, right, strict=True))
        return [d for i, (a, b) in pairs for d in differences(a, b, f"{place}[{i}]")]
    if isinstance(right, float) and isinstance(ours, (int, float)):
        close = abs(ours - right) <= TOLERANCE * max(abs(ours), abs(right))
        return [] if close else [f"{place}: {ours!r}, not {right!r}"]
    return [] if ours == right else [f"{place}: {ours!r:.100}, not {right!r:.100}"]


@pytest.fixture(scope="session")
def check() -> Callable[[Any, Any], None]:
    def compare(ours: Any, right: Any) -> None:
        found = differences(ours, right)
        assert not found, "\n".join(found[:20])

    return compare
