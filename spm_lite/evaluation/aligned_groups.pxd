"""Groups of tokens of two tokenizers that cover the same bytes: the smallest ones, found in one walk over both."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from spm_lite.base.system.arrays cimport Int32Array, Int64Array
from spm_lite.encode.shares cimport TextWorker
from spm_lite.texts.text_view cimport TextView


cdef struct TokenRow:
    # The tokens of one text by one tokenizer, and how many of them are in groups.
    const int32_t* places   # begin and end of each token in bytes; the begins of those with a byte never fall
    size_t n
    size_t next             # the first token that is in no group yet
    size_t wide             # the first token from there on that covers a byte; `n`: none


@cython.final
cdef class GroupArrays:
    cdef readonly Int32Array spans      # two per group: the first byte and the end
    cdef readonly Int32Array a_counts   # per group: tokens of the first tokenizer
    cdef readonly Int32Array b_counts
    cdef readonly Int32Array a_gaps     # two per gap: bytes that no token of the first tokenizer covers
    cdef readonly Int32Array b_gaps
    cdef readonly Int64Array offsets    # of each text, and of the end: groups before it
    cdef readonly Int64Array a_gap_offsets  # the same for gaps
    cdef readonly Int64Array b_gap_offsets

    cdef int add(self, const int32_t* span, int32_t n_a, int32_t n_b, bint goes_on) except -1 nogil


@cython.final
cdef class GroupWorker(TextWorker):
    """Groups the tokens of texts [begin, end) of a block."""

    cdef const uint8_t* classes         # of code points; NULL: groups are not joined to words
    cdef const int32_t* a_places
    cdef const int32_t* b_places
    cdef const int64_t* a_offsets       # of all texts, in ids
    cdef const int64_t* b_offsets
    cdef GroupArrays found              # its offsets: counts of all texts, shared by all workers

    cdef int add_groups(self, TokenRow* a, TokenRow* b, const TextView* text) except -1 nogil
