cimport cython
from cython.operator cimport dereference
from libc.stdint cimport int32_t, uint32_t
from libcpp.string cimport string
from libcpp.unordered_map cimport unordered_map

cdef uint32_t NO_RANK = <uint32_t> -1


@cython.final
cdef class MergeRanks:
    """The merges so far, by their bytes.

    Encoding joins any two neighbours whose bytes are a piece, the lowest rank first. Training counts pairs of symbols,
    so it may learn a pair that encoding never has side by side: earlier merges would have joined its bytes otherwise.
    """

    cdef int add(self, const uint32_t* units, int32_t length) except -1 nogil:
        """Add the next merge. units: its bytes."""
        cdef uint32_t rank = <uint32_t> self.ranks.size()
        self.fill_text(units, length)
        self.ranks[self.text] = rank
        return 0

    cdef int fill_text(self, const uint32_t* units, int32_t length) except -1 nogil:
        cdef int32_t i
        self.text.clear()
        for i in range(length):
            self.text.push_back(<char> units[i])
        return 0

    cdef bint is_rebuilt(self, const uint32_t* units, int32_t length) except -1 nogil:
        """Whether the merges so far join these bytes to two parts, so that a merge of the two is reached."""
        cdef size_t i, best
        cdef int32_t k
        self.fill_text(units, length)
        self.begins.clear()
        self.pair_ranks.clear()
        for k in range(length + 1):
            self.begins.push_back(k)
        for i in range(<size_t> length - 1):
            self.pair_ranks.push_back(self.rank_of_pair(i))
        while self.pair_ranks.size() > 1:
            best = 0
            for i in range(1, self.pair_ranks.size()):
                if self.pair_ranks[i] < self.pair_ranks[best]:
                    best = i
            if self.pair_ranks[best] == NO_RANK:
                return False
            self.begins.erase(self.begins.begin() + best + 1)
            self.pair_ranks.erase(self.pair_ranks.begin() + best)
            if best:
                self.pair_ranks[best - 1] = self.rank_of_pair(best - 1)
            if best < self.pair_ranks.size():
                self.pair_ranks[best] = self.rank_of_pair(best)
        return True

    cdef uint32_t rank_of_pair(self, size_t i) except? 0 nogil:
        """The rank of the piece that part `i` and the next one form; NO_RANK: none."""
        cdef string key = self.text.substr(self.begins[i], self.begins[i + 2] - self.begins[i])
        cdef unordered_map[string, uint32_t].iterator found = self.ranks.find(key)
        return NO_RANK if found == self.ranks.end() else dereference(found).second
