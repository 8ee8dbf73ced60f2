"""Parses the arguments of a command: one line for each mistake, with the nearest valid name for a misspelling.

Options in the spelling of sentencepiece are understood: with underscores, and switches with a value or with `no`.
"""

from __future__ import annotations

import argparse
import os
import re
from argparse import Action, BooleanOptionalAction
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from spm_lite._typing import TYPE_CHECKING
from spm_lite.arguments import number_in
from spm_lite.cli.command_names import PROGRAM as PROGRAM
from spm_lite.cli.command_names import UsageError as UsageError
from spm_lite.cli.console import fitted, width_of_help, write_text
from spm_lite.cli.options.other_flags import OTHER_SETTINGS, what_to_write
from spm_lite.near_names import near_names

if TYPE_CHECKING:
    from typing import Any, NoReturn

    from spm_lite.tokenizer.tokenizer import Tokenizer

TRUE, FALSE = ("true", "t", "yes", "y", "1"), ("false", "f", "no", "n", "0")  # as sentencepiece reads them


class SwitchOrNumber(BooleanOptionalAction):
    """A switch that may have a number as its value. `respelled` gives it a value wherever it was typed without."""

    def __init__(self, option_strings: Sequence[str], dest: str, **settings: Any) -> None:
        """settings: default and help."""
        super().__init__(option_strings, dest, **settings)
        self.nargs = None

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, value: Any, option: str | None = None
    ) -> None:
        """Keep True, False or the number."""
        try:
            setattr(namespace, self.dest, whole_number(value) if value.isdecimal() else value == "true")
        except argparse.ArgumentTypeError as error:  # Python reads no number of 5,000 digits
            raise argparse.ArgumentError(self, str(error)) from None


def respelled(argv: list[str], actions: Mapping[str, Action]) -> list[str]:
    """Arguments in the spelling of this program: `--split_digits=false` becomes `--no-split-digits`.

    actions: by option. Files and unknown options stay as they are. `true` and `false` after a switch are its value,
    unless they are files; so is a number, after one that takes numbers. A switch that is off unless it is given
    vanishes if its value is false. Raises ValueError for a value that a switch does not take.
    """
    result: list[str] = []
    last = ""  # the switch without a value that was the last argument
    for argument in argv:
        name, sign, value = argument.partition("=")
        option = known_option(name, actions)
        is_switch = bool(option) and (actions[option].nargs == 0 or takes_number(actions[option]))
        is_value = argument in ("true", "false") or (argument.isdecimal() and takes_number(actions.get(last)))
        if last and is_value and not os.path.lexists(argument):
            result[-1:] = switch(last, argument, actions[last])
        elif is_switch and sign:
            result += switch(option, value, actions[option])
        else:
            result.append(option + sign + value if option else argument)
        last = option if is_switch and not sign else ""
    return [with_value(argument, actions.get(argument)) for argument in result]


def takes_number(action: Action | None) -> bool:
    return isinstance(action, SwitchOrNumber)


def with_value(argument: str, action: Action | None) -> str:
    """`--split-digits=true` for `--split-digits`; other arguments as they are."""
    if not takes_number(action):
        return argument
    return f"--{argument.removeprefix('--no-')}=false" if argument.startswith("--no-") else f"{argument}=true"


def known_option(name: str, actions: Mapping[str, Action]) -> str:
    """The option that is meant by a name in either spelling, with one dash or two; an empty str: none."""
    dashed = f"-{name}" if name.startswith("-") and not name.startswith("--") and len(name) > 2 else name
    option = dashed.replace("_", "-") if dashed.startswith("--") else ""
    negated = f"--no-{option.removeprefix('--no')}"  # of --nosplit_digits
    if option not in actions and option.startswith("--no") and negated in actions:
        return negated
    return option if option in actions else ""


