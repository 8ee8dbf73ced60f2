"""Peak memory of training: what the figures in spm_lite/training/options/memory_limit.py stand for. Linux only.

    python tools/bench/memory.py TABLE... [--vocab-size N] [--model-type TYPE]... [--share SHARE]...

TABLE: a file that CountTable.save wrote. Each training is a process of its own, on the given share of the table's
chunks, the most frequent ones. Printed: the peak above what the process takes when all is imported, and what the
budget takes it for.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path


def status(name: str) -> float:
    """A size of this process in MB, by its name in /proc."""
    found = re.search(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) * 1024 / 1e6 if found else 0.0


def measure(path: str, model_type: str, share: float, vocab_size: int) -> None:
    import spm_lite
    from spm_lite.specs import TrainerSpec
    from spm_lite.training.count_table import CountTable
    from spm_lite.training.counts.chunk_budget import Budget
    from spm_lite.training.options.memory_limit import table_budget

    spm_lite.train(["ab abc"] * 9, model_type=model_type, vocab_size=264, hard_vocab_limit=False)
    base = status("VmRSS")
    table = CountTable.load(path)
    if share < 1:
        table = CountTable._make(table.chunks.fitting(Budget(share * len(table), 1, 0)), table.rules)
    Path("/proc/self/clear_refs").write_text("5")  # the peak so far is forgotten
    spm_lite.train(table, model_type=model_type, vocab_size=vocab_size, num_threads=2, hard_vocab_limit=False)
    n_chunks, n_bytes = len(table), table.chunks.text_bytes
    budget = table_budget(0, TrainerSpec(model_type=model_type, vocab_size=vocab_size))
    expected = budget.per_chunk * n_chunks + budget.per_byte * n_bytes
    expected += min(budget.growing * n_bytes, budget.grown) + 500 * vocab_size
    print(
        f"{model_type} {n_chunks:,} chunks {n_bytes:,} bytes: {status('VmHWM') - base:.0f} MB above {base:.0f}, "
        f"expected {expected / 1e6:.0f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("tables", nargs="+", metavar="TABLE")
    parser.add_argument("--vocab-size", type=int, default=32_000)
    parser.add_argument("--model-type", action="append", choices=["unigram", "bpe"])
    parser.add_argument("--share", action="append", type=float)
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    for table in args.tables:
        for model_type in args.model_type or ["bpe", "unigram"]:
            for share in args.share or [0.25, 1.0]:
                if args.measure:
                    measure(table, model_type, share, args.vocab_size)
                    continue
                command = [sys.executable, __file__, table, "--measure", "--model-type", model_type]
                subprocess.run([*command, "--share", str(share), "--vocab-size", str(args.vocab_size)], check=True)


if __name__ == "__main__":
    main()
