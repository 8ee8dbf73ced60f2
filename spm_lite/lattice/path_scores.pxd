"""What the edges of a lattice are: pieces that can be given out, with the scores that paths add up."""

cimport cython
from libc.stdint cimport int32_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.segment.segmenter cimport Segmenter


@cython.final
cdef class PathScores:
    cdef readonly Segmenter segmenter   # its best segmentation is the plain encoding
    cdef readonly bint is_merging       # BPE: scores are estimated from ranks, user-defined symbols stand alone
    cdef vector[uint32_t] own_units
    cdef const uint32_t* units          # trie of the pieces; NULL: the model has no paths, or no ranks yet
    cdef vector[int32_t] piece_ids      # that its values stand for
    cdef const uint32_t* symbol_units   # trie of the symbols that stand alone; NULL: none
    cdef vector[float] scores           # per id
    cdef float unknown_score            # of a character that is no piece by itself

    cdef int fill_unigram_scores(self) except -1
    cdef int rank_pieces(self) except -1        # needed for lattices of a BPE model, not for dropout


cdef inline float edge_score(
    const float* scores, int32_t unknown_id, float unknown_score, int32_t piece_id,
) noexcept nogil:
    """What a path adds for a piece, or for an unknown character: `scores` and the others are those of a PathScores."""
    return unknown_score if piece_id == unknown_id else scores[piece_id]


cdef inline float score_of(PathScores vocab, int32_t piece_id) noexcept nogil:
    """The same, where speed does not matter."""
    return edge_score(vocab.scores.data(), vocab.segmenter.vocab.unknown_index, vocab.unknown_score, piece_id)