def switch(option: str, value: str, action: Action) -> list[str]:
    """A switch that was typed with a value."""
    has_both_forms = isinstance(action, BooleanOptionalAction)
    is_negation = has_both_forms and option.startswith("--no-")
    if takes_number(action) and not is_negation and value.isdecimal() and value not in TRUE + FALSE:
        return [f"{option}={value}"]
    if is_negation or value.lower() not in TRUE + FALSE:
        words = "is a number, or is true or false" if takes_number(action) else "is true or false"
        rule = "takes no value" if is_negation else words
        both = option if is_negation else f"{option} or {option}=false"
        raise ValueError(f"{option}={value}: {option} {rule}; write {both}")
    if value.lower() in TRUE:
        return [option]
    return [f"--no-{option.removeprefix('--')}"] if has_both_forms else []


THOUSANDS = re.compile(r"[0-9]{1,3}(,[0-9]{3})+")
SURROGATE = re.compile("[\ud800-\udfff]")  # a byte that the locale could not decode (surrogateescape)


def is_option(argument: str) -> bool:
    """Whether an argument is an option: it begins with `-`, but is not `-` (standard input) or a negative number."""
    return len(argument) > 1 and argument[0] == "-" and not re.fullmatch(r"-[0-9][0-9_.]*", argument)


WHITESPACE = "remove_extra_whitespaces is false"  # in the words of RULE_SETS


def nearest(name: str, valid: list[str]) -> str:
    """`; did you mean ...?` for a misspelled name; empty if no valid name is near."""
    near = " or ".join(near_names(name, valid))
    return f"; did you mean {near}?" if near else ""


def rule_set_hint(name: str) -> str:
    """`; did you mean ...?` for a misspelled rule set, and what that set does; empty if no set is near."""
    if name.endswith(".tsv"):
        return "; a file of rules is named by --normalization-rule-tsv"
    from spm_lite.normalize.rules.rule_sets import RULE_SETS, nearest_rule_set

    found = nearest_rule_set(name)
    change = RULE_SETS.get(found, "").replace(WHITESPACE, "--no-remove-extra-whitespaces is given")
    return f"; did you mean {found}? It {change}" if found else ""


