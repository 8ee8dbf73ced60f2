"""Finds the edges from each place by a trie walk, then sorts them by their end (counting sort).

The hot loops are `find_from` and `place_edges`; the second one also finds the best score of each place.
Header: lattice.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.algorithm cimport reverse
from libcpp.vector cimport vector

from spm_lite.base.structures.double_array cimport TrieCursor, trie_advance, trie_root
from spm_lite.base.system.heap cimport refill
from spm_lite.encode.segment.segmenter cimport Token, unit_size
from spm_lite.lattice.path_scores cimport PathScores, edge_score
from spm_lite.vocab.piece_trie cimport match_symbol

cdef size_t MAX_EDGES = 0x7FFFFFF0


@cython.final
cdef class Lattice:
    """Places, edges, and the score of the best path to each. Takes some 30 bytes per edge, kept for the next text.

    Every place can be reached and left: a character that no one-character piece covers gets an unknown edge.
    Source: Kudo 2018; order and roundings as in SentencePiece.
    """

    cdef int fill(self, PathScores vocab, const uint8_t* text, int32_t size) except -1 nogil:
        """Fill the whole lattice of a text, which may be empty."""
        self.find(vocab, text, size)
        return self.sort_edges(vocab)

    cdef int find(self, PathScores vocab, const uint8_t* text, int32_t size) except -1 nogil:
        """Fill only the places and the unsorted edges, `found`."""
        self.cut(vocab, text, size)
        return self.find_edges(vocab, text)

    cdef int cut(self, PathScores vocab, const uint8_t* text, int32_t size) except -1 nogil:
        """Cut the text into characters and symbols that stand alone: fill `offsets` and `symbols`."""
        cdef bint compact = vocab.segmenter.compact, is_bytes = vocab.segmenter.vocab.is_bytes
        cdef int32_t pos = 0, length, symbol
        self.offsets.clear()
        self.symbols.clear()
        while pos < size:
            self.offsets.push_back(pos)
            length = 0
            if vocab.symbol_units != NULL:
                symbol = -1
                length = match_symbol(vocab.symbol_units, text + pos, size - pos, &symbol)
                self.symbols.push_back(symbol if length else -1)
            if length == 0:
                length = 1 if is_bytes else unit_size(text + pos, size - pos, compact)
            pos += length
        self.n_places = <int32_t> self.offsets.size()
        self.offsets.push_back(size)
        return 0

    cdef int find_edges(self, PathScores vocab, const uint8_t* text) except -1 nogil:
        """Fill `found`, place by place."""
        cdef int32_t begin, limit = 0, single_id = vocab.segmenter.vocab.unknown_index
        self.found.clear()
        for begin in range(self.n_places):
            if limit <= begin:
                limit = self.find_limit(begin)
            if limit == begin:
                self.found.push_back(FoundEdge(begin, begin + 1, self.symbols[begin]))
            elif not find_from(
                vocab.units, vocab.piece_ids.data(), text, self.offsets.data(), begin, limit, self.found
            ):
                if vocab.segmenter.vocab.is_bytes:  # a NUL, which the trie lacks
                    single_id = vocab.segmenter.vocab.byte_ids[text[self.offsets[begin]]]
                self.found.push_back(FoundEdge(begin, begin + 1, single_id))
            if self.found.size() > MAX_EDGES:
                with gil:
                    raise MemoryError(f"a text has more than {MAX_EDGES} places for pieces: split it")
        return 0

    cdef int32_t find_limit(self, int32_t begin) noexcept nogil:
        """Return the first place, from `begin` on, where a symbol stands alone; the last place if there is none."""
        if self.symbols.empty():
            return self.n_places
        while begin < self.n_places and self.symbols[begin] < 0:
            begin += 1
        return begin

    cdef int sort_edges(self, PathScores vocab) except -1 nogil:
        """Sort `found` into `edges` by end, and fill the best scores, under the scores of `vocab`."""
        return self.sort_found(vocab.scores.data(), vocab.segmenter.vocab.unknown_index, vocab.unknown_score)

    cdef int sort_found(self, const float* scores, int32_t unknown_id, float unknown_score) except -1 nogil:
        """Sort `found` into `edges` by end, and fill `best` of each edge and `bests` of each place."""
        cdef size_t n_edges = self.found.size(), i
        cdef int32_t p
        self.edges.resize(n_edges)
        refill(self.bests, self.n_places + 1, 0.0)
        refill(self.firsts, self.n_places + 2, 0)
        for i in range(n_edges):
            self.firsts[self.found[i].end + 1] += 1
        for p in range(self.n_places + 1):
            self.firsts[p + 1] += self.firsts[p]
        self.nexts.assign(self.firsts.begin(), self.firsts.end())
        place_edges(
            self.found.data(), n_edges, scores, unknown_id, unknown_score, self.firsts.data(), self.nexts.data(),
            self.bests.data(), self.edges.data(),
        )
        return 0

    cdef int list_leaving(self, vector[int32_t]& leaving) except -1 nogil:
        """Fill for each place the index of its first edge in `found`; one more entry holds the end."""
        cdef int32_t i
        refill(leaving, self.n_places + 1, 0)
        for i in range(<int32_t> self.found.size()):
            leaving[self.found[i].begin + 1] = i + 1
        return 0

    cdef int32_t first_best(self, int32_t end, float onward) noexcept nogil:
        """Return the last edge of the best path to place `end`, which is not the first place.

        onward: score that is added after the edge. Where the sums with it tie, the edge that begins first wins.
        """
        cdef const Edge* edges = self.edges.data()
        cdef int32_t found = self.firsts[end], i
        for i in range(found + 1, self.firsts[end + 1]):
            if edges[i].best + onward > edges[found].best + onward:
                found = i
        return found

    cdef int32_t place_before(self, int32_t edge) noexcept nogil:
        """Return the place where an edge begins, for TEXT_END the last place."""
        return self.n_places if edge == TEXT_END else self.edges[edge].begin

    cdef int append_edge(self, int32_t edge, int32_t next_edge, vector[Token]& tokens) except -1 nogil:
        """Append the token of an edge; `next_edge` is the edge after it, or TEXT_END."""
        cdef int32_t begin = self.offsets[self.edges[edge].begin], end = self.offsets[self.place_before(next_edge)]
        tokens.push_back(Token(self.edges[edge].piece_id, begin, end))
        return 0

    cdef int append_best(self, vector[Token]& tokens) except -1 nogil:
        """Append the tokens of the best path, whose score is bests[n_places]."""
        cdef size_t n_before = tokens.size()
        cdef int32_t end = self.n_places
        cdef float onward = 0.0
        cdef const Edge* edge
        while end > 0:
            edge = self.edges.data() + self.first_best(end, onward)
            tokens.push_back(Token(edge.piece_id, self.offsets[edge.begin], self.offsets[end]))
            end = edge.begin
            onward = edge.score
        reverse(tokens.begin() + n_before, tokens.end())
        return 0


cdef inline bint find_from(
    const uint32_t* units, const int32_t* piece_ids, const uint8_t* text, const int32_t* offsets, int32_t begin,
    int32_t limit, vector[FoundEdge]& found,
) except -1 nogil:
    """Append the pieces that start at place `begin` and end at `limit` or before.

    Return whether one of them spans one place only. A piece that ends inside a character takes all of it; only
    ill-formed pieces can.
    """
    cdef TrieCursor cursor
    cdef int32_t pos, end = begin
    cdef bint is_covered = False
    trie_root(units, &cursor)
    for pos in range(offsets[begin], offsets[limit]):
        if pos == offsets[end]:
            end += 1
        if not trie_advance(units, &cursor, text[pos]):
            break  # no piece continues this prefix
        if cursor.value >= 0:
            found.push_back(FoundEdge(begin, end, piece_ids[cursor.value]))
            is_covered |= end == begin + 1
    return is_covered


cdef void place_edges(
    const FoundEdge* found, size_t n_edges, const float* scores, int32_t unknown_id, float unknown_score,
    const int32_t* firsts, int32_t* nexts, float* bests, Edge* edges,
) noexcept nogil:
    """Put each edge after the others with its end. All edges that end where it begins are placed before it."""
    cdef size_t i
    cdef int32_t end
    cdef float score, best
    for i in range(n_edges):
        end = found[i].end
        score = edge_score(scores, unknown_id, unknown_score, found[i].piece_id)
        # Rounding is monotonic, so the sum with the best score is the best of the rounded sums.
        best = bests[found[i].begin] + score
        edges[nexts[end]] = Edge(found[i].begin, found[i].piece_id, score, best)
        if nexts[end] == firsts[end] or best > bests[end]:
            bests[end] = best
        nexts[end] += 1
