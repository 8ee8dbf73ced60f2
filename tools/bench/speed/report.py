"""What the results say: ratios, what was reached, the lines of the table, the machine."""

from __future__ import annotations

import datetime
import importlib.metadata
import json
import os
import platform
import statistics
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import Result, share_of_same_rows

import spm_lite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workloads import Row

HEADER = (
    "| workload | text | model | spm_lite | against | its figures | ratio | at least | reached | spread |\n"
    "|---|---|---|---|---|---|---|---|---|---|"
)
UNITS: dict[str, Callable[[float], float]] = {  # of seconds by the byte, seconds, bytes
    "MB/s": lambda cost: 1e-6 / cost,
    "ns/byte": lambda cost: cost * 1e9,
    "µs": lambda cost: cost * 1e6,
    "ms": lambda cost: cost * 1e3,
    "MB": lambda cost: cost / 1e6,
}

PACKAGES = ("gigatoken", "kitoken", "splintr-rs", "fastokens", "tokie", "tokenizers")
PEER_VERSIONS = """
import importlib.metadata, json, sys
found = {package.metadata["Name"].lower(): package.version for package in importlib.metadata.distributions()}
print(json.dumps({name: found[name] for name in sys.argv[1:] if name in found}))
"""


def compare(row: Row, ours: Result, reference: Result, sample: Result, prose: Result | None) -> dict[str, Any]:
    """A row of the table, as JSON will have it."""
    names = row.reference_figures or row.figures
    entry: dict[str, Any] = {
        "workload": row.name, "text": row.ours.text, "bytes": ours.size, "unit": row.unit, "figures": row.figures,
        "against": row.against, "at_least": row.at_least,
        "spm_lite": side(row, ours, row.figures), "reference": side(row, reference, names),
    }  # fmt: skip
    if ours.error or reference.error:
        return {**entry, "error": ours.error or f"{row.against}: {reference.error}"}
    if sample.size == reference.size and sample.ids and reference.ids and sample.ids != reference.ids:
        return {**entry, "error": f"other {found_by(row)} than {row.against}: {alike(sample, reference)}"}
    ratio = ratios(ours, row.figures, reference, names)
    best = ratio
    if prose is not None and not prose.error:
        entry["ratio_to_prose"] = ratios(ours, row.figures, prose, row.figures)
        best = [max(pair) for pair in zip(ratio, entry["ratio_to_prose"], strict=True)]
    reached = [None if least is None else x >= least for x, least in zip(best, row.at_least, strict=True)]
    return {**entry, "ratio": ratio, "reached": reached, "spread": spread(row.figures, ours, names, reference)}


def compare_peer(row: Row, ours: Result, reference: Result, name: str, peer: Result) -> dict[str, Any]:
    """The same against another tokenizer, which is ranked if its ids are the reference's."""
    entry: dict[str, Any] = {"against": name, "unit": row.unit, "peer": side(row, peer, row.figures)}
    if peer.error or ours.error:
        return {**entry, "error": peer.error or ours.error}
    ratio = ratios(ours, row.figures, peer, row.figures)
    if peer.ids != reference.ids:
        return {**entry, "ratio": ratio, "not_ranked": f"other {found_by(row)}, {alike(peer, reference)}"}
    reached = [x > 1 for x in ratio]
    return {**entry, "ratio": ratio, "reached": reached, "spread": spread(row.figures, ours, row.figures, peer)}


def side(row: Row, result: Result, figures: Sequence[str]) -> dict[str, Any]:
    return {
        name: {
            "median": UNITS[row.unit](result.cost(name)),
            "runs": [UNITS[row.unit](x / result.size) for x in result.figures[name]],
        }
        for name in figures
        if name in result.figures
    }


def ratios(ours: Result, figures: Sequence[str], other: Result, other_figures: Sequence[str]) -> list[float]:
    return [other.cost(b) / ours.cost(a) for a, b in zip(figures, other_figures, strict=True)]


def spread(figures: Sequence[str], ours: Result, other_figures: Sequence[str], other: Result) -> float:
    return max([ours.spread(name) for name in figures] + [other.spread(name) for name in other_figures])


def found_by(row: Row) -> str:
    return "texts" if row.ours.task == "decode" else "ids"


