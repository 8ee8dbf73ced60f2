"""The lattices of the original's Unigram trainer: sentences and pieces, linked into chains instead of a trie.

Pieces are numbered as the original lists them, since sums and ties follow that order. The pieces that begin at one
place are prefixes of each other: `longest[place]` names the longest, and each piece the next shorter one. Removing
pieces only shortens these chains. A place whose chain has no single character has an unknown node beside it.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector


cdef enum:
    NO_PIECE = <uint32_t> 0xFFFFFFFF
    MAX_LENGTH = 512            # characters of a piece; so at most 512 pieces begin at one place


cdef struct Link:
    # A piece in the hot loops: one step of the chain of pieces that begin at one place.
    float score
    uint32_t length     # characters
    uint32_t shorter    # the next piece of the chain; NO_PIECE at its end


cdef struct Sentence:
    uint64_t begin      # longest[begin : begin + length]
    uint32_t length     # characters
    float count


cdef struct PieceText:
    uint64_t begin      # ReferenceLattices.texts[begin : begin + size]
    uint64_t place      # own_places[place : place + length]
    uint32_t size       # bytes
    uint32_t length


cdef struct LatticeView:
    # Pointers for the hot loops, valid until pieces are dropped or scores are set.
    const Link* links
    const uint32_t* longest
    const Sentence* sentences
    const size_t* lanes             # sentences of lane k: from lanes[k] to lanes[k + 1]
    uint32_t n_lanes
    uint32_t n_pieces
    uint32_t longest_sentence
    float unknown_score


cdef class ReferenceLattices:
    cdef vector[uint8_t] texts
    cdef vector[PieceText] pieces
    cdef vector[float] scores
    cdef vector[Link] links
    cdef vector[Sentence] sentences     # lane by lane
    cdef vector[size_t] lanes           # the first sentence of each lane; then the end of the last lane
    cdef vector[uint32_t] longest       # per place of the sentences: the longest piece that begins there
    cdef vector[uint32_t] own_places    # per place of the texts of the pieces: the longest piece that begins there
    cdef uint32_t longest_sentence

    cdef int append_piece(self, const uint8_t* text, uint32_t size, float score) except -1 nogil
    cdef int match_pieces(self, vector[uint32_t]& units) except -1 nogil
    cdef int append_sentence(
        self, const uint32_t* units, const uint8_t* text, uint32_t size, uint64_t count,
    ) except -1 nogil
    cdef int end_lane(self) except -1 nogil
    cdef LatticeView view(self) noexcept nogil
    cdef int keep(self, const vector[uint32_t]& order, uint32_t n_threads) except -1 nogil
    cdef bytes text(self, size_t piece_id)
