"""The base class of steps. Header: text_step.pxd."""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.base.unicode.utf8 cimport read_char


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

    cdef bint begins_part(self, const uint8_t* char, int32_t size) except -1 nogil:
        return self.by_char

    cdef int32_t last_begin(self, const uint8_t* text, int32_t size) except -1 nogil:
        """Return the last place where a part begins, so that no later text changes what is before it; 0: none."""
        cdef int32_t pos = size - 1, used
        cdef uint32_t char = 0
        while pos > 0 and self.is_local:
            used = read_char(text + pos, size - pos, &char) if text[pos] & 0xC0 != 0x80 else 0
            if used and self.begins_part(text + pos, used):
                return pos
            pos -= 1
        return 0
