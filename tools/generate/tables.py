"""What the generators of character tables share: where the tables are, code points as ranges, Unicode's version."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("SPM_LITE_TEST_DATA", ROOT.parent / "shared" / "data"))
TABLES = ROOT / "spm_lite" / "base" / "unicode" / "ranges"


def to_ranges(points: Iterable[int]) -> list[str]:
    """Ascending code points as inclusive hexadecimal ranges, neighbours joined."""
    ranges: list[list[int]] = []
    for point in points:
        if ranges and ranges[-1][1] == point - 1:
            ranges[-1][1] = point
        else:
            ranges.append([point, point])
    return [f"{begin:X}" if begin == last else f"{begin:X}-{last:X}" for begin, last in ranges]


def constant(name: str, points: Iterable[int], width: int = 116) -> str:
    """A constant of a module: a text of ranges. points: in any order."""
    ranges = textwrap.fill(" ".join(to_ranges(sorted(points))), width, break_on_hyphens=False)
    return f'\n{name} = """\\\n{ranges}\n"""\n'


def classes(points: Mapping[str, Iterable[int]]) -> Iterator[str]:
    """The lines of a table of classes: each name with its ranges. Lines that go on begin with a space."""
    for name, some in points.items():
        first, *more = textwrap.wrap(f"{name} {' '.join(to_ranges(some))}", 116, break_on_hyphens=False)
        yield first
        yield from (f" {line}" for line in more)


def write(name: str, text: str) -> None:
    """Write a module of tables."""
    (TABLES / name).write_text(text, encoding="utf-8", newline="\n")
    print(f"{name}: {len(text)} characters")


def version_of_regex() -> str:
    """The version of Unicode that the installed package regex says it has."""
    text = str(metadata("regex").get_payload())
    found = re.search(r"supports Unicode (\d+\.\d+\.\d+)", text)
    return found[1] if found else sys.exit("regex does not say which Unicode it has")
