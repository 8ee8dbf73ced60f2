"""Counts characters block by block, then tokens by their kind in a loop of their own. Header: text_sums.pxd."""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t, uint8_t

from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.base.system.heap cimport refill
from spm_lite.base.unicode.utf8 cimport char_size, is_ascii
from spm_lite.texts.text_view cimport TextBlock, Texts
from spm_lite.texts.transcode cimport transcode_views
from spm_lite.vocab.vocab cimport BYTE, Vocab

cdef enum:
    IS_UNKNOWN = 1
    IS_BYTE = 2
    BLOCK_BYTES = 1 << 22       # of text that is looked at together


@cython.final
cdef class TextSums:
    """Adds up what texts and their ids are."""

    def __cinit__(self, Vocab vocab not None):
        cdef int32_t i
        refill(self.kinds, vocab.size, 0)
        for i in range(vocab.size):
            if vocab.types[i] == BYTE:
                self.kinds[i] = IS_BYTE
        if 0 <= vocab.unknown_index < vocab.size:
            self.kinds[vocab.unknown_index] |= IS_UNKNOWN

    def add(self, Texts texts not None, Int32Array ids not None):
        """Count some texts and their tokens. ids: of all the texts, one text after the other."""
        cdef TextBlock block = TextBlock()
        cdef Py_ssize_t begin = 0
        cdef size_t i
        while begin < texts.n:
            texts.view_block(begin, BLOCK_BYTES, block)
            transcode_views(block.views, begin, block.transcoded)
            with nogil:
                for i in range(block.views.size()):
                    self.texts += block.views[i].size > 0
                    self.bytes += block.views[i].size
                    self.characters += count_chars(block.views[i].data, block.views[i].size)
            begin += <Py_ssize_t> block.views.size()
            PyErr_CheckSignals()
        with nogil:
            self.count_kinds(ids.data, ids.size)

    cdef void count_kinds(self, const int32_t* ids, size_t n_ids) noexcept nogil:
        """Count tokens, unknown tokens, and tokens of one byte. -1 is neither."""
        cdef const uint8_t* kinds = self.kinds.data()
        cdef int64_t n_unknown = 0, n_bytes = 0
        cdef uint8_t kind
        cdef size_t i
        for i in range(n_ids):
            if ids[i] >= 0:
                kind = kinds[ids[i]]
                n_unknown += kind & IS_UNKNOWN
                n_bytes += kind >> 1
        self.tokens += <int64_t> n_ids
        self.unknown_tokens += n_unknown
        self.byte_tokens += n_bytes


cdef int64_t count_chars(const uint8_t* text, int32_t size) noexcept nogil:
    """Characters of UTF-8; ill-formed bytes count each by itself."""
    cdef int64_t n = 0
    cdef int32_t pos = 0, step
    if is_ascii(text, size):
        return size
    while pos < size:
        step = char_size(text + pos, size - pos)
        pos += step if step else 1
        n += 1
    return n
