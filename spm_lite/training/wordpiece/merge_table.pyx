"""Merges a pair in all words that hold it, and updates the counts and queue entries of the pairs around it.

The hot function is `merge`. The queue is a binary heap that knows the place of each pair. Header: merge_table.pxd.
"""

cimport cython
from cython.operator cimport dereference
from libc.math cimport log
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libcpp.algorithm cimport sort as sort_range
from libcpp.string cimport string
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

from spm_lite.training.counts.chunk_table cimport Origin, add_origin
from spm_lite.training.counts.cluster_places cimport is_in_place, places_of

cdef uint32_t NONE = <uint32_t> -1


@cython.final
cdef class MergeTable:
    """All words, and which pair of neighbours to merge next.

    The score of a pair falls when it becomes rarer, and with the number of all symbols; but it rises when one of its
    symbols becomes rarer elsewhere. So after a merge the entries of all pairs of both merged symbols rise in the queue.
    An entry that fell is found too high when it comes first, and sinks then.
    """

    cdef uint32_t symbol(
        self, const uint32_t* text, int32_t length, bint continues, bint* is_new,
    ) except? 0xFFFFFFFF nogil:
        """Return the symbol of a text at the beginning of words or inside; make it if it is new, and set `is_new`."""
        cdef string key = string(<const char*> text, <size_t> length * sizeof(uint32_t))
        cdef unordered_map[string, uint32_t].iterator found
        cdef uint32_t index
        cdef int32_t i
        key.push_back(<char> continues)
        found = self.piece_of.find(key)
        is_new[0] = found == self.piece_of.end()
        if not is_new[0]:
            return dereference(found).second
        index = <uint32_t> self.pieces.size()
        self.pieces.push_back(Piece(self.texts.size(), length, continues, 0))
        for i in range(length):
            self.texts.push_back(text[i])
        self.pairs_of.resize(self.pieces.size())
        self.piece_of[key] = index
        return index

    cdef int add_word(
        self, const uint32_t* symbols, int32_t n, uint64_t count, const Origin* origin,
    ) except -1 nogil:
        """Append a word of `n` symbols. origin: NULL in a table of one source."""
        cdef Origin own = Origin(count, 0, 0)
        cdef int32_t i
        self.word_begins.push_back(self.cells.size())
        self.word_sizes.push_back(n)
        self.word_counts.push_back(count)
        if origin != NULL:
            own = origin[0]
            self.word_origins.push_back(own)
        self.piece_origins.resize(self.pieces.size(), Origin(0, 0, 0))
        for i in range(n):
            add_origin(&self.piece_origins[symbols[i]], &own)
            self.cells.push_back(symbols[i])
            self.pieces[symbols[i]].count += count
        self.n_symbols += <uint64_t> n * count
        return 0

    cdef int start(self) except -1 nogil:
        """Count the pairs of all words, and make each a candidate."""
        cdef uint32_t i
        self.word_marks.resize(self.word_sizes.size(), 0)
        for i in range(<uint32_t> self.word_sizes.size()):
            self.count_word(i, True)
        self.changed.clear()
        for i in range(<uint32_t> self.pairs.size()):
            self.push(i)
        return 0

    cdef uint32_t pair_index(self, uint32_t left, uint32_t right) except? 0xFFFFFFFF nogil:
        """The index of a pair; a new one if need be."""
        cdef uint64_t key = <uint64_t> left << 32 | right
        cdef unordered_map[uint64_t, uint32_t].iterator found = self.pair_of.find(key)
        cdef uint32_t index
        if found != self.pair_of.end():
            return dereference(found).second
        index = <uint32_t> self.pairs.size()
        self.pairs.push_back(ScoredPair(left, right, 0, 0))
        self.words_of.resize(self.pairs.size())
        self.places.push_back(NONE)
        self.pair_of[key] = index
        self.pairs_of[left].push_back(index)
        if right != left:
            self.pairs_of[right].push_back(index)
        return index

    cdef int count_word(self, uint32_t word, bint is_added) except -1 nogil:
        """Add the pairs of a word to their counts, or take them away."""
        cdef const uint32_t* cells = self.cells.data() + self.word_begins[word]
        cdef uint64_t count = self.word_counts[word]
        cdef uint32_t index
        cdef int32_t i, begin = 0
        cdef bint is_counted
        for i in range(self.word_sizes[word] - 1):
            index = self.pair_index(cells[i], cells[i + 1])
            self.changed.push_back(index)
            is_counted = self.is_counted(word, begin, cells[i], cells[i + 1])
            begin += self.pieces[cells[i]].length
            if not is_added:
                self.pairs[index].count -= count if is_counted else 0
                continue
            self.pairs[index].count += count if is_counted else 0
            if self.words_of[index].empty() or self.words_of[index].back() != word:
                self.words_of[index].push_back(word)
        return 0

    cdef bint is_counted(self, uint32_t word, int32_t begin, uint32_t left, uint32_t right) noexcept nogil:
        """Whether two neighbours count as a pair at a character of a word."""
        cdef uint64_t first = self.word_begins[word] + <uint64_t> begin
        cdef uint64_t length = <uint64_t> (self.pieces[left].length + self.pieces[right].length)
        return is_in_place(places_of(self.begins), first, first + length)

    cdef uint32_t pop_best(self) except? 0xFFFFFFFF nogil:
        """Take the best pair from the queue."""
        cdef QueueEntry entry
        cdef double score
        while not self.queue.empty():
            entry = self.queue[0]
            score = self.score_of(&self.pairs[entry.pair])
            if self.pairs[entry.pair].count < self.min_count:
                self.drop_first()
            elif score < entry.score:
                self.sift_down(0, QueueEntry(score, entry.pair))
            elif self.is_too_rare(entry.pair):
                self.drop_first()
            else:
                self.drop_first()
                return entry.pair
        return NONE

    cdef bint is_too_rare(self, uint32_t pair) except -1 nogil:
        """Whether a pair has fewer occurrences before weights than it needs."""
        cdef Origin origin
        if self.least <= 1 or self.word_origins.empty():
            return False
        self.fill_origin(pair, &origin)
        return origin.occurrences < self.least

    cdef int fill_origin(self, uint32_t pair, Origin* origin) except -1 nogil:
        """Fill the occurrences of a pair before weights, and its sources; its count and 0 if words have no origins."""
        cdef uint32_t left = self.pairs[pair].left, right = self.pairs[pair].right
        cdef vector[uint32_t] words
        cdef const uint32_t* cells
        cdef size_t k
        cdef int32_t i, begin
        origin[0] = Origin(0 if not self.word_origins.empty() else self.pairs[pair].count, 0, 0)
        if self.word_origins.empty():
            return 0
        words = self.words_of[pair]
        sort_range(words.begin(), words.end())
        for k in range(words.size()):
            if k > 0 and words[k] == words[k - 1]:
                continue
            cells = self.cells.data() + self.word_begins[words[k]]
            begin = 0
            for i in range(self.word_sizes[words[k]] - 1):
                if cells[i] == left and cells[i + 1] == right and self.is_counted(words[k], begin, left, right):
                    add_origin(origin, &self.word_origins[words[k]])
                begin += self.pieces[cells[i]].length
        return 0

    cdef bint merge(self, uint32_t pair) except -1 nogil:
        """Merge a pair in all words; True if its text is a new piece."""
        cdef uint32_t left = self.pairs[pair].left, right = self.pairs[pair].right, merged, word, index
        cdef vector[uint32_t] text, words
        cdef uint64_t count
        cdef uint32_t* cells
        cdef int32_t i, n, n_after, size
        cdef bint is_new = False
        cdef Origin origin
        cdef size_t k
        self.fill_origin(pair, &origin)
        for i in range(self.pieces[left].length + self.pieces[right].length):
            text.push_back(self.char_of(&self.pairs[pair], i))
        merged = self.symbol(text.data(), <int32_t> text.size(), self.pieces[left].continues, &is_new)
        self.piece_origins.resize(self.pieces.size(), Origin(0, 0, 0))
        add_origin(&self.piece_origins[merged], &origin)
        self.n_merges += 1
        self.changed.clear()
        words.swap(self.words_of[pair])
        for k in range(words.size()):
            word = words[k]
            if self.word_marks[word] == self.n_merges:
                continue
            self.word_marks[word] = self.n_merges
            cells = self.cells.data() + self.word_begins[word]
            size = self.word_sizes[word]
            n = 0
            for i in range(size - 1):
                n += cells[i] == left and cells[i + 1] == right
            if n == 0:
                continue  # it holds the pair no more
            self.count_word(word, False)
            count = self.word_counts[word]
            n_after = i = 0
            while i < size:
                if i + 1 < size and cells[i] == left and cells[i + 1] == right:
                    cells[n_after] = merged
                    self.pieces[left].count -= count
                    self.pieces[right].count -= count
                    self.pieces[merged].count += count
                    i += 2
                else:
                    cells[n_after] = cells[i]
                    i += 1
                n_after += 1
            self.n_symbols -= <uint64_t> (size - n_after) * count
            self.word_sizes[word] = n_after
            self.count_word(word, True)
        if self.objective != FREQUENCY:
            for index in self.pairs_of[left]:
                self.changed.push_back(index)
            for index in self.pairs_of[right]:
                self.changed.push_back(index)
        for k in range(self.changed.size()):
            index = self.changed[k]
            if self.pairs[index].last_merge != self.n_merges:  # once for each pair
                self.pairs[index].last_merge = self.n_merges
                self.push(index)
        return is_new

    cdef double score_of(self, const ScoredPair* pair) noexcept nogil:
        cdef double count = <double> pair.count
        cdef double both = <double> self.pieces[pair.left].count * <double> self.pieces[pair.right].count
        if self.objective == FREQUENCY:
            return count
        if self.objective == RATIO:
            return count / both
        return count * log(count * <double> self.n_symbols / both)

    cdef int push(self, uint32_t pair) except -1 nogil:
        """Make a pair a candidate, if it may become a piece; if it is one, its score may have risen."""
        cdef const ScoredPair* it = &self.pairs[pair]
        cdef uint32_t place = self.places[pair]
        cdef QueueEntry entry = QueueEntry(0.0, pair)
        if it.count < self.min_count or self.pieces[it.left].length + self.pieces[it.right].length > self.max_length:
            return 0
        entry.score = self.score_of(it)
        if place == NONE:
            place = <uint32_t> self.queue.size()
            self.queue.push_back(entry)
        elif entry.score <= self.queue[place].score:
            return 0
        self.sift_up(place, entry)
        return 0

    cdef void put(self, uint32_t place, QueueEntry entry) noexcept nogil:
        self.queue[place] = entry
        self.places[entry.pair] = place

    cdef void sift_up(self, uint32_t hole, QueueEntry entry) noexcept nogil:
        """Put an entry where `hole` is, or above. The queue is a binary heap."""
        cdef uint32_t above
        while hole:
            above = (hole - 1) // 2
            if not self.comes_first(&entry, &self.queue[above]):
                break
            self.put(hole, self.queue[above])
            hole = above
        self.put(hole, entry)

    cdef void sift_down(self, uint32_t hole, QueueEntry entry) noexcept nogil:
        """Put an entry where `hole` is, or below."""
        cdef uint32_t below, n = <uint32_t> self.queue.size()
        while 2 * hole + 1 < n:
            below = 2 * hole + 1
            if below + 1 < n and self.comes_first(&self.queue[below + 1], &self.queue[below]):
                below += 1
            if not self.comes_first(&self.queue[below], &entry):
                break
            self.put(hole, self.queue[below])
            hole = below
        self.put(hole, entry)

    cdef void drop_first(self) noexcept nogil:
        """Remove the first entry."""
        cdef QueueEntry last = self.queue.back()
        self.places[self.queue[0].pair] = NONE
        self.queue.pop_back()
        if not self.queue.empty():
            self.sift_down(0, last)

    cdef inline uint32_t char_of(self, const ScoredPair* pair, int32_t i) noexcept nogil:
        """Character `i` of the text of a pair."""
        cdef const Piece* left = &self.pieces[pair.left]
        if i < left.length:
            return self.texts[left.begin + i]
        return self.texts[self.pieces[pair.right].begin + (i - left.length)]

    cdef bint comes_first(self, const QueueEntry* a, const QueueEntry* b) noexcept nogil:
        """The higher score; then fewer characters, the smaller text, the beginning of words, the shorter left part."""
        cdef const ScoredPair* one
        cdef const ScoredPair* two
        cdef int32_t i, length, other
        if a.score != b.score:
            return a.score > b.score
        one, two = &self.pairs[a.pair], &self.pairs[b.pair]
        length = self.pieces[one.left].length + self.pieces[one.right].length
        other = self.pieces[two.left].length + self.pieces[two.right].length
        if length != other:
            return length < other
        for i in range(length):
            if self.char_of(one, i) != self.char_of(two, i):
                return self.char_of(one, i) < self.char_of(two, i)
        if self.pieces[one.left].continues != self.pieces[two.left].continues:
            return not self.pieces[one.left].continues
        return self.pieces[one.left].length < self.pieces[two.left].length
