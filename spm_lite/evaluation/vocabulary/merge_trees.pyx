"""Merges the characters of each piece to find its last merge, and passes counts down from pieces to their parts.

Header: merge_trees.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.encode.segment.segmenter cimport unit_size
from spm_lite.vocab.vocab cimport NORMAL, UNUSED, Vocab


@cython.final
cdef class MergeTrees:
    """The merges of a BPE model.

    The merges within a piece are the merges of its two parts, and then one of both. A merge across the place where they
    meet would have come before. So the last merge of each piece tells all of them.
    """

    def __cinit__(self, Vocab vocab not None):
        cdef vector[int32_t] begins
        cdef int32_t i
        self.vocab = vocab
        self.lefts.resize(vocab.size, -1)
        self.rights.resize(vocab.size, -1)
        self.find_ranks()
        for i in range(vocab.size):
            if vocab.types[i] == NORMAL or vocab.types[i] == UNUSED:
                self.split(i, begins)
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

    cdef int split(self, int32_t piece_id, vector[int32_t]& begins) except -1:
        """Merge the characters of a piece, and note the last merge if that gives the piece.

        begins: where its symbols begin, and where it ends; overwritten.
        """
        cdef Vocab vocab = self.vocab
        cdef const uint8_t* text = vocab.texts.data() + vocab.begins[piece_id]
        cdef int32_t size = <int32_t> (vocab.begins[piece_id + 1] - vocab.begins[piece_id]), pos = 0
        cdef int32_t found, left, right
        cdef size_t k, best
        cdef float score = 0
        begins.clear()
        while pos < size:
            begins.push_back(pos)
            pos += 1 if vocab.is_bytes else unit_size(text + pos, size - pos, False)
        begins.push_back(size)
        while begins.size() > 2:
            best = begins.size()
            for k in range(begins.size() - 2):
                found = vocab.find_plain(text + begins[k], begins[k + 2] - begins[k])
                if found < 0 or (vocab.types[found] != NORMAL and vocab.types[found] != UNUSED):
                    continue
                if best == begins.size() or vocab.scores[found] > score:  # of equal scores the first
                    best, score = k, vocab.scores[found]
            if best == begins.size():
                return 0
            if begins.size() == 3:
                left = vocab.find_plain(text, begins[1])
                right = vocab.find_plain(text + begins[1], size - begins[1])
                self.lefts[piece_id], self.rights[piece_id] = left, right
            begins.erase(begins.begin() + best + 1)
        return 0

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
