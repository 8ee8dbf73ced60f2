"""The rule for spaces at the start of a decoded text, in one place for all decoders; header only.

And the rule for a run of byte pieces: its bytes join to characters, and each ill-formed byte is U+FFFD.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.base.unicode.utf8 cimport encode_char, read_char


cdef enum:
    REPLACEMENT_POINT = 0xFFFD


cdef inline int32_t read_run_char(const uint8_t* run, int64_t size, uint32_t* code_point) noexcept nogil:
    """Return the bytes of the character that a run of 1 byte or more starts with; fill its code point."""
    cdef int32_t n_bytes = read_char(run, size, code_point)
    if n_bytes:
        return n_bytes
    code_point[0] = REPLACEMENT_POINT
    return 1


cdef inline int append_run_ends(const uint8_t* run, int64_t size, int64_t begin, vector[int64_t]& ends) except -1 nogil:
    """Append, for each byte piece of a run, where its text ends: the last piece of a character holds all of it.

    begin: where the text of the run begins.
    """
    cdef uint8_t encoded[4]
    cdef int64_t pos = 0
    cdef uint32_t code_point = 0
    cdef int32_t length
    while pos < size:
        length = read_run_char(run + pos, size - pos, &code_point)
        ends.insert(ends.end(), <size_t> (length - 1), begin)
        begin += encode_char(code_point, encoded)
        ends.push_back(begin)
        pos += length
    return 0


cdef struct LeadingSpace:
    bint is_dropped         # the text begins without the space that encoding adds or removes
    bint only_once          # one space is dropped; else one of each piece up to the first visible text


cdef inline LeadingSpace leading_space_rule(bint add_dummy_prefix, bint remove_extra_whitespaces) noexcept nogil:
    """Return the rule of a model with these flags."""
    return LeadingSpace(
        add_dummy_prefix or remove_extra_whitespaces, add_dummy_prefix and not remove_extra_whitespaces,
    )


cdef inline int32_t drop_leading_space(
    const LeadingSpace* rule, bint has_space, bint is_unknown, bint* at_start,
) noexcept nogil:
    """Return how many spaces a piece loses, 0 or 1, and end the start of the text if only one may be dropped.

    has_space: the piece begins with U+2581. An unknown piece keeps its space, but ends the start as others do. The
    caller ends the start after the first visible text.
    """
    if not (at_start[0] and has_space):
        return 0
    if rule.only_once:
        at_start[0] = False
    return rule.is_dropped and not is_unknown
