"""Enters the pairs of all pieces: ASCII ones into a table, others into a Bloom filter. The test is in the header.

Header: pair_cuts.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memcpy, memset

from spm_lite.base.structures.bloom_filter cimport BloomFilter, add_hash
from spm_lite.base.unicode.token_mark cimport MARK_SIZE, write_mark
from spm_lite.base.unicode.utf8 cimport NO_CHAR, WORD_BYTES
from spm_lite.encode.chunks.space_cuts cimport SpaceCuts
from spm_lite.vocab.vocab cimport Vocab, can_match_compact, is_added, is_only_mark


@cython.final
cdef class PieceReader:
    """Gives the bytes of one piece at a time: in place, or as a copy with readable bytes after it."""

    def __cinit__(self, Vocab vocab not None):
        self.vocab = vocab
        self.copy.resize(vocab.longest() + <int64_t> WORD_BYTES)
        # Well-formed pieces end with a complete character, so the bytes after a piece do no harm.
        if vocab.is_well_formed:
            self.direct = <int64_t> vocab.texts.size() - <int64_t> WORD_BYTES

    cdef const uint8_t* piece(self, int32_t piece_id, int32_t* size) noexcept nogil:
        """The bytes of a piece, valid until the next call; NULL: compact text cannot match it.

        size: set to its bytes. WORD_BYTES after the piece are readable; they complete no character of it.
        """
        cdef int64_t begin = self.vocab.begins[piece_id], end = self.vocab.begins[piece_id + 1]
        cdef const uint8_t* text = self.vocab.texts.data() + begin
        if not can_match_compact(self.vocab, piece_id):
            return NULL
        size[0] = <int32_t> (end - begin)
        if end <= self.direct:
            return text
        memcpy(self.copy.data(), text, <size_t> size[0])
        memset(self.copy.data() + size[0], 0, <size_t> WORD_BYTES)
        return self.copy.data()


@cython.final
cdef class PairCuts:
    """The pairs of characters inside the pieces of a vocabulary, as they stand in compact text; or the pairs of bytes.

    Pairs with a non-ASCII character are kept as hashes. A collision can hide a valid cut, never invent one. A hidden
    cut only joins two chunks to a longer one, which the cache sees less often.
    """

    def __cinit__(self, Vocab vocab not None, size_t least_splits=LEAST_SPLITS):
        """least_splits: with fewer places before spaces inside pieces, pairs of characters suffice."""
        self.others = BloomFilter()
        self.spaces = SpaceCuts()
        self.view.is_bytes = vocab.is_bytes
        self.collect(vocab, least_splits)
        self.others.fold()
        self.view = PairView(&self.ascii[0], vocab.is_bytes, self.others.view, self.spaces.view)

    cdef int collect(self, Vocab vocab, size_t least_splits) except -1:
        """Enter the pairs of all pieces; those at the ends of words again, if `spaces` judges them better."""
        cdef PieceReader source = PieceReader(vocab)
        cdef const uint8_t* piece
        cdef int32_t i, size = 0
        self.add_pieces(vocab, source)
        if self.n_splits < least_splits:
            return 0
        for i in range(vocab.size):
            piece = source.piece(i, &size)
            if piece != NULL and not is_only_mark(vocab, i):
                self.spaces.add_piece(piece, size, vocab.is_bytes)
        self.spaces.build()
        if self.spaces.view.row_words:
            self.others = BloomFilter()
            self.add_pieces(vocab, source)
        return 0

    cdef int add_pieces(self, Vocab vocab, PieceReader source) except -1:
        """Enter the pairs of all pieces into empty tables."""
        cdef const uint8_t* piece
        cdef uint8_t mark[MARK_SIZE + WORD_BYTES]
        cdef int32_t i, size = 0
        memset(self.ascii, 1, N_ASCII)
        memset(mark, 0, sizeof(mark))
        for i in range(vocab.size):
            if is_added(vocab, i):
                write_mark(mark, i)
                self.add_pairs(mark, MARK_SIZE)
            if is_only_mark(vocab, i):
                continue
            piece = source.piece(i, &size)
            if piece != NULL:
                self.add_pairs(piece, size)
        return 0

    cdef inline void add_pairs(self, const uint8_t* piece, int32_t size) noexcept nogil:
        """Enter the pairs of a piece: ASCII pairs into the table, the others into the Bloom filter."""
        cdef uint8_t pair[2]
        cdef uint32_t left = NO_CHAR, right = 0
        cdef int32_t pos = 0
        cdef bint has_spaces = self.spaces.view.row_words != 0, is_split
        if self.view.is_bytes:
            for pos in range(1, size):
                is_split = piece[pos] == 0x20 and piece[pos - 1] != 0x20
                self.n_splits += is_split
                if not (has_spaces and is_split):
                    self.ascii[pair_place(piece + pos - 1)] = 0
            return
        while pos < size:
            pos += read_piece_char(piece + pos, &right)
            is_split = right == 0x20 and left != 0x20 and left != NO_CHAR
            self.n_splits += is_split
            if has_spaces and is_split:
                pass  # `spaces` judges such places
            elif (left | right) < 0x80:
                pair[0], pair[1] = <uint8_t> left, <uint8_t> right
                self.ascii[pair_place(pair)] = 0
            elif left != NO_CHAR:
                add_hash(self.others, pair_hash(left, right))
            left = right
