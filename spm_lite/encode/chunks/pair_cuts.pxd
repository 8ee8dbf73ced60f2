"""The pair test: a normalized text may be cut between two characters that stand side by side in no piece.

No piece spans such a place, and so no edge of a lattice, no merge and no user-defined symbol does. The text before the
cut and the text after it are segmented independently.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from spm_lite.base.structures.bloom_filter cimport BloomFilter, BloomView, is_surely_absent
from spm_lite.base.system.intrinsics cimport first_bit, first_lowest
from spm_lite.base.unicode.space_mark cimport MARK_WORD
from spm_lite.base.unicode.utf8 cimport BLOCK_BYTES, NO_CHAR, read_char_word, read_word
from spm_lite.encode.chunks.space_cuts cimport SpaceCuts, SpaceView, may_cut_space
from spm_lite.vocab.vocab cimport Vocab


@cython.final
cdef class PieceReader:
    cdef Vocab vocab
    cdef vector[uint8_t] copy   # of one piece, with WORD_BYTES after it
    cdef int64_t direct     # pieces that end at or before this offset are read without a copy

    cdef const uint8_t* piece(self, int32_t piece_id, int32_t* size) noexcept nogil


cdef inline int32_t read_piece_char(const uint8_t* piece, uint32_t* char_word) noexcept nogil:
    """Return the size in bytes of the first character of `piece`. char_word: set to its word in compact text."""
    cdef int32_t size = read_char_word(piece, char_word)
    if char_word[0] == MARK_WORD:
        char_word[0] = 0x20
    return size


cdef enum:
    N_ASCII = 1 << 16           # entries of the table of ASCII pairs; entries of other bytes are read without effect


cdef struct PairView:
    # The fields of a PairCuts that the hot loops need.
    const uint8_t* ascii        # by `pair_place`: 1 if the text may be cut between two ASCII characters, else 0
    bint is_bytes               # pieces are bytes: the table tells of all pairs of bytes, and no others are needed
    BloomView others          # all other pairs of the pieces, by `pair_hash`
    SpaceView spaces            # judges the places before spaces, if there are `row_words`: the pairs are not entered


cdef struct Scan:
    # How far a text has been scanned.
    int32_t pos                 # byte offset of the next character
    uint32_t left               # the bytes of the character before `pos`, the first byte lowest; NO_CHAR: none


cdef enum:
    LEAST_SPLITS = 64           # places before spaces inside pieces: fewer are not worth the table of `SpaceCuts`


@cython.final
cdef class PairCuts:
    cdef uint8_t ascii[N_ASCII]
    cdef BloomFilter others
    cdef SpaceCuts spaces
    cdef size_t n_splits        # places inside the pieces between another character and a space
    cdef PairView view

    cdef int collect(self, Vocab vocab, size_t least_splits) except -1
    cdef int add_pieces(self, Vocab vocab, PieceReader source) except -1
    cdef void add_pairs(self, const uint8_t* piece, int32_t size) noexcept nogil


cdef inline uint16_t pair_place(const uint8_t* pair) noexcept nogil:
    """The table index of two ASCII characters: their bytes as they lie in memory, in one read."""
    cdef uint16_t place = 0
    memcpy(&place, pair, 2)
    return place


cdef inline uint64_t pair_hash(uint32_t left, uint32_t right) noexcept nogil:
    """A hash of a pair of characters that are not both ASCII."""
    return (left ^ <uint64_t> right << 24) * <uint64_t> 0x9E3779B97F4A7C15


cdef inline size_t may_cut_others(const PairView* pairs, uint32_t left, uint32_t right) noexcept nogil:
    """1: the text may be cut between two characters that are not both ASCII; else 0."""
    return is_surely_absent(&pairs.others, pair_hash(left, right))


cdef inline size_t may_cut(const PairView* pairs, uint32_t left, uint32_t right) noexcept nogil:
    cdef uint8_t pair[2]
    if (left | right) < 0x80:
        pair[0], pair[1] = <uint8_t> left, <uint8_t> right
        return pairs.ascii[pair_place(pair)]
    return may_cut_others(pairs, left, right)


cdef inline int32_t ascii_run(const uint8_t* text) noexcept nogil:
    """The number of ASCII bytes that `text` starts with, at most BLOCK_BYTES."""
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
    """Whether the last character and the next one are ASCII. There must be a next one."""
    return scan.left < 0x80 and text[scan.pos] < 0x80


cdef inline void begin_bytes(int32_t size, Scan* scan) noexcept nogil:
    """Pass the first byte of a text whose pieces are bytes: there is no pair before it."""
    if scan.left == NO_CHAR and scan.pos < size:
        scan.left = 0
        scan.pos += 1


cdef inline void begin_ascii(const uint8_t* text, int32_t size, Scan* scan) noexcept nogil:
    """Pass the first character of a text if it is ASCII.

    It is mostly a space that was stored alone. A read that covers it and the text stored after it waits until both
    stores are in the CPU cache. So the first read does not cover both; later reads wait while other work goes on.
    """
    if scan.left == NO_CHAR and scan.pos < size and text[scan.pos] < 0x80:
        scan.left = text[scan.pos]
        scan.pos += 1


cdef inline uint64_t next_ascii_cuts(
    const PairView* pairs, const uint8_t* text, int32_t size, Scan* scan,
) noexcept nogil:
    """Scan the next characters up to the first that is not ASCII, at most BLOCK_BYTES; return the cuts as bits.

    Bit k: the text may be cut k bytes after the old `pos`; `pos` moves on. `is_in_ascii` must be true and `pos` below
    `size`. BLOCK_BYTES after the text must be readable. If pieces are bytes, every byte counts as ASCII.
    """
    cdef const uint8_t* ascii = pairs.ascii
    cdef const uint8_t* pair = text + scan.pos - 1
    cdef int32_t n = <int32_t> BLOCK_BYTES if pairs.is_bytes else ascii_run(text + scan.pos)
    cdef int32_t begin, k
    cdef uint64_t cuts = 0, eight
    n = min(n, size - scan.pos)
    # No branch on cuts: where words end cannot be predicted.
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
    """Scan at least one character: about BLOCK_BYTES, or up to two ASCII characters in a row.

    ends: filled with the offsets where the text may be cut, at most BLOCK_BYTES; the end of them is returned.
    `pos` must be below `size`, and moves on. BLOCK_BYTES after the text must be readable.
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
            break  # probably a run of ASCII, which `next_ascii_cuts` scans faster
        left = right
    scan.pos = min(pos, size)
    scan.left = left
    return ends


cdef inline int32_t* next_ends(
    const PairView* pairs, const uint8_t* text, int32_t size, Scan* scan, int32_t* ends,
) noexcept nogil:
    """Scan the next characters of any kind; fill `ends` and return the end, as `next_other_ends` does."""
    cdef int32_t begin = scan.pos
    cdef uint64_t cuts
    if pairs.is_bytes and scan.left == NO_CHAR:
        begin_bytes(size, scan)
        return ends
    if not pairs.is_bytes and not is_in_ascii(text, scan):
        return next_other_ends(pairs, text, size, scan, ends)
    cuts = next_ascii_cuts(pairs, text, size, scan)
    while cuts:
        ends[0] = begin + first_bit(cuts)
        ends += 1
        cuts &= cuts - 1
    return ends