class CommandParser(argparse.ArgumentParser):
    """The parser of one command. Files may stand before, between and after the options."""

    def __init__(
        self,
        command: str,
        usage: str,
        description: str,
        epilog: str | None = None,
        common: Collection[str] | None = None,
    ) -> None:
        """common: destinations of the options that -h shows; None: all."""
        super().__init__(
            prog=f"{PROGRAM} {command}",
            usage=f"{PROGRAM} {command} {usage}",
            description=description,
            epilog=epilog,
            formatter_class=HelpFormatter,
            allow_abbrev=False,  # a new option must never change what an old script means
            add_help=False,
        )
        self._command = command
        self._common = common
        self.takes_texts = False  # what stands beside the options are texts, not names of files
        self.takes_model = False  # --model, or the first word, names a model
        self.instead_of_model = ""  # the option with which no model is named

    def error(self, message: str) -> NoReturn:
        """Raise UsageError for a mistake that argparse found, without its prefix and without the usage text."""
        raise UsageError(f"{message.removeprefix('argument ')} (see '{self.prog} --help')")

    @property
    def flags(self) -> list[str]:
        """All options, such as --model and -m."""
        return list(self._option_string_actions)

    def parse(self, argv: list[str]) -> tuple[argparse.Namespace, list[str]]:
        """The options, and the files in the order given. Raises UsageError."""
        cut = argv.index("--") if "--" in argv else len(argv)
        before, after = argv[:cut], argv[cut + 1 :]
        before = self._respelled(before)
        self._refuse_unknown_options(before)
        options, files = self.parse_known_args(before)
        if self.takes_model:
            self._take_model(options, files, before)
            if not self.takes_texts:
                self._refuse_texts(options, files)
        files += after
        if "" in files and not self.takes_texts:
            raise UsageError(f"the name of input file {files.index('') + 1} is empty (see '{self.prog} --help')")
        return options, files

    def _take_model(self, options: argparse.Namespace, files: list[str], argv: list[str]) -> None:
        """Make the first word the model, unless an option names it. Raises UsageError if there is none.

        argv: the files, and the options as typed.
        """
        if options.model is not None or vars(options).get(self.instead_of_model):
            return
        if not files:
            other = f", and --{self.instead_of_model} needs none" if self.instead_of_model else ""
            raise UsageError(
                f"no model is named: write its name first, as in '{self.prog} m.model', or with -m{other} "
                f"(see '{self.prog} --help')"
            )
        if not files[0]:
            raise UsageError(f"the name of the model is empty: write its name first (see '{self.prog} --help')")
        typed = list(argv)
        for file in files:
            typed.remove(file)
        options.model = files.pop(0)
        options.first_word = self._command, files, typed

    def _refuse_texts(self, options: argparse.Namespace, files: list[str]) -> None:
        """Raise UsageError for a text among the files, if the model is there; else its own error is the better one."""
        if files and options.model is not None and os.path.lexists(options.model):
            from spm_lite.cli.options.mistaken_inputs import FROM_FILES, is_words, text_not_file

            text = next(filter(is_words, files), "") if self._command in FROM_FILES else ""
            if text:
                raise UsageError(f"{text_not_file(self._command, text, options.model)} (see '{self.prog} --help')")

    def _respelled(self, argv: list[str]) -> list[str]:
        """Arguments in the spelling of this program. Raises UsageError."""
        for (name, value), flag in OTHER_SETTINGS.items():
            words = f"--{name}", value.strip("'")
            is_typed = "=".join(words) in argv or (words in pairwise(argv) and not os.path.lexists(words[1]))
            if flag in self._option_string_actions and is_typed:
                raise UsageError(f"{' '.join(words)}: write {flag} (see '{self.prog} --help')")
        try:
            return respelled(argv, self._option_string_actions)
        except ValueError as error:
            raise UsageError(f"{error} (see '{self.prog} --help')") from None

    def _refuse_unknown_options(self, argv: list[str]) -> None:
        """Raise UsageError that names them all. argparse would report a missing option before a misspelled one."""
        valid = sorted(self._option_string_actions)
        unknown: dict[str, list[str]] = {}  # hint -> options
        for argument, following in zip(argv, [*argv[1:], ""], strict=False):
            name, sign, value = argument.partition("=")
            is_known = name in valid or (argument[1:2] != "-" and argument[:2] in valid)  # -j4
            if is_option(argument) and not is_known:
                value = value if sign or is_option(following) else following
                hint = what_to_write(self._command, name, value, valid) or nearest(name, valid)
                unknown.setdefault(hint, []).append(name)
        if unknown:
            problems = "; ".join(unknown_options(names, hint) for hint, names in unknown.items())
            raise UsageError(f"{problems} (see '{self.prog} --help')")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is not among the choices, and say what to write for it, or suggest the nearest one."""
        if action.choices is not None and value not in action.choices:
            choices = list(map(str, action.choices))
            if "nmt_nfkc" in choices:  # the rule sets; importing them here would slow every command
                hint = rule_set_hint(str(value))
            else:
                given = f"{action.dest}={value}"
                hint = what_to_write(self._command, given, "", self.flags) or nearest(str(value), choices)
            raise argparse.ArgumentError(action, f"{value!r} is not one of {', '.join(choices)}{hint}")

    def print_common(self) -> None:
        """Write the help of the options that people use most, and the examples that need no others."""
        hidden, epilog = [], self.epilog
        common = {action.dest for action in self._actions} if self._common is None else self._common
        for action in self._actions:
            if action.dest not in common and action.help is not argparse.SUPPRESS and action.dest != "help":
                hidden.append((action, action.help))
                action.help = argparse.SUPPRESS
        unseen = {name for action, _ in hidden for name in action.option_strings}
        if epilog:
            lines = [line for line in epilog.splitlines() if not unseen & set(re.findall(r"--[\w-]+", line))]
            self.epilog = "\n".join(lines)
        try:
            more = f"\n{len(hidden)} more options: {self.prog} --help\n" if hidden else ""
            write_text(self.format_help() + more)
        finally:
            self.epilog = epilog
            for action, text in hidden:
                action.help = text

    def print_help(self, file: object = None) -> None:
        """Write the help as UTF-8: the terminal's encoding may lack characters of the examples."""
        write_text(self.format_help())


