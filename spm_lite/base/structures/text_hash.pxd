"""A keyed hash of short byte strings, and whether two are the same; inline, header only."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy


cdef struct HashKey:
    # Random numbers that a file's author does not know, so that no file can make all its pieces share one slot.
    uint32_t low        # added to the low and high half of each eight bytes
    uint32_t high
    uint64_t factor     # odd


cdef inline uint64_t read8(const uint8_t* text) noexcept nogil:
    cdef uint64_t word = 0
    memcpy(&word, text, 8)
    return word


cdef inline uint32_t read4(const uint8_t* text) noexcept nogil:
    cdef uint32_t word = 0
    memcpy(&word, text, 4)
    return word


cdef inline uint64_t mix(uint64_t state, uint64_t word, const HashKey* key) noexcept nogil:
    """Return the next state: the product of both keyed halves of the word is added, then the factor multiplies all."""
    cdef uint64_t low = <uint32_t> (<uint32_t> word + key.low)
    cdef uint64_t high = <uint32_t> (<uint32_t> (word >> 32) + key.high)
    return (state + low * high) * key.factor


cdef inline uint32_t hash_text(const uint8_t* text, int64_t size, const HashKey* key) noexcept nogil:
    """Return a keyed hash, eight bytes a step; the last step rereads bytes rather than read fewer."""
    cdef uint64_t state = <uint64_t> size
    cdef int64_t pos = 0
    if size > 8:
        while pos < size - 8:
            state = mix(state, read8(text + pos), key)
            pos += 8
        state = mix(state, read8(text + size - 8), key)
    elif size >= 4:
        state = mix(state, <uint64_t> read4(text) << 32 | read4(text + size - 4), key)
    elif size > 0:
        state = mix(state, <uint64_t> text[0] << 16 | <uint64_t> text[size >> 1] << 8 | text[size - 1], key)
    state ^= state >> 29
    return <uint32_t> ((state * key.factor) >> 32)


cdef inline bint is_same(const uint8_t* a, const uint8_t* b, int64_t size) noexcept nogil:
    """Whether two byte strings of one size, at least 1, are the same; read as `hash_text` reads them."""
    cdef int64_t pos = 0
    if size < 4:
        return a[0] == b[0] and a[size >> 1] == b[size >> 1] and a[size - 1] == b[size - 1]
    if size < 8:
        return read4(a) == read4(b) and read4(a + size - 4) == read4(b + size - 4)
    while pos < size - 8:
        if read8(a + pos) != read8(b + pos):
            return False
        pos += 8
    return read8(a + size - 8) == read8(b + size - 8)
