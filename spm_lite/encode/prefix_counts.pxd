"""Prefix counts: the number of ids of each prefix of a normalized text, encoded alone.

The number can fall as the prefix grows: "▁th" may be two ids where "▁the" is one. The counts rest on these facts:

- Unigram: the best path to an offset does not depend on the text after it, so one search gives the counts of all
  prefixes.
- BPE, characters: no merge crosses the end of a token. So the text before it and the text after it are each segmented
  into the same tokens when they stand alone. Two segmentations that share a token can be joined there: a merge across
  any of their token borders would have been made in one of them too.
- Let L be the bytes that one token can span. Any longer text has a token border in the L bytes before an offset. So it
  has no fewer ids than the least of the prefixes that end in these bytes. If all of those exceed a limit, every longer
  prefix does (`first_beyond`).

The last two do not hold for BPE with UNUSED pieces, which are split again into the parts that they were merged from,
anywhere in the text. There each count segments the whole prefix, and `first_beyond` looks ahead as far, without proof.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.encode.segment.segmenter cimport Scratch, Segmenter, Token
from spm_lite.encode.segment.split_text cimport SplitSegmenter
from spm_lite.encode.segment.wordpiece cimport WordPieceScratch, WordPieceSegmenter
from spm_lite.base.patterns.text_cuts cimport CutScratch, Part, Restart


cdef enum:
    FILL_BYTES = 1 << 20    # of text between two checks for signals in a long search


@cython.final
cdef class PieceReach:
    """The longest pieces and joinable byte pairs of a vocabulary; immutable, shared by all its PrefixCounts."""

    cdef vector[uint8_t] joinable       # the byte pairs that occur in a piece, see `byte_pairs`
    cdef int32_t longest                # most bytes of one token, except an unknown word
    cdef vector[int32_t] reach          # by byte pair: bytes of the longest piece that begins with it, at least 4
    cdef int32_t longest_symbol         # bytes of the longest user-defined symbol; 0: there is none


cdef class PrefixCounts:
    """The counts of the prefixes of one text; `fill` sets the text."""

    cdef Segmenter segmenter
    cdef PieceReach pieces
    cdef Scratch scratch
    cdef bint skips_spaces              # spaces at the end of a prefix are removed
    cdef bint has_marks                 # an escaped space is U+2581, not 0x20
    cdef bint keeps_unknown     # unknown tokens side by side are one id each
    cdef bint is_sure                   # the result of `first_beyond` is proved
    cdef WordPieceSegmenter word_pieces     # of the words; None: a longer beginning of a word has no fewer ids
    cdef bint stays_known   # no beginning of the last word is unknown, whatever of it follows the text
    cdef int32_t n_splits   # compiled patterns that cut a text
    cdef const uint8_t* text            # normalized; belongs to the caller
    cdef int32_t size
    cdef vector[uint8_t] ending         # the end of a prefix, with the tail, that is segmented again
    cdef vector[Token] tokens           # of the text; Unigram: of `ending`

    cdef int fill(self, const uint8_t* text, int32_t size) except -1 nogil
    cdef int fill_part(self, const uint8_t* text, int32_t size) except -1 nogil     # the same; all of it is one part
    cdef int start(self, const uint8_t* text, int32_t size) except -1 nogil         # the same; nothing of it is counted
    cdef int64_t count(self, int32_t end, const uint8_t* tail, int32_t tail_size) except -1 nogil
    # number of ids of text[:end] followed by `tail`; `end` is the end of a character
    cdef int32_t first_beyond(self, int64_t limit) except? -1 nogil
    # an offset such that every text that begins with text[:offset] has more than `limit` ids; -1: none found

    cdef int32_t word_beyond(self, int64_t limit) noexcept nogil
    # where the last word begins if the limit is passed in it; else -1
    cdef int32_t word_end(self, const uint8_t* text, int32_t size) noexcept nogil
    # where the first word of a text ends, if its characters alone tell; else `size`
    cdef bint is_apart(self, const uint8_t* text, int32_t pos, int32_t size) noexcept nogil
    # whether the characters before and after `pos` are in two words, whatever is around them

    cdef int set_gaps(self, uint64_t gaps) except -1
    # bit i of `gaps`: no match of split i begins in the text to come, whatever follows
    cdef int32_t first_match(
        self, int32_t split, const uint8_t* text, int32_t size, bint is_whole, int32_t* end, int32_t* reach,
    ) except -1 nogil
    # as that of `TextCuts`

    cdef bint is_cut(self, int32_t pos) noexcept nogil
    cdef bint is_visible_end(self, int32_t end) noexcept nogil
    cdef int32_t visible_end(self, int32_t end) noexcept nogil
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
    cdef vector[int64_t] counts         # per byte offset: number of ids of the prefix; -1: inside a character
    cdef vector[double] scores          # per byte offset: of the best path to it
    cdef vector[uint8_t] is_unknown     # per byte offset: the last token of that path is unknown

    cdef int32_t fill_block(self, int32_t begin, int32_t n_chars) noexcept nogil


@cython.final
cdef class MergedPrefixes(PrefixCounts):
    """The counts for BPE and character models."""

    cdef bint is_whole                  # BPE with UNUSED pieces: parts cannot be segmented alone
    cdef bint is_one_part               # all of the text is one part of a list of merges, of which it matters ...
    cdef bint looks_up                  # ... whether the part is a piece as a whole,
    cdef bint is_by_part                # which characters begin and end it,
    cdef bint drops                     # and that its unknown characters vanish
    cdef bint is_open                   # what is counted now is no whole part
    cdef vector[int32_t] known_ends     # with `drops`, per byte offset: the end of the last known character before it
    cdef vector[int64_t] counts         # counts[i]: number of ids of the first i tokens
    cdef vector[uint8_t] was_unknown    # was_unknown[i]: the token before token i is unknown
    cdef vector[Token] others           # of `ending`

    cdef int append_tokens(self, int32_t begin, int32_t end) except -1 nogil
    cdef int fill_counts(self) except -1 nogil
    cdef int fill_known_ends(self) except -1 nogil
    cdef int32_t reach_from(self, int32_t pos) noexcept nogil
    cdef int64_t count_from(
        self, size_t first, int32_t end, const uint8_t* tail, int32_t tail_size,
    ) except -2 nogil


@cython.final
cdef class WordPiecePrefixes(PrefixCounts):
    cdef vector[Token] words        # of WordPiece, without the spaces before them
    cdef vector[int32_t] known_ends     # per word: a prefix that ends in it, but after this, has an unknown word
    cdef vector[int64_t] counts     # ids of the first i words
    cdef vector[Token] others       # of one word, or of `ending`
    cdef size_t n_open              # index of the word whose prefixes are counted one after the other; or NO_PART
    cdef WordPieceScratch opened    # its characters, without what BERT drops
    cdef int32_t covered            # bytes of it that pieces cover, from the left: those of `open_tokens`
    cdef bint has_dropped           # something was dropped: `opened.origins` tells where bytes were
    cdef vector[Token] open_tokens

    cdef int add_word(self, int32_t begin, int32_t end) except -1 nogil
    cdef int open_word(self, size_t i) except -1 nogil
    cdef int64_t count_in_word(self, size_t i, int32_t end) except -1 nogil
    cdef int32_t beyond_in_word(self, int64_t limit) except -2 nogil


@cython.final
cdef class PartPrefixes(PrefixCounts):
    """The counts where a split pattern cuts a text, or compiled patterns."""

    cdef SplitSegmenter split
    cdef bint is_bytes              # pieces are bytes
    cdef CutScratch cuts            # of compiled patterns; None: the rules of a split pattern cut
    cdef vector[Part] parts
    cdef vector[Restart] restarts   # where a prefix may be cut again, from the start of the text on
    cdef vector[int64_t] counts     # ids of the first i parts
    cdef vector[Token] others       # of one part, or of `ending`
    cdef size_t n_long              # index of the long part whose prefixes are counted one after the other; or NO_PART
    cdef int32_t n_long_splits      # the last splits, which cut the prefixes of that part, so many of them
    cdef PrefixCounts long_part     # of it
    cdef int32_t most_short         # bytes: a longer part is long
    cdef vector[uint8_t] ends       # of its prefixes, flags as `TextCuts.mark_ends` sets them
    cdef vector[int32_t] line_ends  # of white space that line ends cut: where the first part of each prefix ends
    cdef PrefixCounts rest          # of what is in the long part after such a first part, ...
    cdef int32_t rest_begin         # ... which begins there; NO_PART: there is none

    cdef int cut_by_rules(self) except -1 nogil
    cdef int cut_by_patterns(self) except -1 nogil
    cdef int append_count(self, Part part) except -1 nogil
    cdef int32_t reach_of(self, size_t i) noexcept nogil
    cdef size_t restart_before(self, int32_t end) noexcept nogil
    cdef int32_t held_end(self, size_t i, int32_t end) noexcept nogil
    cdef int64_t count_ending(self, int32_t n_splits) except -1 nogil
    cdef int open_long(self, size_t i, int32_t n_splits) except -1 nogil
    cdef bint has_limit(self) noexcept nogil
    cdef int64_t count_long(self, size_t i, int32_t size, int32_t n_splits) except -2 nogil
    cdef int32_t beyond_in_long(self, int64_t limit) except -2 nogil


@cython.final
cdef class WordPrefixes(PrefixCounts):
    cdef vector[int64_t] counts         # as in MergedPrefixes
    cdef vector[uint8_t] was_unknown
    cdef vector[Token] others

    cdef int32_t sure_of_more(self, size_t i, int64_t limit) noexcept nogil


cdef int32_t first_from(const vector[int32_t]& align, int32_t pos) noexcept nogil
cdef PrefixCounts make_prefixes(Segmenter segmenter, PieceReach pieces, bint skips_spaces, bint escapes_spaces)
