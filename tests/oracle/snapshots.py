"""Snapshots: files of what was printed once and looked at. SPM_LITE_SNAPSHOTS=write writes them anew."""

from __future__ import annotations

import os
from pathlib import Path


def check_snapshot(path: Path, text: str) -> None:
    """Fail unless the file holds this text."""
    if os.environ.get("SPM_LITE_SNAPSHOTS") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
    assert path.exists(), f"{path.name} is missing: SPM_LITE_SNAPSHOTS=write writes it"
    assert text == path.read_bytes().decode()
