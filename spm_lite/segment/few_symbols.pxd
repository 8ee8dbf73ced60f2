"""Merging a handful of symbols on the stack: looking through all candidates each time is faster than any heap."""

from libc.stdint cimport int32_t, uint8_t, uint64_t

from spm_lite.segment.piece_table cimport (
    NO_PLACE, PieceEntry, TableView, fetch_entry, find_piece, join_hashes, may_hold, place_of,
)


cdef enum Sizes:
    FEW_SYMBOLS = 32


cdef enum Orders:
    NO_MERGE = <uint64_t> 0xFFFFFFFFFFFFFFFF


cdef struct FewSymbols:
    # Symbols of one chunk, n at most FEW_SYMBOLS; those that others have absorbed are in no `next`.
    int32_t n
    int32_t begins[FEW_SYMBOLS + 1]     # byte offsets; the last is the end
    int32_t next[FEW_SYMBOLS]           # n: none
    int32_t prev[FEW_SYMBOLS]           # -1: none
    int32_t ids[FEW_SYMBOLS]            # of the piece that a symbol is; -1: not looked up
    uint64_t hashes[FEW_SYMBOLS]
    uint64_t places[FEW_SYMBOLS]        # of what a symbol and the next one may form
    uint64_t orders[FEW_SYMBOLS]        # rank of the piece that they form; NO_MERGE: none
    int32_t joined_ids[FEW_SYMBOLS]     # its id


cdef inline void add_symbol(FewSymbols* few, int32_t begin, uint64_t hash) noexcept nogil:
    """Append a symbol; there is room. The end of the last one is left to the caller."""
    cdef int32_t i = few.n
    few.begins[i] = begin
    few.next[i] = i + 1
    few.prev[i] = i - 1
    few.ids[i] = -1
    few.hashes[i] = hash
    few.n = i + 1


cdef inline void place_pair(const TableView* table, FewSymbols* few, int32_t left) noexcept nogil:
    """Find where the piece stands that a symbol and the next one may form, and fetch it."""
    cdef int32_t right = few.next[left], end
    cdef uint64_t place
    few.places[left] = NO_PLACE
    if right == few.n:
        return
    end = few.begins[few.next[right]]
    if end - few.begins[left] > table.longest:
        return
    place = place_of(table, join_hashes(table, few.hashes[left], few.hashes[right], end - few.begins[right]))
    if may_hold(table, place):
        fetch_entry(table, place)
        few.places[left] = place


cdef inline void rank_pair(const TableView* table, const uint8_t* text, FewSymbols* few, int32_t left) noexcept nogil:
    """Look the piece up that a symbol and the next one may form."""
    cdef const PieceEntry* entry
    few.orders[left] = NO_MERGE
    if few.places[left] != NO_PLACE:
        entry = find_piece(
            table, few.places[left], text + few.begins[left], few.begins[few.next[few.next[left]]] - few.begins[left],
        )
        if entry != NULL:
            few.orders[left] = entry.rank
            few.joined_ids[left] = entry.piece_id


cdef inline void join_pair(const TableView* table, FewSymbols* few, int32_t left) noexcept nogil:
    """Let a symbol absorb the next one: together they are a piece."""
    cdef int32_t right = few.next[left]
    cdef int32_t after = few.next[right]
    few.hashes[left] = join_hashes(
        table, few.hashes[left], few.hashes[right], few.begins[after] - few.begins[right],
    )
    few.ids[left] = few.joined_ids[left]
    few.orders[right] = NO_MERGE
    few.next[left] = after
    if after < few.n:
        few.prev[after] = left


cdef inline void merge_few(const TableView* table, const uint8_t* text, FewSymbols* few) noexcept nogil:
    """Merge until no two symbols form a piece, each time the first in order."""
    cdef int32_t i, first
    for i in range(few.n):
        place_pair(table, few, i)
    for i in range(few.n):
        rank_pair(table, text, few, i)
    while True:
        first = 0
        for i in range(1, few.n):
            first = i if few.orders[i] < few.orders[first] else first
        if few.orders[first] == NO_MERGE:
            return
        join_pair(table, few, first)
        i = few.prev[first]
        if i >= 0:
            place_pair(table, few, i)
        place_pair(table, few, first)
        rank_pair(table, text, few, first)
        if i >= 0:
            rank_pair(table, text, few, i)


cdef inline int32_t collect_ids(
    const TableView* table, const uint8_t* text, FewSymbols* few, int32_t* ids,
) noexcept nogil:
    """The ids of the symbols, and their number; 0: one of them is no piece."""
    cdef const PieceEntry* entry
    cdef int32_t i = 0, n = 0
    while i < few.n:
        if few.ids[i] < 0:
            few.places[i] = place_of(table, few.hashes[i])
            if not may_hold(table, few.places[i]):
                return 0
            fetch_entry(table, few.places[i])
        i = few.next[i]
    i = 0
    while i < few.n:
        ids[n] = few.ids[i]
        if ids[n] < 0:
            entry = find_piece(table, few.places[i], text + few.begins[i], few.begins[few.next[i]] - few.begins[i])
            if entry == NULL:
                return 0
            ids[n] = entry.piece_id
        n += 1
        i = few.next[i]
    return n
