"""The cleanup of WordPiece decoders: English punctuation and short forms lose the space before them, piece by piece."""

from __future__ import annotations

REPLACEMENTS = (  # in this order, as each may make what the next one finds
    (b" .", b"."),
    (b" ?", b"?"),
    (b" !", b"!"),
    (b" ,", b","),
    (b" ' ", b"'"),
    (b" n't", b"n't"),
    (b" 'm", b"'m"),
    (b" do not", b" don't"),
    (b" 's", b"'s"),
    (b" 've", b"'ve"),
    (b" 're", b"'re"),
)


def cleaned(text: bytes) -> bytes:
    """What a piece adds to a text after the cleanup. text: what it would add, with the space before it.

    >>> cleaned(b" .")
    b'.'
    """
    for found, replacement in REPLACEMENTS:
        text = text.replace(found, replacement)
    return text
