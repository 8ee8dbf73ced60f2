"""Pieces by their bytes: each stands at the one place where it is looked for, and there is all that a hit needs."""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy
from libcpp.vector cimport vector

from spm_lite.segment.byte_keys cimport LONG_KEY, SHORT_BYTES, KeyMaker, hash_key, hash_long, read_key_safely
from spm_lite.segment.displacement cimport place_at
from spm_lite.segment.large_pages cimport Zeroed
from spm_lite.vocab.vocab cimport Vocab


cdef enum Groups:
    STEP_BITS = 8           # of a group's word; the others are its filter
    FILTER_MASK = 7         # of a hash: which of these a piece has


cdef struct PieceEntry:
    # One slot. One whose words are 0 holds no piece; the first is such a one.
    uint64_t low            # of its key; of a long piece its hash
    uint64_t high           # of its key; of a long piece LONG_KEY, size
    int32_t piece_id
    uint32_t rank           # smaller merges first


cdef struct AsciiPair:
    # Two characters side by side, the pairs that most searches begin with: no key has to be made of them.
    uint32_t rank
    int32_t piece_id        # -1: they are no piece


cdef struct TableView:
    # What the hot loops know of a PieceTable.
    const PieceEntry* entries
    # By the upper bits of a hash: how many steps behind their first places its pieces stand; the bits that they have.
    const uint16_t* groups
    const AsciiPair* ascii      # by `ascii_place`
    const KeyMaker* maker
    const uint8_t* texts
    const uint32_t* begins
    uint64_t n_places           # slots but the first
    uint32_t shift              # 64 minus the logarithm of the number of groups
    uint32_t longest            # bytes of the longest piece


@cython.final
cdef class PieceTable:
    cdef PieceEntry* entries
    cdef Zeroed memory                  # the memory that they are in
    cdef vector[uint16_t] groups
    cdef vector[AsciiPair] ascii
    cdef KeyMaker maker
    cdef vector[uint8_t] texts          # pieces as they stand in normalized text, one after the other
    cdef vector[uint32_t] begins        # per id, size + 1 offsets into texts; equal: never matches
    cdef TableView view

    cdef int fill_texts(self, Vocab vocab, bint compact) except -1
    cdef int find_places(self, Vocab vocab, vector[uint64_t]& hashes, vector[uint8_t]& steps) except -1
    cdef int fill_entries(self, Vocab vocab) except -1
    cdef int fill_ascii(self, Vocab vocab) except -1


cdef inline uint32_t rank_of(float score) noexcept nogil:
    """Order of merging: larger scores first, compared by bit pattern (-0.0 after +0.0, NaN by sign and payload)."""
    cdef uint32_t bits = 0
    memcpy(&bits, &score, 4)
    return bits if bits >> 31 else ~(bits | <uint32_t> 1 << 31)


cdef inline uint32_t ascii_place(const uint8_t* pair) noexcept nogil:
    """The entry of two ASCII characters."""
    return <uint32_t> pair[0] << 7 | pair[1]


cdef inline uint64_t slot_of(const TableView* table, uint64_t hash) noexcept nogil:
    """Where the piece of this hash stands, if there is one; 0 if it can be known from its group that there is none."""
    cdef uint32_t group = table.groups[hash >> table.shift]
    cdef uint64_t held = <uint64_t> 0 - <uint64_t> (group >> STEP_BITS >> (hash & FILTER_MASK) & 1)
    return (place_at(hash, group & ((1 << STEP_BITS) - 1), table.n_places) + 1) & held


cdef inline uint64_t long_key(int32_t size) noexcept nogil:
    """The second word of a string of more than SHORT_BYTES."""
    return <uint64_t> LONG_KEY << 56 | <uint64_t> size


cdef inline const PieceEntry* find_short(
    const TableView* table, uint64_t low, uint64_t high, uint64_t* found,
) noexcept nogil:
    """The entry of the piece with this key. found: all ones if there is one, else 0, and the entry is another."""
    cdef const PieceEntry* entry = table.entries + slot_of(table, hash_key(low, high))
    found[0] = <uint64_t> 0 - <uint64_t> ((entry.low ^ low | entry.high ^ high) == 0)
    return entry


cdef inline const PieceEntry* find_long(
    const TableView* table, const uint8_t* text, int32_t size, uint64_t* found,
) noexcept nogil:
    """The same for a piece of more than SHORT_BYTES."""
    cdef uint64_t low = hash_long(table.maker, text, size)
    cdef const PieceEntry* entry = table.entries + slot_of(table, low)
    found[0] = <uint64_t> 0 - <uint64_t> (
        entry.low == low and entry.high == long_key(size)
        and memcmp(table.texts + table.begins[entry.piece_id], text, size) == 0
    )
    return entry


cdef inline const PieceEntry* find_piece(const TableView* table, const uint8_t* text, int32_t size) noexcept nogil:
    """The entry of the piece with these bytes; NULL: none. No byte behind them is read."""
    cdef const PieceEntry* entry
    cdef uint64_t low = 0, high = 0, found = 0
    if <uint32_t> size > table.longest:
        return NULL
    if size > SHORT_BYTES:
        entry = find_long(table, text, size, &found)
    else:
        read_key_safely(table.maker, text, size, &low, &high)
        entry = find_short(table, low, high, &found)
    if not found:
        return NULL
    return entry


cdef inline int32_t find_id(const TableView* table, const uint8_t* text, int32_t size) noexcept nogil:
    """The id of the piece with these bytes; -1: none."""
    cdef const PieceEntry* entry = find_piece(table, text, size)
    return -1 if entry == NULL else entry.piece_id
