"""`spm-lite demo`: trains, encodes and decodes once, on a small text in many scripts or on the user's own.

`TextFacts` finds a suitable vocabulary size, and one sample line of each script.
"""

from __future__ import annotations

import sys
import time
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from spm_lite.cli.console import file_error, is_terminal, write_text
from spm_lite.cli.options.parsing import PROGRAM, CommandParser, add_common, folder_name
from spm_lite.cli.outputs import ModelFiles, refuse_inputs
from spm_lite.cli.streams import read_files, real_files
from spm_lite.cli.tables import cut, text_width, two_rows, width_of_output, wrapped, wrapped_lines
from spm_lite.errors import TrainingError
from spm_lite.files.documents import CorpusFigures, split_block
from spm_lite.files.read_options import Reading
from spm_lite.printable import visible
from spm_lite.progress.bar import ProgressBar

if TYPE_CHECKING:
    from argparse import Namespace

    from spm_lite.specs import ModelType
    from spm_lite.tokenizer.tokenizer import Tokenizer


SPECIAL = 3 + 256 + 1  # <unk> <s> </s>, the bytes, the space
MOST_LEARNED = 8000
AS_IT_IS = Reading(newline="lf", keeps_bytes=True)
GOOD_WIDTHS = (30, 58)  # columns of a line that is good to show
NAMES = {"CJK": "Chinese", "HANGUL": "Korean", "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "THAI": "Thai"}


@dataclass
class TextFacts:
    """Counts, characters and sample lines of the text read so far."""

    n_lines: int = 0
    n_chars: int = 0
    chars: set[str] = field(default_factory=set)
    samples: dict[str, str] = field(default_factory=dict)  # script -> the best line so far

    def add(self, lines: list[str]) -> None:
        """Count lines and characters, and keep a line that is a better sample of its script than the one kept."""
        self.n_lines += len(lines)
        for line in lines:
            self.n_chars += len(line)
            self.chars.update(line)
            if not line.strip():
                continue
            script = script_of(line)
            kept = self.samples.get(script)
            if kept is None or distance(line) < distance(kept):
                self.samples[script] = line

    def vocab_size(self) -> int:
        """Special pieces, every character, and one more piece per 8 characters of text (at least 16, at most 8000)."""
        return SPECIAL + len(self.chars) + min(MOST_LEARNED, max(16, self.n_chars // 8))


def distance(line: str) -> int:
    """Columns by which a line is outside GOOD_WIDTHS; 0 within. Among equal lines the first is kept."""
    width = text_width(line)
    return max(GOOD_WIDTHS[0] - width, width - GOOD_WIDTHS[1], 0)


def script_of(line: str) -> str:
    """The script of most letters of a line. "Japanese" with any kana, "Emoji" and "Code" with three signs of them."""
    kinds: Counter[str] = Counter()
    for char in line:
        category = unicodedata.category(char)
        if category[0] == "L":
            kinds[unicodedata.name(char, "OTHER").partition(" ")[0].partition("-")[0]] += 1
        elif ord(char) >= 0x1F000 or char == "\ufe0f":
            kinds["Emoji"] += 1
        elif char in "{}[]()<>=;_/\\":
            kinds["Code"] += 1
    if kinds["Emoji"] >= 3:
        return "Emoji"
    if kinds["HIRAGANA"] or kinds["KATAKANA"]:
        return "Japanese"
    if kinds["Code"] >= 3:
        return "Code"
    n_signs = kinds.pop("Code", 0)
    kinds.pop("Emoji", 0)
    if not kinds:
        return "Code" if n_signs else "Signs"
    name = kinds.most_common(1)[0][0]
    return NAMES.get(name, name.capitalize())


DESCRIPTION = """\
Train a Unigram and a BPE tokenizer in seconds and show what they do.
Without FILE, use a small text that comes with spm-lite (about 300 lines: 20 languages, code, emoji).
Nothing is written to disk, unless -o names a folder to keep the models in."""

BUNDLED = Path(__file__).with_name("demo_text.txt")
BUNDLED_IN_PYTHON = 'spm_lite.__path__[0] + "/cli/commands/demo_text.txt"'
MODEL_TYPES: tuple[ModelType, ...] = ("unigram", "bpe")
LABEL = 14  # columns of the names at the left
INDENT = "   "
MOST_SAMPLES = 16


def make_parser() -> CommandParser:
    parser = CommandParser("demo", "[FILE...] [options]", DESCRIPTION)
    parser.add_argument(
        "-o", "--output", type=folder_name, metavar="FOLDER",
        help="keep unigram.model, bpe.model and their .vocab files in this folder [nothing is kept]",
    )  # fmt: skip
    parser.add_argument(
        "--width", type=int, metavar="N", help="columns of the output [as wide as the terminal, else 100]"
    )
    add_common(parser)
    return parser


def run(options: Namespace, files: list[str]) -> int:
    """Raises TrainingError (exit code 1) if a line does not come back."""

    width = max(40, width_of_output(is_terminal(sys.stdout)) if options.width is None else options.width)

    def say(text: str) -> None:
        if not options.quiet:
            write_text(text + "\n")

    outputs: dict[str, ModelFiles] = {}
    if options.output is not None:
        make_folder(options.output)
        outputs = {kind: ModelFiles(str(Path(options.output, kind))) for kind in MODEL_TYPES}

    with real_files(files or [str(BUNDLED)]) as paths:
        refuse_inputs([path for output in outputs.values() for path in output.paths], [*paths, *files])
        facts = gather(paths)
        vocab_size = facts.vocab_size()
        source = ", ".join(files) if files else "the text that comes with spm_lite"
        say(wrapped_lines(introduction(facts, source), width, INDENT))
        toks: dict[str, Tokenizer] = {}
        for model_type in MODEL_TYPES:
            tok, seconds = learn(paths, model_type, vocab_size, options.quiet)
            toks[model_type] = tok
            done = ""
            if model_type in outputs:
                outputs[model_type].save(tok)
                done = f"   wrote {outputs[model_type]}"
            n_pieces = f"{tok.vocab_size:,} pieces"
            row = f"   {model_type:<{LABEL - 3}}{n_pieces:<15}{seconds:5.1f} s{done}"
            say(wrapped(row, width, " " * LABEL))
        say(samples(facts, toks, width))
        bad = check_round_trip(paths, toks)
    n_checked = facts.n_lines * len(toks)
    say(wrapped_lines(round_trip(n_checked, bad), width, INDENT))
    say(in_python(files, vocab_size, toks["unigram"].vocab_size, facts, options.output))
    if bad:
        raise TrainingError(f"{len(bad):,} of {n_checked:,} lines did not come back; the first: {bad[0]}")
    return 0


def make_folder(path: str) -> None:
    """Make a folder, unless it is there. Raises FileError."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise file_error(error, path, "make the folder") from None


def gather(paths: list[str]) -> TextFacts:
    """Read the text and collect its facts. Raises TrainingError if it is empty."""
    facts = TextFacts()
    for part in read_files(paths, AS_IT_IS, CorpusFigures()):
        facts.add([line.decode("utf-8", "replace") for line in split_block(part.documents)])
    if not facts.n_chars:
        raise TrainingError("there is no text to learn from: the input has 0 characters; give a file with some lines")
    return facts


def learn(paths: list[str], model_type: ModelType, vocab_size: int, quiet: bool) -> tuple[Tokenizer, float]:
    """Train one tokenizer; return it and the seconds it took."""
    import spm_lite

    begin = time.perf_counter()
    with ProgressBar(quiet) as bar:
        tok = spm_lite.train(
            files=paths, model_type=model_type, vocab_size=vocab_size, hard_vocab_limit=False, progress=bar.measured
        )
    return tok, time.perf_counter() - begin


def check_round_trip(paths: list[str], toks: dict[str, Tokenizer]) -> list[str]:
    """Encode and decode every line with every model; return lines that did not come back, as `file:line (model)`."""
    bad = []
    for part in read_files(paths, AS_IT_IS, CorpusFigures()):
        lines = split_block(part.documents)
        for model_type, tok in toks.items():
            for number, (line, ids) in enumerate(zip(lines, tok.encode_lists(lines), strict=True), part.first):
                if tok.decode_bytes(ids) != line:
                    bad.append(f"{part.path}:{number} ({model_type})")
    return bad


def introduction(facts: TextFacts, source: str) -> str:
    """The text of part 1: what the demo learns from."""
    return f"""\
spm-lite demo: what a subword tokenizer does

1. Learning pieces from {source}
   {facts.n_lines:,} lines, {facts.n_chars:,} characters, {len(facts.chars):,} of them different.
   Frequent text becomes one piece. Rare text is put together from smaller pieces, at worst from bytes.
   So a fixed number of pieces can spell every text. Each of two methods makes a model:
"""


def samples(facts: TextFacts, toks: dict[str, Tokenizer], width: int) -> str:
    """The text of part 2: a line of each script, in pieces and ids of both models."""
    about = """
2. Pieces and their ids
   A neural network sees the ids. ▁ is a space. One is put before each text, and decoding takes it away.
   <0xE2> is one byte of a character that has no piece.
"""
    parts = [wrapped_lines(about, width, INDENT)]
    for script, line in list(facts.samples.items())[:MOST_SAMPLES]:
        text = cut(line, 2 * width)
        parts.append(wrapped(f"   {script:<{LABEL - 3}}{visible(text)}", width, " " * LABEL))
        for model_type, tok in toks.items():
            label = model_type
            for above, below in two_rows(tok.pieces(text), tok.encode(text), width - LABEL):
                parts.append(f"   {label:<{LABEL - 3}}{above}")
                parts.append(f"{'':<{LABEL}}{below}")
                label = ""
        parts.append("")
    return "\n".join(parts)


def round_trip(n_checked: int, bad: list[str]) -> str:
    """The text of part 3: how many lines came back after encoding and decoding."""
    good = n_checked - len(bad)
    verdict = "no byte is lost" if not bad else f"NOT all; the first: {bad[0]}"
    return f"""\
3. There and back
   Every line was encoded to ids and decoded again with both models.
   {good:,} of {n_checked:,} came back as they were: {verdict}.
"""


def in_python(paths: list[str], vocab_size: int, n_pieces: int, facts: TextFacts, folder: str | None) -> str:
    """The text of parts 4 and 5: the demo in Python, and further commands. n_pieces: that the Unigram model has."""
    files = BUNDLED_IN_PYTHON if not paths else repr(paths[0]) if len(paths) == 1 else f"files={paths!r}"
    text = repr(cut(next(iter(facts.samples.values()), "Hello world"), 40))
    note = "" if n_pieces == vocab_size else f"  # {vocab_size:,} at most; this text gives {n_pieces:,}"
    kept = f"{PROGRAM} demo -o demo" if folder is None else f"in the folder {folder}"
    model = Path(folder or "demo", "bpe.model")
    return f"""\
4. The same in three lines of Python

import spm_lite
tok = spm_lite.train({files}, model_type="unigram", vocab_size={vocab_size}, hard_vocab_limit=False){note}
print(tok.pieces({text}), tok.encode({text}))

5. Where to go next
   your own text    {PROGRAM} demo yourfile.txt
   a real model     {PROGRAM} train yourfile.txt --vocab-size 8k -o m
   these models     {kept}
   text to ids      echo "Hello world" | {PROGRAM} encode {model} > ids.txt
   and back         {PROGRAM} decode {model} ids.txt
   load in Python   tok = spm_lite.load({str(model)!r})
   all options      {PROGRAM} train --help; the README explains the rest"""
