"""Time and memory of training against other trainers, each run in a process of its own.

    python tools/bench/training_peers.py CORPUS... [--peer NAME]... [--model-type TYPE]... [--vocab-size N]
        [--threads N] [--runs N]

A peer is used if it is installed: sentencepiece, tokenizers, gigabpe, gigatoken, rustbpe, tinybpe, bpeasy.
byte_bpe: byte-level BPE with GPT-2's pattern. bpe: BPE of characters cut at spaces, or of bytes where a peer has no
other. The text is read from one file, line by line where a trainer takes an iterator. Medians of the runs, which go
round all peers: wall and CPU seconds from the file to the model, in a process that has trained on a small text before;
CPU seconds of the whole process, with its start; the most memory.
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

SPACES = r" ?[^ ]+| +"  # a word with the space before it
GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def pattern_of(kind: str) -> str:
    return GPT2 if kind == "byte_bpe" else SPACES


def lines(path: str) -> Iterator[str]:
    with Path(path).open(encoding="utf-8", newline="\n") as file:
        for line in file:
            yield line.rstrip("\n")


def spm_lite(path: str, vocab_size: int, kind: str, threads: int) -> None:
    import spm_lite

    options = {"split_pattern": "gpt2"} if kind == "byte_bpe" else {}
    tok = spm_lite.train(path, vocab_size=vocab_size, model_type=kind, num_threads=threads, **options)
    tok.save(path + ".model")


def sentencepiece(path: str, vocab_size: int, kind: str, threads: int) -> None:
    import sentencepiece

    sentencepiece.SentencePieceTrainer.train(
        input=path, model_prefix=path + ".out", vocab_size=vocab_size, model_type=kind, num_threads=threads,
        normalization_rule_name="identity", remove_extra_whitespaces=False, byte_fallback=True, minloglevel=2,
    )  # fmt: skip


def tokenizers(path: str, vocab_size: int, kind: str, threads: int) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tok = Tokenizer(models.Unigram() if kind == "unigram" else models.BPE())
    in_bytes = kind == "byte_bpe"
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False) if in_bytes else pre_tokenizers.Metaspace()
    if kind == "unigram":
        trainer = trainers.UnigramTrainer(vocab_size=vocab_size, show_progress=False, unk_token="<unk>")
    else:
        trainer = trainers.BpeTrainer(
            vocab_size=vocab_size, show_progress=False, max_token_length=512 if in_bytes else 16
        )
    tok.train([path], trainer)
    tok.save(path + ".json")


def gigabpe(path: str, vocab_size: int, kind: str, threads: int) -> None:
    import gigabpe

    cuts = "bytelevel" if kind == "byte_bpe" else "whitespace"
    gigabpe.train_tokenizer([path], vocab_size=vocab_size, output=path + ".json", pretokenizer=cuts, threads=threads)


def gigatoken(path: str, vocab_size: int, kind: str, threads: int) -> None:
    import gigatoken

    gigatoken.train_bpe(gigatoken.TextFileSource([path]), vocab_size, [])


def rustbpe(path: str, vocab_size: int, kind: str, threads: int) -> None:
    import rustbpe

    rustbpe.Tokenizer().train_from_iterator(lines(path), vocab_size, pattern=pattern_of(kind))


def tinybpe(path: str, vocab_size: int, kind: str, threads: int) -> None:
    import regex
    import tinybpe

    cuts = regex.compile(pattern_of(kind))
    text = Path(path).read_text(encoding="utf-8")
    tinybpe.Trainer(text, preprocess=lambda text: [part.encode() for part in cuts.findall(text)]).train(
        vocab_size - 256
    )


def bpeasy(path: str, vocab_size: int, kind: str, threads: int) -> None:
    import bpeasy

    bpeasy.train_bpe(lines(path), pattern_of(kind), 512 if kind == "byte_bpe" else 16, vocab_size)


PEERS: dict[str, Callable[[str, int, str, int], None]] = {
    function.__name__: function for function in (
        spm_lite, sentencepiece, tokenizers, gigabpe, gigatoken, rustbpe, tinybpe, bpeasy,
    )
}  # fmt: skip
LACKING = {  # what has no trainer of a kind
    "bpe": (), "byte_bpe": ("sentencepiece",), "unigram": ("gigabpe", "gigatoken", "rustbpe", "tinybpe", "bpeasy"),
}  # fmt: skip
TIME_LIMIT = 600  # seconds of one run


def job(name: str, path: str, vocab_size: int, kind: str, threads: int) -> None:
    """Train on the first lines, then on all; print the wall and CPU seconds of the second training as JSON."""
    small = path + ".small"
    with Path(path).open("rb") as file:
        Path(small).write_bytes(file.read(20_000).rpartition(b"\n")[0])
    PEERS[name](small, 500, kind, threads)
    wall, cpu = time.perf_counter(), time.process_time()
    PEERS[name](path, vocab_size, kind, threads)
    print(json.dumps([time.perf_counter() - wall, time.process_time() - cpu]))


def run(name: str, arguments: tuple[str, int, str, int]) -> tuple[float, ...] | None:
    """Wall and CPU seconds of `job`, CPU seconds and peak resident MB of its process; None: it failed."""
    environment = {**os.environ, "RAYON_NUM_THREADS": str(arguments[3])}
    command = ["timeout", str(TIME_LIMIT), sys.executable, __file__, "--job", json.dumps([name, *arguments])]
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(command, env=environment, stdout=output)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            return None
        output.seek(0)
        call = json.loads(output.read().splitlines()[-1])
    return *call, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="CORPUS")
    parser.add_argument("--peer", action="append", choices=PEERS)
    parser.add_argument("--model-type", action="append", choices=["bpe", "byte_bpe", "unigram"])
    parser.add_argument("--vocab-size", type=int, default=32_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--job", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.job:
        sys.path.pop(0)  # this folder
        job(*json.loads(args.job))
        return
    installed = [name for name in args.peer or PEERS if importlib.util.find_spec(name)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.txt"
        path.write_bytes(b"".join(Path(file).read_bytes() for file in args.files))
        for kind in args.model_type or ["bpe", "byte_bpe", "unigram"]:
            print(f"{kind} {args.vocab_size} on {path.stat().st_size / 1e6:.1f} MB, {args.threads} threads", flush=True)
            names = [name for name in installed if name not in LACKING[kind]]
            results = {name: [] for name in names}
            for _ in range(args.runs):
                for name in names:
                    results[name].append(run(name, (str(path), args.vocab_size, kind, args.threads)))
            for name, found in results.items():
                done = [result for result in found if result]
                if done:
                    wall, cpu, whole, memory = (statistics.median(column) for column in zip(*done, strict=True))
                    print(f"  {name:<14}{wall:8.2f} s{cpu:8.2f} s CPU{whole:8.2f} s CPU{memory:8.0f} MB", flush=True)
                else:
                    print(f"  {name:<14}  failed", flush=True)


if __name__ == "__main__":
    main()
