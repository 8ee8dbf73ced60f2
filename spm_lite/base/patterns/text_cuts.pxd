"""How a text is cut into parts by one pattern after another: each further one cuts the parts of the one before.

Each part is a text of its own: anchors and looks see its ends. The behavior of a split says what becomes of a match,
and of the text between two of them, as in tokenizers. Removed text is in no part.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.patterns.pattern_scanner cimport PatternScanner, PatternScratch


cdef enum:
    ENOUGH_PARTS = 1 << 8   # as many are cut at once, if a text may be cut from the place after them


cdef enum Behavior:
    ISOLATED = 0                # each match is a part, and so is the text between two
    REMOVED = 1                 # a match is dropped
    MERGED_WITH_PREVIOUS = 2    # a match joins the text before it
    MERGED_WITH_NEXT = 3        # a match joins the text after it
    CONTIGUOUS = 4              # matches side by side are one part


cdef struct Fold:
    # The last part, which the next match or text may join.
    int32_t begin       # -1: there is none
    int32_t end
    bint was_match      # what came last


cdef struct Part:
    # Byte offsets in the text.
    int32_t begin
    int32_t end


cdef struct Restart:
    # A place from which a text may be cut on: what becomes of the text before it is known.
    int32_t begin       # byte offset in the text
    int32_t n_parts     # parts before it
    int32_t reach       # a prefix of the text that ends there or later has this place, too,
    int32_t held        # and so has any text with the same bytes before this: no other was looked at
    int32_t n_splits    # the last splits cut on from there, so many of them
    int32_t match_end   # of the match of a split before those, which the place is in; 0: none, so all splits cut on


@cython.final
cdef class CutScratch:
    cdef PatternScratch scan
    cdef CutScratch inner       # of the next split
    cdef vector[Part] parts     # what the last call of `TextCuts.cut` found
    cdef vector[Restart] restarts   # in that text, if they are kept; no place is before that of the last one
    cdef size_t n_taken         # parts that the caller has had
    cdef int32_t done           # where they end in the text
    cdef bint keeps_restarts
    cdef vector[uint8_t] ends       # what `mark_ends` of the scanner has set
    cdef vector[uint8_t] match_ends     # by byte of the text: the same of all matches that restarts are in

    cdef void start(self, bint is_whole) noexcept nogil


@cython.final
cdef class TextCuts:
    """One split, and those that cut its parts."""

    cdef readonly PatternScanner scanner
    cdef readonly TextCuts inner        # of the next split; None: this is the last
    cdef Behavior behavior
    cdef bint inverts
    cdef readonly bint has_windows      # what was cut stays so, whatever follows, and a text may be cut on from there
    cdef bint keeps_plain               # text without a match is one part, for the splits after it too
    cdef uint8_t may_start[256]         # by byte: flags of how a match of this split, or of one after it, may begin
    cdef readonly bint drops            # some text may be in no part
    cdef int32_t n_splits               # this one and those after it

    cdef CutScratch new_scratch(self)
    # Set `scratch.parts` to the next parts of a text from `begin` on, where the last call ended; return their end.
    # `scratch.start` comes before. If the text is not whole, or ENOUGH_PARTS are found, that may be before its end. It
    # is `begin` if no part is sure.
    cdef int32_t cut(self, const uint8_t* text, int32_t begin, int32_t size, CutScratch scratch) except -1 nogil
    # The same for a text between two added tokens, which begins at `begin` or where the last call ended.
    cdef int32_t cut_between(self, const uint8_t* text, int32_t begin, int32_t end, CutScratch scratch) except -1 nogil
    # Append the parts into which the last `n_splits` splits cut a text to those of `first`.
    cdef int append_last(
        self, int32_t n_splits, const uint8_t* text, int32_t size, CutScratch scratch, CutScratch first,
    ) except -1 nogil
    # Set ends[k] to flags of text[:k] where one walk tells them: IS_MATCH if the text alone is one part for those
    # splits, IS_HELD if the first part of any longer beginning of the text holds all of it. What follows is not known.
    cdef int mark_ends(
        self, int32_t n_splits, const uint8_t* text, int32_t size, CutScratch scratch, vector[uint8_t]& ends,
    ) except -1 nogil
    # Return where the first match of the first of the last `n_splits` splits begins in a text; `size`: there is none.
    # end: set to where it ends, or to more than `size` if more of the text must tell. reach: set to a place from which
    # on no byte was looked at.
    cdef int32_t first_match(
        self, int32_t n_splits, const uint8_t* text, int32_t size, bint is_whole, CutScratch scratch, int32_t* end,
        int32_t* reach,
    ) except -1 nogil
    cdef int add_gap(
        self, const uint8_t* text, int32_t begin, int32_t end, int32_t offset, int32_t near, int32_t reach,
        CutScratch scratch, CutScratch first,
    ) except -1 nogil
    cdef bint cuts_between(self, const uint8_t* text, int32_t pos, int32_t size) noexcept nogil
    cdef int mark_gap(self, const uint8_t* text, int32_t size, CutScratch scratch) except -1 nogil
    cdef bint is_plain(self, const uint8_t* text, int32_t size) noexcept nogil
    cdef int32_t walk(
        self, const uint8_t* text, int32_t begin, int32_t size, int32_t offset, CutScratch scratch, CutScratch first,
    ) except -1 nogil
    cdef int append(
        self, const uint8_t* text, int32_t size, int32_t offset, CutScratch scratch, CutScratch first,
    ) except -1 nogil
    cdef int fold(
        self, const uint8_t* text, int32_t begin, int32_t end, bint is_match, Fold* fold, int32_t offset,
        CutScratch scratch, CutScratch first,
    ) except -1 nogil
    cdef int append_sure(
        self, const uint8_t* text, int32_t begin, int32_t end, int32_t offset, bint is_match, CutScratch scratch,
        CutScratch first,
    ) except -1 nogil
    cdef int append_part(
        self, const uint8_t* text, int32_t begin, int32_t end, int32_t offset, CutScratch scratch, CutScratch first,
    ) except -1 nogil


cpdef TextCuts make_cuts(tuple splits)      # of a vocabulary; None: there are none
