"""A hash table of pairs, and a binary heap in which an outdated entry sinks when it comes first (lazy update).

Header: pairs.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.system.intrinsics cimport folded_product, prefetch
from spm_lite.training.bpe.symbols cimport LearnedSymbol, pair_char

from spm_lite.errors import TrainingError

cdef uint32_t NONE = <uint32_t> -1

cdef enum:
    FREE = 0                # a slot
    FIRST_SLOTS = 4096      # a power of two


cdef inline uint64_t hash_pair(uint32_t left, uint32_t right) noexcept nogil:
    return folded_product(<uint64_t> left << 32 | right, <uint64_t> 0x9E3779B97F4A7C15)


@cython.final
cdef class PairTable:
    """All pairs that were ever made, and a lazy binary heap of the candidates among them."""

    cdef int take_order(self, bytes order, bytes alphabet) except -1:
        """Order ties by symbols. order: all bytes, first to last. alphabet: the bytes of the first symbols."""
        cdef int i
        self.by_ids = True
        for i in range(len(alphabet)):
            self.first_ranks[i] = order.index(alphabet[i])
        return 0

    cdef void clear(self) noexcept nogil:
        """Forget all pairs, and free the memory of their positions."""
        self.pairs.clear()
        self.heap.clear()
        vector[uint64_t]().swap(self.slots)
        vector[uint32_t]().swap(self.positions)

    cdef int keep_pairs(self, const vector[uint8_t]& is_kept) except -1 nogil:
        """Forget all other pairs, whose indices change."""
        cdef vector[Pair] kept
        cdef size_t i, n = 0
        for i in range(is_kept.size()):
            n += is_kept[i]
        kept.reserve(n)
        for i in range(is_kept.size()):
            if is_kept[i]:
                kept.push_back(self.pairs[i])
        self.pairs.swap(kept)
        vector[uint64_t]().swap(self.slots)
        self.grow_slots()
        return 0

    cdef void expect(self, uint32_t left, uint32_t right) noexcept nogil:
        """Prefetch the slot of a pair."""
        if self.slots.size() > 0:
            prefetch(&self.slots[hash_pair(left, right) & (self.slots.size() - 1)])

    cdef uint32_t find(self, uint32_t left, uint32_t right) noexcept nogil:
        """Return the index of a pair; 2^32 - 1: it was never made."""
        cdef uint64_t hash = hash_pair(left, right), mask = self.slots.size() - 1, slot = hash & mask, entry
        cdef const Pair* pair
        if self.slots.size() == 0:
            return NONE
        while self.slots[slot] != FREE:
            entry = self.slots[slot]
            if entry >> 32 == hash >> 32:
                pair = &self.pairs[<uint32_t> entry - 1]
                if pair.left == left and pair.right == right:
                    return <uint32_t> entry - 1
            slot = (slot + 1) & mask
        return NONE

    cdef uint32_t insert(self, uint32_t left, uint32_t right) except? 0xFFFFFFFE nogil:
        """Return the index of a pair; a new pair has count 0 and no positions."""
        cdef uint32_t index = self.find(left, right)
        cdef uint64_t hash, mask, slot
        if index != NONE:
            return index
        self.pairs.push_back(Pair(left, right, 0, 0, 0))
        if 2 * self.pairs.size() > self.slots.size():
            self.grow_slots()
            return <uint32_t> self.pairs.size() - 1
        hash = hash_pair(left, right)
        mask = self.slots.size() - 1
        slot = hash & mask
        while self.slots[slot] != FREE:
            slot = (slot + 1) & mask
        self.slots[slot] = hash >> 32 << 32 | self.pairs.size()
        return <uint32_t> self.pairs.size() - 1

    cdef int grow_slots(self) except -1 nogil:
        """Make two or more slots for each pair (a power of two), and fill them."""
        cdef uint64_t n_slots = max(<uint64_t> FIRST_SLOTS, self.slots.size())
        if self.pairs.size() > 0x7FFFFFFF:
            raise TrainingError("the corpus has more than 2^31 - 1 pairs of symbols; train on a part of it")
        while 2 * self.pairs.size() > n_slots:
            n_slots *= 2
        self.slots.assign(n_slots, FREE)
        self.fill_slots()
        return 0

    cdef void fill_slots(self) noexcept nogil:
        """Enter all pairs into free slots."""
        cdef uint64_t mask = self.slots.size() - 1, hash, slot, i
        for i in range(self.pairs.size()):
            hash = hash_pair(self.pairs[i].left, self.pairs[i].right)
            slot = hash & mask
            while self.slots[slot] != FREE:
                slot = (slot + 1) & mask
            self.slots[slot] = hash >> 32 << 32 | (i + 1)

    cdef bint comes_first(self, const HeapEntry* a, const HeapEntry* b) noexcept nogil:
        """Whether `a` is better: higher count, fewer characters, smaller text, shorter left symbol, in this order.

        The last rule is ours (the original leaves it open). It decides all ties: no two symbols have the same text.
        """
        cdef const LearnedSymbol* a_left
        cdef const LearnedSymbol* a_right
        cdef const LearnedSymbol* b_left
        cdef const LearnedSymbol* b_right
        cdef const uint32_t* texts
        cdef uint32_t x, y
        cdef int32_t i
        if a.count != b.count:
            return a.count > b.count
        if a.length != b.length:
            return a.length < b.length
        if a.prefix != b.prefix:
            return a.prefix < b.prefix
        texts = self.symbols.texts.data()
        a_left = &self.symbols.symbols[self.pairs[a.pair].left]
        a_right = &self.symbols.symbols[self.pairs[a.pair].right]
        b_left = &self.symbols.symbols[self.pairs[b.pair].left]
        b_right = &self.symbols.symbols[self.pairs[b.pair].right]
        for i in range(3, a.length):
            x = pair_char(a_left, a_right, texts, i)
            y = pair_char(b_left, b_right, texts, i)
            if x != y:
                return x < y
        return a_left.length < b_left.length

    cdef uint32_t place_of(self, uint32_t symbol) noexcept nogil:
        """The place of a symbol among those that tie."""
        return self.first_ranks[symbol] if symbol < 256 else symbol

    cdef int push(self, uint32_t pair) except -1 nogil:
        """Make a pair a candidate with its present count."""
        cdef HeapEntry entry
        cdef const LearnedSymbol* left = &self.symbols.symbols[self.pairs[pair].left]
        cdef const LearnedSymbol* right = &self.symbols.symbols[self.pairs[pair].right]
        cdef uint64_t hole, parent
        cdef int32_t i
        entry.count = self.pairs[pair].count
        entry.pair = pair
        entry.length = entry.prefix = 0
        if self.by_ids:
            entry.prefix = <uint64_t> self.place_of(self.pairs[pair].left) << 32 | self.place_of(self.pairs[pair].right)
        else:
            entry.length = left.length + right.length
            for i in range(3):
                entry.prefix <<= 21
                if i < entry.length:
                    entry.prefix |= pair_char(left, right, self.symbols.texts.data(), i)
        self.heap.push_back(entry)
        hole = self.heap.size() - 1
        while hole > 0:
            parent = (hole - 1) // 2
            if not self.comes_first(&entry, &self.heap[parent]):
                break
            self.heap[hole] = self.heap[parent]
            hole = parent
        self.heap[hole] = entry
        return 0

    cdef void sift_down(self, HeapEntry entry, uint64_t hole) noexcept nogil:
        """Put `entry` at its place in the heap, at or below `hole`."""
        cdef uint64_t size = self.heap.size()
        cdef uint64_t child = 2 * hole + 1
        while child < size:
            if child + 1 < size and self.comes_first(&self.heap[child + 1], &self.heap[child]):
                child += 1
            if not self.comes_first(&self.heap[child], &entry):
                break
            self.heap[hole] = self.heap[child]
            hole = child
            child = 2 * hole + 1
        self.heap[hole] = entry

    cdef uint32_t find_best(self) noexcept nogil:
        """Return the index of the best candidate by present count; 2^32 - 1: none is left.

        An entry with an outdated count moves down before it can be chosen (lazy update).
        """
        cdef HeapEntry top
        cdef uint64_t count
        while not self.heap.empty():
            top = self.heap.front()
            count = self.pairs[top.pair].count
            if count < self.floor:
                self.drop_first()
            elif top.count == count:
                return top.pair
            else:
                top.count = count
                self.sift_down(top, 0)
        return NONE

    cdef uint32_t pop_best(self) noexcept nogil:
        """Remove the best candidate by present count and return its index; 2^32 - 1: none is left."""
        cdef uint32_t best = self.find_best()
        if best != NONE:
            self.drop_first()
        return best

    cdef void drop_first(self) noexcept nogil:
        """Remove the first entry of the heap, which is not empty."""
        cdef HeapEntry last = self.heap.back()
        self.heap.pop_back()
        if not self.heap.empty():
            self.sift_down(last, 0)
