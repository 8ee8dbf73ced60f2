"""Where the source tree of the tests is."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
