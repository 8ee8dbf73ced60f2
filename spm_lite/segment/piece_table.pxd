"""Pieces by their bytes: what two neighbours form is looked up without putting it together."""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy
from libcpp.vector cimport vector

from spm_lite.machine cimport first_lowest, prefetch
from spm_lite.vocab.vocab cimport Vocab


cdef enum Sizes:
    KEY_BYTES = 15          # a string up to here is its own key
    LONG_KEY = 0xFF         # in place of the size


cdef enum Places:
    NO_PLACE = 0


cdef struct PieceEntry:
    # One slot. A free one has `high` 0.
    uint64_t low            # the first bytes; of a long piece its place
    uint64_t high           # the others, the size in the highest byte; of a long piece LONG_KEY, size
    int32_t piece_id
    uint32_t rank           # smaller merges first


cdef struct TableView:
    # What the hot loops know of a PieceTable.
    const PieceEntry* entries
    const uint64_t* filter      # bits by place: none where there is no piece
    const uint64_t* powers      # of `base`
    const uint8_t* texts
    const uint32_t* begins
    uint64_t base               # of the hash
    uint64_t n_entries
    uint32_t filter_shift       # 64 minus the logarithm of the bits
    int32_t longest


@cython.final
cdef class PieceTable:
    cdef PieceEntry* entries            # open addressing
    cdef void* block                    # the memory that they are in
    cdef vector[uint64_t] filter
    cdef vector[uint64_t] powers        # up to the longest piece
    cdef vector[uint8_t] texts          # pieces as they stand in normalized text, one after the other
    cdef vector[uint32_t] begins        # per id, size + 1 offsets into texts; equal: never matches
    cdef TableView view
    cdef int32_t longest                # bytes of the longest piece

    cdef int fill_texts(self, Vocab vocab, bint compact) except -1
    cdef int fill_entries(self, Vocab vocab) except -1


cdef inline uint32_t rank_of(float score) noexcept nogil:
    """Order of merging: larger scores first, compared by bit pattern (-0.0 after +0.0, NaN by sign and payload)."""
    cdef uint32_t bits = 0
    memcpy(&bits, &score, 4)
    return bits if bits >> 31 else ~(bits | <uint32_t> 1 << 31)


cdef inline uint64_t hash_bytes(const TableView* table, const uint8_t* text, int32_t size) noexcept nogil:
    """hash(xy) = hash(x) * base^|y| + hash(y), so neighbours are looked up without reading their text."""
    cdef uint64_t base = table.base, value = 0
    cdef int32_t i
    for i in range(size):
        value = value * base + text[i] + 1
    return value


cdef inline uint64_t join_hashes(
    const TableView* table, uint64_t left, uint64_t right, int32_t right_size,
) noexcept nogil:
    """The hash of two strings side by side; the right one is not longer than the longest piece."""
    return left * table.powers[right_size] + right


cdef inline uint64_t place_of(const TableView* table, uint64_t hash) noexcept nogil:
    """A hash whose upper bits are good, never NO_PLACE."""
    return hash * table.base | 1


cdef inline bint may_hold(const TableView* table, uint64_t place) noexcept nogil:
    """False: no piece has this place."""
    cdef uint64_t bit = place >> table.filter_shift
    return table.filter[bit >> 6] >> (bit & 63) & 1


cdef inline const PieceEntry* slot_of(const TableView* table, uint64_t place) noexcept nogil:
    return table.entries + ((place >> 32) * table.n_entries >> 32)


cdef inline void fetch_entry(const TableView* table, uint64_t place) noexcept nogil:
    """Let the slot come from memory."""
    prefetch(slot_of(table, place))


cdef inline void make_key(
    const uint8_t* text, int32_t size, uint64_t place, uint64_t* low, uint64_t* high,
) noexcept nogil:
    """The two words of a string; no byte behind it is read."""
    cdef uint64_t first = 0, last = 0
    cdef uint32_t first_half = 0, last_half = 0
    if size > KEY_BYTES:
        low[0] = place
        high[0] = <uint64_t> LONG_KEY << 56 | <uint64_t> <uint32_t> size
        return
    if size >= 8:
        memcpy(&first, text, 8)
        memcpy(&last, text + size - 8, 8)
        last = first_lowest(last) >> 4 * (16 - size) >> 4 * (16 - size)
    elif size >= 4:
        memcpy(&first_half, text, 4)
        memcpy(&last_half, text + size - 4, 4)
        first = first_half | <uint64_t> last_half << 32
    elif size:
        first = text[0] | <uint64_t> text[size >> 1] << 8 | <uint64_t> text[size - 1] << 16
    low[0] = first
    high[0] = last | <uint64_t> size << 56


cdef inline const PieceEntry* find_piece(
    const TableView* table, uint64_t place, const uint8_t* text, int32_t size,
) noexcept nogil:
    """The entry of the piece with these bytes; NULL: none. place: of their hash."""
    cdef const PieceEntry* entry = slot_of(table, place)
    cdef const PieceEntry* end = table.entries + table.n_entries
    cdef uint64_t low = 0, high = 0
    make_key(text, size, place, &low, &high)
    while entry.high:
        if entry.low == low and entry.high == high and (
            size <= KEY_BYTES or memcmp(table.texts + table.begins[entry.piece_id], text, size) == 0
        ):
            return entry
        entry += 1
        if entry == end:
            entry = table.entries
    return NULL


cdef inline int32_t find_id(const TableView* table, const uint8_t* text, int32_t size) noexcept nogil:
    """The id of the piece with these bytes; -1: none."""
    cdef uint64_t place = place_of(table, hash_bytes(table, text, size))
    cdef const PieceEntry* entry = find_piece(table, place, text, size) if may_hold(table, place) else NULL
    return -1 if entry == NULL else entry.piece_id
