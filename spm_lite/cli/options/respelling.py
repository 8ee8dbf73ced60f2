"""Options in the spelling of sentencepiece: underscores between words, and switches with a value or with `no`."""

from __future__ import annotations

import os
from argparse import Action, BooleanOptionalAction
from collections.abc import Mapping

TRUE, FALSE = ("true", "t", "yes", "y", "1"), ("false", "f", "no", "n", "0")  # as sentencepiece reads them


def respelled(argv: list[str], actions: Mapping[str, Action]) -> list[str]:
    """The same arguments as this program spells them: `--split_digits=false` becomes `--no-split-digits`.

    actions: by option. Files and unknown options stay as they are. `true` and `false` after a switch are its value,
    unless they are files. A switch that is off unless it is given vanishes if its value is false. Raises ValueError
    for a value that a switch does not take.
    """
    result: list[str] = []
    last = ""  # the switch without a value that was the last argument
    for argument in argv:
        name, sign, value = argument.partition("=")
        option = known_option(name, actions)
        is_switch = bool(option) and actions[option].nargs == 0
        if last and argument in ("true", "false") and not os.path.lexists(argument):
            result[-1:] = switch(last, argument, actions[last])
        elif is_switch and sign:
            result += switch(option, value, actions[option])
        else:
            result.append(option + sign + value if option else argument)
        last = option if is_switch and not sign else ""
    return result


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
    if is_negation or value.lower() not in TRUE + FALSE:
        rule = "takes no value" if is_negation else "is true or false"
        both = option if is_negation else f"{option} or {option}=false"
        raise ValueError(f"{option}={value}: {option} {rule}; write {both}")
    if value.lower() in TRUE:
        return [option]
    return [f"--no-{option.removeprefix('--')}"] if has_both_forms else []
