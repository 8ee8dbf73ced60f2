"""Byte-level BPE, split patterns and WordPiece beside tiktoken, gigatoken and tokenizers: lines to arrays, one thread.

Usage: python tools/bench/families.py [--runs 5] [--only WORD ...] [--text NAME ...]. Needs the shared test data; a peer
that is not installed is left out. Every run loads all programs anew and measures them one after the other: first with
what they have just loaded (cold), then the same text again (warm). Shown are medians, in MB of text per second.
"""

from __future__ import annotations

import argparse
import base64
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import spm_lite

DATA = Path(os.environ.get("SPM_LITE_TEST_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
INTEROP = DATA / "interop"
SIZE = 15_000_000  # bytes of a text, at most
TEXTS = {"English": ("en-novels",), "Chinese": ("zh-CN-commonvoice", "zh-TW-commonvoice")}
Encode = Callable[[list[str]], Any]


def lines_of(name: str) -> list[str]:
    """The lines of a text."""
    text = "\n".join((DATA / "corpora" / f"{part}.txt").read_text(encoding="utf-8") for part in TEXTS[name])
    return text.encode()[:SIZE].decode("utf-8", "ignore").split("\n")


def ranks_of(path: Path) -> dict[bytes, int]:
    """The ranks of a file; tiktoken's own loader keeps files by their path."""
    pairs = map(bytes.split, path.read_bytes().splitlines())
    return {base64.b64decode(piece): int(rank) for piece, rank in pairs}


def in_tiktoken(path: Path, pattern: str) -> Encode:
    """tiktoken with a rank file."""
    import tiktoken

    encoding = tiktoken.Encoding("bench", pat_str=pattern, mergeable_ranks=ranks_of(path), special_tokens={})
    return lambda lines: [encoding.encode_ordinary(line) for line in lines]


def in_spm_lite(tok: Any) -> Encode:
    """Ours, with one thread."""
    return lambda lines: tok.encode_batch(lines, num_threads=1)


def trained(folder: Path) -> dict[str, Callable[[], Encode]]:
    """Byte-level BPE of 32,000 pieces, trained on the novels."""
    path = folder / "trained.tiktoken"
    tok = spm_lite.train(DATA / "corpora" / "en-novels.txt", model_type="byte_bpe", vocab_size=32_000)
    pattern = tok.to_tiktoken(path)
    found: dict[str, Callable[[], Encode]] = {
        "spm_lite": lambda: in_spm_lite(spm_lite.Tokenizer.from_tiktoken(path, pattern=pattern))
    }
    if find_spec("tiktoken"):
        found["tiktoken"] = lambda: in_tiktoken(path, pattern)
    return found


def gpt2(folder: Path) -> dict[str, Callable[[], Encode]]:
    """GPT-2's vocabulary with its own pattern."""
    for name in ("vocab.json", "merges.txt"):
        (folder / name).write_bytes((INTEROP / f"gpt2.{name}").read_bytes())
    path = folder / "gpt2.tiktoken"
    pattern = spm_lite.Tokenizer.load(folder, format="gpt2", name="gpt2").to_tiktoken(path)
    found: dict[str, Callable[[], Encode]] = {
        "spm_lite": lambda: in_spm_lite(spm_lite.Tokenizer.load(folder, format="gpt2", name="gpt2"))
    }
    if find_spec("tiktoken"):
        found["tiktoken"] = lambda: in_tiktoken(path, pattern)
    if find_spec("gigatoken"):
        found["gigatoken"] = lambda: in_gigatoken(path)
    return found


def in_gigatoken(path: Path) -> Encode:
    """gigatoken on its own ground: the ranks, and the pattern by its name."""
    from gigatoken import Tokenizer

    tok = Tokenizer.from_tiktoken(str(path), pretokenizer="gpt2")
    return lambda lines: tok.encode_batch(lines, parallel=False)


def pattern_of(name: str) -> Callable[[Path], dict[str, Callable[[], Encode]]]:
    """The ranks of p50k with the pattern of another vocabulary."""

    def make(folder: Path) -> dict[str, Callable[[], Encode]]:
        path = INTEROP / "p50k_base.tiktoken"
        from spm_lite.vocab.split_pattern_names import PATTERNS

        pattern, special = PATTERNS[name], {"<|endoftext|>": 50256}
        found: dict[str, Callable[[], Encode]] = {
            "spm_lite": lambda: in_spm_lite(
                spm_lite.Tokenizer.from_tiktoken(path, pattern=pattern, special_tokens=special)
            )
        }
        if find_spec("tiktoken"):
            found["tiktoken"] = lambda: in_tiktoken(path, pattern)
        return found

    return make


HAN = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]"
SHORT = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
BEFORE, AFTER = r"[^\r\n\p{L}\p{N}]?", r"\s*[\r\n]+|\s+(?!\S)|\s+"
COMPILED = {  # published ways to cut a text that no hand-written scanner knows, each pattern after the other
    "Qwen 3.5": (
        rf"(?i:'s|'t|'re|'ve|'m|'ll|'d)|{BEFORE}[\p{{L}}\p{{M}}]+|\p{{N}}|"
        rf" ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{AFTER}",
    ),
    "Kimi K2": (
        rf"[\p{{Han}}]+|{BEFORE}{HAN[0]}*{HAN[1]}+{SHORT}|{BEFORE}{HAN[0]}+{HAN[1]}*{SHORT}|\p{{N}}{{1,3}}|"
        rf" ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{AFTER}",
    ),
    "DeepSeek V3": (
        r"\p{N}{1,3}",
        "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
        r"[!-/:-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|" + AFTER,
    ),
}


def compiled(name: str) -> Callable[[Path], dict[str, Callable[[], Encode]]]:
    """The ranks of p50k with patterns that are compiled."""

    def make(folder: Path) -> dict[str, Callable[[], Encode]]:
        from spm_lite.formats.byte_level import model_of_ranks
        from spm_lite.formats.ranks.rank_file import read_ranks

        ranks = read_ranks((INTEROP / "p50k_base.tiktoken").read_bytes(), "p50k")
        splits = tuple((pattern, "Isolated", False) for pattern in COMPILED[name])
        data = model_of_ranks(ranks, {50256: "<|endoftext|>"}, splits, "", "p50k")
        return {"spm_lite": lambda: in_spm_lite(spm_lite.load(data))}

    return make


def wordpiece(folder: Path) -> dict[str, Callable[[], Encode]]:
    """BERT's uncased vocabulary."""
    path = str(INTEROP / "bert_base_uncased.vocab.txt")
    found: dict[str, Callable[[], Encode]] = {
        "spm_lite": lambda: in_spm_lite(spm_lite.Tokenizer.load(path, format="vocab.txt", lowercase=True))
    }
    if find_spec("tokenizers"):
        found["tokenizers"] = lambda: in_tokenizers(path)
    return found


def in_tokenizers(path: str) -> Encode:
    """tokenizers, with BERT's normalizer and pre-tokenizer."""
    import tokenizers

    if not hasattr(tokenizers, "models"):  # 1.0, which reads nothing but a tokenizer.json
        with tempfile.TemporaryDirectory() as folder:
            file = str(Path(folder, "tokenizer.json"))
            spm_lite.Tokenizer.load(path, format="vocab.txt", lowercase=True).save(file, format="tokenizer.json")
            new = tokenizers.Tokenizer.from_file(file)
        return lambda lines: new.encode_batch(lines, add_special_tokens=False)
    tok = tokenizers.Tokenizer(tokenizers.models.WordPiece.from_file(path, unk_token="[UNK]"))
    tok.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    tok.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    return lambda lines: tok.encode_batch_fast(lines, add_special_tokens=False)


CASES = {
    "byte-level BPE, 32,000 trained": trained,
    "GPT-2": gpt2,
    "cl100k pattern": pattern_of("cl100k_base"),
    "o200k pattern": pattern_of("o200k_base"),
    **{f"{name} compiled": compiled(name) for name in COMPILED},
    "WordPiece, BERT": wordpiece,
}


def measure(lines: list[str], makers: dict[str, Callable[[], Encode]], runs: int) -> dict[str, list[float]]:
    """Name -> medians of the seconds, cold and warm."""
    seconds: dict[str, list[list[float]]] = {name: [[], []] for name in makers}
    for _ in range(runs):
        for name, make in makers.items():
            encode = make()
            for figures in seconds[name]:
                begin = time.perf_counter()
                encode(lines)
                figures.append(time.perf_counter() - begin)
    return {name: list(map(statistics.median, figures)) for name, figures in seconds.items()}


def main() -> None:
    """Measure, and show a line for each program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=[], metavar="WORD", help="of the names of cases")
    parser.add_argument("--text", nargs="*", default=["English"], choices=list(TEXTS))
    options = parser.parse_args()
    os.environ.setdefault("RAYON_NUM_THREADS", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    for text in options.text:
        lines = lines_of(text)
        size = sum(len(line.encode()) for line in lines)
        print(f"{text}, {size / 1e6:.1f} MB, {len(lines):,} lines; MB/s cold and warm, medians of {options.runs}")
        for case, make in CASES.items():
            if options.only and not any(word.lower() in case.lower() for word in options.only):
                continue
            with tempfile.TemporaryDirectory() as folder:
                found = measure(lines, make(Path(folder)), options.runs)
            own = found["spm_lite"]
            for name, (cold, warm) in found.items():
                times = "" if name == "spm_lite" else f"   spm_lite: {cold / own[0]:.2f} and {warm / own[1]:.2f} times"
                print(f"  {case:<32}{name:<12}{size / cold / 1e6:8.1f}{size / warm / 1e6:8.1f}{times}", flush=True)


if __name__ == "__main__":
    main()
