"""Phrases: words in a row that one piece may span. A table of phrases is what superwords are learned from.

The chunks of a line are joined to phrases. A phrase ends at a digit, at the end of a line or text, at two spaces, at a
special piece and, unless signs may stand inside, at a sign. Only an apostrophe between letters is in a phrase then.
With signs inside, a phrase ends between a sentence and the next one. Such a table has no number of documents, since
numbers of two parts of a text do not add up. Each phrase has 64 marks instead: a document sets the mark that its hash
chooses. The marks of parts add up by OR, and no text has more marks than documents.
"""

from libc.stdint cimport uint8_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.training.counts.chunk_table cimport ChunkTable


cdef enum Inside:
    # What may stand inside a phrase beside letters.
    NO_PHRASES = 0      # the chunks stay as they are
    ONLY_LETTERS = 1    # apostrophes between letters
    SIGNS_TOO = 2       # punctuation and other signs


cdef enum Part:
    # What a chunk is to its phrase.
    NO_PART = 0         # it stands alone
    SPACED = 1          # it begins with one space
    UNSPACED = 2        # it has no space
    APOSTROPHE = 3      # with ONLY_LETTERS: one apostrophe, which joins two chunks of letters


cdef class PhraseMaker:
    """Joins the chunks of texts, given in order, to phrases, and counts these in a table."""

    cdef ChunkTable table
    cdef Inside inside
    cdef bint in_bytes                  # a space is 0x20, else U+2581
    cdef uint64_t mark                  # of the document
    cdef vector[uint8_t] phrase         # so far
    cdef bint is_open                   # the phrase may go on
    cdef bint has_apostrophe            # it ends in an apostrophe, after which letters must follow
    cdef bint has_ended                 # a sentence has ended, so the phrase ends before a space

    cdef void start(self, const uint8_t* text, uint64_t size) noexcept nogil    # a document
    cdef int add(self, const uint8_t* text, uint64_t size, uint64_t count) except -1 nogil      # the next chunk
    cdef void note_end(self, const uint8_t* text, uint64_t size) noexcept nogil
    cdef int end(self, uint64_t count) except -1 nogil      # no chunk follows that may belong to the phrase
    cdef int put(self, const uint8_t* text, uint64_t size, uint64_t count) except -1 nogil
    cdef Part part_of(self, const uint8_t* text, uint64_t size) noexcept nogil


cdef uint64_t document_mark(const uint8_t* text, uint64_t size) noexcept nogil


cdef inline uint64_t n_marks(uint64_t marks) noexcept nogil:
    """Return how many marks are set."""
    cdef uint64_t n = 0
    while marks:
        marks &= marks - 1
        n += 1
    return n
