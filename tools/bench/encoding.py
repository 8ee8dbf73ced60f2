"""Encoding and decoding speed against sentencepiece, one thread, line by line, ids checked equal first.

    python tools/bench/encoding.py --model FILE... --corpus FILE... [--runs N]

"cold" is the first pass of a fresh process over the text (after one call with another), "warm" the median of the
passes after it; both make lists of int. Decoding turns those lists back into str. MB are 10^6 bytes of UTF-8 text.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path


def measure(who: str, model: str, corpus: str, runs: int) -> dict[str, float]:
    """Seconds per pass, and a checksum of the ids."""
    lines = Path(corpus).read_bytes().decode().split("\n")
    begin = time.perf_counter()
    if who == "spm_lite":
        import spm_lite

        tok = spm_lite.Tokenizer.load(model)
        encode = lambda: tok.encode_batch(lines, num_threads=1).to_lists()  # noqa: E731
        decode = lambda ids: tok.decode_batch(ids, num_threads=1)  # noqa: E731
    else:
        import sentencepiece

        ref = sentencepiece.SentencePieceProcessor(model_file=model)
        encode = lambda: ref.encode(lines, num_threads=1)  # noqa: E731
        decode = lambda ids: ref.decode(ids, num_threads=1)  # noqa: E731
    load = time.perf_counter() - begin
    decode(ref.encode(["x"]) if who == "sentencepiece" else tok.encode_batch(["x"]))  # what is imported on first use
    passes, decodes = [], []
    for _ in range(runs + 1):
        begin = time.perf_counter()
        ids = encode()
        passes.append(time.perf_counter() - begin)
    for _ in range(runs):
        begin = time.perf_counter()
        decode(ids)
        decodes.append(time.perf_counter() - begin)
    return {
        "load": load,
        "cold": passes[0],
        "warm": statistics.median(passes[1:]),
        "decode": statistics.median(decodes),
        "ids": hash(tuple(map(tuple, ids))),
    }


def in_fresh_process(who: str, model: str, corpus: str, runs: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--job", json.dumps([who, model, corpus, runs])]
    result: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--model", nargs="+", default=[])
    parser.add_argument("--corpus", nargs="+", default=[])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--job", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.job:
        print(json.dumps(measure(*json.loads(args.job))))
        return
    for model in args.model:
        for corpus in args.corpus:
            size = Path(corpus).stat().st_size / 1e6
            ours, theirs = (in_fresh_process(who, model, corpus, args.runs) for who in ("spm_lite", "sentencepiece"))
            if ours["ids"] != theirs["ids"]:
                raise SystemExit(f"ids differ: {model} on {corpus}")
            print(f"{Path(model).stem} on {Path(corpus).name}, {size:.1f} MB:")
            for what in ("cold", "warm", "decode"):
                a, b = size / ours[what], size / theirs[what]
                print(f"  {what:<7} spm_lite {a:7.1f} MB/s   sentencepiece {b:7.1f} MB/s   x{a / b:.1f}")
            a, b = ours["load"] * 1e3, theirs["load"] * 1e3
            print(f"  load    spm_lite {a:7.1f} ms     sentencepiece {b:7.1f} ms   (imports included)")


if __name__ == "__main__":
    main()
