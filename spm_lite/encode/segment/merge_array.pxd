"""Merge array: BPE of a few symbols on the stack. A scan of all candidates for each merge is faster than any heap.

Whether a pair forms a piece, and which pair is first in order, is unpredictable, so the code does not branch on it.
Sentinel symbols stand before and after the chunk: a pair with the first is never chosen, a pair with the last never
matches a piece.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from spm_lite.base.structures.byte_keys cimport SHORT_BYTES, hash_key, hash_long, read_key
from spm_lite.base.system.intrinsics cimport first_lowest, prefetch
from spm_lite.encode.segment.piece_table cimport TableView, hash_number, is_piece, rank_at
from spm_lite.encode.segment.segmenter cimport unit_size


cdef enum:
    FEW_SYMBOLS = 60
    AT_ONCE = 4             # orders that are compared together
    FAR = -1                # as unsigned, an offset after all others: text that ends there is too long for a piece


cdef enum:
    NO_MERGE = <uint64_t> 0xFFFFFFFFFFFFFFFF


cdef struct MergeArray:
    # Symbols 1 to n of one chunk or window, with sentinels: 0 before them, n + 1 and n + 2 after them.
    int32_t n                           # at most FEW_SYMBOLS
    uint32_t last_rank                  # the largest rank of a merge so far
    int32_t begins[FEW_SYMBOLS + 3]     # byte offsets
    int32_t next[FEW_SYMBOLS + 2]       # next and prev lead past symbols that others have absorbed
    int32_t prev[FEW_SYMBOLS + 2]
    # Rank of the piece that a symbol and the next one may form << 32 | the symbol. A merge checks that they do.
    uint64_t orders[FEW_SYMBOLS + AT_ONCE + 1]
    uint32_t joined[FEW_SYMBOLS + 1]        # number of that piece; 0 if there is none
    int32_t ids[FEW_SYMBOLS + 1]            # id of the piece that a symbol is; -1: not looked up


cdef inline void start_few(MergeArray* few) noexcept nogil:
    few.n = 0
    few.last_rank = 0
    few.begins[0] = 0


cdef inline void add_symbol(MergeArray* few, int32_t begin) noexcept nogil:
    """Append a symbol; there must be room."""
    cdef int32_t i = few.n + 1
    few.n = i
    few.begins[i] = begin
    few.next[i] = i + 1
    few.prev[i] = i - 1
    few.ids[i] = -1


cdef inline int32_t symbol_size(const uint8_t* text, int32_t size) noexcept nogil:
    """The bytes of a character of compact text, as `unit_size`; fast for three bytes. KEY_BYTES must be readable."""
    cdef uint64_t word = 0
    if text[0] < 0x80:
        return 1
    memcpy(&word, text, 8)
    word = first_lowest(word)
    # Three bytes, but not below U+0800 and no surrogate.
    if size >= 3 and word & 0xC0C0F0 == 0x8080E0 and word & 0x200F != 0 and word & 0x200F != 0x200D:
        return 3
    return unit_size(text, size, True)


cdef inline uint32_t number_between(
    const TableView* table, const uint8_t* text, int32_t begin, int32_t end,
) noexcept nogil:
    """The number of the piece that the text between two offsets may be; `n_pieces` or more: it is none."""
    cdef uint32_t size = <uint32_t> end - <uint32_t> begin
    cdef uint64_t low = 0, high = 0
    text += begin
    if size > SHORT_BYTES and size <= table.longest:
        return hash_number(table, hash_long(table.maker, text, <int32_t> size))
    read_key(table.maker, text, <int32_t> min(size, <uint32_t> SHORT_BYTES + 1), &low, &high)
    return hash_number(table, hash_key(low, high)) | (<uint32_t> 0 - <uint32_t> (size > table.longest))


cdef inline void rank_pair(
    const TableView* table, const uint8_t* text, MergeArray* few, int32_t left, int32_t end,
) noexcept nogil:
    """Set order and number of the piece that a symbol and the next one may form; NO_MERGE and 0 for none.

    end: the symbol after both.
    """
    set_order(table, few, left, number_between(table, text, few.begins[left], few.begins[end]))


cdef inline void set_order(const TableView* table, MergeArray* few, int32_t left, uint32_t number) noexcept nogil:
    """As `rank_pair`, for the piece with this number; `n_pieces` or more: there is none."""
    cdef uint64_t none = <uint64_t> 0 - <uint64_t> (number >= table.n_pieces)
    cdef uint32_t some = number & ~<uint32_t> none
    few.orders[left] = <uint64_t> rank_at(table, some) << 32 | <uint32_t> left | none
    few.joined[left] = some
    prefetch(table.keys + some)  # a merge compares the key


cdef inline uint64_t least_order(const MergeArray* few) noexcept nogil:
    cdef uint64_t least = <uint64_t> NO_MERGE, other = least
    cdef int32_t k = 1
    while k < few.n:
        least = few.orders[k] if few.orders[k] < least else least
        other = few.orders[k + 1] if few.orders[k + 1] < other else other
        least = few.orders[k + 2] if few.orders[k + 2] < least else least
        other = few.orders[k + 3] if few.orders[k + 3] < other else other
        k += AT_ONCE
    return min(least, other)


cdef inline void merge_few(
    const TableView* table, const uint8_t* text, int32_t size, MergeArray* few, const uint32_t* byte_pairs,
) noexcept nogil:
    """Merge until no two symbols form a piece; each time the pair of the least order.

    text: the chunk, `size` bytes; KEY_BYTES from any place in it must be readable. byte_pairs: those of the table, if
    each symbol is a byte; else NULL.
    """
    cdef int32_t n = few.n, i, left, right, after
    cdef uint64_t order
    few.begins[n + 1] = size
    few.begins[n + 2] = <int32_t> FAR
    few.next[n + 1] = n + 2
    if byte_pairs != NULL:
        for i in range(1, n):
            set_order(table, few, i, byte_pairs[<int32_t> text[i - 1] << 8 | text[i]])
    else:
        for i in range(1, n):
            rank_pair(table, text, few, i, i + 2)
    for i in range(n, n + <int32_t> AT_ONCE):
        few.orders[i] = <uint64_t> NO_MERGE
    while True:
        order = least_order(few)
        if order == <uint64_t> NO_MERGE:
            return
        left = <int32_t> (order & <uint32_t> 0xFFFFFFFF)
        right = few.next[left]
        after = few.next[right]
        if not is_piece(table, few.joined[left], text + few.begins[left], few.begins[after] - few.begins[left]):
            few.orders[left] = <uint64_t> NO_MERGE
            continue
        few.last_rank = max(few.last_rank, <uint32_t> (order >> 32))
        few.next[left] = after
        few.prev[after] = left
        few.ids[left] = table.ids[few.joined[left]]
        few.orders[right] = <uint64_t> NO_MERGE
        rank_pair(table, text, few, few.prev[left], after)
        rank_pair(table, text, few, left, few.next[after])


cdef inline int32_t collect_ids(
    const TableView* table, const uint8_t* text, MergeArray* few, const int32_t* byte_ids, int32_t* ids,
) noexcept nogil:
    """Fill `ids` with the ids of the symbols that remain, and return their number; 0: one of them is unknown.

    byte_ids: ids of byte pieces, by byte; they replace an unknown symbol unless it is an escaped space. NULL: none.
    """
    cdef uint32_t number
    cdef int32_t i = 1, n = 0, begin, end, piece_id, pos
    while i <= few.n:
        begin, end = few.begins[i], few.begins[few.next[i]]
        piece_id = few.ids[i]
        if piece_id < 0:
            number = number_between(table, text, begin, end)
            if number < table.n_pieces and is_piece(table, number, text + begin, end - begin):
                piece_id = table.ids[number]
        if piece_id >= 0:
            ids[n] = piece_id
            n += 1
        elif byte_ids == NULL or text[begin] == 0x20:
            return 0
        else:
            for pos in range(begin, end):
                ids[n] = byte_ids[text[pos]]
                n += 1
        i = few.next[i]
    return n
