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
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from comparison import DATA, Comparison, parser_of, read_lines, run, trained
from random_texts import joined, scalars

import spm_lite

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


def byte_level(lines: list[str], args: argparse.Namespace) -> Iterator[tuple[str, spm_lite.Tokenizer]]:
    return trained(KINDS, lines, model_type="byte_bpe", vocab_size=args.vocab_size)


def generated(args: argparse.Namespace) -> Iterator[str]:
    """Strings with many runs of spaces."""
    return joined(BITS, args.generated, args.seed, 24)


def against_tiktoken(corpora: list[str], lines: list[str], args: argparse.Namespace) -> Iterator[Comparison]:
    import tiktoken

    for kind, tok in byte_level(lines, args):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "ranks.tiktoken")
            pattern = tok.to_tiktoken(path)
            rows = map(bytes.split, path.read_bytes().splitlines())
            ranks = {base64.b64decode(piece): int(rank) for piece, rank in rows}
        theirs = tiktoken.Encoding(kind, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
        whole = () if kind == "whole" else corpora  # tiktoken takes quadratic time for one cut of this length
        case = Comparison(f"tiktoken, {kind}")
        texts = chain(lines, whole, generated(args))
        case.compare(texts, tok.encode_lists, partial(theirs.encode_ordinary_batch, num_threads=1))
        yield case


def bert(path: Path, lowercase: bool) -> Any:
    """tokenizers with a vocab.txt. Release 1.0 reads nothing but a tokenizer.json, which we write."""
    try:
        from tokenizers import BertWordPieceTokenizer
    except ImportError:
        from tokenizers import Tokenizer

        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "tokenizer.json")
            spm_lite.load(path, format="vocab.txt", lowercase=lowercase).save(file, format="tokenizer.json")
            return Tokenizer.from_file(str(file))
    return BertWordPieceTokenizer(str(path), lowercase=lowercase)


def against_tokenizers(corpora: list[str], lines: list[str], args: argparse.Namespace) -> Iterator[Comparison]:
    sets = {rules: {"normalization": rules} for rules in ("bert_cased", "bert_uncased")}
    for rules, tok in trained(sets, lines, model_type="wordpiece", vocab_size=args.vocab_size):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "vocab.txt")
            tok.save(path, format="vocab.txt")
            theirs = bert(path, rules == "bert_uncased")
        yield compare_wordpiece(f"tokenizers, {rules}", tok, theirs, [*lines, *corpora], args)


def against_bert(corpora: list[str], lines: list[str], args: argparse.Namespace) -> Iterator[Comparison]:
    from tokenizers import Tokenizer

    path = DATA / "interop" / "bert_base_uncased.vocab.txt"
    tok = spm_lite.Tokenizer.load(path, format="vocab.txt", lowercase=True)
    theirs = bert(path, True)
    yield compare_wordpiece("BERT uncased", tok, theirs, [*lines, *corpora], args)
    path = DATA / "interop" / "bert_base_cased.tokenizer.json"
    tok = spm_lite.Tokenizer.load(path, format="tokenizer.json")
    yield compare_wordpiece("BERT cased", tok, Tokenizer.from_file(str(path)), [*lines, *corpora], args)


def compare_wordpiece(
    name: str, tok: spm_lite.Tokenizer, theirs: Any, texts: list[str], args: argparse.Namespace
) -> Comparison:
    """Special tokens never come from text here, so texts that spell one are left out."""
    special = [tok.id_to_piece(i) for i in range(len(tok)) if tok.piece_type(i) in ("control", "unknown")]
    common = (text for text in generated(args) if not any(piece in text for piece in special))

    def encode(texts: list[str]) -> list[list[int]]:
        return [[*found.ids] for found in theirs.encode_batch(texts, add_special_tokens=False)]

    case = Comparison(name)
    case.compare(chain(texts, common), tok.encode_lists, encode)
    return case


def there_and_back(tok: spm_lite.Tokenizer, decode: Callable[[Any], Any], texts: list[Any]) -> list[Any]:
    return list(map(decode, tok.encode_batch(texts).to_lists()))


def round_trips(corpora: list[str], lines: list[str], args: argparse.Namespace) -> Iterator[Comparison]:
    rng = random.Random(args.seed)
    strings = [rng.randbytes(rng.randrange(20)) for _ in range(args.strings)]
    for kind, tok in chain(byte_level(lines, args), [("bytes", spm_lite.byte_tokenizer())]):
        case = Comparison(f"round trip, {kind}")
        for texts, decode in (scalars(), tok.decode), (strings, tok.decode_bytes):
            case.compare(texts, list, partial(there_and_back, tok, decode))
        yield case


PARTS = {
    "tiktoken": against_tiktoken, "wordpiece": against_tokenizers, "bert": against_bert, "round-trip": round_trips,
}  # fmt: skip


def comparisons(args: argparse.Namespace) -> Iterator[Comparison]:
    """Those of each chosen part."""
    corpora = [path.read_bytes().decode() for path in args.corpus]
    lines = read_lines(args.corpus)
    for part in args.only:
        yield from PARTS[part](corpora, lines, args)


if __name__ == "__main__":
    parser = parser_of(__doc__, needs_corpus=True, generated=100_000, strings=1_000_000, vocab_size=8000, seed=1)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    sys.exit(run(parser, comparisons))
