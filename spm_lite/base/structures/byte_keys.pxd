"""Byte strings as two words, to be compared and hashed at once: short ones are their own keys, others have a hash."""

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memcpy

from spm_lite.base.system.intrinsics cimport first_lowest, folded_product


cdef enum:
    SHORT_BYTES = 15        # a string up to here is its own key
    KEY_BYTES = 16          # that `read_key` reads, whatever stands there
    LONG_KEY = 0xFF         # in the highest byte of a second word: no short string has it, and tables fill in the rest


cdef struct KeyMask:
    # Of strings of one size.
    uint64_t low            # ones where the first word has bytes
    uint64_t high           # where the second one has
    uint64_t tail           # the size in the highest byte of the second word, with a seed over all of it


cdef struct KeyMaker:
    KeyMask masks[SHORT_BYTES + 2]  # by size; the last one makes the key of no string
    uint64_t low_seed               # over the first word
    uint64_t high_seed              # over the second one; if it followed from the other, keys could be made to collide


cdef int fill_maker(KeyMaker* maker) except -1      # with seeds that nobody knows


cdef inline void read_key(
    const KeyMaker* maker, const uint8_t* text, int32_t size, uint64_t* low, uint64_t* high,
) noexcept nogil:
    """The words of a short string: its first bytes; the others, and the size; each with a seed over it.

    KEY_BYTES must be readable. The second word is neither 0 nor has it LONG_KEY in its highest byte. Without a branch:
    how long the next string is cannot be predicted.
    """
    cdef const KeyMask* mask = &maker.masks[0] + size
    cdef uint64_t first = 0, last = 0
    memcpy(&first, text, 8)
    memcpy(&last, text + 8, 8)
    low[0] = first_lowest(first) & mask.low ^ maker.low_seed
    high[0] = first_lowest(last) & mask.high ^ mask.tail


cdef inline uint64_t hash_key(uint64_t low, uint64_t high) noexcept nogil:
    """Who does not know the seeds in the two words cannot make any that share a hash."""
    return folded_product(low, high)


cdef inline uint64_t hash_long(const KeyMaker* maker, const uint8_t* text, int32_t size) noexcept nogil:
    """A hash of KEY_BYTES or more."""
    # The size has a product of its own: beside the first bytes it would make up for a difference in them.
    cdef uint64_t state = folded_product(maker.low_seed ^ <uint64_t> size, maker.high_seed), first = 0, last = 0
    cdef int32_t pos = 0
    while pos < size:
        if pos + <int32_t> KEY_BYTES > size:
            pos = size - <int32_t> KEY_BYTES
        memcpy(&first, text + pos, 8)
        memcpy(&last, text + pos + 8, 8)
        state = folded_product(state ^ first, last ^ maker.high_seed)
        pos += KEY_BYTES
    return state
