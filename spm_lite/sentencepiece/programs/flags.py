"""Flags as sentencepiece's programs have them: `--name=value`, `--name value`, `--switch`, `--noswitch`."""

from __future__ import annotations

import re
from collections import deque
from pathlib import Path
from typing import Any, NamedTuple

from spm_lite.errors import OptionError
from spm_lite.near_names import near_names

INT32 = (-(2**31), 2**31 - 1)
UINT32 = (0, 2**32 - 1)
UINT64 = (0, 2**64 - 1)
INTEGER = re.compile(r"[+-]?([0-9]{1,40}|0[xX][0-9a-fA-F]{1,40})", re.ASCII)
SWITCHES = {
    **dict.fromkeys(("true", "t", "yes", "y", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "0"), False),
}


class Flag(NamedTuple):
    """One flag. Its type is the type of its default."""

    name: str
    default: str | int | float | bool
    meaning: str
    range: tuple[int, int] = INT32  # of an int


COMMON = (
    Flag("help", False, "show this help"),
    Flag("version", False, "show the version"),
    Flag("quiet", False, "log nothing but errors"),
    Flag("minloglevel", 0, "log messages from this level on: 0 info, 1 warning, 2 error, 3 fatal"),
    Flag("undefok", "", "comma-separated names of flags that may be given though this program lacks them"),
    Flag("stderrthreshold", "0", "ignored: the log always goes to standard error"),
    Flag("logtostderr", True, "ignored: the log always goes to standard error"),
    Flag("alsologtostderr", True, "ignored: the log always goes to standard error"),
    Flag("log_prefix", True, "ignored"),
    Flag("v", "0", "ignored"),
    Flag("vmodule", "", "ignored"),
)


class Arguments:
    """The parsed arguments of a program: values of all flags by name, and the other arguments.

    >>> parsed = Arguments((Flag("n", 8, "..."), Flag("hard", True, "...")), ["--n", "9", "-nohard", "a.txt"])
    >>> parsed.values["n"], parsed.values["hard"], parsed.files
    (9, False, ['a.txt'])
    """

    def __init__(self, flags: tuple[Flag, ...], arguments: list[str]) -> None:
        """Parse the arguments; of equal names the last counts. Raises OptionError."""
        self.flags = {flag.name: flag for flag in (*flags, *COMMON)}
        self.values: dict[str, Any] = {name: flag.default for name, flag in self.flags.items()}
        self.files: list[str] = []
        unknown: list[str] = []
        rest = deque(arguments)
        while rest:
            argument = rest.popleft()
            if argument == "--":
                self.files += rest
                break
            if not argument.startswith("-") or argument == "-":
                self.files.append(argument)
            elif not self._read(argument, rest):
                unknown.append(argument)
        self._refuse(unknown)

    def _read(self, argument: str, rest: deque[str]) -> bool:
        """Set one flag, with its value from `rest` if it has none. False: no flag has this name."""
        name, equals, value = argument.removeprefix("-").removeprefix("-").partition("=")
        flag = self.flags.get(name)
        if flag is None:
            flag = self.flags.get(name[2:]) if name.startswith("no") else None
            if flag is None or not isinstance(flag.default, bool):
                return False
            if equals:
                raise OptionError(f"--{name} takes no value: write --{name}, or --{flag.name}={value}")
            self.values[flag.name] = False
        elif equals:
            self.values[name] = parse_value(flag, value)
        elif isinstance(flag.default, bool):
            self.values[name] = parse_value(flag, rest.popleft()) if is_value_of_switch(rest) else True
        elif rest:
            self.values[name] = parse_value(flag, rest.popleft())
        else:
            raise OptionError(f"--{name} lacks its value: write --{name}={flag.default!s:.20}, for instance")
        return True

    def _refuse(self, unknown: list[str]) -> None:
        """Raise OptionError for unknown flags, except the ones that may be given."""
        allowed = set(self.values["undefok"].split(","))
        hints = []
        for argument in unknown:
            name = argument.lstrip("-").partition("=")[0]
            if name not in allowed and name.removeprefix("no") not in allowed:
                near = " or ".join(f"--{known}" for known in near_names(name, self.flags))
                hints.append(f"unknown flag --{name:.80}" + (f"; did you mean {near}?" if near else ""))
        if hints:
            raise OptionError(". ".join(hints))


def is_value_of_switch(rest: deque[str]) -> bool:
    """Whether the next argument is the value of the switch before it, as in `--hard_vocab_limit false`.

    Versions 0.1 and 0.2.0 of the original read it so, later ones take it for the name of a file.
    """
    return bool(rest) and rest[0].lower() in ("true", "false") and not Path(rest[0]).exists()


def parse_value(flag: Flag, text: str) -> str | int | float | bool:
    """The value of a flag from its text. Raises OptionError."""
    if isinstance(flag.default, str):
        return text
    word = text.strip().lower()
    if isinstance(flag.default, bool):
        if word not in SWITCHES:
            raise OptionError(f"--{flag.name}={text:.80}: must be true or false")
        return SWITCHES[word]
    if isinstance(flag.default, float):
        try:
            return float(text)
        except ValueError:
            raise OptionError(f"--{flag.name}={text:.80}: must be a number") from None
    low, high = flag.range
    value = int(word, 16 if "0x" in word else 10) if INTEGER.fullmatch(word) else None
    if value is None or not low <= value <= high:
        raise OptionError(f"--{flag.name}={text:.80}: must be a whole number from {low} to {high}")
    return value


def help_text(program: str, summary: str, flags: tuple[Flag, ...]) -> str:
    """Usage, summary, and a row for each flag: its name, meaning and default."""
    width = max(len(flag.name) for flag in (*flags, *COMMON)) + 4
    rows = [
        f"  {'--' + flag.name:<{width}}{flag.meaning}" + (f" [{shown}]" if (shown := shown_default(flag)) else "")
        for flag in (*flags, *COMMON)
    ]
    return f"usage: {program} [flags] [files]\n\n{summary}\n\nflags:\n" + "\n".join(rows) + "\n"


def shown_default(flag: Flag) -> str:
    """The default of a flag, as it would be typed."""
    return str(flag.default).lower() if isinstance(flag.default, bool) else str(flag.default)
