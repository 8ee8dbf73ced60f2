"""Train ours and sentencepiece 0.2.3 on real corpora under many option sets and compare every piece and score.

python tools/compare_training.py FOLDER_OF_CORPORA [only_files_whose_name_holds_this]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from oracle.reference import our_pieces, reference_pieces

VOCAB_SIZES = {
    "en-botchan.txt": 8000,
    "ko-commonvoice.txt": 4000,
    "ja-commonvoice.txt": 8000,
    "th-wisesight-social.txt": 8000,
    "ja-wagahaiwa_nekodearu.txt": 8000,
}
ONLY_BPE = {"pretokenization_delimiter", "auto_character_coverage"}  # of the three types
OPTION_SETS: list[dict[str, Any]] = [
    {},
    {"split_digits": True},
    {"split_by_unicode_script": False},
    {"split_by_number": False},
    {"split_by_unicode_script": False, "split_by_number": False, "split_digits": True},
    {"treat_whitespace_as_suffix": True},
    {"allow_whitespace_only_pieces": True, "remove_extra_whitespaces": False, "normalization": "identity"},
    {"allow_whitespace_only_pieces": True, "treat_whitespace_as_suffix": True, "remove_extra_whitespaces": False},
    {"split_by_whitespace": False},
    {"split_by_whitespace": False, "treat_whitespace_as_suffix": True},
    {"split_by_whitespace": False, "allow_whitespace_only_pieces": True, "remove_extra_whitespaces": False},
    {"max_sentencepiece_length": 4},
    {"max_sentencepiece_length": 1, "hard_vocab_limit": False},
    {"user_defined_symbols": ["the", "<sep>", "です", "\u2581I", "ing"], "control_symbols": ["<ctl>", "th"]},
    {"unk_id": 3, "bos_id": 0, "eos_id": 1, "pad_id": 4, "user_defined_symbols": ["<s>"]},
    {"byte_fallback": True, "character_coverage": 0.98},
    {"character_coverage": 1.0},
    {"byte_fallback": True, "auto_character_coverage": True},
    {"required_chars": "\u2603\u0e01\u3042z"},
    {"pretokenization_delimiter": "e"},
    {"pretokenization_delimiter": "\u2581t", "user_defined_symbols": ["th", "to"]},
    {"add_dummy_prefix": False, "normalization": "nfkc_cf"},
    {"max_sentence_length": 60},
    {"hard_vocab_limit": False, "vocab_size": 300_000},
    {"vocab_size": 300_000},
    {"vocab_size": 40},
]


def main(folder: Path, only: str) -> int:
    """Print one line per case; the number of those that differ is returned."""
    n_different = 0
    for name, vocab_size in VOCAB_SIZES.items():
        for model_type in ("bpe", "char", "word"):
            for option_set in OPTION_SETS:
                options = {"vocab_size": vocab_size, **option_set, "model_type": model_type}
                if only not in name or (model_type != "bpe" and ONLY_BPE & set(options)):
                    continue
                n_different += not compare(folder / name, options)
    print(f"{n_different} cases differ")
    return n_different


def compare(path: Path, options: dict[str, Any]) -> bool:
    """Whether both give the same pieces in the same order with the same scores, or both refuse."""
    begin = time.perf_counter()
    ours = our_pieces(path, **options)
    middle = time.perf_counter()
    theirs = reference_pieces(path, **options)
    end = time.perf_counter()
    same = ours == theirs or (isinstance(ours, str) and isinstance(theirs, str))
    size = ours[:60] if isinstance(ours, str) else len(ours)
    print(
        "same" if same else "DIFFERENT",
        path.name,
        options,
        size,
        f"{middle - begin:.2f} {end - middle:.2f} s",
        flush=True,
    )
    if not same:
        show_difference(ours, theirs)
    return same


def show_difference(ours: Any, theirs: Any) -> None:
    """The first place where the two part."""
    if isinstance(ours, str) or isinstance(theirs, str):
        print("   ours  ", ours if isinstance(ours, str) else len(ours))
        print("   theirs", theirs if isinstance(theirs, str) else len(theirs))
        return
    first = next((i for i, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]), None)
    first = min(len(ours), len(theirs)) if first is None else first
    print("   at", first, "of", len(ours), len(theirs), ours[first : first + 3], theirs[first : first + 3])


if __name__ == "__main__":
    sys.exit(min(1, main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "")))
