"""Compare byte-level BPE, WordPiece and byte models with other programs, over whole corpora.

    python tools/compare/model_families.py --corpus FILE... --generated 100000 --strings 1000000 [--only WORD...]

- `tiktoken`: byte-level models of three kinds (space first, space last, no constraint) are trained on the corpora and
  exported by `to_tiktoken`. tiktoken must give our ids for each line, each corpus as one text, and generated strings.
- `wordpiece`: the same for a trained WordPiece vocabulary, exported by `to_vocab_txt`, in `tokenizers`.
- `bert`: BERT's own vocabularies, read by `from_vocab_txt` and from `tokenizer.json`, in `tokenizers`.
- `round-trip`: byte-level and byte models give back every scalar value and random byte strings.

What differs is shown (the first few) and counted; the exit status is 1 if anything does.
"""

from __future__ import annotations

import argparse
import base64
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import spm_lite

DATA = Path(os.environ.get("SPM_LITE_TEST_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
KINDS: dict[str, dict[str, Any]] = {
    "prefix": {},
    "suffix": {"treat_whitespace_as_suffix": True},
    "whole": {"split_by_whitespace": False},
}
BITS = [
    " ", "  ", "   ", " " * 9, "\n", "\r\n", "\t", "\0", "the", " mill", "a", "I'll", "12", "3.5", "==", "é", "e\u0301",
    "世界", "ไทย", "हिन्दी", "한국", "мир", "\u2581", "👨\u200d👩\u200d👧", "🇯🇵", "\u00a0", "\u3000", "\ufeff",
    "ﬁ", "##", "[UNK]",
]  # fmt: skip
BLOCK = 5000  # texts compared at once
SHOWN = 5
Encode = Callable[[list[str]], list[list[int]]]


class Comparison:
    """Counts what differs."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.n_texts = self.n_bytes = self.n_differences = 0

    def check(self, texts: list[str], ours: Encode, theirs: Encode) -> None:
        for begin in range(0, len(texts), BLOCK):
            block = texts[begin : begin + BLOCK]
            for text, own, other in zip(block, ours(block), theirs(block), strict=True):
                self.n_texts += 1
                self.n_bytes += len(text.encode())
                if own != other:
                    self.differs(text, own, other)

    def differs(self, value: object, own: object, other: object) -> None:
        self.n_differences += 1
        if self.n_differences <= SHOWN:
            print(f"{self.name}: {value!r:.500}\n  ours   {own!r:.500}\n  theirs {other!r:.500}", flush=True)


def generated(count: int, seed: int) -> list[str]:
    """Strings with many runs of spaces."""
    rng = random.Random(seed)
    return ["".join(rng.choices(BITS, k=rng.randrange(24))) for _ in range(count)]


def byte_level(corpora: dict[str, str], size: int) -> Iterator[tuple[str, spm_lite.Tokenizer]]:
    for kind, options in KINDS.items():
        lines = [line for text in corpora.values() for line in text.split("\n")]
        yield kind, spm_lite.train(lines, model_type="byte_bpe", vocab_size=size, **options)


def against_tiktoken(corpora: dict[str, str], args: argparse.Namespace) -> Iterator[Comparison]:
    import tiktoken

    for kind, tok in byte_level(corpora, args.vocab_size):
        done = Comparison(f"tiktoken, {kind}")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "ranks.tiktoken")
            pattern = tok.to_tiktoken(path)
            rows = map(bytes.split, path.read_bytes().splitlines())
            ranks = {base64.b64decode(piece): int(rank) for piece, rank in rows}
        theirs = tiktoken.Encoding(kind, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})

        def encode(texts: list[str], theirs: tiktoken.Encoding = theirs) -> list[list[int]]:
            return theirs.encode_ordinary_batch(texts, num_threads=1)

        for text in corpora.values():
            done.check(text.split("\n"), tok.encode_lists, encode)
            if kind != "whole":  # tiktoken takes quadratic time for one cut of this length
                done.check([text], tok.encode_lists, encode)
        done.check(generated(args.generated, args.seed), tok.encode_lists, encode)
        yield done


def against_tokenizers(corpora: dict[str, str], args: argparse.Namespace) -> Iterator[Comparison]:
    from tokenizers import BertWordPieceTokenizer

    lines = [line for text in corpora.values() for line in text.split("\n")]
    for rules in ("bert_cased", "bert_uncased"):
        tok = spm_lite.train(lines, model_type="wordpiece", vocab_size=args.vocab_size, normalization=rules)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "vocab.txt")
            tok.to_vocab_txt(path)
            theirs = BertWordPieceTokenizer(str(path), lowercase=rules == "bert_uncased")
        yield compare_wordpiece(f"tokenizers, {rules}", tok, theirs, corpora, args)


def against_bert(corpora: dict[str, str], args: argparse.Namespace) -> Iterator[Comparison]:
    from tokenizers import BertWordPieceTokenizer, Tokenizer

    path = DATA / "interop" / "bert_base_uncased.vocab.txt"
    tok = spm_lite.Tokenizer.from_vocab_txt(path, lowercase=True)
    theirs = BertWordPieceTokenizer(str(path), lowercase=True)
    yield compare_wordpiece("BERT uncased", tok, theirs, corpora, args)
    path = DATA / "interop" / "bert_base_cased.tokenizer.json"
    tok = spm_lite.Tokenizer.from_tokenizer_json(path)
    yield compare_wordpiece("BERT cased", tok, Tokenizer.from_file(str(path)), corpora, args)


def compare_wordpiece(
    name: str, tok: spm_lite.Tokenizer, theirs: Any, corpora: dict[str, str], args: argparse.Namespace
) -> Comparison:
    """Special tokens never come from text here, so texts that spell one are left out."""
    done = Comparison(name)
    special = [tok.id_to_piece(i) for i in range(len(tok)) if tok.is_control(i) or tok.is_unknown(i)]

    def encode(texts: list[str]) -> list[list[int]]:
        return [found.ids for found in theirs.encode_batch(texts, add_special_tokens=False)]

    for text in corpora.values():
        done.check(text.split("\n"), tok.encode_lists, encode)
        done.check([text], tok.encode_lists, encode)
    texts = [text for text in generated(args.generated, args.seed) if not any(piece in text for piece in special)]
    done.check(texts, tok.encode_lists, encode)
    return done


def round_trips(corpora: dict[str, str], args: argparse.Namespace) -> Iterator[Comparison]:
    rng = random.Random(args.seed)
    scalars = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    strings: list[bytes] = [rng.randbytes(rng.randrange(20)) for _ in range(args.strings)]
    models = [*byte_level(corpora, args.vocab_size), ("bytes", spm_lite.byte_tokenizer())]
    for kind, tok in models:
        done = Comparison(f"round trip, {kind}")
        for texts in (scalars, strings):
            for begin in range(0, len(texts), BLOCK):
                block = texts[begin : begin + BLOCK]
                for text, ids in zip(block, tok.encode_batch(block).to_lists(), strict=True):
                    done.n_texts += 1
                    back = tok.decode(ids) if isinstance(text, str) else tok.decode_bytes(ids)
                    if text != back:
                        done.differs(text, text, back)
        yield done


PARTS = {
    "tiktoken": against_tiktoken, "wordpiece": against_tokenizers, "bert": against_bert, "round-trip": round_trips,
}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", nargs="+", required=True, metavar="FILE")
    parser.add_argument("--generated", type=int, default=100_000)
    parser.add_argument("--strings", type=int, default=1_000_000, help="random byte strings of the round trip")
    parser.add_argument("--vocab-size", type=int, default=8000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    args = parser.parse_args()
    corpora = {path: Path(path).read_bytes().decode() for path in args.corpus}
    failed = False
    for part in args.only:
        begin = time.monotonic()
        for done in PARTS[part](corpora, args):
            seen = f"{done.n_texts} texts, {done.n_bytes / 1e6:.1f} MB, {done.n_differences} differences"
            print(f"{done.name}: {seen}, {time.monotonic() - begin:.0f} s", flush=True)
            failed = failed or done.n_differences > 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
