"""The driver of all pruning: a heap of offers, each checked when it comes to the top. Header: piece_pruner.pxd.

An offer whose cost has grown goes back into the heap. Costs of merges only grow, so what goes is always the cheapest.
The cut that a Unigram model takes next may have fewer tokens: then its offer stands until it comes to the top.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t

from spm_lite.encode.segment.segmenter cimport unit_size
from spm_lite.vocab.vocab cimport Vocab

cdef double INFINITY = 1.0 / 0.0
cdef enum:
    REMOVED_AT_ONCE = 1 << 12   # pieces between two checks for signals


cdef class PiecePruner:
    """Pieces of a model with the counts of a text; see `prune`."""

    def __cinit__(self, Vocab vocab not None, counts, may_go, dead):
        """counts: tokens of each id. may_go: ids that may be removed. dead: those that no text gives."""
        cdef int32_t i
        self.vocab = vocab
        self.n_left = vocab.size
        self.counts = counts
        self.may_go.resize(vocab.size, False)
        self.is_dead.resize(vocab.size, False)
        self.is_gone.resize(vocab.size, False)
        for i in may_go:
            self.may_go[i] = True
        for i in dead:
            self.is_dead[i] = True
        for i in range(vocab.size):
            self.lengths.push_back(length_of(vocab, i))

    def prune(self, int64_t n):
        """Remove the cheapest pieces until `n` are left, or none may go. Return the ids in the order of removal."""
        cdef int32_t i
        cdef list removed = []
        for i in range(self.vocab.size):
            self.propose(i)
        while self.n_left > n:
            i = self.remove_next()
            if i < 0:
                break
            removed.append(i)
            if len(removed) % REMOVED_AT_ONCE == 0:
                PyErr_CheckSignals()
        return removed

    def needed(self):
        """Return the ids left that tokens of the text fall into, or that pieces left are made of."""
        return [i for i in range(self.vocab.size) if not self.is_gone[i] and (self.counts[i] or not self.is_free(i))]

    cdef int propose(self, int32_t piece_id) except -1 nogil:
        """Offer a piece, if it may go now."""
        cdef double cost
        if self.may_go[piece_id] and not self.is_gone[piece_id] and self.is_free(piece_id):
            cost = -1 if self.is_dead[piece_id] else self.cost(piece_id)
            if cost < INFINITY:
                self.offers.push(self.offer(piece_id, cost))
        return 0

    cdef int remove_next(self) except -2 nogil:
        """Remove the cheapest piece, and return its id."""
        cdef Offer best
        cdef double cost
        cdef int32_t piece_id
        while not self.offers.empty():
            best = self.offers.top()
            self.offers.pop()
            piece_id = best.second.second
            if self.is_gone[piece_id]:
                continue  # it was offered twice
            cost = -1 if self.is_dead[piece_id] else self.cost(piece_id)
            if cost > -best.first.first:
                self.propose(piece_id)
                continue
            self.is_gone[piece_id] = True
            self.n_left -= 1
            self.pass_count(piece_id)
            return piece_id
        return -1

    cdef double cost_of_character(self, int32_t piece_id) noexcept nogil:
        """The tokens that a text has more without this character: its bytes. Infinite if it would be unknown.

        A character of one byte counts one, too: else all texts with it would change, for nothing.
        """
        cdef int64_t size = self.vocab.begins[piece_id + 1] - self.vocab.begins[piece_id]
        if self.counts[piece_id] == 0:
            return 0
        return <double> self.counts[piece_id] * max(size - 1, <int64_t> 1) if self.vocab.byte_fallback else INFINITY

    cdef double cost(self, int32_t piece_id) noexcept nogil:
        return 0

    cdef Offer offer(self, int32_t piece_id, double cost) noexcept nogil:
        return Offer()

    cdef bint is_free(self, int32_t piece_id) noexcept nogil:
        return True

    cdef int pass_count(self, int32_t piece_id) except -1 nogil:
        return 0


cdef int32_t length_of(Vocab vocab, int32_t piece_id) noexcept:
    """The characters of a piece; bytes where pieces are bytes."""
    cdef int32_t size = <int32_t> (vocab.begins[piece_id + 1] - vocab.begins[piece_id]), pos = 0, n = 0
    if vocab.is_bytes:
        return size
    while pos < size:
        pos += unit_size(vocab.texts.data() + vocab.begins[piece_id] + pos, size - pos, False)
        n += 1
    return n
