"""The symbols of BPE (characters and merged pairs), with their texts, which decide ties between pairs."""

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.training.counts.piece_rules cimport PieceRules, PieceWalk


cdef enum:
    NO_SYMBOL = 0xFFFFFFFF


cdef struct LearnedSymbol:
    # A character or an accepted merge. Its text is SymbolTable.texts[begin : begin + length].
    uint64_t begin
    int32_t length      # characters
    bint walkable       # the rules allow a piece that starts with this text
    PieceWalk walk      # the walk of the piece rules over its text


cdef struct Cell:
    # The place of one character of the text, or an empty cell between chunks.
    uint32_t symbol     # the symbol that begins or ends here; NO_SYMBOL: inside one, or an empty cell
    uint32_t owner      # index of its weight; in a table of several sources, of its chunk


cdef class SymbolTable:
    cdef PieceRules rules
    cdef vector[LearnedSymbol] symbols
    cdef vector[uint32_t] texts         # code points of all symbols or, where pieces are bytes, bytes

    cdef int append_char(self, uint32_t code_point) except -1 nogil
    cdef int append_text(self, const uint32_t* text, int32_t length) except -1 nogil
    cdef int append_merge(self, uint32_t left, uint32_t right) except -1 nogil
    cdef bint is_valid_pair(self, uint32_t left, uint32_t right) noexcept nogil


cdef inline uint32_t pair_char(
    const LearnedSymbol* left, const LearnedSymbol* right, const uint32_t* texts, int32_t i,
) noexcept nogil:
    """Return character `i` of the text of a pair."""
    return texts[left.begin + i] if i < left.length else texts[right.begin + (i - left.length)]


cdef inline void write_merge(
    Cell* cells, uint64_t begin, uint64_t middle, uint64_t end, uint32_t merged,
) noexcept nogil:
    """Replace the two symbols at [begin, middle) and [middle, end) by one."""
    cells[middle - 1].symbol = NO_SYMBOL
    cells[middle].symbol = NO_SYMBOL
    cells[begin].symbol = merged
    cells[end - 1].symbol = merged
