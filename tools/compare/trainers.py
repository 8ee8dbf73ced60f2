"""Train the drop-in and sentencepiece 0.2.3 on real corpora under many option sets and compare the models.

    python tools/compare/trainers.py FOLDER_OF_CORPORA [--only PART_OF_A_NAME] [--type TYPE]... [--whole | --sets]

Each corpus is taken whole with the default options, and its first 300 KB with every set of options; --whole and --sets
do only one of the two. Compared are all bytes but for the placement within compiled rules; of errors, their kind and
the size of vocabulary that they name.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

import sentencepiece
from oracle.outcomes import outcome
from oracle.trained_twins import comparable, train_with

from spm_lite.model.messages import message_class
from spm_lite.sentencepiece.training.trainer import SentencePieceTrainer

TYPES = ("unigram", "bpe", "word", "char")
PART = 300_000  # bytes
CORPORA = {  # name -> vocab_size of the whole, and of its part
    "en-novels.txt": (8000, 2000),
    "en-botchan.txt": (5000, 2000),
    "de-commonvoice.txt": (8000, 2000),
    "ru-ruslit.txt": (8000, 2000),
    "ar-commonvoice.txt": (8000, 2000),
    "hi-commonvoice.txt": (8000, 1500),
    "th-wisesight-social.txt": (8000, 2000),
    "ko-commonvoice.txt": (2000, 2000),
    "ko-nsmc-social.txt": (8000, 3000),
    "ja-commonvoice.txt": (8000, 3000),
    "ja-wagahaiwa_nekodearu.txt": (8000, 3000),
    "zh-CN-commonvoice.txt": (8000, 4000),
    "vi-commonvoice.txt": (2000, 1500),
    "tr-commonvoice.txt": (8000, 2000),
    "fi-commonvoice.txt": (6000, 2000),
}
SEEDS = "{folder}/seeds.tsv"
OPTION_SETS: list[dict[str, Any]] = [
    {},
    {"split_digits": True},
    {"split_by_unicode_script": False},
    {"split_by_number": False},
    {"split_by_unicode_script": False, "split_by_number": False, "split_digits": True},
    {"treat_whitespace_as_suffix": True},
    {"allow_whitespace_only_pieces": True, "remove_extra_whitespaces": False, "normalization_rule_name": "identity"},
    {"allow_whitespace_only_pieces": True, "treat_whitespace_as_suffix": True, "remove_extra_whitespaces": False},
    {"split_by_whitespace": False},
    {"split_by_whitespace": False, "treat_whitespace_as_suffix": True},
    {"split_by_whitespace": False, "allow_whitespace_only_pieces": True, "remove_extra_whitespaces": False},
    {"split_by_whitespace": False, "split_by_unicode_script": False, "max_sentencepiece_length": 64},
    {"max_sentencepiece_length": 4},
    {"max_sentencepiece_length": 1, "hard_vocab_limit": False},
    {"max_sentencepiece_length": 512, "split_by_unicode_script": False},
    {"user_defined_symbols": ["the", "<sep>", "です", "\u2581I", "ing"], "control_symbols": ["<ctl>", "th"]},
    {"unk_id": 3, "bos_id": 0, "eos_id": 1, "pad_id": 4, "user_defined_symbols": ["<s>"]},
    {"byte_fallback": True, "character_coverage": 0.98},
    {"character_coverage": 1.0},
    {"byte_fallback": True, "auto_character_coverage": True},
    {"required_chars": "\u2603\u0e01\u3042z"},
    {"pretokenization_delimiter": "e"},
    {"pretokenization_delimiter": "\u2581t", "user_defined_symbols": ["th", "to"]},
    {"pretokenizer": lambda text: re.split("(?<=[aeの])", text)},
    {"add_dummy_prefix": False, "normalization_rule_name": "nfkc_cf"},
    {"max_sentence_length": 60},
    {"hard_vocab_limit": False, "vocab_size": 300_000},
    {"vocab_size": 300_000},
    {"vocab_size": 40},
    {"vocab_size": 700, "hard_vocab_limit": False},
    {"input_format": "tsv"},
    {"input_format": "tsv", "split_by_whitespace": False, "num_threads": 3},
    {"num_threads": 1},
    {"num_threads": 2, "split_by_whitespace": False},
    {"num_threads": 3},
    {"num_threads": 100},
    {"seed_sentencepiece_size": 3000},
    {"seed_sentencepiece_size": 10},
    {"seed_sentencepiece_size": 0, "shrinking_factor": 0.5},
    {"shrinking_factor": 0.95, "num_sub_iterations": 1},
    {"num_sub_iterations": 5},
    {"seed_sentencepieces_file": SEEDS, "hard_vocab_limit": False},
    {"seed_sentencepieces_file": SEEDS, "hard_vocab_limit": False, "seed_sentencepiece_size": 4000},
]


def option_sets(model_type: str) -> Iterator[dict[str, Any]]:
    """Those that this type takes."""
    foreign = {
        "unigram": {"auto_character_coverage"},
        "bpe": {"seed_sentencepieces_file", "seed_sentencepiece_size", "shrinking_factor", "num_sub_iterations"},
    }
    other = {"auto_character_coverage", "pretokenization_delimiter", "pretokenizer", *foreign["bpe"]}
    for options in OPTION_SETS:
        if not foreign.get(model_type, other) & set(options):
            yield options


def write_parts(path: Path, folder: Path) -> None:
    """The first lines of a corpus as text, as weighted lines, and its most frequent strings as seeds."""
    lines = path.read_bytes()[:PART].split(b"\n")[:-1]
    (folder / "part.txt").write_bytes(b"\n".join(lines) + b"\n")
    weighted = [b"%s\t%d\n" % (line.replace(b"\t", b" "), i * 7919 % 13 + 1) for i, line in enumerate(lines) if line]
    (folder / "part.tsv").write_bytes(b"".join(weighted))
    counts: dict[str, int] = {}
    for line in b"\n".join(lines[:1500]).decode("utf-8", "replace").split("\n"):
        text = "\u2581" + line.replace(" ", "\u2581").replace("\t", "\u2581")
        for begin in range(len(text)):
            for size in range(1, 7):
                counts[text[begin : begin + size]] = counts.get(text[begin : begin + size], 0) + 1
    seeds = sorted(counts.items(), key=lambda item: -item[1])[:9000]
    (folder / "seeds.tsv").write_text("".join(f"{text}\t{count}\tx\n" for text, count in seeds), encoding="utf-8")


def main() -> int:
    """Print one line per case; whether any differs is returned."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--type", action="append", choices=TYPES)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--whole", action="store_true")
    which.add_argument("--sets", action="store_true")
    args = parser.parse_args()
    n_cases = n_different = 0
    for name, (vocab_size, part_vocab_size) in CORPORA.items():
        if args.only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            write_parts(args.corpora / name, Path(folder))
            for model_type in args.type or TYPES:
                cases: list[dict[str, Any]] = []
                if not args.sets:
                    cases.append({"input": str(args.corpora / name), "vocab_size": vocab_size})
                if not args.whole:
                    for options in option_sets(model_type):
                        part = "part.tsv" if options.get("input_format") == "tsv" else "part.txt"
                        case = {"input": str(Path(folder) / part), "vocab_size": part_vocab_size, **options}
                        if "seed_sentencepieces_file" in case:
                            case["seed_sentencepieces_file"] = SEEDS.format(folder=folder)
                        cases.append(case)
                for options in cases:
                    n_cases += 1
                    n_different += not compare(name, {"model_type": model_type, **options})
    print(f"{n_different} of {n_cases} cases differ")
    return int(n_different > 0)


