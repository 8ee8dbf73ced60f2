"""A normalization form of Unicode: NFC, NFD, NFKC or NFKD."""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

from spm_lite.normalize.text_step cimport Changed, TextStep


cdef class UnicodeForm(TextStep):
    cdef readonly str name          # one of FORMS, perhaps with OLDER
    cdef bint composes
    cdef vector[uint16_t] page_of   # the first code point of a page, divided by its size -> number of the page
    cdef vector[uint8_t] pages      # what the form may do to each character: flags
    cdef unordered_map[uint32_t, uint8_t] classes       # combining class above 0
    cdef unordered_map[uint32_t, uint64_t] places       # of the parts of a character in `parts`: begin << 8 | number
    cdef vector[uint32_t] parts
    cdef unordered_map[uint64_t, uint32_t] pairs        # first << 32 | second -> what both compose

    cdef int32_t next_change(
        self, const uint8_t* text, int32_t size, int32_t pos, int32_t* last_begin,
    ) noexcept nogil
    cdef uint8_t flags_of(self, uint32_t char) noexcept nogil
    cdef bint normalize_part(
        self, const uint8_t* text, int32_t size, vector[uint32_t]& chars, vector[uint8_t]& classes,
    ) except -1 nogil
    cdef int32_t end_of_space(
        self, const uint8_t* text, int32_t begin, int32_t end, const vector[uint32_t]& chars,
    ) noexcept nogil
    cdef int take_apart(self, uint32_t char, vector[uint32_t]& chars, vector[uint8_t]& classes) except -1 nogil
    cdef int add_class(self, uint32_t char, vector[uint8_t]& classes) except -1 nogil
    cdef int compose(self, vector[uint32_t]& chars, vector[uint8_t]& classes) except -1 nogil
    cdef uint32_t composed(self, uint32_t first, uint32_t second) noexcept nogil
