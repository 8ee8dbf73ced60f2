"""Words that stand where a model is expected and are none: what they are, and what to write.

It is asked after an error, so it may look into files. A message begins with the likeliest cause.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from spm_lite.cli.command_names import PROGRAM
from spm_lite.cli.options.other_flags import quoted
from spm_lite.errors import ModelError
from spm_lite.near_names import near_file
from spm_lite.vocab.other_formats import START, recognized

SHOWN = 60  # characters of a word in a message
ALONE = ("inspect", "lock", "vocab")  # commands that take a model and no other word
NEEDS = {"compare": "two models", "audit": "at least one model", "play": "one or two models"}


def is_tokenizer(path: str) -> bool:
    """Whether a word names a file or folder that holds a tokenizer."""
    return os.path.isdir(path) or bool((kind := recognized(start_of(path), path)) and kind.format)  # noqa: PTH112


def is_text(path: str) -> bool:
    """Whether a word names a file that no reader of tokenizers takes: plain text, say."""
    data = start_of(path)
    kind = recognized(data, path)
    return bool(data) and kind is not None and not kind.format and "text" in kind.what + os.path.splitext(path)[1]  # noqa: PTH122


def start_of(path: str) -> bytes:
    """The first bytes of a file; none if it cannot be read, or only once."""
    if not os.path.isfile(path):  # noqa: PTH113
        return b""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read(START)
    except (OSError, ValueError):
        return b""


def not_the_model(command: str, path: str, others: Sequence[str]) -> str:
    """The message for a first word that is no tokenizer; an empty str if it is one, but damaged.

    others: the other words of the command.

    >>> not_the_model("show", "hello", [])
    "'hello' is no file, and the first word names the model: write 'spm-lite show m.model hello', or -m m.model"
    """
    is_there = os.path.lexists(path)
    if is_there and not is_text(path):
        return ""
    what = "is text" if is_there else "is no file"
    models = [word for word in others if is_tokenizer(word)]
    rest = [path, *(word for word in others if word not in models[:1])] if command not in ALONE else []
    near = "" if is_there or models else near_file(path)
    model = near or (*models, "m.model")[0]
    typed = " ".join(map(quoted, [model, *(others if near else rest)]))
    option, meant = ("", f" (did you mean {near}?)") if near else (f", or -m {quoted(model)}", "")
    return (
        f"{path!r:.{SHOWN}} {what}{meant}, and the first word names the model: write "
        f"'{PROGRAM} {command} {typed}'{option}"
    )


@contextmanager
def text_explained(command: str, paths: Collection[str]) -> Iterator[None]:
    """Within, a ModelError says what to write if one of the models of a command is a text."""
    try:
        yield
    except ModelError as error:
        if message := text_as_model(command, paths):
            raise ModelError(message) from error
        raise


def text_as_model(command: str, paths: Collection[str]) -> str:
    """The message for a text among the models of a command; an empty str if each may be a tokenizer."""
    text = next((path for path in paths if is_text(path)), "")
    if not text:
        return ""
    name = re.sub(r"\W+", "", os.path.splitext(os.path.basename(text))[0]) or "name"  # noqa: PTH119, PTH122
    models = [path for path in paths if is_tokenizer(path)]
    if command == "audit":
        typed = " ".join(map(quoted, [*(models or ["m.model"]), "--text", f"{name}={text}"]))
    else:
        typed = " ".join(map(quoted, [*(models or ["a.model"])[:1], "b.model", text]))
    return (
        f"{text} is text, not a tokenizer, and {command} needs {NEEDS.get(command, 'a model')}: write "
        f"'{PROGRAM} {command} {typed}'"
    )