def alike(result: Result, reference: Result) -> str:
    return f"{share_of_same_rows(result, reference):.2%} of the rows alike"


def line(entry: dict[str, Any], model: str) -> str:
    """The table's line of a row."""
    size = entry["bytes"]
    text = entry["text"] + (f", {number(size / 1e6)} MB" if size > 1 else "")
    least = " / ".join("" if x is None else f"x{number(x)}" for x in entry["at_least"]).strip(" /")
    ours = medians(entry["spm_lite"], entry["unit"])
    cells = [entry["workload"], text, model, ours, entry["against"], medians(entry["reference"], entry["unit"])]
    return "| " + " | ".join([*cells, *verdict(entry, least)]) + " |"


def peer_line(entry: dict[str, Any]) -> str:
    return (
        "| "
        + " | ".join(["", "", "", "", entry["against"], medians(entry["peer"], entry["unit"]), *verdict(entry, "x1")])
        + " |"
    )


def verdict(entry: dict[str, Any], least: str) -> list[str]:
    """Ratio, at least, reached, spread."""
    if "error" in entry:
        return ["", least, entry["error"].replace("|", " ")[:120], ""]
    ratio = " / ".join(f"x{number(x)}" for x in entry["ratio"])
    if "ratio_to_prose" in entry:
        ratio += "; prose " + " / ".join(f"x{number(x)}" for x in entry["ratio_to_prose"])
    if "not_ranked" in entry:
        return [ratio, least, entry["not_ranked"], ""]
    answers = ["yes" if x else "no" for x in entry["reached"] if x is not None]
    return [ratio, least, answers[0] if len(set(answers)) == 1 else " / ".join(answers), f"{entry['spread']:.0%}"]


def medians(figures: dict[str, Any], unit: str) -> str:
    return " / ".join(number(x["median"]) for x in figures.values()) + f" {unit}" if figures else ""


def number(x: float) -> str:
    """Three digits, or all before the point."""
    return f"{x:,.0f}" if x >= 100 else f"{x:.3g}"


def summary(entries: Sequence[dict[str, Any]]) -> str:
    """How many rows reached what they must, how far runs lay apart, and which peers are faster."""
    bound = [entry for entry in entries if any(x is not None for x in entry.get("reached", []))]
    reached = sum(all(x is not False for x in entry["reached"]) for entry in bound)
    failed = sum("error" in entry for entry in entries)
    spreads = [entry["spread"] for entry in entries if "spread" in entry]
    text = f"{reached} of {len(bound)} rows with a bound reached it, {failed} were not measured. "
    if spreads:
        text += (
            "Spread, (largest - smallest run) / median, of a row: "
            f"{statistics.median(spreads):.0%} in the middle, {max(spreads):.0%} at worst."
        )
    ahead = [
        f"{peer['against']} ({entry['workload']}, {entry['text']}, {entry['model']})"
        for entry in entries
        for peer in entry.get("peers", [])
        if False in peer.get("reached", [])
    ]
    return text + (f" Peers ahead of spm_lite: {'; '.join(ahead)}." if ahead else "")


def machine(peers_python: str = "") -> dict[str, Any]:
    """Where and with what it was measured. peers_python: the interpreter that has the peers, if they take part."""
    versions = {name: importlib.metadata.version(name) for name in ("sentencepiece", "numpy")}
    if peers_python:
        done = subprocess.run([peers_python, "-c", PEER_VERSIONS, *PACKAGES], capture_output=True, check=True)
        versions |= json.loads(done.stdout)
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "cpu": cpu_model(),
        "cpus": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": {"spm_lite": spm_lite.__version__, "commit": commit(), **versions},
        "load_average": load_average(),
    }


def commit() -> str:
    """The state of the sources, where git knows it."""
    command = ["git", "describe", "--always", "--dirty"]
    try:
        done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip()


def load_average() -> list[float]:
    return [round(x, 1) for x in os.getloadavg()] if hasattr(os, "getloadavg") else []


def cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for entry in info.read_text().splitlines():
            if entry.startswith("model name"):
                return entry.partition(":")[2].strip()
    return platform.processor() or platform.machine()
