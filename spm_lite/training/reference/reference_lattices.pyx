"""Finds the longest piece at each place by a trie, once. Dropping pieces afterwards only renames ids (`keep`).

Header: reference_lattices.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.algorithm cimport sort as sort_range
from libcpp.vector cimport vector

from spm_lite.base.structures.double_array cimport TrieCursor, TrieKey, build_double_array, trie_advance, trie_root
from spm_lite.base.structures.radix_sort cimport sorts_before
from spm_lite.base.system.heap cimport refill
from spm_lite.base.unicode.utf8 cimport lead_size
from spm_lite.training.unigram.candidates cimport rename, rename_all

cdef float UNKNOWN_PENALTY = 10.0       # an unknown node scores so much below the least score
cdef float LARGEST_FLOAT = 3.4028234663852886e38


@cython.final
cdef class ReferenceLattices:
    """The pieces with their scores, and for each place of the sentences the pieces that begin there."""

    cdef int append_piece(self, const uint8_t* text, uint32_t size, float score) except -1 nogil:
        cdef PieceText piece = PieceText(self.texts.size(), 0, size, 0)
        self.texts.insert(self.texts.end(), text, text + size)
        self.pieces.push_back(piece)
        self.scores.push_back(score)
        return 0

    cdef int match_pieces(self, vector[uint32_t]& units) except -1 nogil:
        """Build a double-array trie of all pieces in `units`, and find the pieces within the texts of pieces.

        All pieces must have been appended.
        """
        cdef vector[TrieKey] keys
        cdef TrieKey key
        cdef PieceText* piece
        cdef uint32_t i
        for i in range(<uint32_t> self.pieces.size()):
            key.data = self.texts.data() + self.pieces[i].begin
            key.size = <int32_t> self.pieces[i].size
            key.value = <int32_t> i
            keys.push_back(key)
        sort_range(keys.begin(), keys.end(), sorts_before)
        build_double_array(keys.data(), keys.size(), units)
        self.links.resize(self.pieces.size())
        for i in range(<uint32_t> self.pieces.size()):
            piece = &self.pieces[i]
            piece.place = self.own_places.size()
            piece.length = append_places(
                units.data(), self.texts.data() + piece.begin, piece.size, self.own_places
            )
            self.links[i].length = piece.length
            self.links[i].shorter = find_longest(
                units.data(), self.texts.data() + piece.begin, piece.size - 1
            )
        return 0

    cdef int append_sentence(
        self, const uint32_t* units, const uint8_t* text, uint32_t size, uint64_t count,
    ) except -1 nogil:
        cdef Sentence sentence = Sentence(self.longest.size(), 0, <float> count)
        sentence.length = append_places(units, text, size, self.longest)
        self.longest_sentence = max(self.longest_sentence, sentence.length)
        self.sentences.push_back(sentence)
        return 0

    cdef int end_lane(self) except -1 nogil:
        """Make a lane of the sentences appended since the last call."""
        if self.lanes.empty():
            self.lanes.push_back(0)
        self.lanes.push_back(self.sentences.size())
        return 0

    cdef LatticeView view(self) noexcept nogil:
        """Return a view of the lattices with the current scores; an unknown node scores less than any piece."""
        cdef float least = LARGEST_FLOAT
        cdef size_t i
        for i in range(self.scores.size()):
            self.links[i].score = self.scores[i]
            least = min(least, self.scores[i])
        return LatticeView(
            self.links.data(), self.longest.data(), self.sentences.data(), self.lanes.data(),
            <uint32_t> self.lanes.size() - 1, <uint32_t> self.links.size(), self.longest_sentence,
            least - UNKNOWN_PENALTY,
        )

    cdef int keep(self, const vector[uint32_t]& order, uint32_t n_threads) except -1 nogil:
        """Keep the pieces of `order`, in this order, and drop the others."""
        cdef vector[uint32_t] new_ids, heirs, own_places
        cdef vector[PieceText] pieces
        cdef vector[float] scores
        cdef vector[Link] links
        cdef PieceText piece
        cdef Link link
        cdef uint32_t i, piece_id
        refill(new_ids, self.pieces.size(), NO_PIECE)
        for i in range(<uint32_t> order.size()):
            new_ids[order[i]] = i
        heirs.resize(self.pieces.size())
        for i in range(<uint32_t> self.pieces.size()):
            piece_id = i
            while piece_id != NO_PIECE and new_ids[piece_id] == NO_PIECE:
                piece_id = self.links[piece_id].shorter
            heirs[i] = NO_PIECE if piece_id == NO_PIECE else new_ids[piece_id]
        for i in range(<uint32_t> order.size()):
            piece = self.pieces[order[i]]
            link = self.links[order[i]]
            if link.shorter != NO_PIECE:
                link.shorter = heirs[link.shorter]
            own_places.insert(
                own_places.end(), self.own_places.begin() + piece.place,
                self.own_places.begin() + (piece.place + piece.length),
            )
            piece.place = own_places.size() - piece.length
            pieces.push_back(piece)
            links.push_back(link)
            scores.push_back(self.scores[order[i]])
        rename(own_places.data(), own_places.size(), heirs.data())
        self.own_places.swap(own_places)
        self.pieces.swap(pieces)
        self.links.swap(links)
        self.scores.swap(scores)
        return rename_all(self.longest.data(), self.longest.size(), heirs.data(), n_threads)

    cdef bytes text(self, size_t piece_id):
        """Return the text of a piece as UTF-8."""
        cdef PieceText piece = self.pieces[piece_id]
        return self.texts.data()[piece.begin:piece.begin + piece.size]


cdef uint32_t append_places(
    const uint32_t* units, const uint8_t* text, uint32_t size, vector[uint32_t]& places,
) except? 0xFFFFFFFF nogil:
    """Append the longest piece at each place of a text, and return the number of places."""
    cdef uint32_t pos = 0, n_places = 0
    while pos < size:
        places.push_back(find_longest(units, text + pos, size - pos))
        pos += lead_size(text[pos])
        n_places += 1
    return n_places


cdef uint32_t find_longest(const uint32_t* units, const uint8_t* text, uint32_t size) noexcept nogil:
    """Return the longest piece that a text starts with, or NO_PIECE."""
    cdef TrieCursor cursor
    cdef uint32_t pos, found = NO_PIECE
    trie_root(units, &cursor)
    for pos in range(size):
        if not trie_advance(units, &cursor, text[pos]):
            break
        if cursor.value >= 0:
            found = <uint32_t> cursor.value
    return found
