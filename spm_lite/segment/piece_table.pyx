import os

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libcpp.vector cimport vector

from spm_lite.segment.large_pages cimport take_zeroed
from spm_lite.vocab.vocab cimport Vocab

cdef enum Filling:
    FILTER_BITS = 8         # or more, a piece
    LEAST_LOGARITHM = 6     # of the number of bits
    AHEAD = 8               # slots that come from memory meanwhile

# Byte strings are polynomials in this odd number, modulo 2^64. A file's author does not know it, so pieces below 1 KB
# cannot be made to share one run of slots; ids do not depend on it.
cdef uint64_t HASH_BASE = <uint64_t> int.from_bytes(os.urandom(8), "little") | 1


@cython.final
cdef class PieceTable:
    """The pieces that text can become. A slot holds all that a hit needs; most misses end at the filter."""

    def __cinit__(self, Vocab vocab not None, bint compact):
        self.entries = NULL
        self.block = NULL
        self.fill_texts(vocab, compact)
        self.fill_entries(vocab)

    def __dealloc__(self):
        free(self.block)

    cdef int fill_texts(self, Vocab vocab, bint compact) except -1:
        """Pieces as they stand in normalized text; powers."""
        cdef vector[uint8_t] piece
        cdef uint64_t power = 1
        cdef int32_t i, size
        self.texts.reserve(vocab.texts.size())
        self.begins.reserve(<size_t> vocab.size + 1)
        self.begins.push_back(0)
        for i in range(vocab.size):
            size = vocab.matchable(i, compact, piece)
            if size > 0:
                self.texts.insert(self.texts.end(), piece.begin(), piece.begin() + size)
                self.longest = max(self.longest, size)
            self.begins.push_back(<uint32_t> self.texts.size())
        for _ in range(self.longest + 1):
            self.powers.push_back(power)
            power *= HASH_BASE
        return 0

    cdef int fill_entries(self, Vocab vocab) except -1:
        cdef const uint8_t* text
        cdef PieceEntry* entry
        cdef uint64_t place, bit, low = 0, high = 0
        cdef uint64_t n_entries = 16 + <uint64_t> vocab.size * 3 // 2
        cdef uint32_t logarithm = LEAST_LOGARITHM
        cdef vector[uint64_t] places
        cdef int32_t i, size
        while <uint64_t> 1 << logarithm < <uint64_t> vocab.size * FILTER_BITS:
            logarithm += 1
        self.filter.resize(<size_t> 1 << (logarithm - 6), 0)
        self.entries = <PieceEntry*> take_zeroed(n_entries * sizeof(PieceEntry), &self.block)
        if self.entries == NULL:
            raise MemoryError
        self.view = TableView(
            self.entries, self.filter.data(), self.powers.data(), self.texts.data(), self.begins.data(), HASH_BASE,
            n_entries, 64 - logarithm, self.longest,
        )
        places.resize(vocab.size)
        for i in range(vocab.size):
            text = self.texts.data() + self.begins[i]
            size = <int32_t> (self.begins[i + 1] - self.begins[i])
            places[i] = place_of(&self.view, hash_bytes(&self.view, text, size))
        for i in range(vocab.size):
            if i + AHEAD < vocab.size:
                fetch_entry(&self.view, places[i + AHEAD])
            size = <int32_t> (self.begins[i + 1] - self.begins[i])
            if size == 0:
                continue
            text = self.texts.data() + self.begins[i]
            place = places[i]
            bit = place >> self.view.filter_shift
            self.filter[bit >> 6] |= <uint64_t> 1 << (bit & 63)
            make_key(text, size, place, &low, &high)
            entry = <PieceEntry*> slot_of(&self.view, place)
            while entry.high:
                entry += 1
                if entry == self.entries + n_entries:
                    entry = self.entries
            entry[0] = PieceEntry(low, high, i, rank_of(vocab.scores[i]))
        return 0
