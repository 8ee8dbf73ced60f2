"""Compare GGUF files of models with llama.cpp itself.

    python tools/compare/llama_cpp.py MODEL... --corpus FILE... [--gpt2 FOLDER] [--every N] [--library PATH]

Each model, and models of every kind that are trained on the corpora here, becomes a GGUF file. A model that cannot is
named with the reason. Lines of the corpora, hostile texts and random strings of pieces go through both. A difference
that meets no reported condition is shown and counted; the exit status is 1 if there is one. The package xllamacpp has
llama.cpp in it (`pip install xllamacpp`). --gpt2 is a folder with vocab.json and merges.txt, for each split pattern.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from llama_cpp_library import Library

import spm_lite
from spm_lite.formats.proof.hostile_texts import hostile_texts, random_texts

N_RANDOM = 2000
SHOWN = 3
PLAIN = {"byte_fallback": False}
TRAINED: dict[str, dict[str, Any]] = {
    "bpe": {"model_type": "bpe"},
    "bpe without prefix": {"model_type": "bpe", "add_dummy_prefix": False},
    "bpe with digits": {"model_type": "bpe", "split_digits": True},
    "bpe across words": {"model_type": "bpe", "split_by_whitespace": False, "split_by_unicode_script": False},
    "bpe, lossy": {"model_type": "bpe", "lossless": False},
    "bpe with control symbols": {"model_type": "bpe", "control_symbols": ["<x>", "[INST]"]},
    "bpe with spaces": {"model_type": "bpe", "allow_whitespace_only_pieces": True},
    "unigram": PLAIN,
    "unigram, nmt_nfkc": {**PLAIN, "normalization": "nmt_nfkc"},
    "unigram, nfkc_cf": {**PLAIN, "normalization": "nfkc_cf"},
    "unigram, single spaces": {**PLAIN, "remove_extra_whitespaces": True},
    "unigram without prefix": {**PLAIN, "add_dummy_prefix": False},
    "unigram with symbols": {**PLAIN, "user_defined_symbols": ["<sep>", "the", " a "]},
    "unigram with symbols, nmt_nfkc": {
        **PLAIN, "normalization": "nmt_nfkc", "user_defined_symbols": ["<sep>", "(", "\uff11"],
    },
    "unigram across words": {**PLAIN, "split_by_whitespace": False},
    "unigram with control symbols": {**PLAIN, "control_symbols": ["<x>"]},
    "wordpiece": {"model_type": "wordpiece"},
    "wordpiece, uncased": {"model_type": "wordpiece", "normalization": "bert_uncased"},
}  # fmt: skip
PATTERNS = ("gpt2", "llama3", "qwen2", "o200k_base", "tekken")


def models(args: argparse.Namespace, lines: list[str]) -> Iterator[tuple[str, spm_lite.Tokenizer]]:
    """(name, model) of the files, of trained ones, and of GPT-2's ranks with each pattern."""
    for path in args.models:
        yield path.name, spm_lite.Tokenizer.load(path)
    texts = [line for line in lines if line][:8000]
    for name, options in TRAINED.items():
        yield name, spm_lite.train(texts=texts, vocab_size=4000, hard_vocab_limit=False, **options)
    for name in PATTERNS if args.gpt2 else ():
        yield f"GPT-2's ranks, {name}", spm_lite.Tokenizer.from_gpt2(args.gpt2, name=name)


def compare(name: str, tok: spm_lite.Tokenizer, library: Library, lines: list[str]) -> int:
    """The number of texts with other ids that meet all conditions."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "v.gguf"
        try:
            proved = tok.to_gguf(path)
        except spm_lite.SpmLiteError as error:
            print(f"{name}: {error!s:.160}", flush=True)
            return 0
        other = library.load(path)
    pieces = [tok.id_to_piece(i) for i in range(len(tok))]
    texts = [*lines, *hostile_texts(), *random_texts(pieces, N_RANDOM)]
    n_differ = n_wrong = 0
    for text, ids in zip(texts, tok.encode_lists(texts), strict=True):
        theirs = other.encode(text)
        if ids == theirs:
            continue
        n_differ += 1
        if not proved.unmet(text):
            n_wrong += 1
            if n_wrong <= SHOWN:
                print(f"WRONG {name}: {text!r:.200}\n  {ids[:20]}\n  {theirs[:20]}", flush=True)
    conditions = "; ".join(proved.conditions) or "no condition"
    print(f"{name}: {len(texts):,} texts, {n_differ:,} differ, {n_wrong:,} wrong ({conditions})", flush=True)
    return n_wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=Path, nargs="*")
    parser.add_argument("--corpus", type=Path, nargs="+", required=True)
    parser.add_argument("--gpt2", type=Path)
    parser.add_argument("--every", type=int, default=100, help="compare every N-th line")
    parser.add_argument("--library", help="a shared library with the C functions of llama.cpp [that of xllamacpp]")
    args = parser.parse_args()
    library = Library(args.library)
    lines = [
        line.decode("utf-8", "replace")
        for path in args.corpus
        for line in path.read_bytes().split(b"\n")[:: args.every]
    ]
    n_wrong = sum(compare(name, tok, library, lines) for name, tok in models(args, lines))
    print(f"{n_wrong} wrong")
    return int(n_wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
