"""Appends symbols with their texts, and tells which pairs may become a piece. Header: symbols.pxd."""

cimport cython
from libc.stdint cimport int32_t, uint32_t

from spm_lite.training.counts.piece_rules cimport PieceWalk, extend_unit, is_piece, max_units, start_walk


@cython.final
cdef class SymbolTable:
    """The symbols by index, in the order in which they were made."""

    cdef int append_char(self, uint32_t code_point) except -1 nogil:
        """Append a symbol of one character."""
        return self.append_text(&code_point, 1)

    cdef int append_text(self, const uint32_t* text, int32_t length) except -1 nogil:
        """Append a symbol of one or more characters, whether the rules allow such a piece or not."""
        cdef LearnedSymbol symbol
        cdef int32_t i
        symbol.begin = self.texts.size()
        symbol.length = length
        symbol.walkable = True
        start_walk(&symbol.walk)
        for i in range(length):
            symbol.walkable = symbol.walkable and extend_unit(&self.rules, &symbol.walk, text[i])
            self.texts.push_back(text[i])
        self.symbols.push_back(symbol)
        return 0

    cdef int append_merge(self, uint32_t left, uint32_t right) except -1 nogil:
        """Append the symbol of a valid pair."""
        cdef LearnedSymbol a = self.symbols[left], b = self.symbols[right]
        cdef LearnedSymbol symbol
        cdef int32_t i
        symbol.begin = self.texts.size()
        symbol.length = a.length + b.length
        symbol.walk = a.walk
        symbol.walkable = True
        for i in range(symbol.length):
            self.texts.push_back(pair_char(&a, &b, self.texts.data(), i))
        for i in range(b.length):
            extend_unit(&self.rules, &symbol.walk, self.texts[b.begin + i])
        self.symbols.push_back(symbol)
        return 0

    cdef bint is_valid_pair(self, uint32_t left, uint32_t right) noexcept nogil:
        """Whether the joined text of two symbols may become a piece."""
        cdef const LearnedSymbol* a = &self.symbols[left]
        cdef const LearnedSymbol* b = &self.symbols[right]
        cdef PieceWalk walk = a.walk
        cdef int32_t i
        if not a.walkable or a.length + b.length > max_units(&self.rules):
            return False
        for i in range(b.length):
            if not extend_unit(&self.rules, &walk, self.texts[b.begin + i]):
                return False
        return is_piece(&self.rules, &walk)
