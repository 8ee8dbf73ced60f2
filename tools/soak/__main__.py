"""Attacks on reliability, each in a process of its own: python tools/soak --minutes 60.

Long mixed calls, forks, first imports, little memory, kills, full disks. The results are added up.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
NOT_PARTS = {"__main__", "common"}


def parts() -> list[str]:
    """The names of all attacks."""
    return sorted(path.stem for path in HERE.glob("*.py") if path.stem not in NOT_PARTS)


def main() -> int:
    """Run the attacks and print a table of what they did."""
    parser = argparse.ArgumentParser(prog="python tools/soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="for all parts together")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("parts", nargs="*", default=[], help=f"some of {', '.join(parts())}; all by default")
    given = parser.parse_args()
    chosen = given.parts or parts()
    seconds = given.minutes * 60 / len(chosen)
    results = []
    for part in chosen:
        program = [sys.executable, str(HERE / f"{part}.py"), "--seconds", str(seconds), "--seed", str(given.seed)]
        done = subprocess.run(program, stdout=subprocess.PIPE, text=True, check=False)
        try:
            results.append(json.loads(done.stdout.splitlines()[-1]))
        except (ValueError, IndexError):
            ended = f"ended with {done.returncode}"
            results.append({"part": part, "calls": 0, "faults": 0, "losses": 1, "growth": 0, "details": [ended]})
        print(json.dumps(results[-1]), flush=True)
    print(f"{'part':<16}{'calls':>10}{'faults':>10}{'losses':>8}{'growth, bytes':>15}")
    for result in results:
        row = f"{result['part']:<16}{result['calls']:>10,}{result['faults']:>10,}{result['losses']:>8,}"
        print(f"{row}{result['growth']:>15,}")
    return 1 if any(result["losses"] for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
