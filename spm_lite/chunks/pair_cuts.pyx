cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memset

from spm_lite.base.structures.bloom_filter cimport BloomFilter, add_hash
from spm_lite.base.unicode.char_words cimport NO_CHAR
from spm_lite.vocab.piece_reader cimport PieceReader, read_piece_char
from spm_lite.vocab.vocab cimport Vocab


@cython.final
cdef class PairCuts:
    """The pairs of characters inside the pieces of a vocabulary, as they stand in compact text.

    Pairs of which one is not ASCII are kept by hash: a place that could be a cut may be missed, never the reverse. A
    missed one pairs two chunks to one that is rarely met again.
    """

    def __init__(self, Vocab vocab not None):
        self.others = BloomFilter()
        self.collect(vocab)
        self.others.fold()
        self.view = PairView(&self.ascii[0], self.others.view)

    cdef int collect(self, Vocab vocab) except -1:
        """Enter the pairs of all pieces."""
        cdef PieceReader source = PieceReader(vocab)
        cdef const uint8_t* piece
        cdef int32_t i, size = 0
        memset(self.ascii, 1, N_ASCII)
        for i in range(vocab.size):
            piece = source.piece(i, &size)
            if piece != NULL:
                self.add_pairs(piece, size)
        return 0

    cdef inline void add_pairs(self, const uint8_t* piece, int32_t size) noexcept nogil:
        """Enter the pairs of a piece: those of ASCII into their table, the others by hash."""
        cdef uint8_t pair[2]
        cdef uint32_t left = NO_CHAR, right = 0
        cdef int32_t pos = 0
        while pos < size:
            pos += read_piece_char(piece + pos, &right)
            if (left | right) < 0x80:
                pair[0], pair[1] = <uint8_t> left, <uint8_t> right
                self.ascii[pair_place(pair)] = 0
            elif left != NO_CHAR:
                add_hash(self.others, pair_hash(left, right))
            left = right

