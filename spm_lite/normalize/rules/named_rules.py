"""Normalization rules for users: the named sets, rules of one's own, and tables of rules."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from spm_lite.errors import ArgumentTypeError, FileError, FilePermissionError, MissingFileError, OptionError
from spm_lite.normalize.rules.compile import compile_blob
from spm_lite.normalize.rules.rule_sets import (
    ALSO_COMPILED,
    DATA,
    KEPT_COMPILED,
    OVERVIEW,
    RULE_SETS,
    RULES,
    nearest_rule_set,
    table_rules,
)


@cache
def charsmap_of(name: str, option: str = "normalization") -> bytes:
    """The compiled rules of a named set; b"" for "identity". Of a form of Unicode, the rules that are nearest to it.

    option: the option that the rules were given to, for messages; here and below. Raises OptionError for an unknown
    name.

    >>> charsmap_of("identity")
    b''
    """
    if name not in RULE_SETS:
        near = nearest_rule_set(name)
        hint = f'did you mean "{near}"? It {RULE_SETS[near]}. ' if near else ""
        raise OptionError(f'unknown {option} "{name:.80}": {hint}There are {OVERVIEW}; others are given as rules')
    if name == "identity":
        return b""
    name = name.removesuffix(RULES)
    if name in KEPT_COMPILED or name in ALSO_COMPILED:
        return (DATA / f"{name}.charsmap").read_bytes()
    return compile_table(table_rules(name))


def compile_table(rules: Mapping[str, str]) -> bytes:
    """Compile rules of our own tables, which are known to be right: see `compile_rules`."""
    return compile_blob({source.encode(): target.encode() for source, target in rules.items()})


def compile_rules(rules: Mapping[str, str] | Iterable[tuple[str, str]], option: str = "normalization") -> bytes:
    """Compile rules (source -> target; "" deletes) to the blob of a model file.

    At each place the longest matching source wins; its target is not normalized again. As in the original, U+0000
    ends a source or target; of sources that become equal so, the first in code point order counts.
    Raises OptionError if there are no rules, if a source is empty or given twice, or if a target equals its source.
    A lone surrogate is an OptionError too, and more than 31 sources that are prefixes of one another.
    Raises ArgumentTypeError if a rule is not a pair of str.

    >>> from spm_lite.normalize.rules.charsmap import Charsmap
    >>> Charsmap(compile_rules({"colour": "color"})).match(b"colours")
    (6, b'color')
    """
    encoded: dict[bytes, bytes] = {}
    for number, pair in enumerate(rules.items() if isinstance(rules, Mapping) else rules):
        source, target = _as_pair(pair, number, option)
        if not source:
            raise OptionError(f"{option} rule '' -> {target!r}: the source string cannot be empty, leave the rule out")
        if source == target:
            raise OptionError(f"{option} rule {source!r}: identity conversion is not allowed, leave the rule out")
        source_bytes = _encode(source, "source", option)
        if source_bytes in encoded:
            raise OptionError(f"{option} rule {source!r}: duplicate source, leave out one of the rules")
        encoded[source_bytes] = _encode(target, "target", option)
    cut = _cut_at_nul(encoded, option)
    try:
        return compile_blob(cut)
    except OptionError as error:
        raise OptionError(f"{option}: {error}") from None


def _as_pair(pair: object, number: int, option: str) -> tuple[str, str]:
    """Source and target of a rule. Raises ArgumentTypeError."""
    parts = pair if isinstance(pair, tuple | list) else ()
    if len(parts) == 2 and all(isinstance(text, str) for text in parts):
        return str(parts[0]), str(parts[1])
    raise ArgumentTypeError(f"{option} rule {number} is {pair!r:.80}: must be a pair of str, (source, target)")


def load_rules(
    path: str | bytes | os.PathLike[str] | os.PathLike[bytes], option: str = "normalization"
) -> dict[str, str]:
    """Read a table of rules from a file; see `parse_rules`.

    Raises MissingFileError, FilePermissionError or FileError if it cannot be read, OptionError with the file and line
    if a line is not a rule.
    """
    try:
        name = os.fsdecode(path)
    except TypeError as error:  # an os.PathLike that gives something else
        raise ArgumentTypeError(f"{option} is not a path: {error}") from None
    try:
        data = Path(name).read_bytes()
    except (OSError, ValueError) as error:
        kind = FileError
        if isinstance(error, FileNotFoundError | PermissionError):
            kind = MissingFileError if isinstance(error, FileNotFoundError) else FilePermissionError
        number, reason = (error.errno, error.strerror) if isinstance(error, OSError) else (errno.EINVAL, str(error))
        raise kind(number, f"{option} rules cannot be read: {reason}", name) from None
    # Rules are ASCII; ill-formed bytes in the comment column do no harm.
    return parse_rules(data.decode("utf-8", "replace"), name, option)


def parse_rules(text: str, name: str = "<rules>", option: str = "normalization") -> dict[str, str]:
    """Parse a table of rules: one `source TAB target [TAB comment]` per line, in hexadecimal code points.

    Spaces separate code points, which may have the prefix U+ or 0x; one above 10FFFF becomes U+FFFD. Without a
    target the source is deleted. A BOM is dropped. A later line with the same source replaces the earlier one.
    name: the name of the file, for messages. Raises OptionError naming file and line.

    >>> parse_rules("41 42\\t61\\t# AB => a\\n7F\\n")
    {'AB': 'a', '\\x7f': ''}
    """
    rules: dict[str, str] = {}
    lines = text.removeprefix("\ufeff").split("\n")
    if lines[-1] == "":
        lines.pop()  # nothing follows the last line end
    if not lines:
        raise OptionError(f"{name}: no {option} rules in it, one per line expected")
    for number, line in enumerate(lines, 1):
        columns = line.rstrip("\r").split("\t")
        place = f"{option} rules in {name}, line {number}"
        source = _read_code_points(columns[0], place)
        target = _read_code_points(columns[1], place) if len(columns) > 1 else ""
        if not source:
            raise OptionError(f"{place}: no source: hexadecimal code points expected before the first tab")
        if source == target:
            raise OptionError(f"{place}: identity conversion is not allowed: leave the line out")
        rules[source] = target
    return rules


def format_rules(rules: Iterable[tuple[str, str]]) -> str:
    """Write a table of rules for `parse_rules`; a third column shows each rule as text."""
    lines = []
    for source, target in rules:
        fields = [" ".join(f"{ord(char):X}" for char in text) for text in (source, target)]
        lines.append(f"{fields[0]}\t{fields[1]}\t# {source} => {target}".translate(_BLANKS) + "\n")
    return "".join(lines)


# Of a comment, as sentencepiece writes it.
_BLANKS = str.maketrans(dict.fromkeys("\b\v\f\n\r", " "))


def _read_code_points(column: str, place: str) -> str:
    """Convert a column of hexadecimal code points to text. Raises OptionError."""
    chars = []
    for field in column.split(" "):
        digits = field[2:] if field[:2] in ("U+", "0x", "0X") else field
        if not field:
            continue
        if not digits or not all(digit in "0123456789abcdefABCDEF" for digit in digits):
            raise OptionError(f"{place}: Invalid hex codepoint: {field!r}; such as 3042 or U+3042 expected")
        code_point = int(digits, 16)
        if 0xD800 <= code_point <= 0xDFFF:
            raise OptionError(f"{place}: {field} is a surrogate: it is not a character, leave the line out")
        chars.append(chr(code_point) if code_point <= 0x10FFFF else "\ufffd")
    return "".join(chars)


def _encode(text: str, role: str, option: str) -> bytes:
    """Encode one side of a rule as UTF-8. Raises OptionError on a lone surrogate."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise OptionError(
            f"{option} rule: the {role} {text!r} holds a lone surrogate at position {error.start}: leave it out"
        ) from None


def _cut_at_nul(rules: dict[bytes, bytes], option: str) -> dict[bytes, bytes]:
    """End each source and target before its first NUL, as the format does."""
    cut: dict[bytes, bytes] = {}
    for source in sorted(rules):
        key = source.partition(b"\0")[0]
        if not key:
            raise OptionError(f"{option} rule {source.decode()!r}: a source cannot start with U+0000, leave it out")
        cut.setdefault(key, rules[source].partition(b"\0")[0])
    return cut
