"""What `audit` and `sweep` cost, beside the calls that they are made of: seconds of CPU, medians, and ratios.

    python tools/bench/audit.py [--only CASE ...] [--runs 5] [--memory BYTES]

Needs the shared test data. A ratio is the median of the ratios of single runs, in which both sides take turns.

- sections: two tokenizers on 15 MB of English: the figures of texts, errors and stability against `spans_batch`.
- ngrams: bits per byte, n = 3, of 4 million training tokens.
- vocabulary: a model alone, of 32,000 and of 196,608 pieces.
- sweep: sixteen sizes; BPE against one training and one encoding, Unigram against one training and sixteen encodings.
- memory: the peak of an audit of a text of so many bytes, shuffled lines of the corpora; only with --memory.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import spm_lite
from spm_lite.evaluation import judge
from spm_lite.evaluation.prediction.held_out import Ngrams

DATA = Path(os.environ.get("SPM_LITE_TEST_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
ENGLISH = DATA / "corpora" / "en-novels.txt"
PAIR = ("llama2", "t5_base")
ALONE = {"llama2": 2, "t5_base": 2, "llmjp_v4a_unigram_196k": 8}  # and the seconds that it may take
SECTIONS = {  # functions that the judge calls for each section of the report
    "texts": ("measure", "corpus_figures"),
    "errors": ("compare",),
    "stability": ("edited_texts", "identifiers_in", "stability_figures", "identifier_figures", "probe"),
}
TRAINING_TOKENS = 4_000_000
SIZES = [2000 * k for k in range(1, 17)]
Timed = tuple[float, Any]


def timed(call: Callable[[], Any]) -> Timed:
    """Seconds of CPU of all threads, and the result."""
    begin = time.process_time()
    result = call()
    return time.process_time() - begin, result


def model(name: str) -> spm_lite.Tokenizer:
    return spm_lite.Tokenizer.load(DATA / "models" / f"{name}.model")


def lines() -> list[str]:
    return [line for line in ENGLISH.read_bytes().decode().split("\n") if line]


class Stages:
    """Seconds of some functions of a module while it is entered; calls within calls count once for each."""

    def __init__(self, module: Any, names: list[str]) -> None:
        self.module = module
        self.kept = {name: getattr(module, name) for name in names}
        self.seconds = dict.fromkeys(names, 0.0)

    def __enter__(self) -> Stages:
        for name, function in self.kept.items():
            setattr(self.module, name, self.measured(name, function))
        return self

    def __exit__(self, *error: object) -> None:
        for name, function in self.kept.items():
            setattr(self.module, name, function)

    def measured(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            seconds, result = timed(lambda: function(*args, **options))
            self.seconds[name] += seconds
            return result

        return call


def sections(runs: int) -> Iterator[str]:
    texts, pair = lines(), {name: model(name) for name in PAIR}
    found: list[dict[str, float]] = []
    for _ in range(runs):
        spans, _ = timed(lambda: [tok.spans_batch(texts) for tok in pair.values()])
        with Stages(judge, [name for names in SECTIONS.values() for name in names]) as stages:
            spm_lite.audit(pair, {"en": texts})
        row = {what: sum(stages.seconds[name] for name in names) / spans for what, names in SECTIONS.items()}
        found.append({"spans_batch, s": spans, **row, "together": sum(row.values())})
    for what in found[0]:
        yield f"{what:16} {statistics.median(row[what] for row in found):6.2f}"
    yield "together: at most 4"


def ngrams(runs: int) -> Iterator[str]:
    tok = model("llama2")
    texts = lines()
    kept, n_tokens = [], 0
    while n_tokens < TRAINING_TOKENS * 5 / 4:  # a fifth of the bytes is held out
        kept += texts
        n_tokens += int(tok.count_batch(texts).sum())
    seconds = []
    for _ in range(runs):
        with Stages(Ngrams, ["bits"]) as stages:
            report = spm_lite.audit({"a": tok}, {"en": kept}, orders=(3,))
        seconds.append(stages.seconds["bits"])
    figures = report.to_dict()["ngram"]["en"]["models"]["a"]["n3"]
    yield f"{figures['training_tokens']:,} training tokens, n = 3: {statistics.median(seconds):.2f} s (at most 5)"


def vocabulary(runs: int) -> Iterator[str]:
    for name, limit in ALONE.items():
        tok = model(name)
        seconds = statistics.median(timed(lambda tok=tok: spm_lite.audit({"a": tok}))[0] for _ in range(runs))
        yield f"{name:24} {len(tok):8,} pieces {seconds:6.2f} s (at most {limit})"


def sweep(runs: int) -> Iterator[str]:
    texts = lines()
    for model_type in ("bpe", "byte_bpe", "unigram"):
        ratios, all_seconds = [], []
        for _ in range(runs):
            options = {"model_type": model_type}
            if model_type == "unigram":
                options["seed_sentencepiece_size"] = 8 * SIZES[-1]
            seconds, tok = timed(lambda options=options: spm_lite.train(ENGLISH, vocab_size=SIZES[-1], **options))
            encoding, _ = timed(lambda tok=tok: tok.encode_batch(texts))
            n_encodings = len(SIZES) if model_type == "unigram" else 1
            whole, _ = timed(lambda kind=model_type: spm_lite.sweep(ENGLISH, SIZES, model_type=kind))
            all_seconds.append((seconds, encoding, whole))
            ratios.append(whole / (seconds + n_encodings * encoding))
        training, encoding, whole = map(statistics.median, zip(*all_seconds, strict=True))
        yield (
            f"{model_type:9} training {training:.2f} s, encoding {encoding:.2f}, sweep of {len(SIZES)} {whole:.2f}: "
            f"{statistics.median(ratios):.2f} of one training and {n_encodings} encoding{'s' * (n_encodings > 1)}"
        )


def memory(n_bytes: int) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt"
        write_shuffled(path, n_bytes)
        command = [sys.executable, __file__, "--audit", str(path)]
        found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        yield f"{path.stat().st_size / 1e9:.2f} GB of text: {found.strip()}"


def write_shuffled(path: Path, n_bytes: int) -> None:
    """Write lines of all corpora, each time in another order."""
    corpora = sorted((DATA / "corpora").glob("*.txt"))
    every = [line for corpus in corpora for line in corpus.read_bytes().split(b"\n") if line]
    generator, n_written = random.Random(0), 0
    with path.open("wb") as file:
        while n_written < n_bytes:
            generator.shuffle(every)
            n_written += file.write(b"\n".join(every) + b"\n")


def audit_of(path: str) -> None:
    """Audit a text in this process; print the peak of memory and what was left out."""
    begin = time.perf_counter()
    report = spm_lite.audit({name: model(name) for name in PAIR}, {"text": path}).to_dict()
    left_out = report["ngram"]["text"]["bytes_left_out"]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"peak {peak / 1e6:.0f} MB, {left_out:,} bytes not in n-grams, {time.perf_counter() - begin:.0f} s")


CASES = {"sections": sections, "ngrams": ngrams, "vocabulary": vocabulary, "sweep": sweep}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", nargs="+", choices=CASES, default=[*CASES])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--memory", type=int, default=0, metavar="BYTES")
    parser.add_argument("--audit", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.audit:
        audit_of(args.audit)
        return
    for name in [] if args.memory else args.only:
        print(f"## {name}")
        for line in CASES[name](args.runs):
            print(line, flush=True)
    if args.memory:
        for line in memory(args.memory):
            print(line)


if __name__ == "__main__":
    main()
