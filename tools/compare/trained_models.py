"""Train models under many options and compare what the installed sentencepiece makes of the same files.

    python tools/compare/trained_models.py --train FILE... --corpus FILE... --generated 2000

Every model is trained, saved, loaded by both, and compared as in ids.py; saving it again must give the same bytes.
The exit status is 1 if anything differs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from comparison import Comparison, parser_of, read_lines, run, trained
from ids import ModelComparison
from random_texts import Generator

import spm_lite

RULES = [("\u00e9", "e"), ("ae", "\u00e6"), ("\t", " ")]
OPTION_SETS: dict[str, dict[str, Any]] = {
    "native": {},
    "plain": {"byte_fallback": False},
    "nmt_nfkc": {"normalization": "nmt_nfkc", "byte_fallback": False, "allow_whitespace_only_pieces": False},
    "nfkc_cf": {"normalization": "nfkc_cf"},
    "own_rules": {"normalization": RULES, "remove_extra_whitespaces": True},
    "symbols": {"user_defined_symbols": ["the", "<sep>", "\u3067\u3059", "  "], "control_symbols": ["<ctl>", "<x>"]},
    "symbols_plain": {"user_defined_symbols": ["ing", "\u2581of", "<s>"], "byte_fallback": False},
    "suffix": {"treat_whitespace_as_suffix": True},
    "suffix_plain": {"treat_whitespace_as_suffix": True, "byte_fallback": False, "normalization": "nfkc_rules"},
    "digits": {"split_digits": True},
    "raw_stream": {"split_by_whitespace": False, "split_by_unicode_script": False},
    "no_prefix": {"add_dummy_prefix": False},
    "ids": {"unk_id": 3, "bos_id": 0, "eos_id": -1, "pad_id": 1, "unk_piece": "[UNK]", "unk_surface": "?"},
    "no_unk": {"unk_id": -1},
    "low_coverage": {"character_coverage": 0.98, "byte_fallback": False},
    "denormalized": {"denormalization": [("\u00e6", "ae")], "lossless": False},
}


def comparison(path: Path, tok: spm_lite.Tokenizer, lines: list[str], args: argparse.Namespace) -> Comparison:
    """A model saved, loaded and compared."""
    tok.save(path)
    case = Comparison(path.name)
    try:
        found = case = ModelComparison(path, args.seed)
    except RuntimeError as error:  # an older version has rules of its own
        case.differs(f"sentencepiece does not load it: {error}")
    else:
        found.run(lines)
        found.run(Generator(tok, lines, args.seed).texts(args.generated))
    loaded = spm_lite.Tokenizer.load(path)
    if loaded != tok or loaded.to_bytes() != path.read_bytes():
        case.differs("saving it again gives other bytes")
    return case


def comparisons(args: argparse.Namespace) -> Iterator[Comparison]:
    """One for each type of model and set of options."""
    lines = read_lines(args.corpus)
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("unigram", "bpe", "char", "word"):
            for name, tok in trained(OPTION_SETS, args.train, model_type=kind, vocab_size=args.vocab_size):
                yield comparison(Path(folder) / f"{kind}-{name}.model", tok, lines, args)


if __name__ == "__main__":
    parser = parser_of(__doc__, generated=0, vocab_size=6000, seed=1)
    parser.add_argument("--train", type=Path, nargs="+", required=True, metavar="FILE")
    sys.exit(run(parser, comparisons))
