"""Quality of Unigram models on held-out lines: this build, an older one, and sentencepiece with the same options.

    python tools/bench/unigram_quality.py --out FILE [--texts TEXT ...] [--sizes N ...] [--splits N ...] [--threads N]
        [--systems SYSTEM ...] [--older DIR] [--ngrams]
    python tools/bench/unigram_quality.py --table FILE ... [--texts ...] [--sizes ...] [--splits ...] [--systems ...]
        [--json]

The first form trains and writes a line of JSON for each model. What is in FILE already is not run again. The systems
are "new" (this build's default), "substrings" (this build with that `seed_source`), "older" (the build in DIR) and
"sentencepiece". A size that the first of "older" and "new" refuses is left out for that text.

Three splits: every 20th line is held out, beginning with line 0, 7 or 13. Of NTREX, lines i with i mod 10 in 0-4, in
5-9, or even are trained on and the others held out. Reported for the held-out lines, by the code of this build:

- tokens, and nats/byte: -log-likelihood of all segmentations together; less is better in both.
- bits/byte: of an n-gram model (n = 2) over the tokens of the training lines; only with --ngrams, on the first split.
- seconds of CPU, of all threads, and MB at the peak: of the process that trains, its start included.

The second form prints the means over the splits as Markdown, then how far the first system is from each other one: in
the mean, and in the worst row. In the table, the percentages beside the figures of another system say the same for one
row. "–": training was refused. Sizes that lack a system are left out. --json prints them for docs/records.json.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from itertools import product
from operator import contains
from pathlib import Path
from statistics import mean

DATA = Path(os.environ.get("SPM_LITE_TEST_DATA", Path(__file__).resolve().parents[3] / "shared" / "data")) / "corpora"
FILES = {  # by script; each is a text
    "Latin": [
        "de-commonvoice", "en-botchan", "en-commonvoice", "en-novels", "en-tweets", "fi-commonvoice", "tr-commonvoice",
        "vi-commonvoice",
    ],
    "Han": ["zh-CN-commonvoice", "zh-TW-commonvoice"],
    "Japanese": ["ja-commonvoice", "ja-wagahaiwa_nekodearu"],
    "Hangul": ["ko-commonvoice", "ko-nsmc-social"],
    "Arabic": ["ar-commonvoice"], "Cyrillic": ["ru-ruslit"], "Devanagari": ["hi-commonvoice"],
    "Thai": ["th-wisesight-social"], "Bengali": ["ntrex.ben"], "Ethiopic": ["ntrex.amh"], "Georgian": ["ntrex.kat"],
    "Greek": ["ntrex.ell"], "Hebrew": ["ntrex.heb"], "Khmer": ["ntrex.khm"], "Lao": ["ntrex.lao"],
    "Myanmar": ["ntrex.mya"], "Tamil": ["ntrex.tam"], "Telugu": ["ntrex.tel"],
}  # fmt: skip
TWELVE = ("amh", "deu", "eng", "fra", "hin", "kor", "rus", "tam", "tha", "tur", "yor", "zho-CN")
MIXTURES = {
    "en+hi+ru+tr": ["en-novels", "hi-commonvoice", "ru-ruslit", "tr-commonvoice"],
    "ja+ko+th+zh": ["ja-wagahaiwa_nekodearu", "ko-nsmc-social", "th-wisesight-social", "zh-CN-commonvoice"],
    "ar+de+fi+vi": ["ar-commonvoice", "de-commonvoice", "fi-commonvoice", "vi-commonvoice"],
    "ntrex, 12 languages": [f"ntrex.{language}" for language in TWELVE],
    "ntrex, 26 languages": sorted(path.stem for path in (DATA / "parallel").glob("ntrex.*.tsv")),
}
SCRIPTS = {text: script for script, texts in (*FILES.items(), ("mixed", MIXTURES)) for text in texts}
HELD_OUT_FROM = (0, 7, 13)  # the first held-out line of each split
NTREX_TRAINED = ({0, 1, 2, 3, 4}, {5, 6, 7, 8, 9}, {0, 2, 4, 6, 8})  # line number mod 10, of each split
SYSTEMS = ("new", "substrings", "older", "sentencepiece")  # columns
ORDER = ("older", "new", "substrings", "sentencepiece")  # runs: the first decides which sizes a text gives
FIGURES = {"tokens": "{:,.0f}", "nats/byte": "{:.4f}", "bits/byte": "{:.4f}", "seconds": "{:.2f}", "MB": "{:.0f}"}
COMPARED = ("tokens", "nats/byte")  # with a difference in each row; the others are one cell for all systems
EQUAL = {  # what spm_lite trains with by default
    "normalization_rule_name": "identity",
    "remove_extra_whitespaces": False,
    "byte_fallback": True,
    "allow_whitespace_only_pieces": True,
    "max_sentence_length": 1 << 30,
}
Row = dict  # of the files of results: text, pieces, split, system, and the figures or why training was refused
Rows = dict[tuple, Row]  # by text, pieces, split and system
Means = tuple[str, int, dict[str, "Row | None"]]  # text, pieces, and the means over the splits; None: refused


# The text


def lines_of(text: str, split: int) -> Iterator[tuple[bool, str]]:
    """The lines of a text, and whether each is held out."""
    for name in MIXTURES.get(text, [text]):
        if name.startswith("ntrex"):
            for number, line in enumerate(read(DATA / "parallel" / f"{name}.tsv")):
                yield number % 10 not in NTREX_TRAINED[split], line.split("\t", 1)[1]
        else:
            for number, line in enumerate(read(DATA / f"{name}.txt")):
                yield number % 20 == HELD_OUT_FROM[split], line


def read(path: Path) -> Iterator[str]:
    """The lines of a file that are not empty."""
    with path.open(encoding="utf-8-sig", newline="\n") as file:
        yield from filter(None, (line.rstrip("\r\n") for line in file))


def write_split(text: str, split: int, folder: Path) -> dict[str, str]:
    """Write the lines to train on and those held out; the names of both files. Holds one line in memory at a time."""
    paths = {"training": folder / "training.txt", "held_out": folder / "held_out.txt"}
    writing = {"mode": "w", "encoding": "utf-8", "newline": ""}
    with paths["training"].open(**writing) as training, paths["held_out"].open(**writing) as held_out:
        for is_held_out, line in lines_of(text, split):
            if line:
                (held_out if is_held_out else training).write(line + "\n")
    return {name: str(path) for name, path in paths.items()}


# In a process of its own


def train(job: dict) -> dict[str, str]:
    """Train and save a model; why the trainer refuses, if it does."""
    options = {"model_type": "unigram", "vocab_size": job["pieces"], "num_threads": job["threads"]}
    if job["system"] == "sentencepiece":
        import sentencepiece

        files = {"input": job["training"], "model_prefix": job["model"].removesuffix(".model")}
        try:
            sentencepiece.SentencePieceTrainer.train(**files, **options, **EQUAL, minloglevel=2)
        except (RuntimeError, OSError) as error:
            return {"refused": str(error)}
        return {}
    import spm_lite

    if job["system"] == "older" and not Path(spm_lite.__file__).is_relative_to(job["older"]):
        raise SystemExit(f"{job['older']} has no spm_lite: {spm_lite.__file__} was imported")
    if job["system"] == "substrings":
        options["seed_source"] = "substrings"
    try:
        spm_lite.train(files=job["training"], hard_vocab_limit=True, **options).save(job["model"])
    except spm_lite.SpmLiteError as error:
        return {"refused": str(error)}
    return {}


def judge(job: dict) -> dict[str, float]:
    import spm_lite

    tokenizer = spm_lite.Tokenizer.load(job["model"])
    quality = spm_lite.evaluate(tokenizer, job["held_out"])
    figures = {"tokens": quality.tokens, "nats/byte": -quality.log_likelihood / quality.bytes}
    if job["ngrams"]:
        audit = spm_lite.audit({"it": tokenizer}, {"it": job["held_out"]}, train=job["training"], orders=(2,))
        figures["bits/byte"] = audit.to_dict()["ngram"]["it"]["models"]["it"]["n2"]["bits_per_byte_spelled"]
    return figures


def run(step: str, job: dict) -> tuple[dict, dict[str, float]]:
    """What `train` or `judge` returns in a new process, and the seconds of CPU and peak memory of that process.

    On Linux a new process begins with its parent's peak, so this one must stay small: it imports no spm_lite.
    """
    environment = dict(os.environ)
    if step == "train" and job["system"] == "older":
        environment["PYTHONPATH"] = job["older"]
    command = [sys.executable, __file__, "--job", step, json.dumps(job)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as child:
        answer = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{step} failed: {job}")
    return json.loads(answer), {"seconds": usage.ru_utime + usage.ru_stime, "MB": usage.ru_maxrss / 1000}


# All models


def load(paths: Iterable[str]) -> Rows:
    """The rows of files of results; the last one of each model."""
    lines = [line for path in paths if Path(path).exists() for line in Path(path).read_text().splitlines()]
    return {(row["text"], row["pieces"], row["split"], row["system"]): row for row in map(json.loads, lines)}


def measure(args: argparse.Namespace) -> None:
    """Train and judge each model that has no row yet, and append its row."""
    rows = load([args.out])
    systems = sorted(args.systems, key=ORDER.index)
    for text, split in product(args.texts, args.splits):
        with tempfile.TemporaryDirectory() as folder:
            files: dict[str, str] = {}
            for pieces, system in product(args.sizes, systems):
                needed = {"tokens", "bits/byte"} if args.ngrams and split == 0 else {"tokens"}
                row = rows.get((text, pieces, split, system), {})
                first = next((rows[key] for key in product([text], [pieces], [split], ORDER[:2]) if key in rows), {})
                if "refused" in row or needed <= row.keys() or "refused" in first:
                    continue
                files = files or write_split(text, split, Path(folder))
                job = {**files, "model": f"{folder}/it.model", "system": system, "pieces": pieces}
                job |= {"threads": args.threads, "older": args.older, "ngrams": "bits/byte" in needed}
                refused, cost = run("train", job)
                row = {"text": text, "pieces": pieces, "split": split, "system": system}
                row |= refused or {**run("judge", job)[0], **cost}
                rows[text, pieces, split, system] = row
                with Path(args.out).open("a") as file:
                    file.write(json.dumps(row) + "\n")


# The table


def combine(rows: Rows, systems: list[str]) -> Iterator[Means]:
    """The means of each text and size where no system lacks a row and the first one was never refused."""
    order = list(SCRIPTS)
    for text, pieces in sorted({key[:2] for key in rows}, key=lambda key: (order.index(key[0]), key[1])):
        splits = sorted({key[2] for key in rows if key[:2] == (text, pieces)})
        found = {system: [rows.get((text, pieces, split, system)) for split in splits] for system in systems}
        if all(None not in some for some in found.values()):
            means = {system: average(some) for system, some in found.items()}  # bits/byte: only split 0 has it
            if means[min(systems, key=ORDER.index)] is not None:
                yield text, pieces, means


def average(rows: list[Row]) -> Row | None:
    """The means of the figures; None: a training was refused."""
    if any("refused" in row for row in rows):
        return None
    return {name: mean(row[name] for row in rows if name in row) for name in FIGURES if name in rows[0]}


def difference(ours: Row | None, theirs: Row | None, figure: str) -> float | None:
    """How far our figure is above theirs, in percent; None: one is missing."""
    if not ours or not theirs or figure not in ours or figure not in theirs:
        return None
    return 100 * (ours[figure] / theirs[figure] - 1)


def cell(row: Row | None, figure: str, percent: float | None = None) -> str:
    value = FIGURES[figure].format(row[figure]) if row and figure in row else "–"
    return value if percent is None else f"{value} ({percent:+.1f} %)"


def table(found: list[Means], systems: list[str]) -> list[list[str]]:
    """The titles of the columns, then the cells of each row."""
    ours, *others = systems
    joined = [name for name in FIGURES if name not in COMPARED and any(name in (row[ours] or {}) for *_, row in found)]
    rows = [["text", "script", "pieces", *(title for figure in COMPARED for title in (figure, *others)), *joined]]
    for text, pieces, row in found:
        rows.append([text, SCRIPTS[text], f"{pieces:,}"])
        for figure in COMPARED:
            rows[-1].append(cell(row[ours], figure))
            rows[-1] += [cell(row[one], figure, difference(row[ours], row[one], figure)) for one in others]
        rows[-1] += [" / ".join(cell(row[one], figure) for one in systems) for figure in joined]
    return rows


def summary(found: list[Means], systems: list[str]) -> list[list[str]]:
    """How far the first system is from each other, where both trained: the mean row, and the worst one."""
    rows = [[f"{systems[0]} against", "figure", "rows", "mean", "worst", "worst row"]]
    for other, figure in product(systems[1:], FIGURES):
        far = {(text, pieces): difference(row[systems[0]], row[other], figure) for text, pieces, row in found}
        far = {place: percent for place, percent in far.items() if percent is not None}
        if far:
            text, pieces = max(far, key=far.__getitem__)
            values = [f"{value:+.2f} %" for value in (mean(far.values()), far[text, pieces])]
            rows.append([other, figure, str(len(far)), *values, f"{text}, {pieces:,}"])
    return rows


def show(args: argparse.Namespace) -> None:
    chosen = args.texts, args.sizes, args.splits
    rows = {key: row for key, row in load(args.table).items() if all(map(contains, chosen, key[:3]))}
    systems = [system for system in SYSTEMS if system in args.systems and any(key[3] == system for key in rows)]
    found = list(combine(rows, systems))
    for columns, *cells in (table(found, systems), summary(found, systems)):
        if args.json:
            lines = [json.dumps(row, ensure_ascii=False) for row in (columns, *cells)]
            print(f'  "columns": {lines[0]},\n  "rows": [\n   ' + ",\n   ".join(lines[1:]) + "\n  ]\n")
        else:
            print("".join(f"| {' | '.join(row)} |\n" for row in (columns, ["---"] * len(columns), *cells)))
    refused = [f"{system} {sum(row[system] is None for *_, row in found)}" for system in systems]
    print(f"{len(found)} rows; refused: {', '.join(refused)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "--texts", nargs="+", choices=SCRIPTS, default=[*SCRIPTS], metavar="TEXT", help=", ".join(SCRIPTS)
    )
    parser.add_argument("--sizes", nargs="+", type=int, default=[2000, 4000, 8000, 32_000], metavar="N")
    parser.add_argument("--splits", nargs="+", type=int, choices=range(3), default=[0, 1, 2])
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=[*SYSTEMS])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--older", type=os.path.abspath, metavar="DIR", help="the folder that has an older spm_lite")
    parser.add_argument("--ngrams", action="store_true", help="bits/byte, too; slow")
    parser.add_argument("--out", metavar="FILE", help="where results are kept")
    parser.add_argument("--table", nargs="+", metavar="FILE", help="print the results of these files")
    parser.add_argument("--json", action="store_true", help="with --table: as docs/records.json has it")
    parser.add_argument("--job", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.job:
        step, job = args.job
        print(json.dumps({"train": train, "judge": judge}[step](json.loads(job))))
    elif args.table:
        show(args)
    elif args.out:
        if not args.older:
            args.systems = [system for system in args.systems if system != "older"]
        measure(args)
    else:
        parser.error("--out or --table is needed")


if __name__ == "__main__":
    main()
