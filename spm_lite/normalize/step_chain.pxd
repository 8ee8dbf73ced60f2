"""The steps of tokenizers' normalizers, one after the other, and of pre-tokenizers before Metaspace."""

cimport cython
from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.normalize.normalizer cimport Normalizer
from spm_lite.normalize.rules.charsmap cimport Charsmap
from spm_lite.normalize.text_step cimport TextStep


@cython.final
cdef class StepPair(TextStep):
    cdef readonly TextStep first
    cdef readonly TextStep second


@cython.final
cdef class RulesStep(TextStep):
    cdef Normalizer rules           # which leaves spaces alone


@cython.final
cdef class PrecompiledStep(TextStep):
    cdef Charsmap charsmap

    cdef int32_t next_source(self, const uint8_t* text, int32_t size, int32_t pos) noexcept nogil
    cdef int32_t end_of_cluster(self, const uint8_t* text, int32_t size, int32_t pos) noexcept nogil
    cdef void keep_start(self, const vector[uint8_t]& out, int32_t* align) noexcept nogil


@cython.final
cdef class RunsStep(TextStep):
    cdef bytes content
    cdef vector[uint8_t] bytes      # of it
    cdef int32_t least              # characters of a run that is replaced
    cdef bint is_white              # any White_Space; else U+0020 alone
    cdef const uint8_t* classes

    cdef int32_t space_at(self, const uint8_t* text, int32_t size) noexcept nogil


@cython.final
cdef class StripStep(TextStep):
    cdef bint left
    cdef bint right
    cdef bint is_white              # any White_Space; else U+0020 alone
    cdef const uint8_t* classes

    cdef int32_t space_at(self, const uint8_t* text, int32_t size) noexcept nogil


@cython.final
cdef class StartStep(TextStep):
    cdef bytes content
    cdef vector[uint8_t] bytes      # of it
    cdef int condition              # ALWAYS, UNLESS_THERE or IF_THERE


@cython.final
cdef class WordsStep(TextStep):
    cdef bint drops_white           # words are between White_Space, which goes
    cdef bint by_punctuation        # each sign of punctuation is a word
    cdef bint by_digits             # each digit is a word
    cdef bint is_simple             # words are between white space alone
    cdef bint by_numbers            # each run of digits is a word
    cdef const uint8_t* classes

    cdef int kind_at(self, const uint8_t* text, int32_t size, int32_t* step) noexcept nogil
