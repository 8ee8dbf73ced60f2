"""Errors of the library in words of the command line. An option is named as it is typed, if the command has it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

OTHER_NAMES = {  # parameters whose option has another name
    "texts": "--text",
    "weights": "--weight",
    "format": "--output-format",
    "vocab_size": "--sizes",
    "denormalization": "--denormalization-rule-tsv",
    "special_tokens": "--special-token",
}
OTHER_SETTINGS = {("lossless", "'strict'"): "--strict-lossless"}
AS_IT_IS = re.compile(r", or read the file as it is with (input_format='text'|--input-format text)")
QUOTED = r"""(?<!\w)b?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""  # as `repr` shows a text
VALUE = rf"{QUOTED}|[^\s:;,)]*[^\s:;,).]"  # without the period that ends a sentence
SETTING = rf"(?<![-\w.])([a-z_]+)=({VALUE})"
COMPOUND = r"(?<![-\w/.])([a-z]+(?:_[a-z]+)+)(?![\w=(]|[/.]\w)"  # a name of several words
NAMED = re.compile(rf"{SETTING}|{COMPOUND}|{QUOTED}")
FIRST = re.compile(r"(\A)(?!(?:text|texts|model|format) )([a-z_]+)(?= (?:is|are|has|'))")
ADVISED = re.compile(r"(\b(?:[Pp]ass|[Ll]eave out) )([a-z_]+)(?![\w=(])")
RULES = re.compile(r"(contradicts |because of |and |, )((?:de)?normalization)(?= \(| and |[,.:]|$)")


def with_flags(message: str, flags: Collection[str], names: Mapping[str, str] | None = None) -> str:
    """Rewrite what the message of an error says to give as it is typed: `seed=5` becomes `--seed 5`.

    Quoted text stays. So do `--seed=5`, which messages of sentencepiece have, and most names of one word without a
    value. flags: the options of the command. names: parameter -> the one of its options that was typed.

    >>> with_flags("reference='en' is for parallel texts: pass parallel", ["--reference", "--parallel"])
    '--reference en is for parallel texts: pass --parallel'
    >>> with_flags("there is no column 'text'. Name it with column='NAME'", ["--column"])
    "there is no column 'text'. Name it with --column NAME"
    """
    if "--as-text" in flags:
        message = AS_IT_IS.sub(", or read the file as it is with --as-text", message)
    elif "--input-format" not in flags:
        message = AS_IT_IS.sub("", message)

    def typed(found: re.Match[str]) -> str:
        name, value, alone = found.groups()
        if name:
            return setting(name, value, flags) or found[0]
        return flag_of(alone, flags, names) or found[0] if alone else found[0]

    message = NAMED.sub(typed, message)
    for pattern in (FIRST, ADVISED, RULES):
        message = pattern.sub(lambda found: found[1] + (flag_of(found[2], flags, names) or found[2]), message)
    return message


def flag_of(name: str, flags: Collection[str], names: Mapping[str, str] | None = None) -> str:
    """The option of a parameter of the library; an empty str if the command has none."""
    candidates = ((names or {}).get(name, ""), f"--{name.replace('_', '-')}", OTHER_NAMES.get(name, ""))
    return next((flag for flag in candidates if flag in flags), "")


def setting(name: str, value: str, flags: Collection[str]) -> str:
    """A parameter and its value as they are typed; an empty str if the command has no option for it."""
    if (name, value) in OTHER_SETTINGS:
        return OTHER_SETTINGS[name, value]
    flag = flag_of(f"no_{name}" if value == "False" else name, flags)
    if not flag or value in ("True", "False"):
        return flag
    word = re.fullmatch(r"'([\w.]+)'", value)  # needs no quotes in a shell
    return f"{flag} {word[1] if word else value}"
