"""Takes pieces from a vocabulary one by one, always the cheapest, while the costs of the others grow."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.pair cimport pair
from libcpp.queue cimport priority_queue
from libcpp.vector cimport vector

from spm_lite.vocab.vocab cimport Vocab

# ((minus the cost, what breaks a tie), (what breaks the next one, id)): the largest goes first.
ctypedef pair[pair[double, double], pair[double, int32_t]] Offer


cdef class PiecePruner:
    cdef Vocab vocab
    cdef vector[int64_t] counts         # of each id: tokens of the text, and those that removed pieces have left
    cdef vector[uint8_t] may_go         # of each id: the caller lets it go
    cdef vector[uint8_t] is_dead        # of each id: no text gives it, so it goes first
    cdef vector[uint8_t] is_gone
    cdef vector[int32_t] lengths        # of each id: characters, or bytes where pieces are bytes
    cdef priority_queue[Offer] offers
    cdef readonly int64_t n_left        # pieces that are not gone

    # What a subclass owes. An infinite cost never falls: the piece stays.
    cdef double cost(self, int32_t piece_id) noexcept nogil
    cdef Offer offer(self, int32_t piece_id, double cost) noexcept nogil
    cdef bint is_free(self, int32_t piece_id) noexcept nogil    # no piece that is there needs it
    cdef int pass_count(self, int32_t piece_id) except -1 nogil     # of a piece that goes, to what takes its place

    cdef int propose(self, int32_t piece_id) except -1 nogil
    cdef int remove_next(self) except -2 nogil      # -1: none may go
    cdef double cost_of_character(self, int32_t piece_id) noexcept nogil
