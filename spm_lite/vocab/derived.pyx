"""Vocabularies made of another one, for encoding without some of its pieces and for decoding.

`cleaned` is the cleanup of WordPiece decoders: English punctuation and short forms lose the space before them.
"""

from libc.stdint cimport int32_t, uint8_t

from spm_lite.vocab.vocab cimport CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED, Vocab

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
    if not may_change(text):
        return text
    for found, replacement in REPLACEMENTS:
        text = text.replace(found, replacement)
    return text


cdef bint may_change(bytes text):
    """Whether REPLACEMENTS may change a text: each begins with a space and one of few signs."""
    cdef const uint8_t* data = <const uint8_t*> <const char*> text
    cdef Py_ssize_t i
    for i in range(len(text) - 1):
        if data[i] == c" " and data[i + 1] in b".?!,'nd":
            return True
    return False


def without_symbols(Vocab vocab not None) -> Vocab:
    """Copy a vocabulary with USER_DEFINED pieces as CONTROL pieces, which never match text; ids stay."""
    cdef Vocab copy = vocab.copy()
    cdef int32_t i
    for i in range(vocab.size):
        if copy.types[i] == USER_DEFINED:
            copy.types[i] = <uint8_t> CONTROL
    # The tables stay as they are, so that `find` still finds the symbols.
    return copy


def without_fallback(Vocab vocab not None) -> Vocab:
    """Copy a vocabulary without byte fallback: text that no piece covers is unknown; ids stay."""
    cdef Vocab copy = vocab.copy()
    copy.byte_fallback = False
    return copy


def for_merging(Vocab vocab not None, float least) -> Vocab:
    """Copy a vocabulary as BPE merges it down to a score: what has a lower one never matches, and ids stay.

    UNUSED pieces, which are steps of merging, are NORMAL ones.
    """
    cdef Vocab copy = vocab.copy()
    cdef int32_t i
    for i in range(vocab.size):
        if copy.types[i] == NORMAL and copy.scores[i] < least:
            copy.types[i] = <uint8_t> CONTROL
        elif copy.types[i] == UNUSED and copy.begins[i] < copy.begins[i + 1]:
            copy.types[i] = <uint8_t> NORMAL
    return copy


def with_found(Vocab vocab not None, list piece_ids not None) -> Vocab:
    """Copy a vocabulary with some special pieces as added tokens, and one more token at the end for the unknown piece.

    The unknown piece itself stays what text becomes that no piece covers.
    """
    cdef Vocab copy = vocab.copy()
    cdef bytes text = b"unknown"
    copy.append(<const uint8_t*> <const char*> text, len(text), 0.0, USER_DEFINED)
    copy.set_added([*piece_ids, vocab.size])
    for i in piece_ids:
        if copy.types[<size_t> i] != NORMAL:
            copy.types[<size_t> i] = <uint8_t> USER_DEFINED
    return copy


def as_decoded(Vocab vocab not None) -> Vocab:
    """Make the vocabulary that a WordPiece model decodes with: U+2581 begins each piece that begins a word.

    Any other U+2581 is text. Pieces that continue a word lose their prefix, and the unknown piece is a word. It has
    no name tables.
    """
    cdef Vocab decoded = Vocab()
    cdef bytes prefix = vocab.word_rules.continuation_prefix.encode(), text
    cdef int32_t i, kind
    for i in range(vocab.size):
        text, kind = vocab.text(i), vocab.types[i]
        if kind == UNKNOWN:
            kind = NORMAL
        if kind == NORMAL and prefix and len(text) > len(prefix) and text.startswith(prefix):
            text = text[len(prefix) :]
        elif kind != CONTROL and text:
            text = b" " + text
        if vocab.word_rules.cleanup:
            text = cleaned(text)
        if kind != CONTROL and text.startswith(b" "):
            text = b"\xe2\x96\x81" + text[1:]
        decoded.append(<const uint8_t*> <const char*> text, len(text), 0.0, kind)
    decoded.word_rules = vocab.word_rules
    return decoded


def without_affixes(Vocab vocab not None) -> Vocab:
    """Make the vocabulary that a model decodes with whose pieces have a prefix or suffix: a suffix becomes a space.

    It has no name tables.
    """
    cdef Vocab decoded = Vocab()
    cdef bytes prefix = vocab.merge_list.continuing_prefix, suffix = vocab.merge_list.word_suffix, text
    cdef bytes space = b" " if vocab.is_bytes else b"\xe2\x96\x81"
    cdef int32_t i
    for i in range(vocab.size):
        text = vocab.text(i)
        if vocab.types[i] == NORMAL:
            if prefix and len(text) > len(prefix) and text.startswith(prefix):
                text = text[len(prefix) :]
            if suffix and len(text) > len(suffix) and text.endswith(suffix):
                text = text[: -len(suffix)] + space
        decoded.append(<const uint8_t*> <const char*> text, len(text), vocab.scores[i], vocab.types[i])
    decoded.is_bytes = vocab.is_bytes
    decoded.byte_fallback = vocab.byte_fallback
    decoded.is_well_formed = vocab.is_well_formed
    decoded.unknown_index = vocab.unknown_index
    return decoded
