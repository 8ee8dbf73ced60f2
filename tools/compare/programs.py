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
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from sentencepiece import sentencepiece_model_pb2

from spm_lite.normalize.rules.charsmap import Charsmap
from spm_lite.normalize.rules.named import format_rules

HARD = [
    b"",
    b" ",
    b"   ",
    b"  two  spaces ",
    "▁a ▁ b▁".encode(),
    "a\u3000b\u00a0c".encode(),
    "ＡＢＣ①②ﬁ½".encode(),
    "e\u0301te\u0301".encode(),
    "👩‍👩‍👧 👍🏽".encode(),
    "漢字かな交じり文".encode(),
    "ภาษาไทย".encode(),
    b"\ttab\t",
    b"<s> </s> <unk> <0x41>",
    b"a\0b",
    "\ufeffbom".encode(),
    b"windows\r",
    "\u200b\u200bzero".encode(),
    b"ab\xff\xfe c",
    b"\xe3\x81 x",
    b"\xed\xa0\x80",
    b"a" * 300,
    b"1234567890" * 9,
]
ALPHABET = "ab  ▁\u3000éß①Ａ漢𠮷👍🏽\u0301\u200d\u200bก\u0e33\tﬁ.,-'19"

TRAININGS = [
    [f"--model_type={kind}", f"--vocab_size={size}", *more]
    for kind, size in [("unigram", 1000), ("bpe", 1000), ("char", 3000), ("word", 1500)]
    for more in [
        [],
        ["--character_coverage=1.0", "--hard_vocab_limit=false", "--normalization_rule_name=nfkc_cf"],
        ["--byte_fallback", "--split_digits=true", "--hard_vocab_limit=false", "--pad_id=3", "--unk_surface=<?>"],
        ["--treat_whitespace_as_suffix=true", "--noadd_dummy_prefix", "--hard_vocab_limit=false"],
        [
            "--user_defined_symbols=the,<sep>",
            "--control_symbols=<a>,<b>",
            "--required_chars=öß",
            "--nohard_vocab_limit",
        ],
        [
            "--input_sentence_size=500",
            "--shuffle_input_sentence=false",
            "--max_sentence_length=200",
            "--nohard_vocab_limit",
        ],
        ["--use_all_vocab=true", "--bos_id=-1", "--eos_id=-1", "--hard_vocab_limit=false", "--split_by_number=false"],
    ]
]
FORMATS = ["piece", "id", "nbest_piece", "nbest_id"]  # no two runs of the original draw the same samples
EXTRAS = ["", "bos:eos", "reverse:eos", "unk"]
RULES = ["nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity", "nothing"]
NORMALIZATIONS = [[], ["--use_internal_normalization"], ["--remove_extra_whitespaces=false"], ["--decompile"]]


class Pair:
    """Both programs of each name, and what they were seen to differ in."""

    def __init__(self, folder: Path, shown: int):
        self.folder, self.shown = folder.resolve(), shown
        self.n_calls = self.n_failed = self.n_different = 0
        self.root = str(Path(__file__).resolve().parents[2])

    def run(self, name: str, arguments: list[str], data: bytes = b"") -> bytes:
        """Run both with the same arguments and standard input; return what the original printed."""
        with tempfile.TemporaryDirectory() as theirs, tempfile.TemporaryDirectory() as ours:
            first = self.outcome([str(self.folder / name)], arguments, data, theirs)
            own = f"spm_lite.sentencepiece.programs.{name.removeprefix('spm_')}"
            second = self.outcome([sys.executable, "-m", own], arguments, data, ours)
        self.n_calls += 1
        self.n_failed += not first[0]
        if first != second:
            self.n_different += 1
            if self.n_different <= self.shown:
                self.show(name, arguments, first, second)
        return first[1]

    def outcome(
        self, command: list[str], arguments: list[str], data: bytes, folder: str
    ) -> tuple[bool, bytes, dict[str, bytes]]:
        """Whether a program succeeded, its standard output, and the files that it wrote."""
        environment = {**os.environ, "PYTHONPATH": self.root}
        done = subprocess.run(command + arguments, input=data, capture_output=True, cwd=folder, env=environment)
        succeeded = done.returncode == 0
        files = {path.name: contents(path) for path in Path(folder).iterdir()} if succeeded else {}
        return succeeded, done.stdout if succeeded else b"", files

    def show(self, name: str, arguments: list[str], first: tuple, second: tuple) -> None:
        """Print the first line in which both differ."""
        print(f"{name} {' '.join(arguments)}", flush=True)
        if first[0] != second[0]:
            print(f"  the original {'succeeds' if first[0] else 'fails'}, and ours does not do so")
        for what, one, other in [("output", first[1], second[1])] + [
            (file, first[2].get(file, b""), second[2].get(file, b"")) for file in sorted({*first[2], *second[2]})
        ]:
            lines = list(zip(one.split(b"\n"), other.split(b"\n"), strict=False))
            where = [number for number, (a, b) in enumerate(lines) if a != b]
            if one != other:
                number = where[0] if where else 0
                print(f"  {what}: {len(where)} lines differ, the first is {number}: {lines[number]!r:.300}")


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
    draw = random.Random(5)
    lines = list(HARD)
    for corpus in corpora:
        found = corpus.read_bytes().split(b"\n")
        lines += found[:: max(1, len(found) // n_lines)][:n_lines]
    lines += ["".join(draw.choices(ALPHABET, k=draw.randint(0, 25))).encode() for _ in range(n_lines)]
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--models", nargs="+", type=Path, default=[])
    parser.add_argument("--corpus", nargs="+", type=Path, default=[])
    parser.add_argument("--lines", type=int, default=300, help="of each corpus")
    parser.add_argument("--show", type=int, default=10, help="how many differences to show")
    arguments = parser.parse_args()
    pair = Pair(arguments.folder, arguments.show)
    text = texts_of(arguments.corpus, arguments.lines)
    with tempfile.TemporaryDirectory() as folder:
        calls_of_rules(pair, text, Path(folder))
        for model in arguments.models:
            calls_of_model(pair, model.resolve(), text)
        if arguments.corpus:
            trainings(pair, arguments.corpus, text, Path(folder))
    print(f"{pair.n_calls} calls, {pair.n_failed} of them refused by the original, {pair.n_different} differences")
    return 1 if pair.n_different else 0


if __name__ == "__main__":
    sys.exit(main())
