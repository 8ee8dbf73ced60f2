"""What pruning and merging vocabularies cost in tokens, beside the other ways to do it.

    python tools/bench/changes.py FOLDER_OF_MODELS FOLDER_OF_CORPORA

Text: Common Voice in English and German, and NTREX-128 in both: of each 20 lines of NTREX the first 9 are held out. For
merging: Common Voice in Chinese, of which each tenth line is held out. "by frequency" keeps the most frequent tokens.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

import spm_lite
from spm_lite.kinds import NORMAL
from spm_lite.tokenizer.lone_pieces import LonePieces
from spm_lite.vocab.appended_pieces import further_ranks, last_rank, with_plain_pieces
from spm_lite.vocab.chosen_pieces import with_chosen_pieces

MODELS, CORPORA = (Path(argument) for argument in sys.argv[1:3])
SIZES = (16000, 8000)
N_FOREIGN = 20000


def lines_of(name: str) -> list[str]:
    lines = (CORPORA / name).read_text(encoding="utf-8").split("\n")
    return [line.partition("\t")[2] if name.endswith(".tsv") else line for line in lines if line]


def tokens(tok: spm_lite.Tokenizer, texts: list[str]) -> int:
    return int(tok.count_batch(texts).sum())


def row(name: str, tok: spm_lite.Tokenizer, texts: list[str], base: int, more: str = "") -> None:
    n, n_dead = tokens(tok, texts), len(LonePieces(tok).dead())
    print(f"{name:<34} {len(tok):>8,} {n:>9,} {100 * (n / base - 1):+7.2f} % {n_dead:>6,} dead  {more}", flush=True)


def kept_share(tok: spm_lite.Tokenizer, result: spm_lite.Revised, texts: list[str]) -> str:
    new_ids = np.array(result.map.new_ids)
    pairs = zip(tok.encode_batch(texts), result.tokenizer.encode_batch(texts), strict=True)
    same = sum(new_ids[a].tolist() == b.tolist() for a, b in pairs)
    return f"{100 * same / len(texts):.0f} % of the lines keep their pieces"


def pruning(name: str, counted: list[str], held: list[str]) -> None:
    tok = spm_lite.load(MODELS / f"{name}.model")
    base, vocab = tokens(tok, held), tok._file.vocab
    row(name, tok, held, base)
    counts = np.bincount(tok.encode_batch(counted).ids, minlength=len(tok))
    for n in SIZES:
        begin = time.perf_counter()
        result = tok.prune(n, source=counted)
        more = f"{kept_share(tok, result, held)}, {time.perf_counter() - begin:.2f} s"
        row(f"prune({n})", result.tokenizer, held, base, more)
        if tok.model_type == "bpe":
            result = tok.prune(n, source=counted, exactly=True)
            row(f"prune({n}, exactly=True)", result.tokenizer, held, base, kept_share(tok, result, held))
        special = [i for i in range(len(tok)) if vocab.type(i) != NORMAL]
        plain = sorted((i for i in range(len(tok)) if vocab.type(i) == NORMAL), key=lambda i: (-counts[i], i))
        order = sorted([*special, *plain[: n - len(special)]])
        row(f"{n}, by frequency", spm_lite.load(with_chosen_pieces(tok._file, order)), held, base)
        options = {"model_type": tok.model_type, "byte_fallback": vocab.byte_fallback, "lossless": False}
        again = spm_lite.train(counted, vocab_size=n, hard_vocab_limit=False, **options)
        row(f"{n}, trained on the counted text", again, held, base)


def merging(first: str) -> None:
    zh, english = lines_of("zh-CN-commonvoice.txt"), lines_of("parallel/ntrex.eng.tsv")
    held, learned = zh[::10], [line for i, line in enumerate(zh) if i % 10]
    a = spm_lite.load(MODELS / f"{first}.model")
    b = spm_lite.train(learned, model_type="unigram", vocab_size=N_FOREIGN)
    base = tokens(a, held)

    def changed(tok: spm_lite.Tokenizer) -> str:
        pairs = zip(a.encode_batch(english), tok.encode_batch(english), strict=True)
        return f"{sum(x.tolist() != y.tolist() for x, y in pairs)} of {len(english)} English lines changed"

    row(first, a, held, base)
    row(f"b: unigram, {N_FOREIGN}", b, held, base)
    begin = time.perf_counter()
    result = spm_lite.merge(a, b)
    seconds = f"{time.perf_counter() - begin:.2f} s"
    row("merge(a, b)", result.tokenizer, held, base, f"{changed(result.tokenizer)}, {seconds}")
    if a.model_type != "bpe":
        return
    few = spm_lite.merge(a, b, n=8000)
    row("merge(a, b, n=8000)", few.tokenizer, held, base, changed(few.tokenizer))
    own = {
        b.id_to_piece(i): b.score(i) for i in range(len(b)) if b.piece_type(i) == "normal" and b.id_to_piece(i) not in a
    }
    best = sorted(own, key=lambda piece: -own[piece])
    below = dict(zip(best, further_ranks(last_rank(a._file.vocab), len(best)), strict=True))
    for name, scores in (("score 0", dict.fromkeys(best, 0.0)), ("own scores", own), ("below", below)):
        tok = spm_lite.load(with_plain_pieces(a._file, [(piece, scores[piece]) for piece in best]))
        row(f"appended, {name}", tok, held, base, changed(tok))


def main() -> None:
    counted = [*lines_of("en-commonvoice.txt"), *lines_of("de-commonvoice.txt")]
    held: list[str] = []
    for name in ("eng", "deu"):
        for i, line in enumerate(lines_of(f"parallel/ntrex.{name}.tsv")):
            (held if i % 20 < 9 else counted).append(line)
    n_bytes = sum(len(line.encode()) + 1 for line in counted)
    print(f"counted: {n_bytes:,} bytes; held out: {len(held):,} lines")
    for name in ("llama2", "t5_base"):
        pruning(name, counted, held)
    for name in ("llama2", "t5_base"):
        merging(name)


if __name__ == "__main__":
    main()
