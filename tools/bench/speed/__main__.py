"""Encoding, decoding and loading against sentencepiece 0.2.3 and others, one row per workload; ids are compared first.

    python tools/bench/speed [--only ROW]... [--quick] [--runs N] [--json FILE] [--peers] [--peers-python PATH]

"cold" is the first pass of a fresh process over the text, "warm" the second; MB are 10^6 bytes of UTF-8. A ratio
above 1 means that spm_lite is faster, or takes less. One thread; medians of the runs, in which all that a row
compares takes turns; at most three runs where a process takes more than 20 seconds, and for memory, growth and
adversarial texts.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import report
from harness import Harness
from job import Job
from models import Models
from peers import PEERS
from texts import Texts
from workloads import Row, chosen

ROOT = Path(__file__).resolve().parents[3]
DATA = Path(os.environ.get("SPM_LITE_TEST_DATA", ROOT.parent / "shared" / "data"))
QUICK = 200_000  # bytes of text
FEW = ("memory", "growth", "adversarial")  # groups that three runs are enough for


class Bench:
    """Rows -> lines of the table, group by group."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.texts = Texts(options.data, options.work)
        self.models = Models(options.data, options.work, self.texts)
        self.harness = Harness(options.runs, options.limit, options.peers_python)
        self.peers: list[str] = options.peers
        self.quick: bool = options.quick
        self.clock: str = "process_time" if options.cpu_time else "perf_counter"
        self.entries: list[dict[str, Any]] = []

    def measure(self, rows: list[Row]) -> None:
        """Rows that are measured in the same rounds."""
        names = rows[0].ours
        print(f"measuring {names.text} {names.model} {rows[0].group}", file=sys.stderr, flush=True)
        try:
            jobs = [job for row in rows for job in self.jobs(row).values()]
        except FileNotFoundError as error:
            reason = f"no {error.filename}" if error.filename else str(error)
            for row in rows:
                print(f"| {row.name} | {names.text} | {names.model} | | | | | | {reason} | |", flush=True)
                self.entries.append({"workload": row.name, "text": names.text, "model": names.model, "error": reason})
            return
        self.harness.measure(jobs, few=rows[0].group in FEW)
        for row in rows:
            self.show(row)

    def jobs(self, row: Row) -> dict[str, Job]:
        """The processes of a row by their part in it; a peer's part is its name."""
        parts = {"ours": row.ours, "reference": row.reference, "sample": row.sample or row.ours}
        if row.prose is not None:
            parts["prose"] = row.prose
        if row.peers:
            parts.update((name, peer_job(row.ours, name)) for name in self.peers)
        clock = "perf_counter" if row.ours.threads > 1 else self.clock
        return {name: replace(self.resolved(job), clock=clock) for name, job in parts.items()}

    def resolved(self, job: Job) -> Job:
        """The job with paths in place of names."""
        size = min(job.size or QUICK, QUICK) if self.quick else job.size
        text = str(self.texts.path(job.text)) if job.text else ""
        peer = job.engine in PEERS
        json_path = str(self.models.tokenizer_json(job.model)) if peer else ""
        return replace(job, model=str(self.models.path(job.model)), text=text, size=size, tokenizer_json=json_path)

    def show(self, row: Row) -> None:
        found = {name: self.harness.results[job] for name, job in self.jobs(row).items()}
        ours, reference = found["ours"], found["reference"]
        entry = report.compare(row, ours, reference, found["sample"], found.get("prose"))
        entry["model"] = self.models.title(row.ours.model)
        print(report.line(entry, entry["model"]), flush=True)
        entry["peers"] = [
            report.compare_peer(row, ours, reference, name, found[name]) for name in self.peers if name in found
        ]
        for peer in entry["peers"]:
            print(report.peer_line(peer), flush=True)
        self.entries.append(entry)


def peer_job(ours: Job, name: str) -> Job:
    """What a peer does in our place; one without arrays makes lists, as the reference does."""
    result = ours.result if hasattr(PEERS[name], ours.result) else "lists"
    return replace(ours, engine=name, result=result)


def parsed(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python tools/bench/speed", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", action="append", default=[], metavar="ROW", help="part of a workload, text or model")
    parser.add_argument("--quick", action="store_true", help="one run on 200 KB of each text")
    parser.add_argument("--runs", type=int, metavar="N", help="default: 5; 1 with --quick")
    parser.add_argument("--limit", type=float, default=120, metavar="SECONDS", help="of one process; default: 120")
    parser.add_argument("--cpu-time", action="store_true", help="for a busy machine; two threads need the wall's clock")
    parser.add_argument("--json", type=Path, metavar="FILE", help="default: result.json in the work folder")
    parser.add_argument("--peers", nargs="*", choices=list(PEERS), metavar="NAME", help="all, or those named")
    parser.add_argument("--peers-python", default=sys.executable, metavar="PATH", help="where the peers are installed")
    parser.add_argument("--data", type=Path, default=DATA, metavar="FOLDER", help="of models and corpora")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "bench", metavar="FOLDER")
    options = parser.parse_args(arguments)
    options.runs = options.runs or (1 if options.quick else 5)
    options.peers = [] if options.peers is None else options.peers or list(PEERS)
    return options


def main(arguments: list[str] | None = None) -> int:
    """0 if the ids of every row are the reference's."""
    options = parsed(arguments)
    rows = chosen(options.only)
    if not rows:
        raise SystemExit(f"no row is called {', '.join(options.only)}")
    machine = report.machine(options.peers_python if options.peers else "")
    print(
        f"{machine['cpu']}, {machine['cpus']} CPUs, {machine['system']}, Python {machine['python']}, {machine['date']}"
    )
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    clock = "processor time" if options.cpu_time else "wall clock"
    print(f"{versions}; medians of {options.runs}, {clock}, load {machine['load_average']}")
    print(f"\n{report.HEADER}", flush=True)
    bench = Bench(options)
    path = options.json or options.work / "result.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    for _, group in itertools.groupby(rows, lambda row: row.key):
        bench.measure(list(group))
        machine["load_average_after"] = report.load_average()
        found = {"machine": machine, "runs": options.runs, "clock": clock, "rows": bench.entries}
        path.write_text(json.dumps(found, indent=1))
    print(f"\n{report.summary(bench.entries)} Load afterwards {machine['load_average_after']}.")
    return int(any(entry.get("error", "").startswith("other ") for entry in bench.entries))


if __name__ == "__main__":
    sys.exit(main())
