cimport cython
from libc.stdint cimport int32_t

from spm_lite.vocab.vocab cimport Vocab

from spm_lite.errors import IdError


@cython.final
cdef class PieceObjects:
    """What `id_to_piece` and encoding give out: one object for each piece, however often it is asked for."""

    def __init__(self, Vocab vocab not None):
        self.vocab = vocab
        self.strings = None
        self.data = None

    cdef object string_of(self, int32_t piece_id):
        """A piece as str; bytes that are not UTF-8 are lone surrogates in it."""
        if self.strings is None:
            with cython.critical_section(self):  # without the GIL: a list that another thread reads is never replaced
                if self.strings is None:
                    self.strings = [None] * self.vocab.size
        known = self.strings[piece_id]
        if known is None:
            known = self.vocab.text(piece_id).decode("utf-8", "surrogateescape")
            self.strings[piece_id] = known
        return known

    cdef object data_of(self, int32_t piece_id):
        """A piece as bytes."""
        if self.data is None:
            with cython.critical_section(self):  # without the GIL: a list that another thread reads is never replaced
                if self.data is None:
                    self.data = [None] * self.vocab.size
        known = self.data[piece_id]
        if known is None:
            known = self.vocab.text(piece_id)
            self.data[piece_id] = known
        return known

    def string(self, int32_t piece_id):
        """A piece as str. Raises IdError outside the vocabulary."""
        if not 0 <= piece_id < self.vocab.size:
            raise IdError(
                f"OUT_OF_RANGE: piece id is out of range. It is {piece_id}, ids are 0 to {self.vocab.size - 1}"
            )
        return self.string_of(piece_id)
