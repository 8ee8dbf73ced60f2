r"""Lines of small files: split as on any system, and the escape that puts any text into one field of one line.

The escape `\xHH` is one byte. Escaped are control characters (TAB, LF, CR, U+0085 and so on), U+2028, U+2029 and bytes
that are not UTF-8; U+FEFF at the beginning, where readers see a byte order mark; and a backslash that would begin an
escape. All other text stays as it is. There are no quotation marks: a CSV reader must be told so (`csv.QUOTE_NONE`).
In a word, such as a piece, all spaces are escaped too, so that no `split()` cuts it and no `strip()` shortens it.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8

UNSAFE = re.compile(r"\A\ufeff|[\0-\x1f\x7f-\x9f\u2028\u2029\udc80-\udcff]|\\(?=x[0-9A-Fa-f]{2})")
SPACES = re.compile(r"\s")  # what `str.split` takes for a space: U+00A0, U+3000 and others
ESCAPE = re.compile(rb"\\x([0-9A-Fa-f]{2})")


def escape(text: bytes) -> bytes:
    r"""Return a text as it stands in a line: UTF-8 that no reader of lines, or of fields between TABs, cuts.

    >>> escape(b'a\n\tb'), escape(b'\\x41 and \\n')
    (b'a\\x0a\\x09b', b'\\x5cx41 and \\n')
    """
    return UNSAFE.sub(escaped, text.decode("utf-8", "surrogateescape")).encode()


def escape_word(word: bytes) -> bytes:
    r"""Return a piece as it stands among others in a line: with the escapes of `escape`, and all spaces escaped.

    >>> escape_word(b"a b"), escape_word("\u3000".encode())
    (b'a\\x20b', b'\\xe3\\x80\\x80')
    """
    return SPACES.sub(escaped, escape(word).decode()).encode()


def unescape(field: bytes) -> bytes:
    r"""Return the text that `escape` made `field` of.

    >>> unescape(escape(b'a\n\xff\\x41')) == b'a\n\xff\\x41'
    True
    """
    return ESCAPE.sub(lambda found: bytes([int(found[1], 16)]), field)


def escaped(found: re.Match[str]) -> str:
    """Return the escape of some characters; a lone surrogate is a byte, as `surrogateescape` decodes it."""
    return "".join(f"\\x{byte:02x}" for byte in found[0].encode("utf-8", "surrogateescape"))


def split_lines(data: bytes) -> list[bytes]:
    r"""Return the lines of a file. A line ends with LF or CR LF; the last may lack its end, a BOM is dropped.

    Any other CR is text, and so is any other sign at which a program might end a line.

    >>> split_lines(b"\xef\xbb\xbfone\r\ntwo")
    [b'one', b'two']
    """
    lines = data.removeprefix(BOM_UTF8).split(b"\n")
    if not lines[-1]:
        lines.pop()  # nothing follows the last line end
    return [line.removesuffix(b"\r") for line in lines]
