"""Byte fallback: tokens -> ids, with unknown text as byte pieces, or as one unknown id for each run.

A short chunk of BPE takes another way: `collect_ids` in merge_array.pxd follows the same rule.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.encode.segment.segmenter cimport Token
from spm_lite.vocab.vocab cimport Vocab


@cython.final
cdef class ByteFallback:
    cdef Vocab vocab
    cdef bint compact
    cdef bint keeps_unknown     # WordPiece: each unknown word is an id
    cdef bint merges_unknown    # a run of unknown characters is one id

    cdef int append(
        self, const uint8_t* text, const vector[Token]& tokens, bint* was_unknown, vector[int32_t]& ids,
    ) except -1 nogil           # was_unknown, in and out: whether the ids so far end in such a run
    cdef int append_unknown(self, const uint8_t* text, int32_t size, vector[int32_t]& ids) except -1 nogil
