"""Attacks on reliability, each in a process of its own: python tools/soak --minutes 60.

Long mixed calls, forks, first imports, little memory, kills, full disks, Ctrl-C, folders that others use, bad clients.
The results are added up. The first Python in SPM_LITE_TRANSFORMERS, if set, runs what needs transformers.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
NOT_PARTS = {
    "__main__", "common", "writers", "public_calls", "command_calls", "judging_calls", "serving_calls",
    "vocabulary_calls", "not_called",
}  # fmt: skip
WITH_TRANSFORMERS = "accelerated_calls"
NOTHING: dict[str, Any] = {"calls": 0, "faults": 0, "losses": 0, "growth_bytes": 0, "details": []}


def parts() -> list[str]:
    """The names of all attacks."""
    return sorted(path.stem for path in HERE.glob("*.py") if path.stem not in NOT_PARTS)


def run(part: str, seconds: float, seed: int) -> dict[str, Any]:
    """Run one attack in a process of its own; what it found."""
    own = os.environ.get("SPM_LITE_TRANSFORMERS", "").partition(os.pathsep)[0] if part == WITH_TRANSFORMERS else ""
    program = [own or sys.executable, str(HERE / f"{part}.py"), "--seconds", str(seconds), "--seed", str(seed)]
    begun = time.monotonic()
    done = subprocess.run(program, stdout=subprocess.PIPE, text=True, check=False)
    ended = f"ended with {done.returncode}"
    try:
        found = {**NOTHING, **json.loads(done.stdout.splitlines()[-1])}
    except (ValueError, IndexError, TypeError):
        found = {**NOTHING, "part": part, "losses": 1, "details": [f"no result; {ended}"]}
    if done.returncode and not found["losses"]:
        found.update(losses=1, details=[ended])
    found["minutes"] = round((time.monotonic() - begun) / 60, 1)
    return found


def table(results: list[dict[str, Any]]) -> str:
    """The counts of all attacks, a row for each, and their sums."""
    names = ("calls", "faults", "losses", "growth_bytes", "minutes")
    sums = {"part": "all", **{name: sum(result[name] for result in results) for name in names}}
    lines = [f"{'part':<16}{'calls':>12}{'faults':>12}{'losses':>8}{'growth, bytes':>16}{'minutes':>9}"]
    for result in [*results, sums]:
        row = f"{result['part']:<16}{result['calls']:>12,}{result['faults']:>12,}{result['losses']:>8,}"
        lines.append(f"{row}{result['growth_bytes']:>16,}{result['minutes']:>9.1f}")
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    """Run the attacks and print a table of what they did."""
    parser = argparse.ArgumentParser(prog="python tools/soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="for all parts together")
    parser.add_argument("--hours", type=float, help="the same in hours")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("parts", nargs="*", default=[], help=f"some of {', '.join(parts())}; all by default")
    given = parser.parse_args(argv)
    wrong = set(given.parts) - set(parts())
    if wrong:
        parser.error(f"no part has the name {', '.join(sorted(wrong))}: there are {', '.join(parts())}")
    chosen = given.parts or parts()
    minutes = given.minutes if given.hours is None else given.hours * 60
    results = []
    for part in chosen:
        results.append(run(part, minutes * 60 / len(chosen), given.seed))
        print(json.dumps(results[-1]), flush=True)
    print(table(results))
    return 1 if any(result["losses"] for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
