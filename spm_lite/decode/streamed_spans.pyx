"""Each step of decoding reads some bytes and writes some; an end inside a step goes to where the step begins to write.

So text that several ids make together belongs to the last of them. `EndCarrier.carry` is that rule.
Header: streamed_spans.pxd.
"""

cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int64_t
from libcpp.vector cimport vector

from spm_lite.normalize.streamed cimport StepSize


@cython.final
cdef class EndCarrier:
    """Carries the ends of ids through one stage of decoding, as its steps come."""

    cdef int add_step(self, int64_t n_read, int64_t n_written) except -1 nogil:
        self.steps.push_back(StepSize(n_read, n_written))
        return 0

    cdef int carry(self, bint is_last, vector[int64_t]& out) except -1 nogil:
        """Append the places of all ends that the steps have reached; if `is_last`, of all ends."""
        cdef size_t i = 0, k = 0
        cdef int64_t n_left = 0
        for k in range(self.steps.size()):
            n_left += self.steps[k].n_read
        n_left += self.n_read  # where the last step ends
        k = 0
        while i < self.ends.size() and (is_last or self.ends[i] <= n_left):
            while k < self.steps.size() and self.n_read + self.steps[k].n_read <= self.ends[i]:
                self.n_read += self.steps[k].n_read
                self.n_written += self.steps[k].n_written
                k += 1
            out.push_back(self.n_written)
            i += 1
        self.ends.erase(self.ends.begin(), self.ends.begin() + i)
        self.steps.erase(self.steps.begin(), self.steps.begin() + k)
        return 0

    cdef EndCarrier copy(self):
        cdef EndCarrier other = EndCarrier()
        other.ends = self.ends
        other.steps = self.steps
        other.n_read = self.n_read
        other.n_written = self.n_written
        return other


@cython.final
cdef class StreamedSpans:
    """The ids of a streamed text that have no span yet, and the text that they will share."""

    cdef int add_id(self, int64_t size) except -1 nogil:
        """Add an id of `size` bytes, before its steps are added."""
        self.n_input += size
        self.pieces.ends.push_back(self.n_input)
        return 0

    cdef int carry(self, bint is_last) except -1 nogil:
        """Carry ends as far as the steps reach: pieces, rules, characters."""
        cdef vector[int64_t] places
        self.pieces.carry(is_last, places)
        if self.rules is not None:
            self.rules.ends.insert(self.rules.ends.end(), places.begin(), places.end())
            places.clear()
            self.rules.carry(is_last, places)
        if self.chars is not None:
            self.chars.ends.insert(self.chars.ends.end(), places.begin(), places.end())
            places.clear()
            self.chars.carry(is_last, places)
        self.ends.insert(self.ends.end(), places.begin(), places.end())
        return 0

    cdef list take(self, bint is_over, const char* errors):
        """Return (text, begin, end) of each id whose text is complete; if `is_over`, of all ids.

        errors: of Python's decoder of UTF-8; NULL: the texts are bytes.
        """
        cdef int64_t certain = self.begin + <int64_t> self.text.size(), end
        cdef int64_t first = self.begin
        cdef const char* text = <const char*> self.text.data()
        cdef const char* begin
        cdef Py_ssize_t size
        cdef list spans = []
        cdef size_t i = 0
        while i < self.ends.size() and (is_over or self.ends[i] <= certain):
            end = min(self.ends[i], certain)
            begin, size = text + self.begin - first, <Py_ssize_t> (end - self.begin)
            part = PyUnicode_DecodeUTF8(begin, size, errors) if errors else PyBytes_FromStringAndSize(begin, size)
            spans.append((part, self.begin, end))
            self.begin = end
            i += 1
        self.ends.erase(self.ends.begin(), self.ends.begin() + i)
        self.text.erase(self.text.begin(), self.text.begin() + (self.begin - first))
        return spans

    cdef StreamedSpans copy(self):
        cdef StreamedSpans other = StreamedSpans()
        other.pieces = self.pieces.copy()
        other.rules = None if self.rules is None else self.rules.copy()
        other.chars = None if self.chars is None else self.chars.copy()
        other.ends = self.ends
        other.n_input = self.n_input
        other.begin = self.begin
        other.text = self.text
        return other
