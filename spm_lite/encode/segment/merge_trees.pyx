"""Merges the characters of each piece to find its last merge, and passes counts down from pieces to their parts.

Header: merge_trees.pxd.
"""

cimport cython
from cython.operator cimport dereference
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

from spm_lite.encode.segment.piece_table cimport rank_of
from spm_lite.encode.segment.segmenter cimport unit_size
from spm_lite.vocab.merge_list cimport ListedMerge, MergeList
from spm_lite.vocab.vocab cimport NORMAL, UNUSED, Vocab


@cython.final
cdef class MergeTrees:
    """The merges of a BPE model.

    The merges within a piece are the merges of its two parts, and then one of both. A merge across the place where they
    meet would have come before. So the last merge of each piece tells all of them.
    """

    def __cinit__(self, Vocab vocab not None):
        cdef vector[MergeSymbol] symbols
        cdef int32_t i
        self.vocab = vocab
        self.is_listed = vocab.merge_list is not None
        if self.is_listed:
            self.fill_listed()
        self.lefts.resize(vocab.size, -1)
        self.rights.resize(vocab.size, -1)
        self.find_ranks()
        for i in range(vocab.size):
            if vocab.types[i] != NORMAL and vocab.types[i] != UNUSED:
                continue
            if self.cut(i, symbols) and symbols.size() == 3:
                self.lefts[i], self.rights[i] = symbols[0].piece_id, symbols[1].piece_id
        self.by_size = sorted(
            [i for i in range(vocab.size) if self.lefts[i] >= 0],
            key=lambda piece_id: (vocab.begins[piece_id] - vocab.begins[piece_id + 1], piece_id),
        )

    cdef int find_ranks(self) except -1:
        """Number the NORMAL pieces of two characters or more by falling score; of equal scores the smaller id first."""
        cdef Vocab vocab = self.vocab
        cdef int32_t i
        cdef list many = []
        for i in range(vocab.size):
            if vocab.types[i] == NORMAL and n_units(vocab, i) > 1:
                many.append(i)
        many.sort(key=lambda piece_id: (-vocab.scores[piece_id], piece_id))
        self.n_merges = <int32_t> len(many)
        self.ranks.resize(vocab.size, -1)
        for place, i in enumerate(many):
            self.ranks[i] = place
            self.order.push_back(i)
        return 0

    cdef int fill_listed(self) except -1:
        """Note the rank and the result of each merge of a list, by the ids of its parts."""
        cdef MergeList merges = self.vocab.merge_list
        cdef ListedMerge merge
        cdef size_t rank
        for rank in range(merges.merges.size()):
            merge = merges.merges[rank]
            self.listed[pair_of(merge.left, merge.right)] = Merge(<uint32_t> rank, merge.whole)
        return 0

    cdef Merge merge_of(self, const uint8_t* text, const MergeSymbol* symbol) noexcept nogil:
        """Return what a symbol and the one after it become; piece_id -1: they do not merge."""
        cdef Merge merge = Merge(0, -1)
        cdef unordered_map[uint64_t, Merge].iterator found
        if self.is_listed:
            found = self.listed.find(pair_of(symbol.piece_id, symbol[1].piece_id))
            return merge if found == self.listed.end() else dereference(found).second
        merge.piece_id = self.mergeable(text + symbol.begin, symbol[2].begin - symbol.begin)
        if merge.piece_id >= 0:
            merge.rank = rank_of(self.vocab.scores[merge.piece_id])
        return merge

    cdef int32_t mergeable(self, const uint8_t* text, int32_t size) noexcept nogil:
        """The id of the piece that a text is in merging; -1: none."""
        cdef int32_t found = self.vocab.find_plain(text, size)
        if found >= 0 and self.vocab.types[found] != NORMAL and self.vocab.types[found] != UNUSED:
            return -1
        return found

    cdef bint cut(self, int32_t piece_id, vector[MergeSymbol]& symbols) except -1 nogil:
        """Fill the symbols that remain when the text of a piece merges as far as before the piece itself.

        Return whether merges make the piece; then two symbols remain, or one character. After them comes an end.
        """
        cdef const uint8_t* text = self.vocab.texts.data() + self.vocab.begins[piece_id]
        cdef int32_t size = <int32_t> (self.vocab.begins[piece_id + 1] - self.vocab.begins[piece_id]), pos = 0, length
        cdef size_t k, best
        symbols.clear()
        while pos < size:
            length = 1 if self.vocab.is_bytes else unit_size(text + pos, size - pos, False)
            symbols.push_back(MergeSymbol(pos, self.mergeable(text + pos, length), Merge(0, -1)))
            pos += length
        symbols.push_back(MergeSymbol(size, -1, Merge(0, -1)))
        for k in range(symbols.size() - 2 if symbols.size() > 2 else 0):
            symbols[k].merge = self.merge_of(text, &symbols[k])
        while symbols.size() > 3:
            best = symbols.size()
            for k in range(symbols.size() - 2):
                if symbols[k].merge.piece_id >= 0 and (  # of equal ranks the first
                    best == symbols.size() or symbols[k].merge.rank < symbols[best].merge.rank
                ):
                    best = k
            if best == symbols.size():
                return False
            symbols[best].piece_id = symbols[best].merge.piece_id
            symbols.erase(symbols.begin() + best + 1)
            symbols[best].merge = Merge(0, -1)
            if best + 2 < symbols.size():
                symbols[best].merge = self.merge_of(text, &symbols[best])
            if best > 0:
                symbols[best - 1].merge = self.merge_of(text, &symbols[best - 1])
        return symbols.size() == 2 or symbols[0].merge.piece_id >= 0

    def consumed(self, counts):
        """Return how often each id stands strictly inside the tree of a token, as a list.

        counts: how often each id is a token; its length is the size of the vocabulary or more.
        """
        cdef vector[int64_t] formed, consumed
        cdef int32_t i, part
        cdef int64_t n
        formed.resize(self.vocab.size)
        consumed.resize(self.vocab.size)
        for i in range(self.vocab.size):
            formed[i] = counts[i]
        for i in self.by_size:  # longest first: parts are shorter, but their scores may be lower
            n = formed[i]
            if n == 0:
                continue
            for part in (self.lefts[i], self.rights[i]):
                if part >= 0:
                    formed[part] += n
                    consumed[part] += n
        return list(consumed)

    def ids_by_rank(self):
        """Return the ids of the merges, in the order in which training found them."""
        return list(self.order)

    def parts(self, int32_t piece_id):
        """Return the ids of the two pieces whose merge makes a piece; None: no merge does."""
        if not 0 <= piece_id < self.vocab.size or self.lefts[piece_id] < 0 or self.rights[piece_id] < 0:
            return None
        return self.lefts[piece_id], self.rights[piece_id]


cdef int32_t n_units(Vocab vocab, int32_t piece_id):
    """The characters of a piece, at most 2; of a model whose pieces are bytes, its bytes."""
    cdef int64_t size = vocab.begins[piece_id + 1] - vocab.begins[piece_id]
    cdef const uint8_t* text = vocab.texts.data() + vocab.begins[piece_id]
    if vocab.is_bytes:
        return <int32_t> min(size, 2)
    return 2 if unit_size(text, <int32_t> size, False) < size else 1
