"""The pieces of a vocabulary as Python objects (a cache filled on demand), and lookups that return them."""

cimport cython
from libc.stdint cimport int32_t

from spm_lite.vocab.vocab cimport Vocab


@cython.final
cdef class PieceObjects:
    cdef readonly Vocab vocab
    cdef list strings       # str of each id, or None: not yet made
    cdef list data          # bytes of each id, or None: not yet made

    cdef object string_of(self, int32_t piece_id)   # the id must be in range
    cdef object data_of(self, int32_t piece_id)     # the id must be in range

    cdef inline object piece(self, int32_t piece_id, bint as_str):
        """A piece as str or as bytes."""
        return self.string_of(piece_id) if as_str else self.data_of(piece_id)
