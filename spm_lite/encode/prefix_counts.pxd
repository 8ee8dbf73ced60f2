"""How many ids each beginning of a normalized text becomes when it stands alone.

The number does not grow steadily: "▁th" may be two ids where "▁the" is one. What the counts rest on:

- Unigram: the best path to a place depends on nothing behind it, so one search knows it for every place.
- BPE, characters: what stands left of the end of a token is segmented into the same tokens when it stands alone, and so
  is what stands right of it, since no merge went over that place. Two segmentations that share a token can be joined
  there: a merge over any of their borders would have been made in one of them too.
- Therefore a text that goes on from a place has no fewer ids than the least of the beginnings that end in the bytes
  before that place which one token can span: it has a token that begins there. Beyond a place where all of those are
  too many, nothing is short enough again (`first_beyond`).

Neither holds for BPE with UNUSED pieces, which are taken apart as they were formed last, anywhere: there all counts
are made anew, and `first_beyond` looks as far ahead without a proof.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.segment.segmenter cimport Scratch, Segmenter, Token


cdef enum:
    FILL_BYTES = 1 << 20    # of text, after which a long search looks for signals


@cython.final
cdef class PieceReach:
    """What counting asks of a vocabulary; never changed, shared by all that count with it."""

    cdef vector[uint8_t] joinable       # of `byte_pairs`
    cdef int32_t longest                # bytes that one token can span, unknown words aside
    cdef vector[int32_t] reach          # of byte pair (a, b): bytes of the longest piece that begins with them
    cdef int32_t longest_symbol         # bytes of the longest user-defined symbol


cdef class PrefixCounts:
    """Counts of the beginnings of one text; `fill` gives it another."""

    cdef Segmenter segmenter
    cdef PieceReach pieces
    cdef Scratch scratch
    cdef bint skips_spaces              # a beginning never ends with a space: those are removed
    cdef bint has_marks                 # a space is U+2581, not 0x20
    cdef bint is_sure                   # what `first_beyond` finds is proved
    cdef const uint8_t* text            # normalized; belongs to the caller
    cdef int32_t size
    cdef vector[uint8_t] ending         # of the text that is segmented anew
    cdef vector[Token] tokens           # of the text; Unigram: of its ending

    cdef int fill(self, const uint8_t* text, int32_t size) except -1 nogil
    cdef int64_t count(self, int32_t end, const uint8_t* tail, int32_t tail_size) except -1 nogil
    # ids of text[:end] followed by `tail`; `end` is the end of a character
    cdef int32_t first_beyond(self, int64_t limit) except? -1 nogil
    # a place from which on every text that begins as this one does up to there has more than `limit` ids; -1: none seen

    cdef bint is_cut(self, int32_t pos) noexcept nogil
    cdef bint is_visible_end(self, int32_t end) noexcept nogil
    cdef int32_t next_unit(self, int32_t pos) noexcept nogil
    cdef int64_t count_token(self, const uint8_t* text, Token token, bint* was_unknown) noexcept nogil
    cdef int64_t count_tokens(
        self, const uint8_t* text, const vector[Token]& tokens, bint was_unknown,
    ) noexcept nogil
    cdef int set_ending(
        self, int32_t begin, int32_t end, const uint8_t* tail, int32_t tail_size,
    ) except -1 nogil


@cython.final
cdef class UnigramPrefixes(PrefixCounts):
    cdef vector[int64_t] counts         # per byte offset: ids up to there; -1: inside a character
    cdef vector[float] scores           # of the best path to there
    cdef vector[uint8_t] is_unknown     # the last token of that path is unknown

    cdef int32_t fill_block(self, int32_t begin, int32_t n_chars) noexcept nogil


@cython.final
cdef class MergedPrefixes(PrefixCounts):
    """BPE and characters."""

    cdef bint is_whole                  # nothing is known of a part: BPE with UNUSED pieces
    cdef vector[int64_t] counts         # counts[i]: ids of the first i tokens
    cdef vector[uint8_t] was_unknown    # was_unknown[i]: the token before token i is unknown
    cdef vector[Token] others           # of an ending

    cdef int append_tokens(self, int32_t begin, int32_t end) except -1 nogil
    cdef int fill_counts(self) except -1 nogil
    cdef int32_t reach_from(self, int32_t pos) noexcept nogil
    cdef int64_t count_from(
        self, size_t first, int32_t end, const uint8_t* tail, int32_t tail_size,
    ) except -2 nogil


@cython.final
cdef class WordPrefixes(PrefixCounts):
    cdef vector[int64_t] counts         # as of MergedPrefixes
    cdef vector[uint8_t] was_unknown
    cdef vector[Token] others

    cdef int32_t sure_of_more(self, size_t i, int64_t limit) noexcept nogil


cdef PrefixCounts make_prefixes(Segmenter segmenter, PieceReach pieces, bint skips_spaces, bint escapes_spaces)
