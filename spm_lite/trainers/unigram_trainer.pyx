"""The Unigram trainer (Kudo 2018): many seeds, then EM and pruning in turn until few enough are left."""

cimport cython
from libc.stdint cimport uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.trainers.candidates cimport Candidates
from spm_lite.trainers.counts cimport CountTable
from spm_lite.trainers.expectation cimport PieceScores, fill_expected, update_scores
from spm_lite.trainers.prune cimport drop_shadowed, prune_pieces
from spm_lite.trainers.seed cimport add_seeds
from spm_lite.trainers.trainer cimport Alphabet, Trainer
from spm_lite.trainers.validity cimport PieceRules, rules_from_spec

from spm_lite.trainers.finalize import final_pieces


@cython.final
cdef class UnigramTrainer(Trainer):
    """Learns Unigram pieces. `figures`: n_seeds, and rounds: one dict per pruning round with the number of pieces
    after it and, for each EM round in it, pieces and mean negative log-likelihood per character (nats)."""

    def learn(self, counts, alphabet, spec, n_pieces, *, num_threads=1, progress=None, reference_rules=False):
        """The final pieces with their log probabilities; see `Trainer.learn`."""
        cdef Candidates candidates
        cdef PieceScores scores
        cdef uint64_t target = <uint64_t> (1.1 * spec.vocab_size)
        cdef double shrinking_factor = spec.shrinking_factor
        cdef uint32_t n_threads = num_threads
        report = progress or ignore
        candidates = load_candidates(counts, alphabet)
        report("seeds", 0, 1)
        scores = score_seeds(candidates, spec, n_threads, reference_rules)
        report("seeds", 1, 1)
        n_seeds = len(candidates)
        self.figures = {"n_seeds": n_seeds, "rounds": []}
        while True:
            em_rounds = []
            for _ in range(spec.num_sub_iterations):
                em_rounds.append(run_em(candidates, scores, n_threads))
            with nogil:
                prune_pieces(candidates, scores, target, shrinking_factor, n_threads)
            self.figures["rounds"].append({"em": em_rounds, "n_pieces": len(candidates)})
            n_left = len(candidates) - count_rare(scores)
            report("em", n_seeds - n_left, max(n_seeds - target, n_seeds - n_left))
            if n_left <= max(target, candidates.n_characters):
                break
        with nogil:
            drop_shadowed(candidates, scores, n_threads)
        learned = {
            candidates.text(<uint32_t> k): scores.scores[k] for k in range(len(candidates)) if not scores.is_rare[k]
        }
        return final_pieces([character for character, _ in alphabet.items()], learned, n_pieces)


def ignore(phase, done, total):
    """The progress function for those who want none."""


cdef Candidates load_candidates(CountTable counts, Alphabet alphabet):
    cdef Candidates candidates = Candidates("".join([character for character, _ in alphabet.items()]))
    with nogil:
        candidates.load(counts.texts.data(), counts.chunks.data(), counts.chunks.size())
    return candidates


cdef PieceScores score_seeds(Candidates candidates, object spec, uint32_t n_threads, bint reference_rules):
    """Find the seeds; their first probabilities are in proportion to count times characters."""
    cdef PieceScores scores = PieceScores()
    cdef vector[double] weights
    cdef uint64_t n_seeds = spec.seed_sentencepiece_size or max(100_000, 8 * spec.vocab_size)
    cdef PieceRules rules = rules_from_spec(spec, reference_rules)
    add_seeds(candidates, &rules, n_seeds, n_threads, weights)
    scores.start(weights)
    return scores


cdef tuple run_em(Candidates candidates, PieceScores scores, uint32_t n_threads):
    """One E-step and M-step; returns (pieces before, mean negative log-likelihood per character)."""
    cdef vector[double] expected
    cdef double log_likelihood
    cdef uint64_t n_characters = 0
    cdef size_t i
    n_pieces = len(candidates)
    with nogil:
        log_likelihood = fill_expected(candidates, scores, n_threads, expected)
        update_scores(candidates, scores, expected, n_threads)
        for i in range(candidates.n_characters):
            n_characters += candidates.character_counts[i]
    return n_pieces, -log_likelihood / max(n_characters, 1)


cdef size_t count_rare(PieceScores scores):
    cdef size_t i, n_rare = 0
    for i in range(scores.is_rare.size()):
        n_rare += scores.is_rare[i]
    return n_rare
