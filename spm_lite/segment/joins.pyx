cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from spm_lite.vocab.vocab cimport Vocab, is_plain

cdef enum Sizes:
    BITS_PER_PAIR = 8           # so that one in about eight places that could be cuts is missed
    MIN_LOGARITHM = 15          # 4 KB
    MAX_LOGARITHM = 21          # 256 KB


@cython.final
cdef class Joins:
    """The pairs of characters inside the pieces of a vocabulary, as they stand in compact text.

    Pairs of which one is not ASCII are kept by hash: a place that could be a cut may be missed, never the reverse.
    """

    def __init__(self, Vocab vocab not None, bint compact):
        cdef vector[uint64_t] pairs
        self.collect(vocab, compact, pairs)
        self.fill(pairs)
        self.view.ascii = self.ascii
        self.view.others = self.others.data()

    cdef int collect(self, Vocab vocab, bint compact, vector[uint64_t]& pairs) except -1:
        """Enter the ASCII pairs; append the others, each once or more."""
        cdef vector[uint8_t] piece
        cdef uint8_t pair[2]
        cdef uint32_t left = 0, right = 0
        cdef int32_t i, pos, size
        memset(self.ascii, 1, N_ASCII)
        for i in range(vocab.size):
            if not is_plain(vocab.types[i]):
                continue
            size = vocab.matchable(i, compact, piece)
            piece.resize(max(size, 0) + UNIT_BYTES)
            pos = read_unit(piece.data(), &left) if size > 0 else 0
            while pos < size:
                pos += read_unit(piece.data() + pos, &right)
                if left < 0x80 and right < 0x80:
                    pair[0], pair[1] = <uint8_t> left, <uint8_t> right
                    self.ascii[pair_place(pair)] = 0
                else:
                    pairs.push_back(<uint64_t> left << 32 | right)
                left = right
        return 0

    cdef int fill(self, const vector[uint64_t]& pairs) except -1:
        """Clear the bits of these pairs, in a table made for their number."""
        cdef vector[uint64_t] ordered = pairs
        cdef uint32_t logarithm = MIN_LOGARITHM, place
        cdef uint64_t n_pairs = 0
        cdef size_t i
        sort(ordered.begin(), ordered.end())
        for i in range(ordered.size()):
            n_pairs += i == 0 or ordered[i] != ordered[i - 1]
        while logarithm < MAX_LOGARITHM and <uint64_t> 1 << logarithm < BITS_PER_PAIR * n_pairs:
            logarithm += 1
        self.view.shift = 32 - logarithm
        self.others.resize((<size_t> 1 << logarithm) // 64, <uint64_t> 0xFFFFFFFFFFFFFFFF)
        for i in range(ordered.size()):
            place = join_place(<uint32_t> (ordered[i] >> 32), <uint32_t> ordered[i], self.view.shift)
            self.others[place >> 6] &= ~(<uint64_t> 1 << (place & 63))
        return 0

    def cuts(self, bytes text not None):
        """The places in a compact text where it may be cut, its end included: byte offsets."""
        cdef int32_t size = <int32_t> len(text)
        cdef vector[uint8_t] padded = text + bytes(BLOCK_BYTES)
        cdef Scan scan = Scan(0, NO_UNIT)
        cdef int32_t ends[BLOCK_BYTES]
        cdef int32_t* end
        cdef Py_ssize_t k
        places = []
        while scan.pos < size:
            end = next_ends(&self.view, padded.data(), size, &scan, ends)
            for k in range(end - ends):
                places.append(ends[k])
        return [*places, size] if size else []
