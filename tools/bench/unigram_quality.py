"""Quality of Unigram training against sentencepiece, on held-out lines.

    python tools/bench/unigram_quality.py [CASE]... [--vocab-size N] [--threads N]

Both train on the same lines with the reference's default options. Every 20th line is held out. Reported for the
held-out text, per byte after normalization: bytes per token, and the log-likelihood (nats) of the best segmentation
and of all segmentations together. A character outside the alphabet costs the same in both.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

import sentencepiece
from oracle import native
from sentencepiece import sentencepiece_model_pb2

from spm_lite.counts.chunk_table import ChunkTable
from spm_lite.specs import REFERENCE_DEFAULTS, TrainerSpec
from spm_lite.trainers.trainer_interface import Alphabet
from spm_lite.trainers.unigram.unigram_trainer import UnigramTrainer

DATA = Path(os.environ.get("SPM_LITE_TEST_DATA", Path(__file__).resolve().parents[3] / "shared" / "data")) / "corpora"
TEN = ["eng", "deu", "fra", "rus", "arb", "hin", "jpn", "kor", "tha", "zho-CN"]
CASES = {
    "novels": ["en-novels.txt"],
    "botchan": ["en-botchan.txt"],
    "ja": ["ja-wagahaiwa_nekodearu.txt", "ja-commonvoice.txt"],
    "th": ["th-wisesight-social.txt"],
    "ko": ["ko-nsmc-social.txt", "ko-commonvoice.txt"],
    "ten": [f"parallel/ntrex.{language}.tsv" for language in TEN],
}
UNKNOWN = -20.0  # the score of a character outside the alphabet, for both
SPEC = replace(TrainerSpec(), **REFERENCE_DEFAULTS)


def read_lines(case: str, limit: int) -> list[str]:
    """The normalized lines of a case, at most `limit` bytes of each file."""
    normalizer = sentencepiece.SentencePieceNormalizer(
        rule_name="nmt_nfkc", add_dummy_prefix=True, escape_whitespaces=True, remove_extra_whitespaces=True
    )
    lines = []
    for name in CASES[case]:
        data = (DATA / name).read_bytes()[:limit].decode(errors="ignore")
        raw = (line.split("\t")[-1] for line in data.splitlines())
        lines += [line for line in map(normalizer.normalize, raw) if 0 < len(line.encode()) <= 4192]
    return lines


def count_chunks(lines: list[str], spec: TrainerSpec) -> ChunkTable:
    """Lines cut wherever no piece can lie, counted."""
    cut = lru_cache(maxsize=None)(lambda left, right: native.is_cut_between(left, right, spec))
    chunks: Counter[str] = Counter()
    for word, count in Counter(word for line in lines for word in line.replace("▁", " ▁").split(" ") if word).items():
        begin = 0
        for end in range(1, len(word)):
            if cut(word[end - 1], word[end]):
                chunks[word[begin:end]] += count
                begin = end
        chunks[word[begin:]] += count
    return ChunkTable.from_items((text.encode(), count) for text, count in chunks.items())


def choose_alphabet(lines: list[str], coverage: float) -> Alphabet:
    counts = Counter()
    for line in lines:
        counts.update(line)
    total, covered, chosen = sum(counts.values()), 0, []
    for character, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        if covered / total >= coverage:
            break
        covered += count
        chosen.append((character, count))
    return Alphabet.from_items(chosen)


def train_ours(lines: list[str], vocab_size: int, threads: int) -> tuple[dict[str, float], float, UnigramTrainer]:
    """Pieces with scores, the seconds that learning took, and the trainer."""
    spec = replace(SPEC, vocab_size=vocab_size)
    counts, alphabet = count_chunks(lines, spec), choose_alphabet(lines, spec.character_coverage)
    trainer = UnigramTrainer()
    begin = time.perf_counter()
    pieces = trainer.learn(counts, alphabet, spec, vocab_size - 3, num_threads=threads)
    return dict(pieces), time.perf_counter() - begin, trainer


def train_reference(lines: list[str], vocab_size: int, threads: int) -> tuple[bytes, float]:
    """Model bytes and the seconds that training took."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.txt"
        corpus.write_text("\n".join(line.replace("▁", " ") for line in lines))
        begin = time.perf_counter()
        sentencepiece.SentencePieceTrainer.train(
            input=str(corpus), model_prefix=f"{folder}/m", vocab_size=vocab_size, num_threads=threads, minloglevel=2
        )
        seconds = time.perf_counter() - begin
        return (Path(folder) / "m.model").read_bytes(), seconds


def model_with(pieces: dict[str, float], like: bytes) -> bytes:
    """A model file with these pieces and everything else as in `like`."""
    model = sentencepiece_model_pb2.ModelProto.FromString(like)
    meta = list(model.pieces)[:3]
    del model.pieces[:]
    model.pieces.extend(meta)
    for piece, score in pieces.items():
        model.pieces.add(piece=piece, score=score)
    return model.SerializeToString()


def judge(model: bytes, lines: list[str]) -> tuple[float, float, float]:
    """Bytes per token, and log-likelihood per byte of the best and of all segmentations."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    scores = {processor.id_to_piece(k): processor.get_score(k) for k in range(3, len(processor))}
    n_bytes = sum(len(line.encode()) for line in lines)
    n_tokens = sum(len(processor.encode(line)) for line in lines)
    best = marginal = 0.0
    words = Counter(word for line in lines for word in line.replace("▁", " ▁").split(" ") if word)
    longest = max(map(len, scores))
    for word, count in words.items():
        word_best, word_marginal = word_likelihood(word, scores, longest)
        best += count * word_best
        marginal += count * word_marginal
    return n_bytes / n_tokens, best / n_bytes, marginal / n_bytes


def word_likelihood(word: str, scores: dict[str, float], longest: int) -> tuple[float, float]:
    best = [0.0] + [-math.inf] * len(word)
    total = [0.0] + [-math.inf] * len(word)
    for begin in range(len(word)):
        for end in range(begin + 1, min(begin + longest, len(word)) + 1):
            score = scores.get(word[begin:end], UNKNOWN if end == begin + 1 else None)
            if score is None:
                continue
            best[end] = max(best[end], best[begin] + score)
            high = max(total[end], total[begin] + score)
            low = min(total[end], total[begin] + score)
            total[end] = high + math.log1p(math.exp(low - high))
    return best[-1], total[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--vocab-size", type=int, default=8000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--bytes", type=int, default=2_000_000, help="of each file at most")
    parser.add_argument("--rounds", action="store_true", help="print the sizes and objectives of our rounds")
    args = parser.parse_args()
    for case in args.cases or CASES:
        lines = read_lines(case, args.bytes)
        training, held_out = [line for k, line in enumerate(lines) if k % 20], lines[::20]
        theirs, their_seconds = train_reference(training, args.vocab_size, args.threads)
        pieces, our_seconds, trainer = train_ours(training, args.vocab_size, args.threads)
        ours = judge(model_with(pieces, theirs), held_out)
        reference = judge(theirs, held_out)
        print(f"{case}: {len(pieces)} pieces; {our_seconds:.2f} s (reference, all in, {their_seconds:.2f} s)")
        for name, a, b in zip(("bytes/token", "best nats/byte", "marginal nats/byte"), ours, reference, strict=True):
            better = 1 if name == "bytes/token" else -1
            print(f"  {name}: {a:.4f}, reference {b:.4f}, better by {better * (abs(a / b) - 1):+.2%}")
        if args.rounds:
            for name, value in trainer.figures.items():
                print(f"  {name}: {value}")


if __name__ == "__main__":
    main()
