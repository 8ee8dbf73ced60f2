"""The rules that turn a line into chunks: how text is normalized, which places no piece can cross."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.patterns.text_cuts cimport TextCuts
from spm_lite.base.unicode.bert_words cimport WordRules
from spm_lite.base.unicode.split_classes cimport SplitRules
from spm_lite.normalize.normalizer cimport Normalizer
from spm_lite.training.counts.phrases cimport Inside
from spm_lite.training.counts.piece_rules cimport PieceRules


cdef enum:
    NO_RUN = 0xFF               # no class
    BOUNDARY_MARK = 0x1F        # the original's character for a place that no piece may cross


cdef enum CutMode:
    CUT_PIECES = 0          # wherever no valid piece can cross
    CUT_WORDS = 1           # before every space mark; boundaries stay inside as BOUNDARY_BYTE
    CUT_CHARACTERS = 2      # everywhere
    CUT_LINES = 3           # nowhere; boundaries stay inside as BOUNDARY_BYTE
    CUT_BERT_WORDS = 5      # words of BERT, without spaces; nothing is known of boundaries
    CUT_BYTES = 4           # as CUT_PIECES, but pieces are bytes of the text; nothing is known of boundaries


cdef enum Fault:
    # Why a text is no chunk.
    FAILED = -1
    NO_FAULT = 0
    HOLDS_SPACE = 1
    ILL_FORMED = 2
    HOLDS_META = 3          # a special piece or the delimiter
    IS_CUT = 4


cdef class CutRules:
    """The rules for normalizing and cutting text. Immutable, so all threads share one object."""

    cdef Normalizer normalizer
    cdef PieceRules piece_rules
    cdef CutMode mode
    cdef Inside inside                  # the chunks of a line are joined to phrases
    cdef bint in_order                  # every line stays a chunk of its own, in reading order
    cdef bint are_normalized            # lines come from a pretokenizer; in_order, empty ones are appended too
    cdef uint64_t max_line_size         # bytes
    cdef vector[uint32_t] meta_units    # double-array trie of the meta pieces in normalized form
    cdef uint8_t meta_starts[256]       # whether some meta piece starts with this byte
    cdef uint8_t boundary_starts[256]   # whether a meta piece or the delimiter does
    cdef uint8_t ascii_classes[128]     # class_of each ASCII character; CUT_BYTES: class_in_bytes
    cdef uint8_t run_classes[256]       # the class of ASCII that is never cut after the same class; NO_RUN: others
    cdef WordRules words                # CUT_BERT_WORDS
    cdef bint has_boundaries            # there are meta pieces or a delimiter
    cdef bint has_pattern               # CUT_BYTES: a split pattern cuts texts first
    cdef bint cuts_matches              # other rules cut the matches of the pattern
    cdef SplitRules split               # of a known pattern, if there are no `cuts`
    cdef TextCuts cuts                  # of compiled patterns; None: `split` cuts
    cdef vector[uint8_t] delimiter      # pretokenization_delimiter in normalized form; empty: none

    cdef void fill_classes(self) noexcept
    cdef int take_pattern(self, pattern) except -1
    cdef Fault fault_of(self, const uint8_t* text, int32_t size, vector[uint8_t]& scratch) except FAILED nogil
    cdef int32_t boundary_size(self, const uint8_t* text, int32_t size) noexcept nogil
    cdef int32_t meta_size(self, const uint8_t* text, int32_t size) noexcept nogil


cdef PieceRules rules_from_spec(object spec, bint reference_rules)
