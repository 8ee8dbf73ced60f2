"""Where in a text each id comes from; one text, or many on many threads."""

cimport cython
from libc.stdint cimport int64_t
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.encode.encoded_text cimport Span
from spm_lite.encode.encoder cimport Encoder, EncodeScratch
from spm_lite.encode.offset_units cimport Unit
from spm_lite.encode.shares cimport TextWorker
from spm_lite.texts.text_view cimport TextView


cdef enum SpanShares:
    SPAN_SHARE_BYTES = 1 << 15      # of text: less is not worth a thread
    SPAN_BLOCK_BYTES = 1 << 21      # of text for each thread, after which the driver looks for signals


@cython.final
cdef class SpanWorker(TextWorker):
    """Finds the spans of texts [begin, end) of a block."""

    cdef Encoder encoder
    cdef EncodeScratch scratch
    cdef vector[Span] spans             # of one text
    cdef Unit unit
    cdef int64_t* counts                # per text: ids made of it
    cdef Int32Array ids                 # of all its texts, one after the other
    cdef Int32Array places              # two for each id: begin, end

    cdef int fill_spans(self, TextView text) except -1 nogil
    cdef int append_places(self, TextView text) except -1 nogil
