cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.normalize.alignment cimport CharCounter, count_chars_before

cdef const char* HEX_DIGITS = b"0123456789ABCDEF"


@cython.final
cdef class EncodedText:
    """The pieces of one text. Made by `Encoder.encode_text`."""

    def __len__(self):
        return <Py_ssize_t> self.spans.size()

    def ids(self):
        """The id of each piece; -1: unknown, in a model without unknown piece."""
        cdef size_t i
        return [self.spans[i].piece_id for i in range(self.spans.size())]

    def pieces(self):
        """The text of each piece as bytes: U+2581 for an escaped space, `<0xE3>` for a byte piece."""
        cdef vector[uint8_t] shown
        cdef list pieces = []
        cdef size_t i
        for i in range(self.spans.size()):
            self.fill_piece(&self.spans[i], shown)
            pieces.append(PyBytes_FromStringAndSize(<const char*> shown.data(), <Py_ssize_t> shown.size()))
        return pieces

    def piece_strings(self):
        """The same as str. Bytes that are not UTF-8 (a damaged vocabulary has some) are lone surrogates."""
        cdef vector[uint8_t] shown
        cdef list pieces = []
        cdef size_t i
        for i in range(self.spans.size()):
            self.fill_piece(&self.spans[i], shown)
            pieces.append(
                PyUnicode_DecodeUTF8(<const char*> shown.data(), <Py_ssize_t> shown.size(), "surrogateescape")
            )
        return pieces

    def byte_offsets(self):
        """(begin, end) of each piece: bytes of the text's UTF-8."""
        cdef size_t i
        return [(self.spans[i].begin, self.spans[i].end) for i in range(self.spans.size())]

    def char_offsets(self):
        """(begin, end) of each piece: characters of the text, which are as long as their first byte says."""
        cdef CharCounter counter = CharCounter(self.view.data, self.view.size, 0, 0)
        cdef list offsets = []
        cdef size_t i
        for i in range(self.spans.size()):
            begin = count_chars_before(&counter, self.spans[i].begin)
            offsets.append((begin, count_chars_before(&counter, self.spans[i].end)))
        return offsets

    def surfaces(self):
        """The part of the text that each piece stands for, as bytes; None: none, not even an empty one."""
        cdef const char* text = <const char*> self.view.data
        cdef size_t i
        return [
            PyBytes_FromStringAndSize(text + self.spans[i].begin, self.spans[i].end - self.spans[i].begin)
            if self.spans[i].has_surface else None
            for i in range(self.spans.size())
        ]

    cdef int fill_piece(self, const Span* span, vector[uint8_t]& shown) except -1 nogil:
        """Let `shown` be the text of a piece."""
        shown.clear()
        if span.byte < 0:
            return escape(
                self.normalized.data() + span.text_begin, span.text_end - span.text_begin, self.compact, shown,
            )
        shown.resize(6)
        shown[0], shown[1], shown[2], shown[5] = c"<", c"0", c"x", c">"
        shown[3] = HEX_DIGITS[span.byte >> 4]
        shown[4] = HEX_DIGITS[span.byte & 15]
        return 0


cdef int escape(const uint8_t* text, int32_t size, bint compact, vector[uint8_t]& out) except -1 nogil:
    """Append normalized text in the form that is shown outside: an escaped space as U+2581."""
    cdef int32_t i
    for i in range(size):
        if compact and text[i] == 0x20:
            out.push_back(0xE2)
            out.push_back(0x96)
            out.push_back(0x81)
        else:
            out.push_back(text[i])
    return 0
