"""Compare the spm_* programs with the original's binaries: exit status, standard output and every file written.

    python tools/compare/programs.py FOLDER --models MODEL... --corpus FILE... [--lines N]

FOLDER holds spm_train, spm_encode, spm_decode, spm_normalize and spm_export_vocab of sentencepiece 0.2.3, compiled
from its source. Each command line goes to both, in folders of their own. What differs is shown (the first lines) and
counted; the exit status is 1 if anything does. Messages on standard error are not compared. Of a model the compiled
rules are compared as rules: their layout within the file is free.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from comparison import Comparison, evenly, parser_of, run
from random_texts import joined
from sentencepiece import sentencepiece_model_pb2

import spm_lite
from spm_lite.normalize.rules.charsmap import Charsmap
from spm_lite.normalize.rules.named_rules import format_rules

HARD = [
    b"", b" ", b"   ", b"  two  spaces ", "▁a ▁ b▁".encode(), "a\u3000b\u00a0c".encode(), "ＡＢＣ①②ﬁ½".encode(),
    "e\u0301te\u0301".encode(), "👩‍👩‍👧 👍🏽".encode(), "漢字かな交じり文".encode(), "ภาษาไทย".encode(), b"\ttab\t",
    b"<s> </s> <unk> <0x41>", b"a\0b", "\ufeffbom".encode(), b"windows\r", "\u200b\u200bzero".encode(), b"ab\xff\xfe c",
    b"\xe3\x81 x", b"\xed\xa0\x80", b"a" * 300, b"1234567890" * 9,
]  # fmt: skip
ALPHABET = "ab  ▁\u3000éß①Ａ漢𠮷👍🏽\u0301\u200d\u200bก\u0e33\tﬁ.,-'19"

LAX = "--nohard_vocab_limit"
TRAININGS = [
    [f"--model_type={kind}", f"--vocab_size={size}", *more]
    for kind, size in [("unigram", 1000), ("bpe", 1000), ("char", 3000), ("word", 1500)]
    for more in [
        [],
        ["--character_coverage=1.0", "--hard_vocab_limit=false", "--normalization_rule_name=nfkc_cf"],
        ["--byte_fallback", "--split_digits=true", "--hard_vocab_limit=false", "--pad_id=3", "--unk_surface=<?>"],
        ["--treat_whitespace_as_suffix=true", "--noadd_dummy_prefix", "--hard_vocab_limit=false"],
        ["--user_defined_symbols=the,<sep>", "--control_symbols=<a>,<b>", "--required_chars=öß", LAX],
        ["--input_sentence_size=500", "--shuffle_input_sentence=false", "--max_sentence_length=200", LAX],
        ["--use_all_vocab=true", "--bos_id=-1", "--eos_id=-1", "--hard_vocab_limit=false", "--split_by_number=false"],
    ]
]
FORMATS = ["piece", "id", "nbest_piece", "nbest_id"]  # no two runs of the original draw the same samples
EXTRAS = ["", "bos:eos", "reverse:eos", "unk"]
RULES = ["nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity", "nothing"]
NORMALIZATIONS = [[], ["--use_internal_normalization"], ["--remove_extra_whitespaces=false"], ["--decompile"]]


Outcome = tuple[bool, bytes, dict[str, bytes]]  # success, standard output, the files written


class Pair(Comparison):
    """Both programs of each name, and what they were seen to differ in."""

    def __init__(self, name: str, folder: Path) -> None:
        super().__init__(name)
        self.folder = folder.resolve()

    def run(self, name: str, arguments: list[str], data: bytes = b"") -> bytes:
        """Run both with the same arguments and standard input; return what the original printed."""
        module = f"spm_lite.sentencepiece.programs.{name.removeprefix('spm_')}"
        ours = outcome([sys.executable, "-m", module, *arguments], data)
        theirs = outcome([str(self.folder / name), *arguments], data)
        self.counts["calls"] += 1
        self.counts["refused by the original"] += not theirs[0]
        if ours != theirs:
            self.differs(" ".join([name, *arguments]), *differences(ours, theirs))
        return theirs[1]


def outcome(command: list[str], data: bytes) -> Outcome:
    """What a program does in a folder of its own. Our programs are those of the package that is imported here."""
    environment = {**os.environ, "PYTHONPATH": str(Path(spm_lite.__file__).parents[1])}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, input=data, capture_output=True, cwd=folder, env=environment)
        if done.returncode != 0:
            return False, b"", {}
        return True, done.stdout, {path.name: contents(path) for path in Path(folder).iterdir()}


def differences(ours: Outcome, theirs: Outcome) -> Iterator[str]:
    """For the output and each file, the first line in which both differ."""
    if ours[0] != theirs[0]:
        yield f"the original {'succeeds' if theirs[0] else 'fails'}, and ours does not do so"
    for what in ("", *sorted({*ours[2], *theirs[2]})):  # "": the output
        own, other = (one[2].get(what, b"") if what else one[1] for one in (ours, theirs))
        if own != other:
            lines = list(zip_longest(own.split(b"\n"), other.split(b"\n")))
            where = [number for number, (a, b) in enumerate(lines) if a != b]
            first = f"the first is {where[0]}: ours {lines[where[0]][0]!r:.150}, theirs {lines[where[0]][1]!r:.150}"
            yield f"{what or 'output'}: {len(where)} lines differ, {first}"


def contents(path: Path) -> bytes:
    """The bytes of a file; of a model with its rules as a table in place of the compiled ones."""
    data = path.read_bytes()
    if path.suffix != ".model":
        return data
    message = sentencepiece_model_pb2.ModelProto.FromString(data)
    for spec in (message.normalizer_spec, message.denormalizer_spec):
        if spec.precompiled_charsmap:
            spec.precompiled_charsmap = format_rules(Charsmap(spec.precompiled_charsmap).decompile()).encode()
    return message.SerializeToString()


def texts_of(corpora: list[Path], n_lines: int) -> bytes:
    """Lines taken evenly from the corpora, hostile lines and random ones."""
    lines = list(HARD)
    for corpus in corpora:
        lines += evenly(corpus.read_bytes().split(b"\n"), n_lines)
    lines += [text.encode() for text in joined(ALPHABET, n_lines, 5, 26)]
    return b"".join(line + b"\n" for line in lines)


def calls_of_model(pair: Pair, model: Path, text: bytes) -> None:
    """Encode, decode, normalize and export with one model."""
    named = f"--model={model}"
    for extra in EXTRAS:
        for form in FORMATS[:2]:
            pair.run("spm_encode", [named, f"--output_format={form}", f"--extra_options={extra}"], text)
    nbest = b"\n".join(text.split(b"\n")[:: max(1, text.count(b"\n") // 60)]) + b"\n"
    for form in FORMATS[2:]:
        pair.run("spm_encode", [named, f"--output_format={form}", "--nbest_size=5"], nbest)
    pair.run("spm_encode", [named, "--generate_vocabulary"], text)
    for form in ("piece", "id"):
        encoded = pair.run("spm_encode", [named, f"--output_format={form}"], text)
        for extra in ("", "reverse"):
            pair.run("spm_decode", [named, f"--input_format={form}", f"--extra_options={extra}"], encoded)
    pair.run("spm_decode", [named, "--input_format=id"], b"3 4  x 5\n\n 6 \n")
    for more in NORMALIZATIONS:
        pair.run("spm_normalize", [named, *more], text)
    for form in ("vocab", "syms", "other"):
        pair.run("spm_export_vocab", [named, f"--output_format={form}"])
    pair.run("spm_export_vocab", [named, "--output=v"])


def calls_of_rules(pair: Pair, text: bytes, folder: Path) -> None:
    """Normalize by the name of rules, and by rules in a file."""
    tsv = folder / "rules.tsv"
    tsv.write_text("41\t61\n42 43\t78\n3042\t\n", encoding="ascii")
    for which in [*(f"--normalization_rule_name={name}" for name in RULES), f"--normalization_rule_tsv={tsv}"]:
        for more in NORMALIZATIONS:
            pair.run("spm_normalize", [which, *more], text)
    pair.run("spm_normalize", [], text)


def trainings(pair: Pair, corpora: list[Path], text: bytes, folder: Path) -> None:
    """Train on a part of each corpus, with several options for each type."""
    parts = [*corpora[:3], folder / "hard.txt"]
    (folder / "hard.txt").write_bytes(text)
    for number, part in enumerate(parts):
        head = folder / f"part{number}.txt"
        head.write_bytes(b"\n".join(part.read_bytes().split(b"\n")[:3000]) + b"\n")
        for options in TRAININGS:
            pair.run("spm_train", [f"--input={head}", "--model_prefix=m", "--num_threads=4", *options])
    joined = f"{folder / 'part0.txt'},{folder / 'part1.txt'}"
    arguments = [f"--input={joined}", "--model_prefix", "both", "--vocab_size", "2000", "-model_type=BPE"]
    pair.run("spm_train", arguments)


def comparisons(args: argparse.Namespace) -> Iterator[Comparison]:
    """One for rules, one for each model, and one for all trainings."""
    text = texts_of(args.corpus, args.lines)
    with tempfile.TemporaryDirectory() as folder:
        pair = Pair("rules", args.folder)
        calls_of_rules(pair, text, Path(folder))
        yield pair
        for model in args.models:
            pair = Pair(model.name, args.folder)
            calls_of_model(pair, model.resolve(), text)
            yield pair
        if args.corpus:
            pair = Pair("trainings", args.folder)
            trainings(pair, args.corpus, text, Path(folder))
            yield pair


if __name__ == "__main__":
    parser = parser_of(__doc__, lines=300)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--models", nargs="+", type=Path, default=[], metavar="MODEL")
    sys.exit(run(parser, comparisons))
