"""Train the drop-in and sentencepiece 0.2.3 on real corpora under many option sets and compare the models.

    python tools/compare/trainers.py FOLDER_OF_CORPORA [--only PART_OF_A_NAME] [--type TYPE]... [--whole | --sets]

Each corpus is taken whole with the default options, and its first 300 KB with every set of options; --whole and --sets
do only one of the two. Compared are all bytes, except the placement within compiled rules; of errors, the size of
vocabulary that they name.
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

import sentencepiece
from comparison import ROOT, Comparison, parser_of, run

from spm_lite.sentencepiece.trainer import SentencePieceTrainer
from spm_lite.vocab.messages import message_class

sys.path.insert(0, str(ROOT / "tests"))
from oracle.outcomes import outcome
from oracle.trained_twins import comparable, train_with

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


def cases(corpus: Path, folder: Path, model_type: str, args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """The options of each training with a corpus. folder: with its parts."""
    vocab_size, part_vocab_size = CORPORA[corpus.name]
    if not args.sets:
        yield {"input": str(corpus), "vocab_size": vocab_size}
    for options in () if args.whole else option_sets(model_type):
        part = folder / ("part.tsv" if options.get("input_format") == "tsv" else "part.txt")
        case = {"input": str(part), "vocab_size": part_vocab_size, **options}
        if "seed_sentencepieces_file" in case:
            case["seed_sentencepieces_file"] = SEEDS.format(folder=folder)
        yield case


def comparison(name: str, options: dict[str, Any]) -> Comparison:
    """Whether both make the same model, or both refuse."""
    case = Comparison(f"{name} {options}")
    ours = outcome(lambda: train_with(SentencePieceTrainer, options))
    middle = time.perf_counter()
    theirs = outcome(lambda: train_with(sentencepiece.SentencePieceTrainer, options))
    case.note = f"{middle - case.begin:.2f} and {time.perf_counter() - middle:.2f} s"
    if isinstance(ours, Exception) or isinstance(theirs, Exception):
        if not (isinstance(ours, Exception) and isinstance(theirs, Exception) and limits(ours) == limits(theirs)):
            case.differs("one refuses", f"ours   {ours!r:.300}", f"theirs {theirs!r:.300}")
        case.refused(ours)
        return case
    case.counts["pieces"] = len(pieces_of(ours[1]))
    if comparable(ours[1]) != comparable(theirs[1]):
        case.differs(*first_difference(pieces_of(ours[1]), pieces_of(theirs[1])))
    return case


def limits(error: Exception) -> list[str]:
    """The sizes of vocabulary that a message names."""
    return re.findall(r"value <= (\d+)|required_chars. (\d+ vs \d+)", str(error))


def pieces_of(model: bytes) -> list[tuple[str, float]]:
    """(text, score) of the pieces in a model file."""
    return [(piece.piece, piece.score) for piece in message_class("ModelProto").FromString(model).pieces]


def first_difference(ours: list[tuple[str, float]], theirs: list[tuple[str, float]]) -> Iterator[str]:
    """The first place where the two part, and what each has there."""
    first = next((i for i, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]), None)
    first = min(len(ours), len(theirs)) if first is None else first
    yield f"from piece {first} on"
    yield f"ours   {ours[first : first + 3]} of {len(ours)}"
    yield f"theirs {theirs[first : first + 3]} of {len(theirs)}"


def comparisons(args: argparse.Namespace) -> Iterator[Comparison]:
    """Every corpus, cut to parts, with every model type and set of options that `args` selects."""
    for corpus in (args.corpora / name for name in CORPORA if args.only in name):
        with tempfile.TemporaryDirectory() as folder:
            write_parts(corpus, Path(folder))
            for model_type in args.type or TYPES:
                for options in cases(corpus, Path(folder), model_type, args):
                    yield comparison(corpus.name, {"model_type": model_type, **options})


if __name__ == "__main__":
    parser = parser_of(__doc__)
    parser.add_argument("corpora", type=Path, help="the folder with them")
    parser.add_argument("--only", default="", help="corpora whose name holds this")
    parser.add_argument("--type", action="append", choices=TYPES)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--whole", action="store_true", help="only whole corpora, with the default options")
    which.add_argument("--sets", action="store_true", help="only parts of the corpora, with every set of options")
    sys.exit(run(parser, comparisons))
