"""The steps of the Unigram trainer one by one, for a given set of pieces: for tests and tools."""

from libc.stdint cimport uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.counts.chunk_table cimport ChunkTable
from spm_lite.lattice.forward_backward cimport PieceLink
from spm_lite.trainers.unigram.candidates cimport Candidates, cut_long_segments
from spm_lite.trainers.unigram.em cimport PieceScores, fill_expected, update_scores
from spm_lite.trainers.unigram.given cimport load_listed
from spm_lite.trainers.unigram.prune cimport PruneLimits, drop_shadowed, fill_best_counts, prune_pieces


cdef PieceScores score_listed(Candidates candidates, dict scores):
    """Return the given log probabilities as PieceScores; None marks a character as too rare to be a piece."""
    cdef PieceScores result = PieceScores()
    cdef uint32_t k
    for k in range(<uint32_t> candidates.pieces.size()):
        score = scores[candidates.text(k)]
        result.is_rare.push_back(score is None)
        result.scores.push_back(0.0 if score is None else score)
    result.score_rare_ones()
    return result


cdef dict scores_by_text(Candidates candidates, PieceScores scores):
    cdef uint32_t k
    return {
        candidates.text(k): None if scores.is_rare[k] else scores.scores[k]
        for k in range(<uint32_t> candidates.pieces.size())
    }


def cut_lengths(ChunkTable counts, dict scores):
    """Return the lengths of all segments (2 or more characters) after the long ones have been cut."""
    cdef Candidates candidates = load_listed(counts, scores)
    cdef size_t i
    cut_long_segments(candidates)
    return [candidates.segments[i].length for i in range(candidates.segments.size())]


def expected_counts(ChunkTable counts, dict scores, int num_threads=1, bint is_cut=False):
    """Return ({piece: expected count}, log-likelihood of the corpus in nats) of one E-step.

    scores: piece -> log probability; its single characters are the alphabet. is_cut: cut long segments.
    """
    cdef Candidates candidates = load_listed(counts, scores)
    cdef PieceScores piece_scores = score_listed(candidates, scores)
    cdef vector[double] expected
    cdef uint32_t k
    if is_cut:
        cut_long_segments(candidates)
    log_likelihood = fill_expected(candidates, piece_scores, num_threads, expected)
    return {candidates.text(k): expected[k] for k in range(<uint32_t> expected.size())}, log_likelihood


def best_counts(ChunkTable counts, dict scores, int num_threads=1):
    """Return {piece: occurrences in the best segmentation of the corpus}."""
    cdef Candidates candidates = load_listed(counts, scores)
    cdef vector[PieceLink] links
    cdef vector[uint64_t] result
    cdef uint32_t k
    score_listed(candidates, scores).fill_links(candidates, True, links)
    fill_best_counts(candidates, links, num_threads, result)
    return {candidates.text(k): result[k] for k in range(<uint32_t> result.size())}


def maximized(ChunkTable counts, dict scores, uint64_t floor=0, int num_threads=1):
    """Return {piece: new log probability, None for a rare character} after one E-step and M-step."""
    cdef Candidates candidates = load_listed(counts, scores)
    cdef PieceScores piece_scores = score_listed(candidates, scores)
    cdef vector[double] expected
    fill_expected(candidates, piece_scores, num_threads, expected)
    update_scores(candidates, piece_scores, expected, floor, num_threads)
    return scores_by_text(candidates, piece_scores)


def pruned(
    ChunkTable counts, dict scores, uint64_t target, double shrinking_factor, uint64_t floor=0, int num_threads=1
):
    """Return the set of pieces that one pruning round keeps."""
    cdef Candidates candidates = load_listed(counts, scores)
    cdef PieceScores piece_scores = score_listed(candidates, scores)
    cdef PruneLimits limits = PruneLimits(target, shrinking_factor, floor)
    prune_pieces(candidates, piece_scores, &limits, num_threads)
    return set(scores_by_text(candidates, piece_scores))


def unshadowed(ChunkTable counts, dict scores, uint64_t floor=0):
    """Return the set of pieces whose text has no better segmentation (or more, to reach `floor`)."""
    cdef Candidates candidates = load_listed(counts, scores)
    cdef PieceScores piece_scores = score_listed(candidates, scores)
    drop_shadowed(candidates, piece_scores, floor, 1)
    return set(scores_by_text(candidates, piece_scores))
