"""Where a normalized text may be cut: between two characters that stand side by side in no piece.

No piece, and so no edge of a lattice, no merge and no user-defined symbol, spans such a place: what is left of it and
what is right of it are segmented without knowing of each other.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from spm_lite.normalize.utf8 cimport read_char
from spm_lite.vocab.vocab cimport Vocab


cdef extern from *:
    """
    #if defined(__GNUC__)
    #define SPM_LITE_FIRST_BIT(word) __builtin_ctzll(word)
    #else
    #include <intrin.h>
    static inline int SPM_LITE_FIRST_BIT(unsigned long long word) {
        unsigned long place;
        _BitScanForward64(&place, word);
        return (int) place;
    }
    #endif
    """
    int first_bit "SPM_LITE_FIRST_BIT"(uint64_t word) noexcept nogil    # of a word that is not 0


cdef enum Blocks:
    BLOCK_BYTES = 64            # bytes whose cuts are found together


cdef enum Units:
    NO_UNIT = <uint32_t> 0xFFFFFFFF


cdef struct JoinView:
    # What the hot loops know of a Joins.
    const uint32_t* ascii       # bit b & 31 of word 4 * a + (b >> 5): the pair of ASCII characters (a, b)
    const uint64_t* others      # bits by the hash of any other pair
    uint32_t shift              # 32 minus the logarithm of their number


cdef struct Scan:
    # How far a text has been looked at.
    int32_t pos
    uint32_t left               # the character before it; NO_UNIT: none


@cython.final
cdef class Joins:
    cdef uint32_t ascii[512]
    cdef vector[uint64_t] others
    cdef JoinView view

    cdef int collect(self, Vocab vocab, bint compact, vector[uint64_t]& pairs) except -1
    cdef int fill(self, const vector[uint64_t]& pairs) except -1


cdef inline uint32_t join_place(uint32_t left, uint32_t right, uint32_t shift) noexcept nogil:
    """The bit of a pair of characters that are not both ASCII."""
    return (left * <uint32_t> 0x9E3779B1 + right * <uint32_t> 0x85EBCA6B) * <uint32_t> 0xC2B2AE35 >> shift


cdef inline bint is_joined(const JoinView* joins, uint32_t left, uint32_t right) noexcept nogil:
    """Whether some piece may hold the two characters side by side."""
    cdef uint32_t place
    if left < 0x80 and right < 0x80:
        return joins.ascii[4 * left + (right >> 5)] >> (right & 31) & 1
    place = join_place(left, right, joins.shift)
    return joins.others[place >> 6] >> (place & 63) & 1


cdef inline int32_t read_unit(const uint8_t* text, int32_t size, uint32_t* unit) noexcept nogil:
    """Bytes of the character that `text` starts with; an ill-formed byte is a unit of its own."""
    cdef int32_t n
    if text[0] < 0x80:
        unit[0] = text[0]
        return 1
    n = read_char(text, size, unit)
    if n == 0:
        unit[0] = <uint32_t> 0x110000 | text[0]
        return 1
    return n


cdef inline bint is_ascii_block(const uint8_t* text) noexcept nogil:
    """Whether BLOCK_BYTES bytes are all ASCII."""
    cdef uint64_t words[8]
    memcpy(words, text, BLOCK_BYTES)
    return not (
        words[0] | words[1] | words[2] | words[3] | words[4] | words[5] | words[6] | words[7]
    ) & <uint64_t> 0x8080808080808080


cdef inline uint64_t next_cuts(const JoinView* joins, const uint8_t* text, int32_t size, Scan* scan) noexcept nogil:
    """Look at the next characters, of BLOCK_BYTES bytes or a little more; bit k: there is a cut k bytes behind `pos`.

    `pos` as it was before; it is below `size`, and moves on.
    """
    cdef uint64_t cuts = 0
    cdef uint32_t left = scan.left, right = 0
    cdef int32_t begin = scan.pos, pos = begin, n
    cdef int32_t limit = begin + min(size - begin, <int32_t> BLOCK_BYTES)
    cdef int k
    if size - begin >= BLOCK_BYTES and is_ascii_block(text + begin):
        # Without a branch: where words end cannot be predicted.
        text += begin
        for k in range(1, BLOCK_BYTES):
            cuts |= <uint64_t> (~joins.ascii[4 * text[k - 1] + (text[k] >> 5)] >> (text[k] & 31) & 1) << k
        cuts |= left != NO_UNIT and not is_joined(joins, left, text[0])
        scan.pos = begin + <int32_t> BLOCK_BYTES
        scan.left = text[BLOCK_BYTES - 1]
        return cuts
    while pos < limit:
        n = read_unit(text + pos, size - pos, &right)
        cuts |= <uint64_t> (left != NO_UNIT and not is_joined(joins, left, right)) << (pos - begin)
        left = right
        pos += n
    scan.pos = pos
    scan.left = left
    return cuts
