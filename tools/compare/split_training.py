"""Compare byte-level BPE with a split pattern with other programs: the merges, the files, and what comes back.

    python tools/compare/split_training.py --corpus FILE... [--sizes 400 2000 8000] [--strings 240000] [--only NAME...]

For each named pattern, corpus and size a model is trained on four lines in five, and strings that tell patterns apart.

- Files: `to_tiktoken`, `to_hf`, `to_gguf`. The program that a file is for, and our reader, must give our ids for lines
  of the fifth part, hard texts, and random strings and bytes; special pieces are tried too. GGUF needs xllamacpp.
- Nothing is lost: the ids of each text are decoded to it. `--strings` is their number over all models.
- Merges: with their rule for equally frequent pairs, they are those of tokenizers, rustbpe and gigabpe. With our rule,
  the first other merge is of a pair as frequent as theirs, and no pair is more frequent.

For each pattern of OWN, merges and ids must equal those of a naive twin that the package `regex` cuts texts for. What
differs is shown (the first few) and counted; the exit status is 1 if anything does.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from comparison import DATA, ROOT, Comparison, evenly, parser_of, run
from random_texts import Generator, joined
from split_patterns import PARTS

import spm_lite
from spm_lite.formats.proof.llama_cpp_program import of_llama_cpp
from spm_lite.formats.proof.partner_programs import module_named, of_tiktoken, of_tokenizers
from spm_lite.specs import TrainerSpec

sys.path.insert(0, str(ROOT / "tests"))
from oracle import byte_bpe, split_patterns
from oracle import other_trainers as trainers
from oracle.other_trainers import BY_BYTE, BY_SIGN, learned, patterns_of, trained_by_ids

NAMES = ("gpt2", "cl100k", "llama3", "o200k", "qwen2", "qwen3.5", "deepseek_v3", "tekken")
BYTES: dict[str, Any] = {"model_type": "byte_bpe", "hard_vocab_limit": False}
PLAIN = {**BYTES, "bos_id": -1, "eos_id": -1}
SYMBOLS = {"user_defined_symbols": ["<|sep|>", "the ", "\n\n", " x"], "control_symbols": ["<|end|>", "<s>"]}
TEXTS = ["a<|sep|>b<|end|>", "the the <s> x  x</s>", "<|start|>\n\n\n x", "over the \u2581 lazy", "<|sep|>" * 3 + "\0"]
OWN = (
    r"\p{L}+|\p{N}+|[^\p{L}\p{N}]+", r" ?\p{L}+|\d{1,3}|\s+|.", r"\p{L}+(?=\s)|\s+|\S", r"(?i:the|and)|\w+|\W",
    r"\p{Han}|\p{Thai}+|[^\p{Han}]", r"\p{Lu}?\p{Ll}++|\p{Lu}++|\P{L}", r"[^\s]+|\s+", r"\d(?=(?:\d{3})*\b)|\D+",
    r"[\p{L}\p{M}]+|[\p{P}\p{S}]|\p{N}{2}", r" ?[A-Za-z]+'?[a-z]*| ?\S", r"(?i:'[stmd]|'(?:ll|ve|re))|[a-z]+|\s",
    r"\w+\s*|\W+", r"[\p{L}-]+| +|\n+", r"(?:\r\n|\n|\r)+|[^\r\n]+", r"\S*?[aeiou]|\S|\s+",
    r"(?<!\S)\S+|\s+|\S", r"\b\w|\B\w+|[^\w]+", r"[\p{Hiragana}\p{Katakana}]+|\p{Arabic}++|.",
    r"(?s:.{1,7})", r"a|e(?!r)|[^ae]{1,4}+|er",
)  # fmt: skip


def lines_of(path: Path) -> list[str]:
    """The lines with their ends, as trainers that read files take them."""
    with path.open(encoding="utf-8", newline="\n") as file:
        return list(file)


def strings(tok: spm_lite.Tokenizer, lines: list[str], n: int, seed: int) -> Iterator[str | bytes]:
    """Random texts: of alphabets, pieces, lines, ill-formed bytes; of parts that patterns tell apart; of any bytes."""
    rng = random.Random(seed)
    yield from Generator(tok, lines, seed).texts(n // 2)
    yield from joined(PARTS, n // 4, seed, 14)
    yield from (rng.randbytes(i % 30) for i in range(n - n // 2 - n // 4))


Read = tuple[Any, Any, Callable[[str], Any]]  # of a file: its program, our model of it, the unmet conditions of a text


def by_tiktoken(tok: spm_lite.Tokenizer, folder: Path) -> Read:
    pattern = tok.to_tiktoken(path := folder / "ranks.tiktoken")
    ranks = {tok.token_bytes(i): i for i in range(len(tok)) if tok.piece_type(i) == "normal"}
    again = spm_lite.load(path, format="tiktoken", pattern=str(pattern))
    return of_tiktoken(ranks, str(pattern)), again, pattern.conversion.unmet


def by_tokenizers(tok: spm_lite.Tokenizer, folder: Path) -> Read:
    found = tok.to_hf(folder)
    text = (folder / "tokenizer.json").read_text(encoding="utf-8")
    return of_tokenizers(text, False), spm_lite.load(folder), found.unmet


def by_llama_cpp(tok: spm_lite.Tokenizer, folder: Path) -> Read:
    found = tok.to_gguf(folder / "m.gguf")
    return of_llama_cpp(found.path, False), spm_lite.load(found.path), found.unmet


def compare_files(case: Comparison, tok: spm_lite.Tokenizer, texts: list[str | bytes]) -> None:
    """What other programs and our readers make of the files of a model, and what the ids of texts are decoded to."""
    if any(tok.piece_type(i) == "user_defined" for i in range(len(tok))):  # then the byte FF is refused
        texts = [text for text in texts if not isinstance(text, bytes) or b"\xff" not in text]
    case.counts.update(models=1, texts=len(texts))
    ours = tok.encode_lists(texts)
    pairs = [*zip(texts, ours, strict=True)]
    decoded = [tok.decode(ids) if isinstance(text, str) else tok.decode_bytes(ids) for text, ids in pairs]
    case.check(texts, texts, decoded, "decoded text")
    both, wanted = (list(column) for column in zip(*(pair for pair in pairs if isinstance(pair[0], str)), strict=True))
    for program in (by_tiktoken, by_tokenizers, by_llama_cpp):
        kind = program.__name__
        with tempfile.TemporaryDirectory() as folder:
            try:
                other, again, unmet = program(tok, Path(folder))
            except spm_lite.OptionError as error:
                case.counts[f"not {kind}"] += 1
                if "known cause" in str(error):
                    case.differs(kind, str(error))
                continue
        case.counts[kind if other else f"{kind}, which is not installed"] += 1
        case.allowed = unmet
        case.check(both, wanted, other.encode(both) if other else wanted, f"ids {kind}")
        case.allowed = None
        case.check(texts, ours, again.encode_lists(texts), f"ids read back from the file {kind}")


def other_merges(path: Path, lines: list[str], name: str, size: int) -> Iterator[tuple[str, bytes, list[bytes]]]:
    """(program, the bytes in the order of its ids, its merges) of each trainer that is installed."""
    patterns = patterns_of(name)
    yield "tokenizers", BY_SIGN, trainers.of_tokenizers(lines, size, patterns)
    if len(patterns) == 1 and module_named("rustbpe"):
        yield "rustbpe", BY_BYTE, trainers.of_rustbpe(lines, size, *patterns)
    if name == "gpt2" and module_named("gigabpe"):
        yield "gigabpe", BY_SIGN, trainers.of_gigabpe(path, size)  # bytes that no text has take no ids


def compare_merges(case: Comparison, path: Path, name: str, size: int) -> None:
    """The merges of other trainers, on a whole corpus. The first tie that our rule decides otherwise is named."""
    lines, options = lines_of(path), {**PLAIN, "split_pattern": name}
    own = learned(spm_lite.train(lines, **options, vocab_size=size))
    for program, by_ids, theirs in other_merges(path, lines, name, size):
        tok = trained_by_ids(lines, by_ids, **options, vocab_size=256 + len(theirs))
        case.check([f"{program}, {path.name}"], [learned(tok)], [theirs], "merges")
        case.counts[f"merges of {program}"] += len(theirs)
        first = next((i for i, pair in enumerate(zip(own, theirs, strict=False)) if pair[0] != pair[1]), None)
        if first is not None:
            tok = spm_lite.train(lines, **options, vocab_size=256 + first)
            counts, one, other = pair_counts(lines, patterns_of(name), tok), own[first], theirs[first]
            if not counts[one] == counts[other] == max(counts.values()):
                case.differs(f"merge {first}, {path.name}: {one!r} {counts[one]:,}, {other!r} {counts[other]:,} times")
            case.note += f"{program} {path.stem} {first}: {one!r} or {other!r}, {counts[one]:,}; "


def pair_counts(lines: list[str], patterns: list[str], tok: spm_lite.Tokenizer) -> Counter[bytes]:
    """How often the pairs of neighbours occur in the ids of a corpus: the bytes of both -> that number."""
    parts = Counter(part for line in lines for part in split_patterns.parts_of(patterns, line))
    counts: Counter[bytes] = Counter()
    for part, n in parts.items():
        for left, right in pairwise(map(tok.token_bytes, tok.encode(part))):
            counts[left + right] += n
    return counts


def compare_own(pattern: str, corpora: list[list[str]], texts: list[str]) -> Comparison:
    """A pattern of someone's own, on a few lines of each corpus: merges and ids of a naive twin."""
    case, spec = Comparison(pattern), TrainerSpec(max_sentencepiece_length=512, split_by_whitespace=False)
    for lines in corpora:
        lines = [*evenly(lines, 60), *evenly(texts, 30)]
        tok = spm_lite.train(lines, split_pattern=pattern, vocab_size=256 + 60, **PLAIN)
        chunks = [part for line in lines for part in split_patterns.parts_of([pattern], line)]
        case.check(["corpus"], [learned(tok)], [byte_bpe.learn(chunks, spec, 60)], "merges")
        pieces = [tok.token_bytes(i) for i in range(len(tok))]
        cuts = [split_patterns.parts_of([pattern], text) for text in texts]
        twin = [[i for part in parts for i in byte_bpe.encode(part, pieces)] for parts in cuts]
        case.check(texts, tok.encode_lists(texts), twin)
        case.counts["texts"] += len(texts)
    return case


