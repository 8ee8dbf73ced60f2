"""Truncation: find the longest prefix of a text that, encoded alone, has at most a given number of ids."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.unicode.graphemes cimport GraphemeContext
from spm_lite.encode.encoder cimport Encoder, EncodeScratch
from spm_lite.encode.prefix_counts cimport PrefixCounts
from spm_lite.normalize.normalizer cimport Normalizer, WideStep
from spm_lite.texts.text_view cimport TextView


cdef enum Boundary:
    # Where a text may be cut: between any two characters, or only ...
    ANY_CHAR = 0
    WORD_START = 1      # ... after white space that no more white space follows
    LINE_START = 2      # ... after a line feed
    SENTENCE_START = 3  # ... after a line feed, or after the mark that ends a sentence and its closing quotes, brackets
    GRAPHEME_START = 4  # ... where a grapheme cluster begins


cdef enum WordState:
    # Of a word of WordPiece, read from the left: every character continues a word by itself, ...
    OPEN_WORD = 0       # ... and the word may go on
    KNOWN_WORD = 1      # ... up to its end
    LONG_WORD = 2       # ... but they are more than a word may have
    UNSURE_WORD = 3     # ... but not the next one


cdef struct Stretch:
    # Normalized text between two added tokens: `normalized` from `begin` to `end`.
    int32_t begin
    int32_t end
    int64_t n_before    # ids of the text before it


@cython.final
cdef class Truncator:
    cdef Encoder encoder
    cdef EncodeScratch scratch          # of prefixes that are encoded anew; None: there was none yet
    cdef Normalizer normalizer
    cdef PrefixCounts prefixes
    cdef PrefixCounts words             # the same, if the text is cut into words of WordPiece; else None
    cdef TextView text
    cdef int32_t first                  # bytes of leading spaces, which normalization removes
    cdef int32_t sure                   # bytes of a part of a text that no later text changes
    cdef bint is_open                   # it is taken for the whole text
    cdef int32_t stop                   # bytes of the text that were normalized
    cdef int32_t longest                # bytes of the longest piece
    cdef int32_t spare                  # ids by which a longer prefix may have fewer
    cdef bint is_local                  # of added tokens: a prefix that ends outside of them and of `steps` is sure
    cdef bint takes_white               # an added token takes the white space before it
    cdef bint strips_end                # white space at the end of a text that is normalized whole is removed
    cdef int32_t longest_added          # bytes of the longest added token; 0: there is none
    cdef vector[uint8_t] normalized     # the normalized form of these; spaces at the end are kept
    cdef vector[int32_t] align
    cdef vector[WideStep] steps
    cdef vector[Stretch] stretches      # of a text that is normalized whole: up to the one with the bound
    cdef size_t n_open                  # index of the one whose counts are in `prefixes`
    cdef vector[uint8_t] other          # a prefix that is normalized again
    cdef GraphemeContext context        # of the text before `text`
    cdef vector[uint8_t] begins_grapheme    # for each byte of the text up to where it may be cut
    cdef int32_t counted                # end in `normalized` of the prefix counted last; -1: none
    # Of a text that is normalized whole, it is the end in `text` of what `count_least` counted last.
    cdef int32_t counted_from           # its end before spaces were removed
    cdef int64_t n_counted              # its number of ids
    cdef int32_t near                   # end in `normalized` of what `count_near` counted last; -1: nothing
    cdef int64_t n_near                 # its number of ids

    cdef bint open_text(self, object text, bint is_last) except -1
    cdef bint needs_end(self) noexcept nogil
    cdef int64_t place(self, object text, int32_t pos)
    cdef int normalize(self) except -1 nogil
    cdef int fill(self) except -1 nogil
    cdef int read_word(self, bint is_last, int64_t* length, int32_t* end) except -1 nogil
    cdef int32_t find_end(self, int64_t limit, bint is_last, Boundary boundary) except -2 nogil
    cdef int32_t find_bound(self, int64_t limit) except -2 nogil
    cdef int32_t end_in_text(self, int32_t k) noexcept nogil
    cdef int32_t find_stretch(self, int64_t limit) except -2 nogil
    cdef int32_t mark_after(self, const vector[uint8_t]& text, int32_t begin) noexcept nogil
    cdef int open_stretch(self, size_t i) except -1 nogil
    cdef int32_t sure_of_tokens(self) noexcept nogil
    cdef int32_t near_bound(self, int32_t bound, int64_t limit) except -2 nogil
    cdef int32_t find_spare(self, int32_t begin, int32_t end, int64_t most) except -2 nogil
    cdef int64_t count_whole_chars(self, int32_t end) except -1 nogil
    cdef int mark_graphemes(self, int32_t end) except -1 nogil
    cdef int32_t last_fit(self, int32_t end, int64_t limit, Boundary boundary) except -1 nogil
    cdef int32_t nearest_fit(self, int32_t fit, int32_t failed, int64_t limit) except -1 nogil
    cdef int64_t count_prefix(self, int32_t end) except -1 nogil
    cdef int64_t count_other(self, int32_t end) except -1 nogil
    cdef int64_t count_anew(self, int32_t end) except -1 nogil
    cdef size_t stretch_at(self, int32_t k) noexcept nogil
    cdef int64_t count_near(self, int32_t end, bint* is_exact) except -1 nogil
    cdef int64_t count_least(self, int32_t end, int64_t n_ids) except -1 nogil
    cdef int64_t count_normalized(self, int32_t end) except -1 nogil
    cdef const WideStep* step_around(self, int32_t pos) noexcept nogil
    cdef bint is_boundary(self, int32_t pos, Boundary boundary) noexcept nogil
