"""Lists the ids, texts, surfaces and offsets of the pieces of one text, each when it is asked for.

Header: encoded_text.pxd.
"""

cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.unicode cimport PyUnicode_Check
from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.unicode.space_mark cimport append_space_mark
from spm_lite.normalize.alignment cimport CharCounter, count_chars_before
from spm_lite.texts.id_lists cimport list_of
from spm_lite.vocab.vocab cimport Vocab


@cython.final
cdef class EncodedText:
    """The pieces of one text. Made by `Encoder.encode_text`."""

    def __len__(self):
        return <Py_ssize_t> self.spans.size()

    def shorten(self, size_t limit):
        """Keep the first `limit` pieces alone: a list of all takes 160 bytes of memory for each."""
        if self.spans.size() > limit:
            self.spans.resize(limit)
            self.spans.shrink_to_fit()

    def ids(self):
        """Return the id of each piece; -1: unknown, in a model without an unknown piece."""
        cdef vector[int32_t] ids
        cdef size_t i
        ids.reserve(self.spans.size())
        for i in range(self.spans.size()):
            ids.push_back(self.spans[i].piece_id)
        return list_of(ids.data(), <Py_ssize_t> ids.size())

    def pieces(self):
        """Return the text of each piece as bytes: U+2581 for an escaped space, `<0xE3>` for a byte piece."""
        return self.list_pieces(False)

    def piece_strings(self):
        """Return the text of each piece as str; bytes that are not UTF-8 (a damaged vocabulary) are lone surrogates."""
        return self.list_pieces(True)

    def byte_offsets(self):
        """Return (begin, end) of each piece: byte offsets into the text's UTF-8."""
        return self.list_offsets(NULL)

    def char_offsets(self):
        """Return (begin, end) of each piece in characters; the first byte of a character tells its length."""
        cdef CharCounter counter = CharCounter(self.view.data, self.view.size, 0, 0)
        if PyUnicode_Check(self.text) and self.view.size == len(self.text):
            return self.list_offsets(NULL)  # ASCII
        return self.list_offsets(&counter)

    def surfaces(self):
        """Return the surface of each piece, which is its part of the text, as bytes; None: it has no surface."""
        cdef const char* text = <const char*> self.view.data
        cdef size_t i
        return [
            PyBytes_FromStringAndSize(text + self.spans[i].begin, self.spans[i].end - self.spans[i].begin)
            if self.spans[i].has_surface else None
            for i in range(self.spans.size())
        ]

    cdef list list_pieces(self, bint as_str):
        cdef list pieces = []
        cdef Span* span
        cdef size_t i
        for i in range(self.spans.size()):
            span = &self.spans[i]
            if self.is_own(span):
                pieces.append(self.objects.piece(span.piece_id, as_str))
            elif as_str:
                pieces.append(self.show(span).decode("utf-8", "surrogateescape"))
            else:
                pieces.append(self.show(span))
        return pieces

    cdef list list_offsets(self, CharCounter* counter):
        """Return (begin, end) of each piece in the characters of `counter`; NULL: in bytes."""
        cdef list offsets = []
        cdef object last = 0
        cdef int32_t begin, end, last_end = 0
        cdef size_t i
        for i in range(self.spans.size()):
            begin, end = self.spans[i].begin, self.spans[i].end
            if counter != NULL:
                begin = count_chars_before(counter, begin)
                end = count_chars_before(counter, end)
            # Most pieces begin where the previous one ends: then both pairs share one int object.
            first = last if begin == last_end else begin
            last_end = end
            last = last_end
            offsets.append((first, last))
        return offsets

    cdef bint is_own(self, const Span* span) noexcept:
        """Whether the vocabulary's text is shown: for byte pieces, and known pieces of a well-formed vocabulary."""
        cdef Vocab vocab = self.objects.vocab
        return span.byte >= 0 or (span.piece_id != vocab.unknown_index and vocab.is_well_formed)

    cdef bytes show(self, const Span* span):
        """Return the text of a piece as it stands in the normalized text, a space as U+2581."""
        cdef vector[uint8_t] shown
        escape(self.normalized.data() + span.text_begin, span.text_end - span.text_begin, self.compact, shown)
        return PyBytes_FromStringAndSize(<const char*> shown.data(), <Py_ssize_t> shown.size())


cdef int escape(const uint8_t* text, int32_t size, bint compact, vector[uint8_t]& out) except -1 nogil:
    """Append normalized text in the form that the user sees: an escaped space as U+2581."""
    cdef int32_t i
    for i in range(size):
        if compact and text[i] == 0x20:
            append_space_mark(out)
        else:
            out.push_back(text[i])
    return 0
