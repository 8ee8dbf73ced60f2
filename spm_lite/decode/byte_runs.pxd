"""The rule for a run of byte pieces: its bytes join to characters, each ill-formed byte is U+FFFD; header only."""

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
