"""The options of public calls, and the fields of the specs that they set: `vocab_size="all"` sets `use_all_vocab`.

The names of an older version still work, with a DeprecationWarning that says what to write.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from spm_lite.errors import ArgumentTypeError
from spm_lite.kinds import TRAINED_TYPES

P = ParamSpec("P")
T = TypeVar("T")

ALL = "all"  # as vocab_size: every word or character
AUTO = "auto"  # as character_coverage: the characters that save bytes
NO_LONGER = "leave it out, or train by spm_lite.SentencePieceTrainer, which has it"
OLD_OPTIONS = {  # name -> what to write
    "auto_character_coverage": "character_coverage='auto'",
    "escape_whitespaces": "nothing: it had to be True",
    "keep_checkpoint": "nothing: the folder of checkpoint goes when the Tokenizer is returned",
    "num_sub_iterations": NO_LONGER,
    "pretokenization_delimiter": NO_LONGER,
    "shrinking_factor": NO_LONGER,
    "shuffle_input_sentence": "seed=None, which takes the first lines",
    "sources": "the dict as the input",
    "unk_surface": NO_LONGER,
    "use_all_vocab": "vocab_size='all'",
}


def as_fields(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a public call with the names and values of the fields of the specs."""
    found = dict(options)
    if "vocab_size" in found and found["vocab_size"] is None:  # not given
        del found["vocab_size"]
    if isinstance(found.get("vocab_size"), str) and found["vocab_size"] == ALL:
        del found["vocab_size"]
        found["use_all_vocab"] = True
    if isinstance(found.get("character_coverage"), str) and found["character_coverage"] == AUTO:
        del found["character_coverage"]
        found["auto_character_coverage"] = True
    if "seed" in found and found["seed"] is None:
        del found["seed"]
        found["shuffle_input_sentence"] = False
    return found


def as_options(fields: Mapping[str, Any]) -> dict[str, Any]:
    """A change of fields of the specs, as the options of a public call.

    >>> as_options({"auto_character_coverage": True, "required_chars": ""})
    {'required_chars': '', 'character_coverage': 'auto'}
    """
    found = dict(fields)
    return found | {"character_coverage": AUTO} if found.pop("auto_character_coverage", False) else found


def by_name(n_positional: int, usual: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A decorator of public calls: their options become fields, and one that was given without its name is explained.

    n_positional: how many arguments need no name; a class, the first of a class method, counts. usual: how the call is
    written, for messages.
    """

    def decorated(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def call(*args: P.args, **options: P.kwargs) -> T:
            if len(args) > n_positional:
                raise unnamed(args[n_positional], usual)
            for name in options.keys() & OLD_OPTIONS.keys():
                warn(name, OLD_OPTIONS[name], 3)
            return function(*args, **as_fields(options))  # type: ignore[arg-type]

        return call

    return decorated


def warn(name: str, new: str, level: int) -> None:
    """Warn of the name of an older version. level: of the frames above, the one of the caller."""
    warnings.warn(f"the option {name} is gone after this version: write {new}", DeprecationWarning, level + 1)


def unnamed(value: Any, usual: str) -> ArgumentTypeError:
    """The error for an option that was given without its name."""
    name, shown = "", f"{value!r:.40}"
    if isinstance(value, int) and not isinstance(value, bool):
        name = "vocab_size"
    elif isinstance(value, str) and value in TRAINED_TYPES:
        name = "model_type"
    hint = f": write {name}={shown}" if name else ""
    return ArgumentTypeError(f"an option needs its name, as in {usual}, but {shown} was given without one{hint}")
