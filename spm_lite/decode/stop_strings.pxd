"""Find the first stop string of a text that comes in parts: an Aho-Corasick automaton."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t
from libcpp.vector cimport vector


cdef struct StopState:
    # How far one text is read.
    int32_t node            # the longest end of the text that begins a stop string; 0: none
    int32_t found           # the stop string that begins first of those complete so far; -1: none
    int64_t found_at        # where it begins, seen from the end of the text so far: never above 0
    int32_t stopped         # the stop string that ended the text; -1: none yet
    bint is_over            # later text is dropped


@cython.final
cdef class StopStrings:
    cdef readonly tuple strings         # as the caller gave them
    cdef vector[uint8_t] texts          # their bytes, one after the other
    cdef vector[int32_t] begins         # one more than there are strings: offsets into `texts`
    cdef uint16_t classes[256]          # of each byte; 0: in no stop string
    cdef int32_t n_classes
    # Per node, which is the beginning of a stop string:
    cdef vector[int32_t] targets        # the next node for each class
    cdef vector[int32_t] depths         # bytes
    cdef vector[int32_t] sources        # a stop string that begins so
    cdef vector[int32_t] longest        # the longest stop string that ends here; -1: none

    cdef void start(self, StopState* state) noexcept nogil
    cdef int feed(self, StopState* state, const uint8_t* text, int64_t size, vector[uint8_t]& out) except -1 nogil
    cdef int finish(self, StopState* state, vector[uint8_t]& out) except -1 nogil     # then another text may begin
    cdef object found_string(self, const StopState* state)
    cdef int number_bytes(self) except -1
    cdef int32_t add_node(self, int32_t depth, int32_t source) except -1
    cdef int add_string(self, int32_t number) except -1
    cdef int link_nodes(self) except -1
    cdef int release(
        self, const StopState* state, const uint8_t* text, int64_t end, vector[uint8_t]& out,
    ) except -1 nogil
