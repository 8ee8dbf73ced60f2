cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset
from libcpp.vector cimport vector

from spm_lite.normalize.space_mark cimport COPY_SLACK, MARK_WORD
from spm_lite.vectors cimport refill
from spm_lite.vocab.vocab cimport Vocab, can_match

cdef enum Sizes:
    PAIRS_PER_WORD = 4          # with patterns of
    BITS_PER_PATTERN = 3        # 1.6 % of the places that could be cuts are missed then
    MIN_LOGARITHM = 9           # of the number of words: 4 KB
    MAX_LOGARITHM = 15          # 256 KB

cdef uint64_t ALL_BITS = <uint64_t> 0xFFFFFFFFFFFFFFFF


@cython.final
cdef class Joins:
    """The pairs of characters inside the pieces of a vocabulary, as they stand in compact text.

    Pairs of which one is not ASCII are kept by hash, as patterns of bits in words (Bloom 1970, in blocks): a place that
    could be a cut may be missed, never the reverse. A missed one joins two chunks to one that is rarely met again.
    """

    def __init__(self, Vocab vocab not None):
        cdef vector[uint64_t] largest
        fill_patterns(self.patterns)
        refill(largest, 1 << MAX_LOGARITHM, ALL_BITS)
        self.n_others = self.collect(vocab, largest)
        self.fold(largest)
        self.view.ascii = self.ascii
        self.view.others = self.others.data()
        self.view.patterns = self.patterns

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
        cdef uint32_t left = NO_UNIT, right = 0
        cdef uint64_t hash, pattern
        cdef uint64_t* word
        cdef int32_t pos = 0
        while pos < size:
            pos += read_unit(piece + pos, &right)
            if right == MARK_WORD:
                right = 0x20
            if (left | right) < 0x80:
                pair[0], pair[1] = <uint8_t> left, <uint8_t> right
                self.ascii[pair_place(pair)] = 0
            elif left != NO_UNIT:
                hash = join_hash(left, right)
                pattern = pattern_of(self.patterns, hash)
                word = others.data() + (hash >> (64 - <int> MAX_LOGARITHM))
                n_new += word[0] & pattern != 0
                word[0] &= ~pattern
            left = right
        return n_new

    cdef int fold(self, const vector[uint64_t]& largest) except -1:
        """Make the table for the pairs there are: each of its bits is one where all are that it stands for."""
        cdef uint32_t logarithm = MIN_LOGARITHM
        cdef size_t k
        while logarithm < MAX_LOGARITHM and <int64_t> PAIRS_PER_WORD << logarithm < self.n_others:
            logarithm += 1
        self.view.shift = 64 - logarithm
        refill(self.others, <size_t> 1 << logarithm, ALL_BITS)
        for k in range(largest.size()):
            self.others[k >> (MAX_LOGARITHM - logarithm)] &= largest[k]
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


cdef void fill_patterns(uint64_t* patterns) noexcept nogil:
    cdef uint64_t state = 0
    cdef int i
    for i in range(<int> N_PATTERNS):
        patterns[i] = 0
        for _ in range(BITS_PER_PATTERN):
            state += <uint64_t> 0x9E3779B97F4A7C15
            patterns[i] |= <uint64_t> 1 << ((state ^ state >> 29) * <uint64_t> 0xBF58476D1CE4E5B9 >> 58)
