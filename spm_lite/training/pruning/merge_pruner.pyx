"""Pruning of BPE: a merge that goes leaves its count to its two parts, so it costs as many tokens as it has.

`LeafPruner` removes only pieces that no other piece is made of, so each piece that stays can still be made.
`ExactPruner` removes any piece: it still merges, and then falls into its parts, so all other ids stay as they are.
"""

cimport cython
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from spm_lite.encode.segment.merge_trees cimport MergeSymbol, MergeTrees
from spm_lite.training.pruning.piece_pruner cimport Offer, PiecePruner
from spm_lite.vocab.vocab cimport NORMAL, UNUSED

cdef double INFINITY = 1.0 / 0.0


cdef class LeafPruner(PiecePruner):
    """Removes leaves of the trees of merges."""

    cdef vector[int32_t] begins     # of each id, size + 1 places in `parts`
    cdef vector[int32_t] parts      # what a piece falls into: two pieces, -1 for a character without a piece
    cdef vector[int32_t] n_wholes   # of each id: pieces left that have it as a part

    def __cinit__(self, vocab, counts, may_go, dead):
        cdef MergeTrees trees = MergeTrees(vocab)
        cdef vector[MergeSymbol] symbols
        cdef int32_t i
        cdef size_t k
        self.n_wholes.resize(self.vocab.size, 0)
        self.begins.push_back(0)
        for i in range(self.vocab.size):
            if self.lengths[i] > 1 and (self.vocab.types[i] == NORMAL or self.vocab.types[i] == UNUSED):
                trees.cut(i, symbols)
                for k in range(symbols.size() - 1):
                    self.parts.push_back(symbols[k].piece_id)
                    if symbols[k].piece_id >= 0:
                        self.n_wholes[symbols[k].piece_id] += 1
            self.begins.push_back(<int32_t> self.parts.size())

    cdef double cost(self, int32_t piece_id) noexcept nogil:
        if self.vocab.types[piece_id] == UNUSED:
            return 0  # encoding splits it anyway
        if self.lengths[piece_id] == 1:
            return self.cost_of_character(piece_id)
        return <double> self.counts[piece_id] * (self.begins[piece_id + 1] - self.begins[piece_id] - 1)

    cdef Offer offer(self, int32_t piece_id, double cost) noexcept nogil:
        """Of equal costs the longer piece goes first, then the later merge, then the larger id."""
        cdef Offer made
        made.first.first, made.first.second = -cost, self.lengths[piece_id]
        made.second.first, made.second.second = -self.vocab.scores[piece_id], piece_id
        return made

    cdef bint is_free(self, int32_t piece_id) noexcept nogil:
        return self.n_wholes[piece_id] == 0

    cdef int pass_count(self, int32_t piece_id) except -1 nogil:
        cdef int32_t k, part
        for k in range(self.begins[piece_id], self.begins[piece_id + 1]):
            part = self.parts[k]
            if part >= 0:
                self.counts[part] += self.counts[piece_id]
                self.n_wholes[part] -= 1
                self.propose(part)
        return 0


@cython.final
cdef class ExactPruner(LeafPruner):
    """Removes any pieces; those that are UNUSED already count as removed."""

    def __cinit__(self, vocab, counts, may_go, dead):
        cdef int32_t i
        for i in range(self.vocab.size):
            if self.vocab.types[i] == UNUSED:
                self.is_gone[i] = True
                self.n_left -= 1

    cdef double cost(self, int32_t piece_id) noexcept nogil:
        cdef double more
        if self.counts[piece_id] == 0:
            return 0
        if self.lengths[piece_id] == 1:
            return self.cost_of_character(piece_id)
        more = self.tokens_of_parts(piece_id) - 1
        return <double> self.counts[piece_id] * more

    cdef double tokens_of_parts(self, int32_t piece_id) noexcept nogil:
        """The tokens that a piece falls into; infinite if one would be unknown."""
        cdef int32_t k, part
        cdef double n = 0
        for k in range(self.begins[piece_id], self.begins[piece_id + 1]):
            part = self.parts[k]
            if part >= 0 and not self.is_gone[part]:
                n += 1
            elif part >= 0 and self.lengths[part] > 1:
                n += self.tokens_of_parts(part)
            elif not self.vocab.byte_fallback:
                return INFINITY
            else:  # a character without a piece: 2 of its bytes, at least
                n += 2 if part < 0 else <double> (self.vocab.begins[part + 1] - self.vocab.begins[part])
        return n

    cdef bint is_free(self, int32_t piece_id) noexcept nogil:
        return True

    cdef int pass_count(self, int32_t piece_id) except -1 nogil:
        return self.pass_on(piece_id, piece_id)

    cdef int pass_on(self, int32_t piece_id, int32_t first) except -1 nogil:
        """Add the count of `first` to the pieces that `piece_id` falls into."""
        cdef int32_t k, part
        for k in range(self.begins[piece_id], self.begins[piece_id + 1]):
            part = self.parts[k]
            if part < 0:
                continue
            if self.is_gone[part]:
                self.pass_on(part, first)
            else:
                self.counts[part] += self.counts[first]
        return 0