class HelpFormatter(argparse.HelpFormatter):
    """Keeps the line breaks of descriptions that fit, and leaves room for long option names."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=34, width=width_of_help())

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Return a description fitted to the terminal."""
        return fitted(text, width)

    def _format_usage(self, *arguments: Any) -> str:
        """Return the line of usage, broken between its parts where it is too long."""
        usage = super()._format_usage(*arguments)
        first, *others = re.findall(r"\[[^\]]*\]|\([^)]*\)|\S+", usage)
        lines = [first]
        for part in others:
            if len(lines[-1]) + 1 + len(part) <= self._width or lines[-1] == first:
                lines[-1] += f" {part}"
            else:
                lines.append(f"{' ' * len(first)} {part}")
        return usage if len(usage.rstrip()) <= self._width or "\x1b" in usage else "\n".join(lines) + "\n\n"

    def _split_lines(self, text: str, width: int) -> list[str]:
        """Return what an option means in lines; names of options are not broken."""
        import textwrap

        return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)

    def start_section(self, heading: str | None) -> None:
        """Begin a group of options; a long title is broken."""
        super().start_section(heading if heading is None else fitted(heading, self._width - 1))

    def _format_action_invocation(self, action: argparse.Action) -> str:
        """Return `--[no-]flag` for a switch, instead of both full names."""
        if isinstance(action, argparse.BooleanOptionalAction):
            return f"--[no-]{action.dest.replace('_', '-')}{' [N]' if takes_number(action) else ''}"
        return super()._format_action_invocation(action)


def add_common(parser: CommandParser) -> None:
    """Add --quiet, -h and --help, the last group of every help."""
    group = parser.add_argument_group("other")
    group.add_argument("-q", "--quiet", action="store_true", help="write nothing to the terminal except errors")
    group.add_argument("-h", action=ShortHelp, help="show the most used options and exit")
    group.add_argument("--help", action="help", help="show all options and exit")


