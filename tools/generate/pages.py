"""The parts of docs/reference that follow from the code: help texts, options, errors, members of the classes.

    cog -r -I tools/generate docs/reference/*.md

The pages call these functions; a test shows that what they hold is current. argparse of Python 3.13 and newer writes
the names of options in another form, so the pages are made with an older one.
"""

from __future__ import annotations

import inspect
import json
import os
from pathlib import Path
from typing import Any

import spm_lite
from spm_lite.cli.command_names import COMMANDS, HELP, PROGRAM, module_of
from spm_lite.cli.options import training_options
from spm_lite.tokenizer.format_table import all_formats

WIDTH = "100"  # columns of the help texts
DOCS = Path(__file__).resolve().parents[2] / "docs"
RESULTS = DOCS / "benchmarks.json"  # what the last `make bench` wrote
RECORDS = DOCS / "records.json"  # what other programs measured: machine, date and rows of each table
HIDDEN = ("EncodingMethods", "ForeignNames", "object")  # shown elsewhere, or not for people
SIDES = ("spm_lite", "reference")
INHERITED = ":inherited-members: str, tuple"  # members of bases, except these
NO_MEMBERS = {"Tokenizer"}  # its members stand by themselves, in groups
TITLES = {
    "Tokenizer": "Tokenizer: load, encode, save",
    "BatchMethods": "Many texts",
    "SegmentationMethods": "N-best lists, samples, likelihoods",
    "PieceMethods": "The vocabulary",
    "DecodingMethods": "Decoding and streams",
    "LimitMethods": "Counting, truncation, chunks",
    "HuggingFaceMethods": "Files of Hugging Face",
    "ConversionMethods": "Files of tiktoken, GPT-2, BERT and llama.cpp",
    "ViewMethods": "Pieces, spans and pictures",
}


def block(text: str) -> str:
    """A fenced block of what a program writes."""
    return f"```text\n{text.rstrip()}\n```\n"


def commands() -> str:
    """The help of the program, and of each command with all its options."""
    os.environ["COLUMNS"] = WIDTH
    parts = [block(HELP)]
    parts += [f"## {PROGRAM} {name}\n\n{block(module_of(name).make_parser().format_help())}" for name in COMMANDS]
    return "\n" + "\n".join(parts)


def options() -> str:
    """A table for each group of training options."""
    parts = []
    for group, title in training_options.GROUPS.items():
        rows = [row(option) for option in training_options.OPTIONS if option.group == group]
        title = title.partition(" (")[0]
        parts.append(
            f"## {title[0].upper()}{title[1:]}\n\n| option | default | meaning |\n|---|---|---|\n" + "".join(rows)
        )
    return "\n" + "\n".join(parts)


def row(option: training_options.Option) -> str:
    """The line of an option."""
    default = training_options.shown_default(option, training_options.DEFAULTS[option.name]).strip(" []")
    choices = f" (`{'`, `'.join(option.choices)}`)" if option.choices else ""
    cells = [f"`{option.name}`", f"`{default}`" if default else "", f"{cell(option.meaning)}{choices}"]
    return f"| {' | '.join(cells)} |\n"


def cell(text: str) -> str:
    """Text that stands for itself in a table of Markdown."""
    return "".join(f"\\{sign}" if sign in "|*<>" else sign for sign in text)


def formats() -> str:
    """A table of the formats of tokenizer files: the options of reading each, and how it is written."""
    lines = ["| format | what it is | options of reading | written by |", "|---|---|---|---|"]
    for entry in all_formats().values():
        given = ", ".join(f"`{option}=`" for option in entry.options)
        saved = "`tok.save(path)`" if entry.name == "model" else f'`tok.save(path, format="{entry.name}")`'
        cells = [f"`{entry.name}`", cell(entry.meaning), given, "" if entry.make is None else saved]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n" + "\n".join(lines) + "\n"


def errors() -> str:
    """A table of the public errors: what each is a subclass of, and when it is raised."""
    found = [getattr(spm_lite, name) for name in spm_lite.__all__ if name.endswith("Error")]
    lines = ["\n| error | is also | when |\n|---|---|---|\n"]
    for error in sorted(found, key=lambda one: len(one.__mro__)):
        also = [f"`{base.__name__}`" for base in error.__mro__[1:] if base.__module__ == "builtins"][:-3]
        lines.append(
            f"| `{error.__name__}` | {', '.join(also[:1])} | {cell(inspect.getdoc(error).splitlines()[0])} |\n"
        )
    return "".join(lines)


