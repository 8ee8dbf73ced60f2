"""Errors of the library in words of the command line. An option is named as it is typed, if the command has it."""

from __future__ import annotations

import re
from collections.abc import Collection

OTHER_NAMES = {
    "texts": "--text",
    "format": "--output-format",
    "special_tokens": "--special-token",
}  # parameters whose option has another name
AS_IT_IS = re.compile(r", or read the file as it is with (input_format='text'|--input-format text)")
GIVEN = re.compile(r"(?<![-\w.])([a-z_]+)=('[^'\s]*'|[\w.]*\w)")  # format='bin', as Python shows it
ADVISED = re.compile(r"\b([Pp]ass|[Ll]eave out) ([a-z_]+)(?![\w=(])")
COMPOUND = re.compile(r"(?<![-\w/.'\"])([a-z]+(?:_[a-z]+)+)(?![\w=(/.'\"])")
FIRST = re.compile(r"\A(?!(?:text|texts|model|format) )([a-z_]+)(?= (?:is|are|has|'))")


def with_flags(message: str, flags: Collection[str]) -> str:
    """Rewrite what the message of an error says to give as it is typed. flags: the options of the command.

    >>> with_flags("reference='en' is for parallel texts: pass parallel", ["--reference", "--parallel"])
    '--reference en is for parallel texts: pass --parallel'
    >>> with_flags("there is no column 'text'. Name it with column='NAME'", ["--column"])
    "there is no column 'text'. Name it with --column NAME"
    """
    if "--as-text" in flags:
        message = AS_IT_IS.sub(", or read the file as it is with --as-text", message)
    elif "--input-format" not in flags:
        message = AS_IT_IS.sub("", message)
    message = GIVEN.sub(lambda found: setting(found, flags), message)
    message = FIRST.sub(lambda found: flag_of(found[1], flags) or found[1], message)
    message = ADVISED.sub(lambda found: f"{found[1]} {flag_of(found[2], flags) or found[2]}", message)
    return COMPOUND.sub(lambda found: flag_of(found[1], flags) or found[0], message)


def flag_of(name: str, flags: Collection[str]) -> str:
    """The option of a parameter of the library; an empty str if the command has none."""
    candidates = (f"--{name.replace('_', '-')}", OTHER_NAMES.get(name, ""))
    return next((flag for flag in candidates if flag in flags), "")


def setting(found: re.Match[str], flags: Collection[str]) -> str:
    """A parameter and its value as they are typed."""
    name, value = found.groups()
    flag = flag_of(f"no_{name}" if value == "False" else name, flags)
    if not flag:
        return found[0]
    return flag if value in ("True", "False") else f"{flag} {value.strip(chr(39))}"
