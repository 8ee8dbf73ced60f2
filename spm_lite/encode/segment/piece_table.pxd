"""Perfect hash table of pieces by their bytes: each piece has one small slot, the only one where it is looked up.

A slot holds the number of the piece that a string may be, which gives its merge rank; a comparison of the bytes
confirms it. Most strings looked up never merge. So only a merge compares bytes, and the search for the next merge does
not wait for memory.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy
from libcpp.vector cimport vector

from spm_lite.base.structures.byte_keys cimport (
    KEY_BYTES, LONG_KEY, SHORT_BYTES, KeyMaker, hash_key, hash_long, read_key,
)
from spm_lite.base.structures.perfect_hash cimport place_at
from spm_lite.vocab.vocab cimport Vocab


cdef enum:
    STEP_BITS = 8           # lower bits of a group's word: its steps; the upper bits are its filter
    FILTER_MASK = 7         # lower bits of a hash: the filter bit of its piece


cdef enum:
    NO_NUMBER = <uint32_t> 0xFFFFFFFF   # number: no piece; slot: free


cdef struct PieceWords:
    # The key of a piece; above SHORT_BYTES its hash, and LONG_KEY with its size.
    uint64_t low
    uint64_t high


cdef struct TableView:
    # Pointers into a PieceTable for the hot loops. Pieces that text can match have numbers in the order of merging;
    # on equal scores the smaller id comes first.
    # The piece's number in the lower bits, bits of its hash above it. Slot 0 is free: misses of the filter end there.
    const uint32_t* slots
    # By the upper bits of a hash: the steps from the first places of the group's pieces to their slots, and a filter.
    const uint16_t* groups
    const PieceWords* keys      # by number
    const int32_t* ids          # by number
    const uint32_t* ranks       # by number, smaller merges first; NULL: no two are equal, and the number is the rank
    # By two bytes, the first one higher: the number of the piece they are, or NO_NUMBER. NULL: pieces are text.
    const uint32_t* byte_pairs
    const KeyMaker* maker
    const uint8_t* texts
    const uint32_t* begins
    uint64_t n_places           # number of slots without slot 0
    uint32_t n_pieces           # pieces with a number
    uint32_t number_bits        # bits of a slot that hold the number
    uint32_t shift              # 64 minus the binary logarithm of the number of groups
    uint32_t longest            # bytes of the longest piece


@cython.final
cdef class PieceTable:
    cdef vector[uint32_t] slots
    cdef vector[uint16_t] groups
    cdef vector[PieceWords] keys
    cdef vector[int32_t] ids
    cdef vector[uint32_t] ranks
    cdef vector[uint32_t] byte_pairs
    cdef KeyMaker maker
    cdef vector[uint8_t] texts          # pieces as normalized text holds them, one after the other
    cdef vector[uint32_t] begins        # per id, size + 1 offsets into texts; equal: never matches
    cdef TableView view

    cdef int fill_texts(self, Vocab vocab, bint compact) except -1
    cdef int number_pieces(self, Vocab vocab, bint has_symbols) except -1
    cdef int find_places(self, vector[uint64_t]& hashes, vector[uint8_t]& steps) except -1
    cdef int fill_slots(self, uint32_t number_bits) except -1
    cdef int fill_byte_pairs(self) except -1


cdef inline uint32_t rank_of(float score) noexcept nogil:
    """Order of merging: larger scores first, compared by bit pattern (-0.0 after +0.0, NaN by sign and payload)."""
    cdef uint32_t bits = 0
    memcpy(&bits, &score, 4)
    return bits if bits >> 31 else ~(bits | <uint32_t> 1 << 31)


cdef inline uint32_t rank_at(const TableView* table, uint32_t number) noexcept nogil:
    return number if table.ranks == NULL else table.ranks[number]


cdef inline uint64_t slot_of(const TableView* table, uint64_t hash) noexcept nogil:
    """The slot of the piece with this hash; 0 if the filter of its group shows that there is none."""
    cdef uint32_t group = table.groups[hash >> table.shift]
    cdef uint64_t held = <uint64_t> 0 - <uint64_t> (group >> STEP_BITS >> (hash & FILTER_MASK) & 1)
    return (place_at(hash, group & ((1 << STEP_BITS) - 1), table.n_places) + 1) & held


cdef inline uint32_t bits_above(const TableView* table, uint64_t hash) noexcept nogil:
    """The hash bits that the slot of a piece with this hash holds above the number."""
    return <uint32_t> (hash >> 32 << table.number_bits)


cdef inline uint32_t hash_number(const TableView* table, uint64_t hash) noexcept nogil:
    """The number of the piece that may have this hash; `n_pieces` or more: none has."""
    return table.slots[slot_of(table, hash)] ^ bits_above(table, hash)


cdef inline uint64_t long_key(int32_t size) noexcept nogil:
    """The second word of the key of a string above SHORT_BYTES."""
    return <uint64_t> LONG_KEY << 56 | <uint64_t> size


cdef inline uint64_t make_key(
    const TableView* table, const uint8_t* text, int32_t size, PieceWords* key,
) noexcept nogil:
    """Make the key of a string, and return its hash; KEY_BYTES must be readable."""
    if size > SHORT_BYTES:
        key.low = hash_long(table.maker, text, size)
        key.high = long_key(size)
        return key.low
    read_key(table.maker, text, size, &key.low, &key.high)
    return hash_key(key.low, key.high)


cdef inline bint is_piece(const TableView* table, uint32_t number, const uint8_t* text, int32_t size) noexcept nogil:
    """Whether the piece with this number is `text`; KEY_BYTES of `text` must be readable."""
    cdef const PieceWords* key = table.keys + number
    cdef uint64_t low = 0, high = 0
    if size > SHORT_BYTES:
        return key.high == long_key(size) and memcmp(table.texts + table.begins[table.ids[number]], text, size) == 0
    read_key(table.maker, text, size, &low, &high)
    return (key.low ^ low | key.high ^ high) == 0


cdef inline uint32_t find_number(
    const TableView* table, const uint8_t* text, int32_t size, int32_t room,
) noexcept nogil:
    """The number of the piece with these bytes; NO_NUMBER: none. room: bytes that may be read, `size` or more."""
    cdef uint8_t copy[KEY_BYTES]
    cdef PieceWords key
    cdef uint32_t number
    if <uint32_t> size > table.longest:
        return NO_NUMBER
    if room < KEY_BYTES:
        memcpy(copy, text, size)
        text = copy
    number = hash_number(table, make_key(table, text, size, &key))
    return number if number < table.n_pieces and is_piece(table, number, text, size) else <uint32_t> NO_NUMBER


cdef inline int32_t find_id(const TableView* table, const uint8_t* text, int32_t size, int32_t room) noexcept nogil:
    """The id of the piece with these bytes; -1: none. room: bytes that may be read, `size` or more."""
    cdef uint32_t number = find_number(table, text, size, room)
    return -1 if number == NO_NUMBER else table.ids[number]
