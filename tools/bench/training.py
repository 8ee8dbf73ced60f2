"""Time and memory of training against sentencepiece, each run in a process of its own.

    python tools/bench/training.py CORPUS... [--vocab-size N] [--model-type TYPE]... [--threads N] [--runs N]
        [--face native | dropin] [--options equal | default]

All CORPUS files together are one training text. The runs alternate (ours, theirs, ours, ...); medians are
printed with the ratio of the medians. "equal" gives the reference the options that spm_lite trains with by
default; "default" leaves the reference at its own defaults. With the drop-in face both get the same options,
and the models are compared.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EQUAL = {
    "normalization_rule_name": "identity",
    "remove_extra_whitespaces": False,
    "byte_fallback": True,
    "allow_whitespace_only_pieces": True,
    "max_sentence_length": 1 << 30,
}


def train_ours(job: dict) -> None:
    import spm_lite

    if job["face"] == "dropin":
        train_as_reference(spm_lite.SentencePieceTrainer, job)
        return
    tokenizer = spm_lite.train(
        job["files"], model_type=job["model_type"], vocab_size=job["vocab_size"], num_threads=job["threads"]
    )
    tokenizer.save(job["prefix"] + ".model")


def train_reference(job: dict) -> None:
    import sentencepiece

    train_as_reference(sentencepiece.SentencePieceTrainer, job)


def train_as_reference(trainer: type, job: dict) -> None:
    trainer.train(
        input=job["files"],
        model_prefix=job["prefix"],
        model_type=job["model_type"],
        vocab_size=job["vocab_size"],
        num_threads=job["threads"],
        minloglevel=2,
        **(EQUAL if job["options"] == "equal" else {}),
    )


def run(job: dict) -> tuple[float, float]:
    """Wall seconds and peak resident MB of one training process, its start included."""
    begin = time.perf_counter()
    child = subprocess.Popen([sys.executable, __file__, "--job", json.dumps(job)])
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"training failed: {job}")
    return time.perf_counter() - begin, usage.ru_maxrss / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("files", nargs="*", metavar="CORPUS")
    parser.add_argument("--vocab-size", type=int, default=32_000)
    parser.add_argument("--model-type", action="append", choices=["unigram", "bpe"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--face", choices=["native", "dropin"], default="native")
    parser.add_argument("--options", choices=["equal", "default"], default="equal")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.job:
        job = json.loads(args.job)
        (train_ours if job["who"] == "ours" else train_reference)(job)
        return
    size = sum(Path(file).stat().st_size for file in args.files) / 1e6
    for model_type in args.model_type or ["unigram", "bpe"]:
        seconds: dict[str, list[float]] = {"ours": [], "reference": []}
        memory: dict[str, list[float]] = {"ours": [], "reference": []}
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(args.runs):
                for who in seconds:
                    job = {
                        "who": who,
                        "files": args.files,
                        "model_type": model_type,
                        "vocab_size": args.vocab_size,
                        "threads": args.threads,
                        "options": args.options,
                        "face": args.face,
                        "prefix": str(Path(folder) / who),
                    }
                    wall, peak = run(job)
                    seconds[who].append(wall)
                    memory[who].append(peak)
            same = ""
            if args.face == "dropin":
                vocabs = {(Path(folder) / f"{who}.vocab").read_bytes() for who in seconds}
                same = ", the same vocabulary" if len(vocabs) == 1 else ", DIFFERENT VOCABULARIES"
        ours, theirs = statistics.median(seconds["ours"]), statistics.median(seconds["reference"])
        print(
            f"{model_type} {args.vocab_size} on {size:.1f} MB, {args.threads} threads: "
            f"spm_lite {ours:.2f} s {max(memory['ours']):.0f} MB, "
            f"sentencepiece {theirs:.2f} s {max(memory['reference']):.0f} MB, time ratio {ours / theirs:.2f}{same}"
        )


if __name__ == "__main__":
    main()
