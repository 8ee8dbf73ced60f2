"""Offsets: the part of a text that each id comes from, for one text or for many on many threads."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.base.unicode.units cimport BYTE_UNIT, UTF16_UNIT, Unit
from spm_lite.base.unicode.utf8 cimport char_size
from spm_lite.encode.encoded_text cimport Span
from spm_lite.encode.encoder cimport Encoder, EncodeScratch
from spm_lite.encode.shares cimport TextWorker
from spm_lite.texts.text_view cimport TextView


cdef struct UnitCounter:
    # Converts byte offsets to units; the offsets must not decrease. An ill-formed byte counts as one character, as in
    # Python's decoding with "surrogateescape".
    const uint8_t* text
    int32_t size
    Unit unit
    int32_t pos         # where the next character begins
    int32_t n_units     # of the characters before it


cdef inline int32_t count_units_before(UnitCounter* counter, int32_t offset) noexcept nogil:
    """Return the units of the characters that begin before byte `offset`, which is at most `size`."""
    cdef int32_t n
    if counter.unit == BYTE_UNIT:
        return offset
    while counter.pos < offset:
        n = char_size(counter.text + counter.pos, counter.size - counter.pos)
        counter.pos += n if n else 1
        counter.n_units += 2 if n == 4 and counter.unit == UTF16_UNIT else 1
    return counter.n_units


cdef enum:
    SPAN_SHARE_BYTES = 1 << 15      # of text: a thread for less is not worth it
    SPAN_BLOCK_BYTES = 1 << 21      # of text per thread; signals are checked after each block


@cython.final
cdef class SpanWorker(TextWorker):
    """Finds the spans of texts [begin, end) of a block."""

    cdef Encoder encoder
    cdef EncodeScratch scratch
    cdef vector[Span] spans             # of the current text
    cdef Unit unit
    cdef int64_t* counts                # per text of the block: number of ids
    cdef Int32Array ids                 # of all its texts in order
    cdef Int32Array places              # two per id: begin, end, in `unit`

    cdef int fill_spans(self, TextView text) except -1 nogil
    cdef int append_places(self, TextView text) except -1 nogil
