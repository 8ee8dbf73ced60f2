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
FROM_FILES = ("bench", "count", "decode", "encode", "normalize")  # commands that read texts from files
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


def is_words(path: str) -> bool:
    """Whether a word in the place of a file is likely text: there is no such file, it has a space and no ending.

    >>> is_words("Hello world."), is_words("12 13"), is_words("en.txt"), is_words("texts/en")
    (True, True, False, False)
    """
    is_name = re.search(r"\.\w+$", path) or " " not in path
    return not is_name and not os.path.lexists(path) and not near_file(path)


def text_not_file(command: str, text: str, model: str) -> str:
    """The message for a text in the place of a file.

    >>> text_not_file("encode", "Hello world", "m.model")
    "'Hello world' is no file, and encode reads files: write it to one, or echo 'Hello world' | spm-lite encode m.model"
    """
    return (
        f"{text!r:.{SHOWN}} is no file, and {command} reads files: write it to one, or echo {quoted(text)} | "
        f"{PROGRAM} {command} {quoted(model)}"
    )


def not_the_model(path: str, command: str, others: Sequence[str], options: Sequence[str] = ()) -> str:
    """The message for a first word that is no tokenizer; an empty str if it is one, but damaged.

    others: the other words of the command. options: what else was typed.

    >>> not_the_model("hello", "show", [])
    "'hello' is no file, and the first word names the model: write 'spm-lite show m.model hello', or -m m.model"
    """
    is_there = os.path.lexists(path)
    if is_there and not is_text(path):
        return ""
    what = "is text" if is_there else "is no file"
    models = [word for word in others if is_tokenizer(word)]
    near = "" if is_there or models else near_file(path)
    model = near or (*models, "m.model")[0]
    is_read = command in FROM_FILES
    if is_read and is_words(path) and (models or (" " in path and not others)):
        return text_not_file(command, path, model)
    rest = [word for word in others if word not in models[:1]]
    is_input = not (near or command in ALONE or (is_read and not is_there))
    typed = " ".join(map(quoted, [model, *([path] if is_input else []), *(() if command in ALONE else rest), *options]))
    line = f"{PROGRAM} {command} {typed}"
    line = line if "'" in line else f"'{line}'"  # quotes within quotes cannot be copied
    option, meant = ("", f" (did you mean {near}?)") if near else (f", or -m {quoted(model)}", "")
    return f"{path!r:.{SHOWN}} {what}{meant}, and the first word names the model: write {line}{option}"


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
