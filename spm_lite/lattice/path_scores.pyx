"""Fills the trie and the scores: a Unigram score is a log-probability, a BPE score is estimated from the rank (Zipf).

Header: path_scores.pxd.
"""

cimport cython
from libc.math cimport log
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libcpp.algorithm cimport sort
from libcpp.vector cimport vector

from spm_lite.encode.segment.bpe cimport BpeSegmenter
from spm_lite.encode.segment.piece_table cimport rank_of
from spm_lite.encode.segment.segmenter cimport Segmenter, unit_size
from spm_lite.encode.segment.unigram cimport UnigramSegmenter
from spm_lite.vocab.piece_trie cimport build_piece_trie
from spm_lite.vocab.vocab cimport NORMAL, USER_DEFINED, Vocab

cdef double UNKNOWN_PENALTY = 10.0      # below the least score of a piece


@cython.final
cdef class PathScores:
    """Pieces and their path scores, for Unigram models and, after `rank_pieces`, BPE models.

    The score of a Unigram piece is its log-probability. A BPE file holds the order of merges and no probabilities, so
    the score is estimated from the file alone (Zipf): -ln(2 + rank), where the first merge has rank 0.
    """

    def __cinit__(self, Segmenter segmenter not None):
        self.segmenter = segmenter
        self.units = NULL
        self.symbol_units = NULL
        if isinstance(segmenter, UnigramSegmenter):
            self.fill_unigram_scores()
        elif isinstance(segmenter, BpeSegmenter):
            self.is_merging = True

    cdef int fill_unigram_scores(self) except -1:
        cdef UnigramSegmenter unigram = self.segmenter
        cdef Vocab vocab = unigram.vocab
        cdef vector[uint8_t] piece
        cdef int32_t longest = 0, i
        build_piece_trie(
            vocab, unigram.compact, 1 << NORMAL | 1 << USER_DEFINED, self.own_units, &longest, &self.piece_ids
        )
        self.units = self.own_units.data()
        self.unknown_score = unigram.unknown_score
        self.scores.assign(unigram.path_scores.begin(), unigram.path_scores.end())
        for i in range(vocab.size):
            if vocab.types[i] != USER_DEFINED:
                continue
            # SentencePiece's lattice counts the characters of a user-defined piece, its best-path search the bytes.
            piece.clear()
            if vocab.matchable(i, unigram.compact, piece) > 0:
                length = count_units(piece.data(), <int32_t> piece.size(), unigram.compact)
                self.scores[i] = <float> (0.1 * <double> (length - 1))
        return 0

    cdef int rank_pieces(self) except -1:
        """Fill trie and scores of a BPE model, which takes longer than loading the rest; others have theirs."""
        cdef BpeSegmenter bpe
        cdef Vocab vocab = self.segmenter.vocab
        cdef vector[uint64_t] order
        cdef int32_t longest = 0, i
        cdef size_t rank
        if not self.is_merging:
            return 0
        bpe = self.segmenter
        build_piece_trie(vocab, bpe.compact, 1 << NORMAL, self.own_units, &longest, &self.piece_ids)
        self.units = self.own_units.data()
        if bpe.has_symbols:
            self.symbol_units = bpe.symbol_units.data()
        self.scores.resize(vocab.size, 0)
        for i in range(vocab.size):
            if vocab.types[i] == NORMAL:
                order.push_back(<uint64_t> rank_of(vocab.scores[i]) << 32 | <uint64_t> i)
        sort(order.begin(), order.end())
        for rank in range(order.size()):
            self.scores[<int32_t> (order[rank] & 0x7FFFFFFF)] = <float> -log(2.0 + <double> rank)
        self.unknown_score = <float> (-log(2.0 + <double> order.size()) - UNKNOWN_PENALTY)
        return 0


cdef int64_t count_units(const uint8_t* text, int32_t size, bint compact):
    """The number of characters of a text, as the segmenters cut it."""
    cdef int32_t pos = 0
    cdef int64_t n_units = 0
    while pos < size:
        pos += unit_size(text + pos, size - pos, compact)
        n_units += 1
    return n_units