def benchmarks() -> str:
    """The machine, and the rows of the last results that compare with sentencepiece."""
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    machine = results["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    lines = [
        f"\nMachine: {machine['cpu']}; {machine['cpus']} CPUs, {machine['system']}, Python {machine['python']}, "
        f"{machine['date'][:10]}.\nMedians of {results['runs']} runs by the {results['clock']}; {versions}.\n\n",
        "| work | text | model | spm_lite | sentencepiece | ratio |\n|---|---|---|---|---|---|\n",
    ]
    for entry in results["rows"]:
        if entry["against"] == "sentencepiece" and entry["unit"] == "MB/s" and "error" not in entry:
            sides = [" / ".join(short(one["median"]) for one in entry[side].values()) for side in SIDES]
            ratio = " / ".join(short(one) for one in entry["ratio"])
            text = f"{entry['text']}, {entry['bytes'] / 1e6:.3g} MB"
            lines.append(f"| {' | '.join([entry['workload'], text, entry['model'], *sides, ratio])} |\n")
    return "".join(lines)


def record(name: str) -> str:
    """A table of what was measured once: when, where and how, and its rows."""
    found = json.loads(RECORDS.read_text(encoding="utf-8"))[name]
    head = f"\nMachine: {found['machine']}, {found['date']}.\n`{found['program']}`, {found['how']}.\n\n"
    lines = [f"| {' | '.join(row)} |\n" for row in (found["columns"], *found["rows"])]
    return "".join([head, lines[0], "|" + "---|" * len(found["columns"]) + "\n", *lines[1:]])


def short(value: float) -> str:
    """Three digits."""
    return f"{value:.3g}"


def directive(kind: str, name: str, *settings: str) -> str:
    """A directive of Sphinx. settings: lines such as ":members:"."""
    return f".. {kind}:: spm_lite.{name}\n" + "".join(f"   {setting}\n" for setting in settings) + "\n"


def rst(text: str) -> str:
    """A block of reStructuredText."""
    return f"```{{eval-rst}}\n{text.rstrip()}\n```\n"


def functions() -> str:
    """The functions of the package."""
    names = [name for name in spm_lite.__all__ if inspect.isroutine(getattr(spm_lite, name))]
    return "\n" + rst("".join(directive("autofunction", name) for name in ["train", *(set_aside(names, "train"))]))


def set_aside(names: list[str], first: str) -> list[str]:
    """The others: `first` has a page, or a place, of its own."""
    return [name for name in names if name != first]


def classes() -> str:
    """The classes of the package with their members, but Tokenizer and errors."""
    names = [
        name for name in spm_lite.__all__
        if inspect.isclass(getattr(spm_lite, name)) and not name.endswith("Error") and name not in NO_MEMBERS
    ]  # fmt: skip
    return "\n" + rst("".join(directive("autoclass", name, ":members:", INHERITED) for name in names))


def tokenizer() -> str:
    """The members of Tokenizer, in groups."""
    parts = []
    for base in spm_lite.Tokenizer.__mro__:
        if base.__name__ in HIDDEN:
            continue
        names = members(base)
        if base is spm_lite.Tokenizer:
            names += ["encode", "decode", "count"]  # of the compiled base class
            parts.append(f"## {TITLES[base.__name__]}\n\n" + rst(directive("autoclass", "Tokenizer") + listed(names)))
        else:
            parts.append(f"## {TITLES[base.__name__]}\n\n" + rst(listed(names)))
    return "\n" + "\n".join(parts)


def members(base: type) -> list[str]:
    """The public members that a class defines itself; Tokenizer holds those of its parts too."""
    names = [name for name in vars(base) if not name.startswith("_")]
    if base is spm_lite.Tokenizer:
        names = [name for name in names if not any(name in vars(part) for part in base.__mro__[1:])]
    return names


def listed(names: list[str]) -> str:
    """A directive for each member of Tokenizer."""
    return "".join(directive(kind(name), f"Tokenizer.{name}") for name in names)


def kind(name: str) -> str:
    """The directive for a member of Tokenizer."""
    member: Any = inspect.getattr_static(spm_lite.Tokenizer, name)
    return "autoproperty" if isinstance(member, property) else "automethod"