def compare(name: str, options: dict[str, Any]) -> bool:
    """Whether both make the same model, or both refuse."""
    begin = time.perf_counter()
    ours = outcome(lambda: train_with(SentencePieceTrainer, options))
    middle = time.perf_counter()
    theirs = outcome(lambda: train_with(sentencepiece.SentencePieceTrainer, options))
    end = time.perf_counter()
    if isinstance(ours, Exception) or isinstance(theirs, Exception):
        same = isinstance(ours, Exception) and isinstance(theirs, Exception) and limits(ours) == limits(theirs)
        result = f"{ours!r:.100}" if same else f"{ours!r:.200} | {theirs!r:.300}"
    else:
        same = comparable(ours[1]) == comparable(theirs[1])
        result = f"{len(pieces_of(ours[1]))} pieces"
    word = "same" if same else "DIFFERENT"
    print(word, name, options, result, f"{middle - begin:.2f} {end - middle:.2f} s", flush=True)
    if not same and isinstance(ours, tuple) and isinstance(theirs, tuple):
        show_difference(pieces_of(ours[1]), pieces_of(theirs[1]))
    return same


def limits(error: Exception) -> list[str]:
    """The sizes of vocabulary that a message names."""
    return re.findall(r"value <= (\d+)|required_chars. (\d+ vs \d+)", str(error))


def pieces_of(model: bytes) -> list[tuple[str, float]]:
    """(text, score) of the pieces in a model file."""
    return [(piece.piece, piece.score) for piece in message_class("ModelProto").FromString(model).pieces]


def show_difference(ours: list[tuple[str, float]], theirs: list[tuple[str, float]]) -> None:
    """The first place where the two part."""
    first = next((i for i, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]), None)
    first = min(len(ours), len(theirs)) if first is None else first
    print("   at", first, "of", len(ours), len(theirs), ours[first : first + 3], theirs[first : first + 3])


if __name__ == "__main__":
    sys.exit(main())
