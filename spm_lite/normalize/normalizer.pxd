"""Raw text -> normalized text: rules, whitespace, alignment back to the input.

Inside the engine an escaped space is the one byte 0x20 when `compact` (the usual case) and U+2581 otherwise; the two
forms carry the same text, since a compact text cannot hold a real space.
"""

from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.normalize.added_tokens cimport AddedTokens
from spm_lite.normalize.plain_copy cimport Filter
from spm_lite.normalize.protected_strings cimport ProtectedStrings
from spm_lite.normalize.rules.charsmap cimport Charsmap
from spm_lite.normalize.text_step cimport TextStep
from spm_lite.normalize.text_writer cimport Writer


cdef struct WideStep:
    # Several characters of a raw text that one rule or protected string reads together.
    int32_t begin
    int32_t end


cdef struct Reading:
    # The state of normalizing a text, or a window of it.
    int32_t pos                 # bytes that are read
    bint is_open                # the start is done: removed spaces, dummy space
    bint after_space            # a space that follows is dropped


cdef class Normalizer:
    cdef readonly Charsmap charsmap
    cdef readonly bint add_dummy_prefix
    cdef readonly bint remove_extra_whitespaces
    cdef readonly bint escape_whitespaces
    cdef readonly bint whitespace_as_suffix
    cdef readonly bint compact          # needs escape_whitespaces and well-formed rules and symbols
    cdef readonly bint lossless         # a literal U+2581 and ill-formed bytes are kept, unless a rule changes them
    cdef readonly TextStep form         # of Unicode, or other steps, which a text gets before all else; None: none
    cdef readonly TextStep early        # of `form`, what comes before the search for `later`; None: nothing
    cdef readonly TextStep words        # of `form`, what makes words of a part after that search; None: nothing does
    cdef readonly Normalizer plain      # copies texts that `form` leaves as they are, and stops in others; or None
    cdef readonly bint prefix_unless_space  # no dummy space before a text that begins with a space or U+2581
    cdef readonly AddedTokens added     # found in raw text; None: none. A mark stands for each, see `token_mark`
    cdef readonly AddedTokens later     # those that are found in normalized text; None: none
    cdef readonly bint prefix_each_text     # each text after an added token gets the dummy space, not only the first
    cdef bint has_parts                 # there are added tokens: a text is normalized in the parts between them
    cdef readonly bint marks_words      # of WordPiece: a mark is a word, between spaces
    cdef bint is_whole                  # a text is normalized whole: far text may decide what a part becomes
    cdef Normalizer unprefixed          # of parts that get no dummy space; None: there is no dummy space
    cdef readonly ProtectedStrings protected    # the user-defined symbols, as they stand in raw text
    cdef bint copies_protected          # a copy of plain text keeps them as they are
    cdef int32_t reach                  # bytes of text that are enough to find its first step
    cdef Filter filter                  # tells which text is copied unchanged
    cdef Filter copy_filter             # the same where offsets do not matter: see `write_steps`
    cdef bint keeps_text                # compact, and only a dummy space and U+2581 can change a text

    cdef int normalize_into(
        self, const uint8_t* text, int32_t size, vector[uint8_t]& out, vector[int32_t]* align,
    ) except -1 nogil                   # `out` and `align` (may be NULL) are overwritten

    cdef int normalize_formed(
        self, const uint8_t* text, int32_t size, vector[uint8_t]& out, vector[int32_t]* align,
    ) except -1 nogil                   # the same, for a text in the form

    cdef bint copy_unchanged(self, const uint8_t* text, int32_t size, vector[uint8_t]& out) except -1 nogil
    cdef int normalize_parts(
        self, const uint8_t* text, int32_t size, vector[uint8_t]& out, vector[int32_t]* align,
    ) except -1 nogil                   # the same, where `has_parts`

    cdef int add_text(
        self, const uint8_t* text, int32_t begin, int32_t end, vector[uint8_t]& out, vector[int32_t]* align,
    ) except -1 nogil                   # a part of a text, between added tokens

    cdef int32_t size_of_prefix(self, const uint8_t* text, int32_t size) noexcept nogil
    cdef int add_shifted(
        self, const uint8_t* text, int32_t begin, int32_t end, bint is_first, vector[uint8_t]& out,
        vector[int32_t]* align,
    ) except -1 nogil
    cdef int copy_segment(
        self, const vector[uint8_t]& segment, const vector[int32_t]& places, int32_t begin, int32_t end,
        vector[uint8_t]& out, vector[int32_t]* align,
    ) except -1 nogil

    cdef int add_segment(
        self, const uint8_t* text, int32_t size, bint is_first, vector[uint8_t]& out, vector[int32_t]* align,
    ) except -1 nogil                   # a part of a text in the form, between added tokens

    cdef int add_mark(
        self, int32_t piece_id, int32_t begin, vector[uint8_t]& out, vector[int32_t]* align,
    ) except -1 nogil

    cdef int32_t normalize_start(
        self, const uint8_t* text, int32_t size, int32_t stop, vector[uint8_t]& out, vector[int32_t]& align,
        vector[WideStep]& steps,
    ) except -1 nogil                   # all three are overwritten

    cdef int32_t start_formed(
        self, const uint8_t* text, int32_t size, int32_t stop, vector[uint8_t]& out, vector[int32_t]& align,
        vector[WideStep]& steps,
    ) except -1 nogil                   # the same, for a text in the form

    cdef int32_t add_part(
        self, Reading* reading, const uint8_t* text, int32_t size, int32_t stop, bint is_last, bint is_sound,
        vector[uint8_t]& out, int32_t n_kept,
    ) except -1 nogil

    cdef int32_t sure_end(self, const uint8_t* text, int32_t size) except -1 nogil
    cdef bint open_text(self, Writer* writer, Reading* reading, const uint8_t* text, int32_t size) except -1 nogil
    cdef bint begins_with_space(self, const uint8_t* text, int32_t size) noexcept nogil
    cdef int32_t close_text(self, Writer* writer, int32_t pos) except -1 nogil
    cdef int write_steps(
        self, Writer* writer, Reading* reading, const uint8_t* text, int32_t size, int32_t stop,
        vector[WideStep]* steps,
    ) except -1 nogil
    cdef int32_t step(
        self, const uint8_t* text, int32_t size, const uint8_t** run, int32_t* run_size,
    ) noexcept nogil
    cdef int32_t rest_of_protected(
        self, const uint8_t* text, int32_t size, int32_t begin, int32_t pos,
    ) noexcept nogil
    cdef int32_t spaces_before(self, const uint8_t* text, int32_t size) except -1 nogil
    cdef int32_t skip_spaces(self, const uint8_t* text, int32_t size) noexcept nogil
    cdef int copy_run(
        self, Writer* writer, const uint8_t* run, int32_t run_size, int32_t pos,
    ) except -1 nogil
    cdef int write_space(self, Writer* writer, int32_t pos) except -1 nogil
    cdef int32_t trim_end(self, Writer* writer, int32_t pos) noexcept nogil
    cdef bint ends_with_space(self, const Writer* writer) noexcept nogil
