cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset
from libcpp.vector cimport vector

from spm_lite.machine cimport first_bit
from spm_lite.normalize.space_mark cimport COPY_SLACK, MARK_WORD
from spm_lite.vectors cimport refill
from spm_lite.vocab.vocab cimport Vocab, can_match

cdef enum Sizes:
    BITS_PER_PAIR = 8           # so that one in about eight places that could be cuts is missed
    MIN_LOGARITHM = 15          # 4 KB
    MAX_LOGARITHM = 21          # 256 KB

cdef uint64_t ALL_BITS = <uint64_t> 0xFFFFFFFFFFFFFFFF


@cython.final
cdef class Joins:
    """The pairs of characters inside the pieces of a vocabulary, as they stand in compact text.

    Pairs of which one is not ASCII are kept by hash: a place that could be a cut may be missed, never the reverse.
    """

    def __init__(self, Vocab vocab not None):
        cdef vector[uint64_t] largest
        refill(largest, (1 << MAX_LOGARITHM) // 64, ALL_BITS)
        self.n_others = self.collect(vocab, largest)
        self.fold(largest)
        self.view.ascii = self.ascii
        self.view.others = self.others.data()

    cdef int64_t collect(self, Vocab vocab, vector[uint64_t]& others) except -1:
        """Clear the entries of the pairs of all pieces; how many are not ASCII is returned, as `add_pairs` counts."""
        cdef const int64_t* begins = vocab.begins.data()
        cdef vector[uint8_t] copy
        cdef int64_t n_pairs = 0, direct = 0
        cdef int32_t i, size
        memset(self.ascii, 1, N_ASCII)
        copy.resize(vocab.longest() + <int64_t> COPY_SLACK + <int64_t> UNIT_BYTES)
        # Pieces up to here are read where they are: what stands behind one cannot complete its last character.
        if vocab.is_well_formed and not vocab.has_space:
            direct = <int64_t> vocab.texts.size() - <int64_t> UNIT_BYTES
        for i in range(vocab.size):
            if begins[i + 1] <= direct:
                if can_match(vocab, i):
                    size = <int32_t> (begins[i + 1] - begins[i])
                    n_pairs += self.add_pairs(vocab.texts.data() + begins[i], size, others)
                continue
            size = vocab.copy_matchable(i, True, copy.data())
            if size > 0:
                memset(copy.data() + size, 0, UNIT_BYTES)
                n_pairs += self.add_pairs(copy.data(), size, others)
        return n_pairs

    cdef inline int64_t add_pairs(self, const uint8_t* piece, int32_t size, vector[uint64_t]& others) noexcept nogil:
        """Clear the entries of a piece's pairs: those of ASCII in their table, the others in the largest that there is.

        How many of the latter are new is returned.
        """
        cdef int64_t n_new = 0
        cdef uint8_t pair[2]
        cdef uint32_t left = NO_UNIT, right = 0, place
        cdef int32_t pos = 0
        while pos < size:
            pos += read_unit(piece + pos, &right)
            if right == MARK_WORD:
                right = 0x20
            if (left | right) < 0x80:
                pair[0], pair[1] = <uint8_t> left, <uint8_t> right
                self.ascii[pair_place(pair)] = 0
            elif left != NO_UNIT:
                place = join_place(left, right, 32 - MAX_LOGARITHM)
                n_new += others[place >> 6] >> (place & 63) & 1
                clear_bit(others.data(), place)
            left = right
        return n_new

    cdef int fold(self, const vector[uint64_t]& largest) except -1:
        """Make the table for the pairs there are: each of its bits is one where all are that it stands for."""
        cdef uint32_t logarithm = MIN_LOGARITHM, place
        cdef uint64_t held
        cdef size_t k
        while logarithm < MAX_LOGARITHM and <int64_t> 1 << logarithm < BITS_PER_PAIR * self.n_others:
            logarithm += 1
        self.view.shift = 32 - logarithm
        refill(self.others, (<size_t> 1 << logarithm) // 64, ALL_BITS)
        for k in range(largest.size()):
            held = ~largest[k]
            while held:
                place = (<uint32_t> k * 64 + <uint32_t> first_bit(held)) >> (MAX_LOGARITHM - logarithm)
                clear_bit(self.others.data(), place)
                held &= held - 1
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


cdef inline void clear_bit(uint64_t* words, uint32_t place) noexcept nogil:
    words[place >> 6] &= ~(<uint64_t> 1 << (place & 63))
