"""Steps in which patterns match: what is replaced, and where the parts of a text begin."""

cimport cython
from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.patterns.pattern_scanner cimport PatternScanner, PatternScratch
from spm_lite.base.patterns.text_cuts cimport TextCuts
from spm_lite.normalize.text_step cimport TextStep


@cython.final
cdef class ReplaceStep(TextStep):
    cdef readonly str pattern
    cdef bytes content
    cdef vector[uint8_t] bytes      # of it
    cdef PatternScanner scanner

    cdef bint replace_all(
        self, const uint8_t* text, int32_t size, vector[uint8_t]& out, vector[int32_t]* align,
    ) except -1
    cdef bint replace_with(
        self, const uint8_t* text, int32_t size, PatternScratch scratch, vector[uint8_t]& out, vector[int32_t]* align,
    ) except -1 nogil


@cython.final
cdef class PartsStep(TextStep):
    cdef tuple splits               # (pattern, behavior, invert) of each way to cut the text
    cdef TextCuts cuts              # None: the text is one part
    cdef bytes sign
    cdef vector[uint8_t] bytes      # of it
    cdef bint is_prefixed           # the sign comes before each part

    cdef int add_all(
        self, const uint8_t* text, int32_t size, vector[uint8_t]& out, vector[int32_t]* align,
    ) except -1
    cdef int add_part(
        self, const uint8_t* text, int32_t begin, int32_t end, vector[uint8_t]& out, vector[int32_t]* align,
    ) except -1 nogil
