"""Offsets: the part of a text that each id comes from, for one text or for many on many threads."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.base.unicode.utf8 cimport BYTE_UNIT, UTF16_UNIT, Unit, char_size, is_ascii
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


cdef inline UnitCounter start_counter(const TextView* text, Unit unit) noexcept nogil:
    """A counter at the start of a UTF-8 text; ASCII is counted in bytes, which is faster."""
    return UnitCounter(text.data, text.size, BYTE_UNIT if is_ascii(text.data, text.size) else unit, 0, 0)


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
cdef class PieceSizes:
    """How much normalized text each id stands for."""

    cdef vector[int32_t] bytes          # of each id, or BYTE_PIECE, or NO_SIZE


@cython.final
cdef class SpanFinder:
    """Finds the ids of one text after the other, and the part of the text that each comes from."""

    cdef Encoder encoder
    cdef EncodeScratch scratch
    cdef PieceSizes sizes               # None: each text is segmented as a whole
    cdef vector[Span] spans             # of a text that is segmented as a whole
    cdef int n_skipped                  # texts that were segmented so, without a try, since the last one that failed
    cdef int n_to_skip
    cdef Unit unit
    cdef Int32Array ids                 # of all texts in order
    cdef const uint8_t* classes         # of code points: places are the bytes that an id covers; NULL: they are not
    cdef Int32Array places              # two per id: begin, end, in `unit`
    cdef bint keeps_unknown             # `unknown_sizes` is wanted
    cdef Int32Array unknown_sizes       # two per unknown id: bytes and characters of its text, U+2581 as a space

    cdef int add(self, const TextView* text) except -1 nogil
    cdef bint add_known(self, const TextView* text) except -1 nogil
    cdef bint walk(self, const int32_t* ids, size_t n, int32_t size, int32_t* places) noexcept nogil
    cdef int add_spans(self, const TextView* text) except -1 nogil
    cdef void cover(self, const TextView* text, int32_t size, int32_t* places, size_t n) noexcept nogil
    cdef int add_unknown_sizes(self, const uint8_t* normalized) except -1 nogil


cdef PieceSizes sizes_of(Encoder encoder)       # None: texts are not cut into chunks that join to the text
cdef SpanFinder new_finder(Encoder encoder, PieceSizes sizes, Unit unit)


@cython.final
cdef class SpanWorker(TextWorker):
    """Finds the spans of texts [begin, end) of a block."""

    cdef SpanFinder finder
    cdef int64_t* counts                # per text of the block: number of ids
