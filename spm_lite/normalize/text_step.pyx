"""The base class of steps. Header: text_step.pxd."""

from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector


cdef class TextStep:
    """One step that a text goes through before all else."""

    def normalize(self, bytes text not None):
        """Return the text after the step. Bytes that are not UTF-8 stay as they are."""
        cdef vector[uint8_t] out
        if not self.apply(<const uint8_t*> <const char*> text, <int32_t> len(text), out, NULL, NULL):
            return text
        return (<const char*> out.data())[: out.size()] if out.size() else b""

    cdef bint apply(
        self, const uint8_t* text, int32_t size, vector[uint8_t]& out, vector[int32_t]* align, vector[Changed]* changed,
    ) except -1 nogil:
        with gil:
            raise NotImplementedError(f"{type(self).__name__} changes no text")

    cdef bint mark_changed(self, vector[uint8_t]& flags) except -1:
        return False

    cdef int32_t change_at(
        self, const uint8_t* text, int32_t size, int32_t pos, int32_t* end, const uint8_t** target,
        int32_t* target_size,
    ) noexcept nogil:
        return -1

    cdef int32_t last_begin(self, const uint8_t* text, int32_t size) noexcept nogil:
        """Return the last place where a part begins that no later text changes; 0: none is known."""
        return 0
