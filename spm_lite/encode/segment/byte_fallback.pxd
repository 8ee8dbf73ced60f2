"""Byte fallback: tokens -> ids, with unknown text as byte pieces, or as one unknown id for each run.

`append_text_ids` segments a text some thousand tokens at a time, so that they take little memory. A short chunk of BPE
takes another way: `collect_ids` in merge_array.pxd follows the same rule.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.encode.segment.segmenter cimport Scratch, Segmenter, Token
from spm_lite.vocab.vocab cimport Vocab


@cython.final
cdef class ByteFallback:
    cdef Vocab vocab
    cdef bint compact
    cdef bint keeps_unknown     # WordPiece, some lists of merges: each unknown token is an id
    cdef bint merges_unknown    # a run of unknown characters is one id

    cdef int append(
        self, const uint8_t* text, const vector[Token]& tokens, bint* was_unknown, vector[int32_t]& ids,
    ) except -1 nogil           # was_unknown, in and out: whether the ids so far end in such a run
    cdef int append_unknown(self, const uint8_t* text, int32_t size, vector[int32_t]& ids) except -1 nogil


cdef struct IdsSoFar:
    # State of the ids of a text.
    bint was_unknown    # the last one stands for a run of unknown characters
    bint is_counting    # ids are counted, not kept
    int64_t n_counted   # ids counted so far


cdef inline int append_text_ids(
    Segmenter segmenter, ByteFallback fallback, const uint8_t* text, int32_t size, Scratch scratch,
    vector[Token]& tokens, vector[int32_t]& found, IdsSoFar* state, Int32Array ids,
) except -1 nogil:
    """Append the ids of a normalized text, or count them. Call `scratch.start` first. tokens, found: buffers."""
    cdef IdsSoFar sure = state[0]
    cdef size_t n_sure = ids.size
    cdef int32_t begin = 0, end
    while begin < size:
        end = segmenter.segment_next(text, size, begin, scratch, tokens)
        if end < begin:  # the tokens after `end` are withdrawn
            ids.size = n_sure
            state[0] = sure
        else:
            found.clear()
            fallback.append(text, tokens, &state.was_unknown, found)
            if state.is_counting:
                state.n_counted += <int64_t> found.size()
            else:
                ids.append(found.data(), found.size())
        begin = end
        if end == scratch.sure_end:
            n_sure = ids.size
            sure = state[0]
    return 0
