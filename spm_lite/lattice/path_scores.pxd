"""The pieces that may be edges of a lattice, and their scores in a path."""

cimport cython
from libc.stdint cimport int32_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.encode.segment.segmenter cimport Segmenter


@cython.final
cdef class PathScores:
    cdef readonly Segmenter segmenter   # whose best segmentation is the plain encoding
    cdef readonly bint is_merging       # BPE: scores are estimated from ranks, user-defined symbols stand alone
    cdef vector[uint32_t] own_units     # memory of `units`
    cdef const uint32_t* units          # trie of the pieces; NULL: the model has no paths, or no ranks yet
    cdef vector[int32_t] piece_ids      # per value of that trie: the id of the piece
    cdef const uint32_t* symbol_units   # trie of the symbols that stand alone; NULL: none
    cdef vector[float] scores           # per id
    cdef float unknown_score            # of a character that no one-character piece covers

    cdef int fill_unigram_scores(self) except -1
    cdef int rank_pieces(self) except -1        # needed for lattices of a BPE model, not for dropout


cdef inline float edge_score(
    const float* scores, int32_t unknown_id, float unknown_score, int32_t piece_id,
) noexcept nogil:
    """Return the score of a piece or an unknown character in a path; the other arguments are fields of a PathScores."""
    return unknown_score if piece_id == unknown_id else scores[piece_id]


cdef inline float score_of(PathScores vocab, int32_t piece_id) noexcept nogil:
    """Return the score of a piece or an unknown character, where speed does not matter."""
    return edge_score(vocab.scores.data(), vocab.segmenter.vocab.unknown_index, vocab.unknown_score, piece_id)
