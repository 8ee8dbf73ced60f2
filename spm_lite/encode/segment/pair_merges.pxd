"""Pair merges: a hash table of the merges of a list by the ids of both neighbours, and what characters become first.

Unlike the pieces of `piece_table`, which merge however they are cut in two, a merge here is one way to make a piece.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.structures.text_hash cimport HashKey, mix
from spm_lite.encode.segment.piece_table cimport PieceTable
from spm_lite.vocab.vocab cimport Vocab


cdef enum:
    NO_PAIR = <uint64_t> 0xFFFFFFFFFFFFFFFF     # of a free slot
    NO_RANK = <uint32_t> 0xFFFFFFFF
    FEW_LISTED = 127        # symbols of a short part


cdef struct MergeSlot:
    # One merge.
    uint64_t pair       # id of the left neighbour << 32 | that of the right one
    uint32_t rank       # smaller ones come first
    int32_t piece_id    # what they become


cdef struct MergeView:
    # Pointers into a PairMerges for the hot loops.
    const MergeSlot* slots
    const HashKey* key
    uint64_t mask       # number of slots, a power of two, minus one
    uint32_t shift      # 64 minus its binary logarithm


cdef enum:
    # Where a character stands in a part of a text; both bits: it stands alone.
    FIRST = 1
    LAST = 2


@cython.final
cdef class PairMerges:
    cdef Vocab vocab
    cdef PieceTable pieces
    cdef vector[MergeSlot] slots
    cdef HashKey key
    cdef MergeView view
    cdef vector[uint8_t] prefix
    cdef vector[uint8_t] suffix
    cdef int32_t ascii_ids[4][256]  # by place and character, or byte where pieces are bytes; -1: unknown
    cdef bint is_by_part            # an id depends on the place of a character in a part
    cdef bint drops_unknown         # an unknown character vanishes, and its neighbours may merge
    cdef bint looks_up              # a part that is a piece as a whole is that piece
    cdef bint fuses                 # unknown characters side by side become one, within a part
    cdef bint needs_whole           # only the whole text tells what a part of it becomes, unless a pattern cuts it

    cdef int fill_slots(self) except -1
    cdef int fill_ascii(self) except -1
    cdef int32_t find_long(self, const uint8_t* text, int32_t size, int place) noexcept nogil
    cdef int32_t find_char(self, const uint8_t* text, int32_t size, int place) noexcept nogil   # its id; -1: unknown
    cdef int32_t find_piece(self, const uint8_t* text, int32_t size) noexcept nogil     # id of a normal one; -1: none
    cdef int32_t merge_short(
        self, const uint8_t* text, int32_t size, bint compact, int32_t* ids,
    ) noexcept nogil        # fills `ids`; 0: `text` is too long, or has unknown characters


cdef inline const MergeSlot* find_merge(const MergeView* view, int32_t left, int32_t right) noexcept nogil:
    """The merge of two neighbours, or a free slot, whose rank is NO_RANK. Ids below 0 never merge."""
    cdef uint64_t pair = <uint64_t> <uint32_t> left << 32 | <uint32_t> right
    cdef uint64_t slot = mix(0, pair, view.key) >> view.shift
    while view.slots[slot].pair != pair and view.slots[slot].pair != <uint64_t> NO_PAIR:
        slot = slot + 1 & view.mask
    return view.slots + slot
