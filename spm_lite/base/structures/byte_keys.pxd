"""Two-word keys for byte strings, compared and hashed at once: a short string is its own key, others are hashed."""

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memcpy

from spm_lite.base.system.intrinsics cimport first_lowest, folded_product


cdef enum:
    SHORT_BYTES = 15        # the longest string that is its own key
    KEY_BYTES = 16          # bytes that `read_key` reads, whatever the size
    LONG_KEY = 0xFF         # highest byte of a long string's second word, never of a short one's; tables set the rest


cdef struct KeyMask:
    # The masks for strings of one size.
    uint64_t low            # ones where the first word has bytes of the string
    uint64_t high           # ones where the second word has
    uint64_t tail           # the size in the highest byte, XORed with `high_seed`


cdef struct KeyMaker:
    KeyMask masks[SHORT_BYTES + 2]  # by size; the last one makes a key that no string has
    uint64_t low_seed               # XORed into the first word
    uint64_t high_seed              # XORed into the second; independent of low_seed, else keys could be made to collide


cdef int fill_maker(KeyMaker* maker) except -1      # with random seeds


cdef inline void read_key(
    const KeyMaker* maker, const uint8_t* text, int32_t size, uint64_t* low, uint64_t* high,
) noexcept nogil:
    """Set the key of a short string: `low` to its first 8 bytes, `high` to the others and the size, XORed with seeds.

    KEY_BYTES must be readable. `high` is never 0, and its highest byte never LONG_KEY. The code has no branch: the size
    of the next string cannot be predicted.
    """
    cdef const KeyMask* mask = &maker.masks[0] + size
    cdef uint64_t first = 0, last = 0
    memcpy(&first, text, 8)
    memcpy(&last, text + 8, 8)
    low[0] = first_lowest(first) & mask.low ^ maker.low_seed
    high[0] = first_lowest(last) & mask.high ^ mask.tail


cdef inline uint64_t hash_key(uint64_t low, uint64_t high) noexcept nogil:
    """Return the hash of a key. Without its seeds nobody can construct keys that share a hash."""
    return folded_product(low, high)


cdef inline uint64_t hash_long(const KeyMaker* maker, const uint8_t* text, int32_t size) noexcept nogil:
    """Return the hash of a string of KEY_BYTES or more."""
    # The size is multiplied on its own: mixed into the first bytes, it could cancel a difference in them.
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
