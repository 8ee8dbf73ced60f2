"""The rule for a run of byte pieces: its bytes join to characters, each ill-formed byte is U+FFFD; header only."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from spm_lite.base.unicode.utf8 cimport read_char


cdef enum:
    REPLACEMENT_POINT = 0xFFFD


cdef inline int32_t read_run_char(const uint8_t* run, int64_t size, uint32_t* code_point) noexcept nogil:
    """Return the bytes of the character that a run of 1 byte or more starts with; fill its code point."""
    cdef int32_t n_bytes = read_char(run, size, code_point)
    if n_bytes:
        return n_bytes
    code_point[0] = REPLACEMENT_POINT
    return 1
