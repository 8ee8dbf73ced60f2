"""The symbols of BPE: characters and merged pairs, with what decides ties between pairs."""

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.counts.piece_rules cimport PieceRules, PieceWalk


cdef enum:
    NO_SYMBOL = 0xFFFFFFFF


cdef struct LearnedSymbol:
    # One character or one accepted merge; its text is SymbolTable.texts[begin : begin + length].
    uint64_t begin
    int32_t length      # characters
    bint walkable       # some piece starts with this text
    PieceWalk walk      # its text walked by the piece rules


cdef struct Cell:
    # One character of the text.
    uint32_t symbol     # the symbol that begins or ends here; NO_SYMBOL: inside one, or between chunks
    uint32_t owner      # its chunk


cdef class SymbolTable:
    cdef PieceRules rules
    cdef vector[LearnedSymbol] symbols
    cdef vector[uint32_t] texts         # code points of all symbols

    cdef int append_char(self, uint32_t code_point) except -1 nogil
    cdef int append_merge(self, uint32_t left, uint32_t right) except -1 nogil
    cdef bint is_valid_pair(self, uint32_t left, uint32_t right) noexcept nogil


cdef inline uint32_t pair_char(
    const LearnedSymbol* left, const LearnedSymbol* right, const uint32_t* texts, int32_t i,
) noexcept nogil:
    """Character `i` of the text of a pair."""
    return texts[left.begin + i] if i < left.length else texts[right.begin + (i - left.length)]


cdef inline void write_merge(
    Cell* cells, uint64_t begin, uint64_t middle, uint64_t end, uint32_t merged,
) noexcept nogil:
    """Let one symbol stand at [begin, end), where two were that met at `middle`."""
    cells[middle - 1].symbol = NO_SYMBOL
    cells[middle].symbol = NO_SYMBOL
    cells[begin].symbol = merged
    cells[end - 1].symbol = merged
