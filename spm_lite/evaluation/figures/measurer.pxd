"""Reads texts block by block with several tokenizers, on many threads, and adds up the figures of each."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.decode.decoder cimport Decoder
from spm_lite.encode.shares cimport TextWorker
from spm_lite.encode.spans cimport SpanFinder
from spm_lite.evaluation.figures.text_shape cimport TextShape
from spm_lite.evaluation.figures.token_sums cimport TokenSums
from spm_lite.texts.text_view cimport TextView


@cython.final
cdef class ShapeWorker(TextWorker):
    """Looks at the texts [begin, end) of a block."""

    cdef TextShape shape


cdef class TokenWorker(TextWorker):
    """Adds up the tokens of the texts [begin, end) of a block."""

    cdef ShapeWorker shapes             # of the same texts
    cdef TokenSums sums


@cython.final
cdef class OwnWorker(TokenWorker):
    """The tokens come from a tokenizer of ours, which is asked here."""

    cdef SpanFinder finder
    cdef Decoder decoder
    cdef bint keeps_ids
    cdef vector[uint8_t] decoded
    cdef vector[int32_t] changed        # numbers of the first texts of the block that decoding does not give back

    cdef bint comes_back(self, const TextView* text, const int32_t* ids, size_t n) except -1 nogil


@cython.final
cdef class GivenWorker(TokenWorker):
    """The tokens of the whole block are given."""

    cdef const int32_t* ids
    cdef const int64_t* offsets         # of each text of the block, and of the end
    cdef const int32_t* places          # NULL: not known


@cython.final
cdef class Measurer:
    """Adds up the figures of one source for several tokenizers."""

    cdef list shapes                    # a ShapeWorker for each thread
    cdef list readers                   # for each tokenizer: a TokenWorker for each thread
    cdef list encoders                  # of our tokenizers
    cdef readonly bint skips_empty
    cdef bint has_text                  # there was a text

    cdef int run(self, vector[TextView]& views, list workers) except -1
    cdef bytes joined(self, const vector[TextView]& views)
