"""Time and memory of loading a model, in processes of their own, beside sentencepiece 0.2.3 in the same run.

    python tools/bench/loading.py MODEL... --runs 9

"load" is the call alone, all imports done; "process" is the whole program from start to end, imports included; memory
is what the process holds after the load, in all and more than before it. Medians, the two packages in turn.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

PROGRAM = """
import gc, json, sys, time
name, path = sys.argv[1:]
if name == "spm_lite":
    from spm_lite import SentencePieceProcessor
    from spm_lite.io.messages import message_class
    message_class("ModelProto")
else:
    from sentencepiece import SentencePieceProcessor

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096 / 1e6

before, begin = resident(), time.perf_counter()
processor = SentencePieceProcessor(model_file=path)
seconds = time.perf_counter() - begin
gc.collect()
json.dump([seconds * 1e3, resident() - before, resident()], sys.stdout)
"""


def measure(name: str, path: str) -> list[float]:
    """[ms of the load, MB more, MB in all, ms of the process]."""
    begin = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", PROGRAM, name, path], check=True, capture_output=True)
    return [*json.loads(done.stdout), (time.perf_counter() - begin) * 1e3]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    for path in options.models:
        rows: dict[str, list[list[float]]] = {"spm_lite": [], "sentencepiece": []}
        for _ in range(options.runs):
            for name, found in rows.items():
                found.append(measure(name, path))
        print(Path(path).name)
        for name, found in rows.items():
            load, more, resident, process = (statistics.median(column) for column in zip(*found, strict=True))
            print(
                f"  {name:14} load {load:7.1f} ms   process {process:7.1f} ms   "
                f"memory +{more:6.1f} MB, {resident:6.1f} MB in all"
            )


if __name__ == "__main__":
    main()
