"""Steps that look at one character after the other: what BERT drops or sets apart, and the spelling of bytes."""

cimport cython
from libc.stdint cimport int32_t

from spm_lite.normalize.text_step cimport TextStep


@cython.final
cdef class BertStep(TextStep):
    cdef bint drops                 # what BERT drops and no rule can
    cdef bint sets_apart            # ideographs of Chinese


@cython.final
cdef class SpellStep(TextStep):
    cdef int32_t spelled[256]       # byte -> code point that stands for it
