"""The text of the original's Unigram trainer: sentences with U+2585 for unknown characters, words, seed segments."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.training.counts.chunk_table cimport ChunkTable
from spm_lite.training.counts.piece_rules cimport PieceRules
from spm_lite.training.trainer_interface cimport Alphabet


cdef struct TextPart:
    # Sentences [begin, end) of the text for seeds, each repeated as often as its count.
    size_t begin
    size_t end
    uint64_t n_last     # repeats of the last sentence in this part


cdef class ReferenceText:
    cdef ChunkTable sentences       # in reading order; equal ones stay apart
    cdef PieceRules rules
    cdef vector[uint8_t] classes    # class_of each code point; NEVER outside the alphabet
    cdef uint64_t part_size         # bytes; the original finds the seeds of each part of this size by itself

    cdef int mark(self, size_t sentence, vector[uint8_t]& marked) except -1 nogil
    cdef TextPart next_part(self, size_t begin) noexcept nogil
    cdef uint64_t marked_size(self, size_t sentence) noexcept nogil
    cdef uint8_t first_byte(self, size_t sentence) noexcept nogil


cdef ReferenceText load_text(ChunkTable sentences, Alphabet alphabet, object spec)
cdef ChunkTable count_words(ReferenceText text, uint32_t n_threads)
cdef ChunkTable count_segments(ReferenceText text, TextPart part, uint32_t n_threads)
