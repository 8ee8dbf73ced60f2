"""Where no piece spans a place of the text at hand, although some piece joins the two characters.

A piece that spans the place between x and y of a text vwx|yzu is xy, or wxy or xyz, or it has four characters or more
and holds vwxy, wxyz or xyzu. If none of the first three is a piece, and the others stand side by side in none, the text
may be cut there, as where no piece joins the two (see `joins`).
"""

cimport cython
from libc.stdint cimport uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.segment.joins cimport N_PATTERNS
from spm_lite.segment.more_cuts cimport MoreCuts
from spm_lite.vocab.vocab cimport Vocab


cdef struct GramView:
    # What the hot loops know of a GramCuts.
    const uint64_t* words       # by the upper bits of a hash
    const uint64_t* patterns    # N_PATTERNS
    uint32_t shift              # 64 minus the logarithm of the number of words


@cython.final
cdef class GramCuts(MoreCuts):
    cdef vector[uint64_t] words
    cdef uint64_t patterns[N_PATTERNS]
    cdef GramView view

    cdef int collect(self, Vocab vocab, vector[uint64_t]& hashes) except -1
    cdef int enter_all(self, const vector[uint64_t]& hashes) except -1
