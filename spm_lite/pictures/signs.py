"""Every character of a text as something to see: spaces, marks that stand alone, and what no font shows."""

from __future__ import annotations

import unicodedata

from spm_lite.kinds import SPACE

CIRCLE = "\u25cc"  # carries a mark that has no letter before it
JOINERS = "\u200c\u200d"
MARKS = ("Mn", "Me", "Mc")
RIGHT_TO_LEFT = ("R", "AL")
LEFT_TO_RIGHT = "\u200e"  # after each part, keeps the parts in order on terminals that turn text


def with_signs(text: str, has_space_mark: bool = False) -> str:
    """A text in which nothing is invisible.

    A space becomes U+2581. What cannot be printed is written as an escape, and so are joiners and variation selectors
    at the ends, where nothing shows them. A combining mark at the beginning stands on a dotted circle.

    has_space_mark: U+2581 is a space in this text; else it is text, and is written as an escape.

    >>> with_signs("a b\\n"), with_signs("\\u0301e")
    ('a▁b\\\\n', '◌́e')
    """
    shown = [sign(char, has_space_mark) for char in text]
    if text:
        shown[0] = at_the_edge(text[0], shown[0])
        if text[-1] in JOINERS:
            shown[-1] = escaped(text[-1])
    return "".join(shown)


def sign(char: str, has_space_mark: bool) -> str:
    """What is shown for a character that has others beside it."""
    if char == " ":
        return escaped(char) if has_space_mark else SPACE
    if char == SPACE:
        return char if has_space_mark else escaped(char)
    return char if char.isprintable() or char in JOINERS else escaped(char)


def at_the_edge(char: str, shown: str) -> str:
    """What is shown for a character with nothing before it. shown: what is shown for it elsewhere."""
    if char in JOINERS or "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef":
        return escaped(char)
    return CIRCLE + shown if unicodedata.category(char) in MARKS and shown == char else shown


def escaped(char: str) -> str:
    """A character in the form of Python's strings; a byte that is not UTF-8, a lone surrogate, as \\\\xHH."""
    if "\udc80" <= char <= "\udcff":
        return f"\\x{ord(char) - 0xDC00:02x}"
    return f"\\x{ord(char):02x}" if char == " " else ascii(char)[1:-1]


def is_right_to_left(text: str) -> bool:
    """Whether a text has characters that are written from right to left."""
    return any(unicodedata.bidirectional(char) in RIGHT_TO_LEFT for char in text) if not text.isascii() else False


def in_order(text: str) -> str:
    """A line of words and numbers, in which a word that is written from right to left does not turn what follows it."""
    if not is_right_to_left(text):
        return text
    return " ".join(word + LEFT_TO_RIGHT if is_right_to_left(word) else word for word in text.split(" "))


def escaped_line(text: str) -> str:
    """A line as `in_order` gives it, escaped for HTML and SVG."""
    from spm_lite.cards import escaped as escaped_text

    return "&#8206;".join(map(escaped_text, in_order(text).split(LEFT_TO_RIGHT)))