class ShortHelp(argparse.Action):
    """-h: the help of the most used options."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "nargs": 0, "dest": "help", "default": argparse.SUPPRESS})

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        assert isinstance(parser, CommandParser)
        parser.print_common()
        parser.exit()


def add_model(parser: CommandParser, unless: str = "") -> None:
    """Let the first word name the model, or --model. unless: the option with which no model is named."""
    parser.takes_model, parser.instead_of_model = True, unless
    parser.add_argument("-m", "--model", type=file_name, metavar="M", help="the model, in place of the first word")
    add_reading(parser)


READING = ("name", "pattern", "lowercase")  # options of `Tokenizer.load`


def add_reading(parser: CommandParser) -> None:
    """Add the options that say what a tokenizer file of another format does not hold."""
    group = parser.add_argument_group("tokenizers of other formats")
    group.add_argument("--name", metavar="N", help="the tokenizer of a rank file: gpt2, cl100k_base, llama3 ...")
    group.add_argument("--pattern", type=utf8, metavar="P", help="the split pattern of a rank file, instead of a name")
    group.add_argument(
        "--lowercase", action=argparse.BooleanOptionalAction, help="whether a vocab.txt is for text in lower case"
    )
    group.add_argument("--allow", action="append", metavar="NAME", help="accept a difference, by the name in the error")


def load_model(options: argparse.Namespace, path: str) -> Tokenizer:
    """The tokenizer of a file of any format, with what the options say of it."""
    from spm_lite.errors import FileError, MissingFileError, ModelError
    from spm_lite.tokenizer.tokenizer import Tokenizer

    try:
        return Tokenizer.load(path, allow=options.allow or (), **reading_options(options))
    except (FileError, ModelError) as error:
        from spm_lite.cli.options.mistaken_inputs import not_the_model

        if "first_word" in options and (message := not_the_model(path, *options.first_word)):
            raise (MissingFileError if isinstance(error, MissingFileError) else ModelError)(message) from error
        raise


def load_models(options: argparse.Namespace, paths: Sequence[str]) -> list[Tokenizer]:
    """The tokenizers of several files; an option is for those whose format takes it. Raises UsageError if none does."""
    from spm_lite.tokenizer.tokenizer import Tokenizer

    given = reading_options(options)
    if not given:
        return [Tokenizer.load(path, allow=options.allow or ()) for path in paths]
    from spm_lite.tokenizer.loading import load_several

    return load_several(Tokenizer._from_bytes, paths, given, options.allow or ())


def reading_options(options: argparse.Namespace) -> dict[str, Any]:
    """What was typed of the options of `Tokenizer.load`."""
    return {name: getattr(options, name) for name in READING if getattr(options, name) is not None}


def add_output(parser: CommandParser, more: str = "") -> None:
    """Add --output. more: what the help says beyond the usual."""
    parser.add_argument(
        "-o",
        "--output",
        type=file_name,
        metavar="FILE",
        help=f"output file, written atomically{more} [standard output]",
    )


def add_threads(parser: CommandParser) -> None:
    """Add --num-threads."""
    parser.add_argument("-j", "--num-threads", type=positive_int, metavar="N", help="threads [all usable CPUs]")


def one_model(options: argparse.Namespace, files: list[str], command: str) -> str:
    """The model of a command that takes nothing else. Raises UsageError if more is named."""
    model: str = options.model
    if files:
        raise UsageError(
            f"{command} takes one model, {model}, and {files[0]!r:.60} is named too: leave it out "
            f"(see '{PROGRAM} {command} --help')"
        )
    return model


def positive_int(text: str) -> int:
    """The type of an option that is a count, 1 or more."""
    value = whole_number(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return value


def whole_number(text: str) -> int:
    """The type of an integer option; `32_000` and `32,000` are allowed, and `32k` for them, `2m` for 2,000,000."""
    try:
        return number_in(text.replace(",", "") if THOUSANDS.fullmatch(text) else text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number, such as 8000, 8k or 2m") from None


def number(text: str) -> float:
    """The type of an option that is a share or a factor."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None


def file_name(text: str) -> str:
    """The type of an option that names a file."""
    if not text:
        raise argparse.ArgumentTypeError("the name is empty; give the name of a file")
    return text


def folder_name(text: str) -> str:
    """The type of an option that names a folder."""
    if not text:
        raise argparse.ArgumentTypeError("the name is empty; give the name of a folder, '.' for the current one")
    return text


def file_prefix(text: str) -> str:
    """The type of an option that is the beginning of file names."""
    if not text or text.endswith(("/", os.sep)):
        raise argparse.ArgumentTypeError(f"{text!r} is not the beginning of a file name; give one, such as m")
    return text


def utf8(text: str) -> str:
    """The type of an option that is text: its bytes are read as UTF-8 in any locale."""
    try:
        return os.fsencode(text).decode("utf-8") if SURROGATE.search(text) else text
    except UnicodeError:
        raise argparse.ArgumentTypeError(f"{text!a} is not UTF-8; write it in a UTF-8 terminal") from None


def unknown_options(names: list[str], hint: str) -> str:
    """The error about options that share a hint; hints are worded for one option."""
    if len(names) == 1:
        return f"unknown option {names[0]}{hint}"
    return f"unknown options {', '.join(names[:-1])} and {names[-1]}{hint.replace('leave it out', 'leave them out')}"