def comparisons(args: argparse.Namespace) -> Iterator[Comparison]:
    """One for each pattern."""
    hard, names = [*json.loads((DATA / "shapes" / "texts.json").read_bytes()), *TEXTS], args.only or NAMES
    each = -(-args.strings // (len(names) * len(args.corpus) * len(args.sizes)))
    corpora = [[line.rstrip("\n") for line in lines_of(path)] for path in args.corpus]
    for name in names:
        case = Comparison(name)
        for path, lines in zip(args.corpus, corpora, strict=True):
            train = [*(line for i, line in enumerate(lines) if i % 5), *joined(PARTS, 2000, args.seed + 1, 14)]
            held = [*evenly(lines[::5], 300), *hard]
            sets = [{"vocab_size": size, **PLAIN} for size in args.sizes]
            if path is args.corpus[0]:
                sets += [{**sets[0], **SYMBOLS}, {**BYTES, "vocab_size": args.sizes[0], "bos_piece": "<|start|>"}]
            for options in sets:
                tok = spm_lite.train(train, split_pattern=name, **options)
                compare_files(case, tok, [*held, *strings(tok, lines, each, args.seed)])
            compare_merges(case, path, name, args.sizes[-1])
        yield case
    for pattern in OWN if not args.only else ():
        yield compare_own(pattern, corpora, [*evenly(hard, 150), *joined(PARTS, 100, args.seed, 14)])


if __name__ == "__main__":
    parser = parser_of(__doc__, needs_corpus=True, strings=240_000, seed=1)
    parser.add_argument("--sizes", type=int, nargs="+", default=[400, 2000, 8000], metavar="N")
    parser.add_argument("--only", nargs="*", default=(), choices=NAMES, metavar="NAME")
    sys.exit(run(parser, comparisons))
