"""Compiled normalization rules from what callers of the drop-in give: a name, a table in a file, or pairs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

from spm_lite.errors import ArgumentTypeError, MissingFileError, OptionError
from spm_lite.files.open_files import AnyPath, read_bytes
from spm_lite.normalize.rules.named_rules import charsmap_of, compile_rules, load_rules
from spm_lite.normalize.rules.rule_sets import OVERVIEW, RULE_SETS
from spm_lite.sentencepiece import settings
from spm_lite.sentencepiece.call_arguments import OptionRuntimeError, TextTypeError, as_runtime_errors

TABLE_NAME = "user_defined"  # the name of rules read from a table
NAME = re.compile(r"[a-z_-]+")  # so that a name cannot lead out of its folder


def named_rules(name: str) -> bytes:
    """The compiled rules of a named set, from the folder of `settings.set_data_dir`, or built in if none was set.

    Raises OptionError for a text that cannot be a name, OptionRuntimeError for an unknown name.
    """
    if not NAME.fullmatch(name):
        raise OptionError(
            f"INVALID_ARGUMENT: Invalid charsmap name {name:.80}. A name has the characters a-z, _ and - only; there "
            f"are {OVERVIEW}"
        )
    folder = settings.data_dir()
    if name == "identity" or (folder is None and name in RULE_SETS):
        return charsmap_of(name)
    if folder is None:
        raise OptionRuntimeError(
            f"NOT_FOUND: No precompiled charsmap is found: {name:.80}. There are {OVERVIEW}; others are given as a "
            "table, or in a folder of their own with SetDataDir"
        )
    with as_runtime_errors():
        try:
            return read_bytes(Path(folder) / f"{name}.bin")
        except MissingFileError:
            raise OptionRuntimeError(
                f"NOT_FOUND: No precompiled charsmap is found: {name:.80} in {folder}: the folder of SetDataDir has no "
                f"file {name:.80}.bin"
            ) from None


def table_rules(path: AnyPath, option: str = "normalization_rule_tsv") -> bytes:
    """The compiled rules of a table in a file. Raises RuntimeErrors if it cannot be read, or is not a table."""
    with as_runtime_errors():
        return compile_rules(load_rules(path, option), option)


def paired_rules(pairs: Iterable[Any]) -> bytes:
    """The compiled rules of (source, target) pairs of str, or of bytes in UTF-8.

    Raises ArgumentTypeError if they are not pairs of text, OptionRuntimeError (also a ValueError) if they cannot be
    rules.
    """
    if isinstance(pairs, str | bytes | Mapping) or not isinstance(pairs, Sequence | Set):
        raise ArgumentTypeError(f"norm_map is {type(pairs).__name__}: must be a list of (source, target) pairs")
    rules = [as_rule(pair, number) for number, pair in enumerate(pairs)]
    with as_runtime_errors():
        return compile_rules(rules, "norm_map")


def as_rule(pair: Any, number: int) -> tuple[str, str]:
    """Source and target of one pair. Raises ArgumentTypeError."""
    if not isinstance(pair, Sequence) or len(pair) != 2:
        raise ArgumentTypeError(f"norm_map entry {number} is {pair!r:.80}: must be a pair (source, target)")
    return side_of_pair(pair[0], number), side_of_pair(pair[1], number)


def side_of_pair(value: Any, number: int) -> str:
    """One side of a pair as str. Raises OptionError, ArgumentTypeError or TextTypeError."""
    if isinstance(value, bytes | bytearray):
        try:
            return value.decode()
        except UnicodeDecodeError as error:
            raise OptionError(f"norm_map entry {number} holds {value!r:.80}: byte {error.start} is not UTF-8") from None
    if not isinstance(value, str):
        raise ArgumentTypeError(f"norm_map entry {number} holds {value!r:.80}: must be str or bytes")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise TextTypeError(f"norm_map entry {number} holds a lone surrogate at position {error.start}") from None
    return str(value)
