"""Compare GGUF files of models with llama.cpp itself.

    python tools/compare/llama_cpp.py MODEL... --corpus FILE... [--gpt2 FOLDER] [--every N] [--library PATH]

Each model, and models of every kind that are trained on the corpora here, becomes a GGUF file. A model that cannot is
named with the reason. Lines of the corpora, hostile texts and random strings of pieces go through both. Prompts with
special tokens go through llama.cpp and our reader of the file. A difference that meets no reported condition is shown
and counted; the exit status is 1 if there is one. The package xllamacpp has llama.cpp in it (`pip install xllamacpp`).
--gpt2 is a folder with vocab.json and merges.txt, for each split pattern.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from comparison import Comparison, loaded, parser_of, read_lines, run, trained
from random_texts import hostile

import spm_lite
from spm_lite.formats.proof.conversion import prompts_of
from spm_lite.formats.proof.llama_cpp_program import Library

N_RANDOM = 2000
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
    yield from loaded(args.models)
    yield from trained(TRAINED, [line for line in lines if line][:8000], vocab_size=4000)
    for name in PATTERNS if args.gpt2 else ():
        yield f"GPT-2's ranks, {name}", spm_lite.Tokenizer.load(args.gpt2, format="gpt2", name=name)


def comparison(name: str, tok: spm_lite.Tokenizer, library: Library, lines: list[str]) -> Comparison:
    """A model written to GGUF, and what llama.cpp makes of it."""
    case = Comparison(name)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "v.gguf"
        try:
            proved = tok.to_gguf(path)
        except spm_lite.SpmLiteError as error:
            case.refused(error)
            return case
        other, again = library.load(path), spm_lite.load(path)
    case.allowed, case.note = proved.unmet, "; ".join(proved.conditions) or "no condition"
    texts = chain(lines, hostile(tok, N_RANDOM))
    case.compare(texts, tok.encode_lists, lambda block: list(map(other.encode, block)))
    case.compare(
        prompts_of(tok),
        lambda block: [again.encode(text, allow_special="all") for text in block],
        lambda block: [other.encode(text, True) for text in block],
    )
    return case


def comparisons(args: argparse.Namespace) -> Iterator[Comparison]:
    """One for each model."""
    library = Library(args.library)
    lines = read_lines(args.corpus, args.every)
    for name, tok in models(args, lines):
        yield comparison(name, tok, library, lines)


if __name__ == "__main__":
    parser = parser_of(__doc__, needs_corpus=True, every=100)
    parser.add_argument("models", type=Path, nargs="*", metavar="MODEL")
    parser.add_argument("--gpt2", type=Path, metavar="FOLDER")
    parser.add_argument("--library", help="a shared library with the C functions of llama.cpp [that of xllamacpp]")
    sys.exit(run(parser, comparisons))
