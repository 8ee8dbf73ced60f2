"""The paths of a text as the outside sees them: n-best, samples, entropy."""

cimport cython
from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.segment.agenda cimport Agenda, PathList
from spm_lite.segment.encoder cimport Encoder, atomic
from spm_lite.segment.lattice cimport Lattice
from spm_lite.segment.path_vocab cimport PathVocab
from spm_lite.segment.segmenter cimport Scratch, Token
from spm_lite.segment.texts cimport TextView


@cython.final
cdef class PathScratch:
    # Buffers of one call.
    cdef vector[uint8_t] normalized
    cdef vector[int32_t] align
    cdef vector[Token] tokens
    cdef Scratch scratch                # of the segmenter
    cdef Lattice lattice
    cdef Agenda agenda
    cdef PathList paths


@cython.final
cdef class Paths:
    cdef readonly bint can_list         # n-best lists, scored samples, entropy
    cdef readonly bint can_sample
    cdef Encoder encoder
    cdef PathVocab vocab
    cdef atomic[PyObject*] spare        # a PathScratch between calls, owned; NULL: in use, or none so far

    cdef PathScratch take_scratch(self)
    cdef int give_back(self, PathScratch scratch) except -1
    cdef int normalize(self, TextView view, PathScratch scratch) except -1 nogil
    cdef int fill_lattice(self, PathScratch scratch) except -1 nogil
    cdef int segment(self, PathScratch scratch) except -1 nogil
    cdef list emit_paths(self, object text, PathScratch scratch)
