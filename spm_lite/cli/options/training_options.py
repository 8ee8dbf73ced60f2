"""The table of training options, from which the parser, its help and its defaults are made.

Names and types come from the two specs, so an option has one name in the file, in Python and on the command line.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Collection
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from spm_lite.cli.command_names import PROGRAM
from spm_lite.cli.console import file_error, say
from spm_lite.cli.options.document_options import HELP, column_name, one_character, read_options, separator
from spm_lite.cli.options.parsing import (
    CommandParser,
    SwitchOrNumber,
    file_name,
    folder_name,
    number,
    positive_int,
    utf8,
    whole_number,
)
from spm_lite.errors import OptionError
from spm_lite.files.plain_text import NUMBER, check_plain
from spm_lite.files.read_options import COLUMN, FORMATS, NEWLINES, WAYS
from spm_lite.files.text_lines import split_lines, unescape
from spm_lite.kinds import TRAINED_TYPES
from spm_lite.normalize.rules.rule_sets import OVERVIEW, RULE_SETS
from spm_lite.specs import CHOICES, PARITY, NormalizerSpec, TrainerSpec
from spm_lite.training.options.other_names import OLD_OPTIONS


@dataclass(frozen=True)
class Option:
    """One option of `spm_lite.train`, as the help shows it."""

    name: str
    group: str
    meaning: str  # with the range, if there is one
    metavar: str | None = None
    default: str | None = None  # shown in the help instead of the value in the spec
    choices: Collection[str] | None = None


OPTIONS = (
    Option("model_type", "vocabulary", "how pieces are learned", choices=tuple(TRAINED_TYPES)),
    Option(
        "vocab_size",
        "vocabulary",
        "number of pieces, special ones included; 8k is 8,000; all: every word or character (word and char models)",
        "N",
        default="8,000 at most",
    ),
    Option(
        "hard_vocab_limit",
        "vocabulary",
        "fail if the text has too few pieces for vocab-size; --no-: make a smaller model (char models: always)",
    ),
    Option(
        "character_coverage",
        "vocabulary",
        "share of the text that consists of characters with pieces; 0.98 to 1. auto: in bpe, a character becomes a "
        "piece only where that saves more bytes than another merge",
        "SHARE",
    ),
    Option("required_chars", "vocabulary", "characters that always become pieces", "CHARS"),
    Option("byte_fallback", "vocabulary", "write a character without a piece as its bytes, so nothing is unknown"),
    Option("control_symbols", "symbols", "special tokens such as <mask>; text never becomes one", "LIST"),
    Option("user_defined_symbols", "symbols", "texts that always stay one piece; ▁ in them is a space", "LIST"),
    Option("unk_id", "symbols", "id of the unknown piece; -1 = none", "ID"),
    Option("bos_id", "symbols", "id of the piece for the beginning of a text; -1 = none", "ID"),
    Option("eos_id", "symbols", "id of the piece for the end of a text; -1 = none", "ID"),
    Option("pad_id", "symbols", "id of the padding piece; -1 = none", "ID"),
    Option("unk_piece", "symbols", "name of the unknown piece", "TEXT"),
    Option("bos_piece", "symbols", "name of the beginning piece", "TEXT"),
    Option("eos_piece", "symbols", "name of the end piece", "TEXT"),
    Option("pad_piece", "symbols", "name of the padding piece", "TEXT"),
    Option("max_sentencepiece_length", "pieces", "longest piece, in characters; 1 to 512", "N"),
    Option("min_count", "pieces", "least occurrences of a learned piece in the text, before weights", "N"),
    Option("split_by_unicode_script", "pieces", "no piece mixes scripts"),
    Option("split_by_number", "pieces", "no piece mixes digits and other characters"),
    Option("split_by_whitespace", "pieces", "a space is only at the edge of a piece"),
    Option("split_digits", "pieces", "every digit is a piece of its own; N: at most N digits are in a piece", "N"),
    Option(
        "split_pattern",
        "pieces",
        "byte_bpe: a pattern, or the name of one, that cuts texts; gpt2, llama3 ... bpe, unigram: a pattern that cuts "
        "two neighbours always or never; no piece crosses a cut",
        "PATTERN",
    ),
    Option("whole_characters", "pieces", "byte_bpe: a piece is whole characters, or bytes of one and nothing else"),
    Option("graphemes", "pieces", "a piece is learned where it lies within one grapheme cluster, or is whole ones"),
    Option(
        "superwords",
        "pieces",
        "pieces that cross spaces, in a second stage: the share of vocab-size that is learned within words first, and "
        "more keys after it, as in 0.8,max_words=3",
        "SHARE",
    ),
    Option("treat_whitespace_as_suffix", "pieces", "a space ends a piece instead of beginning it"),
    Option("allow_whitespace_only_pieces", "pieces", "runs of spaces may become pieces"),
    Option(
        "input_format",
        "corpus",
        f"{HELP['input_format']}; tsv: lines of text TAB how often it occurs",
        choices=FORMATS,
    ),
    Option("newline", "corpus", HELP["newline"], choices=NEWLINES),
    Option("column", "corpus", HELP["column"], "NAME"),
    Option("delimiter", "corpus", HELP["delimiter"], "CHAR"),
    Option("quoting", "corpus", HELP["quoting"], default=""),
    Option("encoding", "corpus", HELP["encoding"], "NAME"),
    Option("separator", "corpus", HELP["separator"].replace("document", "text"), "TEXT", default=r"\n"),
    Option("whole_files", "corpus", "each file is one text"),
    Option("paragraphs", "corpus", HELP["paragraphs"].replace("document", "text")),
    Option("on_error", "corpus", HELP["on_error"], choices=WAYS),
    Option("max_unpacked", "corpus", HELP["max_unpacked"], "SIZE"),
    Option("input_sentence_size", "corpus", "largest number of lines to use; 0 = all, else more than 100", "N"),
    Option(
        "max_sentence_length",
        "corpus",
        "skip lines with more bytes than this; 10 to 1073741824",
        "BYTES",
        default="none skipped",
    ),
    Option(
        "lossless", "text", "stop with an error if another option makes decoding lossy", default="lossless if it can be"
    ),
    Option("strict_lossless", "text", "lossless in SentencePiece too: rules escape U+2581, its sign for a space"),
    Option("normalization", "text", f"rules that rewrite text first: {OVERVIEW}", "NAME", "identity", RULE_SETS),
    Option("normalization_rule_name", "text", "the same, by its name in other tools", "NAME", "", RULE_SETS),
    Option("normalization_rule_tsv", "text", "rules of your own: source TAB target, hex code points", "FILE"),
    Option("denormalization_rule_tsv", "text", "rules applied to decoded text", "FILE"),
    Option("add_dummy_prefix", "text", "add a space before each text; decoding removes it"),
    Option(
        "remove_extra_whitespaces",
        "text",
        "trim spaces and merge runs",
        default="no; yes with rules other than nfc, nfd",
    ),
    Option("seed_sentencepiece_size", "unigram", "most candidates to start from; 0 = max(100000, 8 * vocab-size)", "N"),
    Option(
        "seed_source",
        "unigram",
        "candidates to start from: BPE merges, or all substrings",
        choices=CHOICES["seed_source"],
    ),
    Option(
        "prune",
        "unigram",
        "drop the pieces that the model needs least, or the least probable",
        choices=CHOICES["prune"],
    ),
    Option(
        "objective",
        "wordpiece",
        f"how the next merge is chosen; {PARITY}: for bpe and byte_bpe, so that all --source cost alike",
        choices=(*CHOICES["objective"], PARITY),
    ),
    Option("continuation_prefix", "wordpiece", "written before pieces that continue a word", "TEXT"),
    Option("unknown", "wordpiece", "what becomes unknown if no piece matches", choices=CHOICES["unknown"]),
    Option("max_word_length", "wordpiece", "longest word, in characters; a longer one is unknown", "N"),
    Option("split_by_punctuation", "wordpiece", "each punctuation character is a word"),
    Option(
        "seed",
        "running",
        "seed of the choice of lines; the same seed gives the same model; none: the first lines",
        "N",
        default="0",
    ),
    Option("num_threads", "running", "threads; the model does not depend on it", "N", default="all usable CPUs"),
    Option(
        "memory_limit",
        "running",
        "such as 512MB; counts beyond it go to temporary files, and rare text may be left out",
        "SIZE",
        default="none",
    ),
    Option(
        "checkpoint", "running", "save progress here; run the same command again to resume", "FOLDER", default="none"
    ),
)
SPM_TRAIN = "leave it out, or train with the command spm_train, which has it"
OLD_FLAGS = {  # of the older version, which still work -> what to do, unless the value can be left out
    "use_all_vocab": "write --vocab-size all",
    "auto_character_coverage": "write --character-coverage auto",
    "shuffle_input_sentence": "write --seed none for the first lines",
    "keep_newlines": "write --whole-files",
    "unk_surface": SPM_TRAIN,
    "pretokenization_delimiter": SPM_TRAIN,
    "shrinking_factor": SPM_TRAIN,
    "num_sub_iterations": SPM_TRAIN,
}

GROUPS = {
    "vocabulary": "what the vocabulary holds",
    "symbols": "special pieces (LIST: comma separated; repeat the option for names that contain a comma)",
    "pieces": "what a piece may be",
    "corpus": "how the corpus is read",
    "text": "how text is treated",
    "unigram": "Unigram models only",
    "wordpiece": "WordPiece models only, except --objective parity",
    "running": "running",
}

FROM_FILES = {  # option of the command line -> option to which the lines of the file are added
    "control_symbols_file": "control_symbols",
    "user_defined_symbols_file": "user_defined_symbols",
    "required_chars_file": "required_chars",
}

ONE_OPTION = {  # option of the command line -> parameter of `spm_lite.train`
    "normalization_rule_name": "normalization",
    "normalization_rule_tsv": "normalization",
    "denormalization_rule_tsv": "denormalization",
}

DEFAULTS: dict[str, Any] = {
    "input_format": "auto",
    "column": COLUMN,
    "newline": "auto",
    "delimiter": "",
    "quoting": False,
    "encoding": "",
    "separator": "",
    "whole_files": False,
    "keep_newlines": False,
    "paragraphs": False,
    "on_error": WAYS[0],
    "max_unpacked": "",
    "seed": 0,
    "num_threads": 1,
    "memory_limit": "",
    "checkpoint": "",
    "strict_lossless": False,
    "normalization": "",
    "normalization_rule_name": "",
    "denormalization_rule_tsv": "",
    **{field.name: field.default for field in (*fields(NormalizerSpec), *fields(TrainerSpec))},
}


def add_training_options(parser: CommandParser, without: Collection[str] = ()) -> None:
    """Add every option of the table but some. An option not given stays absent: `spm_lite.train` sets the default."""
    for group, title in GROUPS.items():
        section = parser.add_argument_group(title)
        for option in (one for one in OPTIONS if one.group == group):
            if option.name not in without:
                add_option(section, option)
            for name, target in FROM_FILES.items():
                if target == option.name:
                    add_file_option(section, name)
    for name in OLD_FLAGS:
        add_option(parser, Option(name, "", argparse.SUPPRESS))


def add_file_option(section: argparse._ArgumentGroup, name: str) -> None:
    """Add an option of FROM_FILES. Its help says "the same", so it comes after the option that it fills."""
    meaning = "a file with one per line" if "symbols" in name else "a file whose lines are joined"
    help = rf"the same, from {meaning}; \x0a in it is a line end"
    section.add_argument(dashed(name), type=file_name, metavar="FILE", default=argparse.SUPPRESS, help=help)


def add_option(section: argparse._ActionsContainer, option: Option) -> None:
    """Add one option, parsed by the type of its default."""
    default = DEFAULTS[option.name]
    help = option.meaning + shown_default(option, default) if option.group else option.meaning
    settings: dict[str, Any] = {"default": argparse.SUPPRESS, "help": help.replace("%", "%%")}
    if isinstance(default, bool):
        settings["action"] = SwitchOrNumber if option.metavar else argparse.BooleanOptionalAction
    elif option.name == "column":
        settings.update(action="append", type=column_name, metavar=option.metavar)
    elif isinstance(default, tuple):
        settings.update(action="append", type=utf8, metavar=option.metavar)
    elif option.choices:
        settings.update(choices=option.choices, metavar=option.metavar)
    else:
        settings.update(type=type_of(option, default), metavar=option.metavar)
    short = ["-j"] if option.name == "num_threads" else []
    section.add_argument(*short, dashed(option.name), **settings)


def type_of(option: Option, default: object) -> Any:
    """The function that parses the value of an option."""
    if option.name in ("separator", "delimiter"):
        return separator if option.name == "separator" else one_character
    if option.name == "superwords":
        return superword_keys
    if option.name in WORDS:
        return WORDS[option.name]
    if option.name == "num_threads":
        return positive_int
    if isinstance(default, int) or default is None:
        return whole_number
    if isinstance(default, float):
        return number
    return {"FILE": file_name, "FOLDER": folder_name}.get(option.metavar or "", utf8)


def shown_default(option: Option, default: object) -> str:
    """` [default]` for the help text."""
    if option.default is not None:
        text = option.default
    elif isinstance(default, bool):
        text = "yes" if default else "no"
    else:
        text = "" if default in ("", ()) else "none" if default is None else str(default)
    return f" [{text}]" if text else ""


def number_or(word: str, parse: Callable[[str], Any], value: Any) -> Callable[[str], Any]:
    """The type of an option that is a number, or a word that has a value."""

    def parsed(text: str) -> Any:
        return value if text == word else parse(text)

    return parsed


def superword_keys(text: str) -> dict[str, Any]:
    """The keys of `superwords`: a share first, or key=value, between commas.

    >>> superword_keys("0.8,inside=punctuation,whole_words=true")
    {'share': 0.8, 'inside': 'punctuation', 'whole_words': True}
    """
    keys: dict[str, Any] = {}
    for part in text.split(","):
        name, sign, value = part.partition("=")
        if not sign:
            name, value = "share", part
        try:
            keys[name.strip().replace("-", "_")] = json.loads(value)
        except ValueError:
            keys[name.strip().replace("-", "_")] = value
    return keys


WORDS = {  # options that have a word, too
    "vocab_size": number_or("all", positive_int, "all"),
    "character_coverage": number_or("auto", number, "auto"),
    "seed": number_or("none", whole_number, None),
}


def dashed(name: str) -> str:
    """`vocab_size` -> `--vocab-size`."""
    return "--" + name.replace("_", "-")


def training_options(given: argparse.Namespace) -> dict[str, Any]:
    """The keyword arguments for `spm_lite.train`, for the given options only."""
    names = {*(option.name for option in OPTIONS), *OLD_FLAGS}
    result = {name: value for name, value in vars(given).items() if name in names}
    for name in OLD_FLAGS.keys() & result.keys():
        is_usual = result[name] == OLD_OPTIONS[name][0]
        advice = "leave it out, which means the same" if is_usual else OLD_FLAGS[name]
        say(f"{PROGRAM}: {dashed(name)} is gone after this version: {advice}\n")
    for name, value in result.items():
        if isinstance(value, list) and name != "column":
            result[name] = split_lists(value)
    for name, target in FROM_FILES.items():
        if name in given:
            lines = read_lines(getattr(given, name))
            result[target] = "".join(lines) if target == "required_chars" else [*result.get(target, []), *lines]
    reading = read_options(result)
    for name in ("separator", "whole_files", "paragraphs", "keep_newlines"):
        result.pop(name, None)
    result |= reading
    if result.pop("strict_lossless", False):
        if result.get("lossless") is False:
            raise OptionError("--strict-lossless and --no-lossless contradict each other: give one of them")
        result["lossless"] = "strict"
    for name, target in ONE_OPTION.items():
        if name in result:
            value = result.pop(name)
            value = Path(value) if name.endswith("_tsv") else value
            if result.setdefault(target, value) != value:
                raise OptionError(
                    f"{dashed(name)} {value} and {result[target]} contradict each other: a model has one set of rules"
                )
    return result


def typed_names(given: argparse.Namespace) -> dict[str, str]:
    """The option that was typed for each parameter that several options set."""
    return {target: dashed(name) for name, target in {**FROM_FILES, **ONE_OPTION}.items() if name in given}


def option_files(given: argparse.Namespace) -> list[str]:
    """The input files that options name."""
    names = [*FROM_FILES, *(option.name for option in OPTIONS if option.metavar == "FILE")]
    return [getattr(given, name) for name in names if name in given]


def split_lists(values: list[str]) -> list[str]:
    """The items of a list option: a single occurrence is split at commas; of several, each is one item."""
    return [item for item in values[0].split(",") if item] if len(values) == 1 else values


def read_lines(path: str) -> list[str]:
    """The lines of a small file, empty ones left out. Raises FileError; OptionError if it is not UTF-8.

    A BOM is dropped, CR LF ends a line, and the escapes of `text_lines` are undone.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise file_error(error, path, "read") from None
    check_plain(data, path)
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise OptionError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8") from None
    lines = split_lines(data)
    check_list(data, lines, path)
    texts = []
    for place, line in enumerate(lines, 1):
        try:
            texts.append(unescape(line).decode())
        except UnicodeDecodeError:
            shown = line.decode()
            raise OptionError(
                f"{path}, line {place}: {shown!r:.80} spells bytes that are not UTF-8; write a backslash as \\x5c "
                "if it is meant as such"
            ) from None
    return [text for text in texts if text]


def check_list(data: bytes, lines: list[bytes], path: str) -> None:
    """Raise OptionError for JSON, or for a table in which a number follows each text."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = None
    if value and (isinstance(value, dict) or (isinstance(value, list) and isinstance(value[0], str | dict))):
        raise OptionError(f"{path} is JSON, not lines of text: write one text per line")
    fields = [line.decode().split("\t") for line in lines if line]
    if fields and all(len(row) > 1 and NUMBER.fullmatch(row[1].strip()) for row in fields):
        shown = "\t".join(fields[0])
        raise OptionError(
            f"{path}: the first line, {shown!r:.60}, is a text, TAB and number, as in a .vocab, not one text: leave "
            "out the numbers; \\x09 is a TAB in a text"
        )
