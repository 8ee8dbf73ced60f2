"""Text from outside in messages: what a terminal might obey is escaped."""

from __future__ import annotations

DIRECTIONS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def is_obeyed(char: str) -> bool:
    """Whether a terminal may take a character for a command, a line end or a direction of text."""
    if char.isprintable():
        return False
    import unicodedata

    return unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or char in DIRECTIONS


def visible(text: str, but: str = "") -> str:
    """The text with what a terminal might obey escaped, except the characters in `but`.

    >>> visible("a\\x1b[31m")
    'a\\\\x1b[31m'
    """
    if text.isprintable():
        return text
    return "".join(ascii(char)[1:-1] if char not in but and is_obeyed(char) else char for char in text)


def safe_json(text: str) -> str:
    """JSON with what a terminal might obey in its strings as escapes of JSON, so that it says the same.

    >>> safe_json('["\x7f"]')
    '["\\u007f"]'
    """
    if text.isascii() and "\x7f" not in text:
        return text
    import re

    return re.sub(f"[\x7f-\x9f\u2028\u2029\ud800-\udfff{DIRECTIONS}]", lambda found: f"\\u{ord(found[0]):04x}", text)
