"""Train models under many options and compare what the installed sentencepiece makes of the same files.

    python tools/compare/trained_models.py --train FILE... --corpus FILE... --generated 2000

Every model is trained, saved, loaded by both, and compared as in ids.py; saving it again must
give the same bytes. The exit status is 1 if anything differs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import spm_lite

sys.path.insert(0, str(Path(__file__).resolve().parent))

from ids import Comparison, compare, read_lines

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
    "suffix_plain": {"treat_whitespace_as_suffix": True, "byte_fallback": False, "normalization": "nfkc"},
    "digits": {"split_digits": True},
    "raw_stream": {"split_by_whitespace": False, "split_by_unicode_script": False},
    "no_prefix": {"add_dummy_prefix": False},
    "ids": {"unk_id": 3, "bos_id": 0, "eos_id": -1, "pad_id": 1, "unk_piece": "[UNK]", "unk_surface": "?"},
    "no_unk": {"unk_id": -1},
    "low_coverage": {"character_coverage": 0.98, "byte_fallback": False},
    "denormalized": {"denormalization": [("\u00e6", "ae")], "lossless": False},
}


def main() -> int:
    """Train and compare; 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", nargs="+", required=True, metavar="FILE")
    parser.add_argument("--corpus", nargs="*", default=[], metavar="FILE")
    parser.add_argument("--generated", type=int, default=0, metavar="N")
    parser.add_argument("--vocab-size", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    lines = read_lines(options.corpus)
    total = n_models = 0
    with tempfile.TemporaryDirectory() as folder:
        for model_type in ("unigram", "bpe", "char", "word"):
            for name, option_set in OPTION_SETS.items():
                path = Path(folder) / f"{model_type}-{name}.model"
                tok = spm_lite.train(
                    options.train,
                    model_type=model_type,
                    vocab_size=options.vocab_size,
                    hard_vocab_limit=False,
                    **option_set,
                )
                tok.save(path)
                loaded = spm_lite.Tokenizer.load(path)
                if loaded != tok or loaded.to_bytes() != path.read_bytes():
                    print(f"{path.name}: saving it again gives other bytes")
                    total += 1
                n_models += 1
                try:
                    comparison = Comparison(str(path), 3, False, options.seed)
                except RuntimeError as error:  # an older version has rules of its own
                    print(f"{path.name}: sentencepiece does not load it: {error}")
                    total += 1
                    continue
                total += compare(comparison, lines, options.generated, options.seed)
    print(f"{total} differences in {n_models} models")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
