"""The lines of small files that people edit, on any system: lists of pieces, of symbols, of counts."""

from __future__ import annotations

from codecs import BOM_UTF8


def split_lines(data: bytes) -> list[bytes]:
    r"""Return the lines of a file. A line ends with LF or CR LF; the last may lack its end, a BOM is no text.

    Any other CR is text, and so is any other sign at which a program might end a line.

    >>> split_lines(b"\xef\xbb\xbfone\r\ntwo")
    [b'one', b'two']
    """
    lines = data.removeprefix(BOM_UTF8).split(b"\n")
    if not lines[-1]:
        lines.pop()  # nothing follows the last line end
    return [line.removesuffix(b"\r") for line in lines]
