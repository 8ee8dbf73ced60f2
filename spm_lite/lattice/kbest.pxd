"""Exact n-best paths of a lattice by recursive enumeration, without SentencePiece's limits; each is made on demand."""

cimport cython
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from spm_lite.lattice.lattice cimport Lattice
from spm_lite.lattice.path_list cimport PathList
from spm_lite.lattice.path_scores cimport PathScores


cdef enum:
    EMPTY_SUFFIX = -1   # the only suffix of the last place
    NOT_MADE = -2       # the next suffix is not computed yet
    NO_OTHER = -3       # there is no further suffix


cdef struct PathSuffix:
    # A path from some place to the end of the text. The best one of place p has index p.
    double score        # sum of the scores, added from the last piece to the first
    int32_t edge        # its first edge, an index in Lattice.found
    int32_t rest        # the suffix after that edge, or EMPTY_SUFFIX
    int32_t next        # the next best suffix of the same place, NOT_MADE or NO_OTHER


cdef struct Choice:
    # One edge, with the best suffix that starts with it and is not listed yet.
    double score        # of that suffix
    float edge_score
    int32_t rest        # the suffix after the edge, EMPTY_SUFFIX or NO_OTHER
    int32_t end         # place where the edge ends


@cython.final
cdef class BestSuffixes:
    cdef vector[int32_t] leaving        # edges that start at place p are found[leaving[p] : leaving[p + 1]]
    cdef vector[Choice] choices         # per edge of Lattice.found
    cdef vector[PathSuffix] suffixes
    cdef vector[int32_t] lasts          # per place: the last suffix made
    cdef vector[int32_t] waiting        # stack of places whose next suffix is needed, each by the place below it

    cdef int search(self, PathScores vocab, Lattice lattice, Py_ssize_t n, PathList paths) except -1 nogil
    cdef int fill(self, PathScores vocab, Lattice lattice) except -1 nogil
    cdef int make_next(self, int32_t place) except -1 nogil
    cdef int append_path(self, Lattice lattice, int32_t suffix, PathList paths) except -1 nogil
