"""The exact n best paths of a lattice, any number of them, without limits: each is made when it is asked for."""

cimport cython
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from spm_lite.lattice.lattice cimport Lattice
from spm_lite.lattice.path_list cimport PathList
from spm_lite.lattice.path_scores cimport PathScores


cdef enum:
    EMPTY_SUFFIX = -1   # the one path from the last place on
    NOT_MADE = -2
    NO_OTHER = -3       # all are made


cdef struct PathSuffix:
    # A path from some place to the end of the text. The best one of place p is number p.
    double score        # sum of the scores, from the last piece on
    int32_t edge        # its first edge, by the order of finding
    int32_t rest        # the suffix behind that edge, or EMPTY_SUFFIX
    int32_t next        # the next best from the same place, NOT_MADE or NO_OTHER


cdef struct Choice:
    # One edge, with the best suffix that starts with it and was not given out.
    double score        # of that suffix
    float edge_score
    int32_t rest        # the suffix behind the edge, EMPTY_SUFFIX or NO_OTHER
    int32_t end         # place where the edge ends


@cython.final
cdef class BestSuffixes:
    cdef vector[int32_t] leaving        # edges that start at place p are numbers leaving[p] to leaving[p + 1]
    cdef vector[Choice] choices         # per edge, by the order of finding
    cdef vector[PathSuffix] suffixes
    cdef vector[int32_t] lasts          # per place: the last suffix made
    cdef vector[int32_t] waiting        # places whose next suffix is needed, each for the one before

    cdef int search(self, PathScores vocab, Lattice lattice, Py_ssize_t n, PathList paths) except -1 nogil
    cdef int fill(self, PathScores vocab, Lattice lattice) except -1 nogil
    cdef int make_next(self, int32_t place) except -1 nogil
    cdef int append_path(self, Lattice lattice, int32_t suffix, PathList paths) except -1 nogil
