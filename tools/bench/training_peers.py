"""Time and memory of training against other trainers, each run in a process of its own.

    python tools/bench/training_peers.py CORPUS... [--peer NAME]... [--vocab-size N] [--threads N] [--runs N]

A peer is used if it is installed: sentencepiece, tokenizers, gigatoken, rustbpe, bpeasy. They learn the nearest thing
that they can: byte-level BPE where there is no other, with a split at spaces. The text is read from one file, line by
line where a trainer takes an iterator. Medians of the runs, which go round all peers.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PATTERN = r" ?[^ ]+| +"  # a word with the space before it


def lines(path: str) -> Iterator[str]:
    with Path(path).open(encoding="utf-8", newline="\n") as file:
        for line in file:
            yield line.rstrip("\n")


def spm_lite(path: str, vocab_size: int, kind: str, threads: int) -> None:
    import spm_lite

    spm_lite.train(path, vocab_size=vocab_size, model_type=kind, num_threads=threads)


def sentencepiece(path: str, vocab_size: int, kind: str, threads: int) -> None:
    import sentencepiece

    sentencepiece.SentencePieceTrainer.train(
        input=path, model_prefix=path + ".out", vocab_size=vocab_size, model_type=kind, num_threads=threads,
        normalization_rule_name="identity", remove_extra_whitespaces=False, byte_fallback=True, minloglevel=2,
    )  # fmt: skip


def tokenizers(path: str, vocab_size: int, kind: str, threads: int) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    is_bpe = kind == "bpe"
    tok = Tokenizer(models.BPE() if is_bpe else models.Unigram())
    tok.pre_tokenizer = pre_tokenizers.Metaspace()
    if is_bpe:
        trainer = trainers.BpeTrainer(vocab_size=vocab_size, show_progress=False, max_token_length=16)
    else:
        trainer = trainers.UnigramTrainer(vocab_size=vocab_size, show_progress=False, unk_token="<unk>")
    tok.train([path], trainer)


def gigatoken(path: str, vocab_size: int, kind: str, threads: int) -> None:
    import gigatoken

    gigatoken.train_bpe(gigatoken.TextFileSource([path]), vocab_size, [])


def rustbpe(path: str, vocab_size: int, kind: str, threads: int) -> None:
    import rustbpe

    rustbpe.Tokenizer().train_from_iterator(lines(path), vocab_size, pattern=PATTERN)


def bpeasy(path: str, vocab_size: int, kind: str, threads: int) -> None:
    import bpeasy

    bpeasy.train_bpe(lines(path), PATTERN, 16, vocab_size)


PEERS: dict[str, Callable[[str, int, str, int], None]] = {
    function.__name__: function for function in (spm_lite, sentencepiece, tokenizers, gigatoken, rustbpe, bpeasy)
}
UNIGRAM = ("spm_lite", "sentencepiece", "tokenizers")


def run(name: str, arguments: tuple[str, int, str, int]) -> tuple[float, float] | None:
    """Wall seconds and peak resident MB of one training process, its start included; None: it failed."""
    environment = {**os.environ, "RAYON_NUM_THREADS": str(arguments[3])}
    begin = time.perf_counter()
    child = subprocess.Popen([sys.executable, __file__, "--job", json.dumps([name, *arguments])], env=environment)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return None if child.returncode else (time.perf_counter() - begin, usage.ru_maxrss / 1000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="CORPUS")
    parser.add_argument("--peer", action="append", choices=PEERS)
    parser.add_argument("--model-type", action="append", choices=["unigram", "bpe"])
    parser.add_argument("--vocab-size", type=int, default=32_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--job", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.job:
        name, *arguments = json.loads(args.job)
        sys.path.pop(0)  # this folder
        PEERS[name](*arguments)
        return
    installed = [name for name in args.peer or PEERS if importlib.util.find_spec(name)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.txt"
        path.write_bytes(b"".join(Path(file).read_bytes() for file in args.files))
        for kind in args.model_type or ["bpe", "unigram"]:
            print(f"{kind} {args.vocab_size} on {path.stat().st_size / 1e6:.1f} MB, {args.threads} threads", flush=True)
            names = [name for name in installed if kind == "bpe" or name in UNIGRAM]
            results = {name: [] for name in names}
            for _ in range(args.runs):
                for name in names:
                    results[name].append(run(name, (str(path), args.vocab_size, kind, args.threads)))
            for name, found in results.items():
                done = [result for result in found if result]
                if done:
                    seconds, memory = statistics.median(s for s, _ in done), max(m for _, m in done)
                    print(f"  {name:<14}{seconds:8.2f} s{memory:8.0f} MB", flush=True)
                else:
                    print(f"  {name:<14}  failed", flush=True)


if __name__ == "__main__":
    main()
