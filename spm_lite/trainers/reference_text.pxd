"""The sentences as the original's Unigram trainer sees them: U+2585 for what no piece holds; words; seed text."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.trainers.counts cimport CountTable
from spm_lite.trainers.trainer cimport Alphabet
from spm_lite.trainers.validity cimport PieceRules


cdef class ReferenceText:
    cdef CountTable sentences       # in reading order, unmerged
    cdef PieceRules rules
    cdef vector[uint8_t] classes    # CharClass per code point; NEVER outside the alphabet

    cdef int mark(self, size_t sentence, vector[uint8_t]& marked) except -1 nogil
    cdef int count_words(self, CountTable words) except -1 nogil
    cdef size_t count_segments(self, size_t begin, CountTable segments) except? 0 nogil
    cdef int cut_segments(
        self, size_t sentence, uint64_t n_repeats, bint is_last, vector[uint8_t]& segment, CountTable segments,
    ) except -1 nogil
    cdef uint64_t marked_size(self, size_t sentence) noexcept nogil
    cdef uint8_t first_byte(self, size_t sentence) noexcept nogil


cdef ReferenceText load_text(CountTable sentences, Alphabet alphabet, object spec)
