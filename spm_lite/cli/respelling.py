"""Options in the spelling of sentencepiece: underscores between words, and switches with a value or with `no`."""

from __future__ import annotations

from argparse import Action, BooleanOptionalAction
from collections.abc import Mapping

TRUE, FALSE = ("true", "t", "yes", "y", "1"), ("false", "f", "no", "n", "0")  # as sentencepiece reads them


def respelled(argument: str, actions: Mapping[str, Action]) -> list[str]:
    """One argument as this program spells it: `--split_digits=false` becomes `--no-split-digits`.

    actions: by option. Files and unknown options stay as they are. A switch that is off unless it is given vanishes if
    its value is false. Raises ValueError for a value that a switch does not take.
    """
    name, sign, value = argument.partition("=")
    if not name.startswith("--"):
        return [argument]
    option = name.replace("_", "-")
    negated = f"--no-{option.removeprefix('--no')}"
    if option not in actions and option.startswith("--no") and negated in actions:
        option = negated  # --nosplit_digits
    if option not in actions:
        return [argument]
    if actions[option].nargs != 0:
        return [option + sign + value]
    return [option] if not sign else switch(option, value, actions[option])


def switch(option: str, value: str, action: Action) -> list[str]:
    """A switch that was typed with a value."""
    has_both_forms = isinstance(action, BooleanOptionalAction)
    is_negation = has_both_forms and option.startswith("--no-")
    if is_negation or value.lower() not in TRUE + FALSE:
        raise ValueError(
            f"{option}={value}: {option} takes no value; write {option} alone"
            + ("" if is_negation else f", or {option}=true or {option}=false")
        )
    if value.lower() in TRUE:
        return [option]
    return [f"--no-{option.removeprefix('--')}"] if has_both_forms else []
