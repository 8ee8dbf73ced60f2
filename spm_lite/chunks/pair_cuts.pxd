"""Where a normalized text may be cut: between two characters that stand side by side in no piece.

No piece, and so no edge of a lattice, no merge and no user-defined symbol, spans such a place: what is left of it and
what is right of it are segmented without knowing of each other.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from spm_lite.base.structures.bloom_filter cimport BloomFilter, BloomView, is_surely_absent
from spm_lite.base.system.intrinsics cimport first_bit, first_lowest
from spm_lite.base.unicode.char_words cimport BLOCK_BYTES, NO_CHAR, read_char_word, read_word
from spm_lite.base.unicode.space_mark cimport MARK_WORD
from spm_lite.vocab.vocab cimport Vocab


@cython.final
cdef class PieceReader:
    cdef Vocab vocab
    cdef vector[uint8_t] copy   # of one piece, with WORD_BYTES after it
    cdef int64_t direct     # pieces that end at or before this offset are read without a copy

    cdef const uint8_t* piece(self, int32_t piece_id, int32_t* size) noexcept nogil


cdef inline int32_t read_piece_char(const uint8_t* piece, uint32_t* char_word) noexcept nogil:
    """Return the bytes of the character that `piece` starts with. char_word: becomes the one of compact text."""
    cdef int32_t size = read_char_word(piece, char_word)
    if char_word[0] == MARK_WORD:
        char_word[0] = 0x20
    return size


cdef enum:
    N_ASCII = 1 << 16           # entries of the table of ASCII pairs; those of other bytes are not used, but are read


cdef struct PairView:
    # What the hot loops know of a PairCuts.
    const uint8_t* ascii        # by `pair_place`: 1 where two ASCII characters may be cut apart, else 0
    BloomView others          # any other pairs, by `pair_hash`


cdef struct Scan:
    # How far a text has been looked at.
    int32_t pos
    uint32_t left               # the bytes of the character before it, the first one lowest; NO_CHAR: none


@cython.final
cdef class PairCuts:
    cdef uint8_t ascii[N_ASCII]
    cdef BloomFilter others
    cdef PairView view

    cdef int collect(self, Vocab vocab) except -1
    cdef void add_pairs(self, const uint8_t* piece, int32_t size) noexcept nogil


cdef inline uint16_t pair_place(const uint8_t* pair) noexcept nogil:
    """The entry of two ASCII characters: their bytes as they lie in memory, which are read at once."""
    cdef uint16_t place = 0
    memcpy(&place, pair, 2)
    return place


cdef inline uint64_t pair_hash(uint32_t left, uint32_t right) noexcept nogil:
    """A hash of a pair of characters that are not both ASCII."""
    return (left ^ <uint64_t> right << 24) * <uint64_t> 0x9E3779B97F4A7C15


cdef inline size_t may_cut_others(const PairView* pairs, uint32_t left, uint32_t right) noexcept nogil:
    """1: characters that are not both ASCII may be cut apart; else 0."""
    return is_surely_absent(&pairs.others, pair_hash(left, right))


cdef inline size_t may_cut(const PairView* pairs, uint32_t left, uint32_t right) noexcept nogil:
    cdef uint8_t pair[2]
    if (left | right) < 0x80:
        pair[0], pair[1] = <uint8_t> left, <uint8_t> right
        return pairs.ascii[pair_place(pair)]
    return may_cut_others(pairs, left, right)


cdef inline int32_t ascii_run(const uint8_t* text) noexcept nogil:
    """How many of the next BLOCK_BYTES bytes stand before the first that is not ASCII."""
    cdef uint64_t high = read_word(text) | read_word(text + 8) | read_word(text + 16) | read_word(text + 24)
    cdef int32_t k
    high |= read_word(text + 32) | read_word(text + 40) | read_word(text + 48) | read_word(text + 56)
    if not high & <uint64_t> 0x8080808080808080:
        return BLOCK_BYTES
    for k in range(8):
        high = first_lowest(read_word(text + 8 * k)) & <uint64_t> 0x8080808080808080
        if high:
            return 8 * k + (first_bit(high) >> 3)
    return BLOCK_BYTES


cdef inline bint is_in_ascii(const uint8_t* text, const Scan* scan) noexcept nogil:
    """Whether the last character and the next one are ASCII; there is a next one."""
    return scan.left < 0x80 and text[scan.pos] < 0x80


cdef inline void begin_ascii(const uint8_t* text, int32_t size, Scan* scan) noexcept nogil:
    """Pass the first character of a text if it is ASCII.

    It is mostly a space written by itself: who reads it together with what was written behind it waits until both are
    in the cache. So the first look at a text does not; what follows waits beside other work.
    """
    if scan.left == NO_CHAR and scan.pos < size and text[scan.pos] < 0x80:
        scan.left = text[scan.pos]
        scan.pos += 1


cdef inline uint64_t next_ascii_cuts(
    const PairView* pairs, const uint8_t* text, int32_t size, Scan* scan,
) noexcept nogil:
    """Look at the next characters up to the first that is not ASCII, at most BLOCK_BYTES.

    Bit k: the text may be cut k bytes behind `pos`, as that was before it moves on. `is_in_ascii` is true, `pos` below
    `size`. BLOCK_BYTES behind the text must be readable.
    """
    cdef const uint8_t* ascii = pairs.ascii
    cdef const uint8_t* pair = text + scan.pos - 1
    cdef int32_t n = min(ascii_run(text + scan.pos), size - scan.pos), begin, k
    cdef uint64_t cuts = 0, eight
    # Without a branch: where words end cannot be predicted.
    for begin in range(0, n, 8):
        eight = 0
        for k in range(8):
            eight |= <uint64_t> ascii[pair_place(pair + begin + k)] << k
        cuts |= eight << begin
    scan.pos += n
    scan.left = text[scan.pos - 1]
    return cuts & <uint64_t> 0xFFFFFFFFFFFFFFFF >> (BLOCK_BYTES - n)


cdef inline int32_t* next_other_ends(
    const PairView* pairs, const uint8_t* text, int32_t size, Scan* scan, int32_t* ends,
) noexcept nogil:
    """Look at the next characters up to two in a row that are ASCII, in BLOCK_BYTES or a little more; at least one.

    Write down before which of them the text may be cut, at most BLOCK_BYTES places; behind the last one is returned.
    `pos` is below `size`, and moves on. BLOCK_BYTES behind the text must be readable.
    """
    cdef uint32_t left = scan.left, right = 0
    cdef int32_t pos = scan.pos, limit = size if size - pos < BLOCK_BYTES else pos + BLOCK_BYTES
    if left == NO_CHAR:
        pos += read_char_word(text + pos, &left)
    while pos < limit:
        ends[0] = pos
        pos += read_char_word(text + pos, &right)
        if right >= 0x80:
            ends += may_cut_others(pairs, left, right)
            left = right
            continue
        ends += may_cut(pairs, left, right)
        if left < 0x80:
            left = right
            break  # a run of ASCII, it seems
        left = right
    scan.pos = min(pos, size)
    scan.left = left
    return ends


cdef inline int32_t* next_ends(
    const PairView* pairs, const uint8_t* text, int32_t size, Scan* scan, int32_t* ends,
) noexcept nogil:
    """The same for characters of all kinds."""
    cdef int32_t begin = scan.pos
    cdef uint64_t cuts
    if not is_in_ascii(text, scan):
        return next_other_ends(pairs, text, size, scan, ends)
    cuts = next_ascii_cuts(pairs, text, size, scan)
    while cuts:
        ends[0] = begin + first_bit(cuts)
        ends += 1
        cuts &= cuts - 1
    return ends
