"""The merges of a BPE model that keeps them one by one, and what such a model does with the characters of a text."""

cimport cython
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from spm_lite.vocab.vocab cimport Vocab


cdef enum:
    MOST_AFFIX = 32     # bytes of a prefix or suffix


cdef struct ListedMerge:
    # Two neighbours and what they become, by id.
    int32_t left
    int32_t right
    int32_t whole


@cython.final
cdef class MergeList:
    cdef vector[ListedMerge] merges         # the first merges first; of two of the same parts the later counts
    cdef readonly bint fuse_unknown         # unknown characters side by side are one id
    cdef readonly bint whole_pieces         # a part of a text that is a piece as a whole is that piece
    cdef readonly bytes continuing_prefix   # pieces have it before a character that goes on a part; mostly empty
    cdef readonly bytes word_suffix         # pieces have it after the last character of a part; mostly empty

    cdef int check(self, Vocab vocab) except -1     # raises ModelError for a merge that does not join its parts


cdef MergeList new_merge_list(
    const vector[int32_t]& ids, bint fuse_unknown, bint whole_pieces, bytes continuing_prefix, bytes word_suffix,
)
