"""What tests ask of `spm_lite/training`: piece rules, seeds, steps for a given set of pieces."""

from libc.math cimport exp, log1p
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.training.counts.chunk_table cimport ChunkTable
from spm_lite.training.counts.cut_rules cimport rules_from_spec
from spm_lite.training.counts.piece_rules cimport PieceRules, class_of, is_cut as is_class_cut
from spm_lite.lattice.forward_backward cimport PieceLink
from spm_lite.training.reference.reference_seeds cimport Seed, SeedList, find_reference_seeds, score_of
from spm_lite.training.reference.single_precision cimport (
    PrecisionTables, add_expected, exact_log_add, log_add, near_exp, near_softplus, precision_tables,
)
from spm_lite.training.reference.reference_text cimport ReferenceText, load_text
from spm_lite.training.unigram.candidates cimport Candidates, cut_long_segments
from spm_lite.training.unigram.em cimport PieceScores, fill_expected, update_scores
from spm_lite.training.unigram.given cimport load_listed
from spm_lite.training.unigram.prune cimport PruneLimits, drop_shadowed, fill_best_counts, prune_pieces
from spm_lite.training.unigram.seeds cimport SeedLimits, add_seeds


def from_sentences(items) -> ChunkTable:
    """A table of (bytes, count) pairs in their order, unmerged."""
    cdef ChunkTable table = ChunkTable()
    cdef bytes data
    for text, count in items:
        data = text
        table.append_line(<const uint8_t*> <const char*> data, <uint32_t> len(data), count)
    table.close_gaps()
    return table


def is_cut_between(str left not None, str right not None, spec, bint reference_rules=False) -> bool:
    """Whether no valid piece can hold the character `left` followed by `right`."""
    cdef PieceRules rules = rules_from_spec(spec, reference_rules)
    cdef uint8_t x = class_of(&rules, ord(left))
    cdef uint8_t y = class_of(&rules, ord(right))
    return is_class_cut(&rules, x, y)


def find_seeds(
    ChunkTable counts not None, str alphabet not None, spec, uint64_t n_seeds, int num_threads=1, *, uint64_t least=2,
    uint64_t n_needed=0, uint64_t rarest=1,
) -> list:
    """The characters of `alphabet` and the best `n_seeds` substrings, with scores, in code point order.

    least: occurrences of each. While there are fewer than `n_needed`, those with `rarest` occurrences are taken too.
    """
    cdef Candidates candidates = Candidates(alphabet)
    cdef PieceRules rules = rules_from_spec(spec, False)
    cdef vector[double] scores
    cdef uint32_t k
    cdef SeedLimits limits = SeedLimits(n_seeds, n_seeds, least, least, n_needed, rarest)
    candidates.by_graphemes = spec.graphemes
    candidates.load(counts)
    add_seeds(candidates, &rules, &limits, num_threads, scores)
    return [(candidates.text(k), scores[k]) for k in range(<uint32_t> candidates.pieces.size())]


def list_seeds(
    ChunkTable sentences not None, alphabet, spec, uint64_t n_seeds, int num_threads=1, part_size=500 << 20,
) -> list:
    """The original's best strings of sentences in reading order, with their scores, best first.

    part_size: seeds are looked for in parts of the text of so many bytes.
    """
    cdef ReferenceText text = load_text(sentences, alphabet, spec)
    cdef SeedList seeds
    cdef vector[uint32_t] order
    cdef Seed seed
    cdef size_t i
    text.part_size = part_size
    seeds = find_reference_seeds(text, n_seeds, num_threads)
    seeds.rank(n_seeds, order)
    result = []
    for i in range(order.size()):
        seed = seeds.seeds[order[i]]
        result.append(((<const char*> seeds.texts.data())[seed.begin:seed.begin + seed.size].decode(), score_of(&seed)))
    return result


def worst_errors(int n_points) -> tuple:
    """The largest errors met at `n_points` numbers: of log(1 + exp(x)), and of exp(x) in proportion."""
    cdef const PrecisionTables* tables = precision_tables()
    cdef double x, worst_sum = 0, worst_exp = 0
    cdef int i
    for i in range(n_points):
        x = -26.0 * i / n_points
        worst_sum = max(worst_sum, abs(near_softplus(tables, x) - log1p(exp(x))))
        x *= 26.9
        worst_exp = max(worst_exp, abs(near_exp(tables, x) / exp(x) - 1))
    return worst_sum, worst_exp


def log_sum(float x, float y) -> tuple:
    """(the approximation's answer, the original's)"""
    cdef float low = min(x, y), high = max(x, y)
    return log_add(precision_tables(), x, y), high if high > low + <float> 50.0 else exact_log_add(low, high)


def expected_sum(float sum, float count, float log_probability) -> tuple:
    """The same for expected counts."""
    cdef float exact = <float> (<double> sum + <double> count * exp(<double> log_probability))
    return add_expected(precision_tables(), sum, count, log_probability), exact


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
    cdef Candidates candidates = load_listed(counts, scores, 1)
    cdef size_t i
    cut_long_segments(candidates)
    return [candidates.segments[i].length for i in range(candidates.segments.size())]


def expected_counts(ChunkTable counts, dict scores, int num_threads=1, bint is_cut=False):
    """Return ({piece: expected count}, log-likelihood of the corpus in nats) of one E-step.

    scores: piece -> log probability; its single characters are the alphabet. is_cut: cut long segments.
    """
    cdef Candidates candidates = load_listed(counts, scores, 1)
    cdef PieceScores piece_scores = score_listed(candidates, scores)
    cdef vector[double] expected
    cdef uint32_t k
    if is_cut:
        cut_long_segments(candidates)
    log_likelihood = fill_expected(candidates, piece_scores, num_threads, expected)
    return {candidates.text(k): expected[k] for k in range(<uint32_t> expected.size())}, log_likelihood


def best_counts(ChunkTable counts, dict scores, int num_threads=1):
    """Return {piece: occurrences in the best segmentation of the corpus}."""
    cdef Candidates candidates = load_listed(counts, scores, 1)
    cdef vector[PieceLink] links
    cdef vector[uint64_t] result
    cdef uint32_t k
    score_listed(candidates, scores).fill_links(candidates, True, links)
    fill_best_counts(candidates, links, num_threads, result)
    return {candidates.text(k): result[k] for k in range(<uint32_t> result.size())}


def maximized(ChunkTable counts, dict scores, uint64_t floor=0, int num_threads=1):
    """Return {piece: new log probability, None for a rare character} after one E-step and M-step."""
    cdef Candidates candidates = load_listed(counts, scores, 1)
    cdef PieceScores piece_scores = score_listed(candidates, scores)
    cdef vector[double] expected
    fill_expected(candidates, piece_scores, num_threads, expected)
    update_scores(candidates, piece_scores, expected, floor, num_threads)
    return scores_by_text(candidates, piece_scores)


def pruned(
    ChunkTable counts, dict scores, uint64_t target, double shrinking_factor, uint64_t floor=0, int num_threads=1
):
    """Return the set of pieces that one pruning round keeps."""
    cdef Candidates candidates = load_listed(counts, scores, 1)
    cdef PieceScores piece_scores = score_listed(candidates, scores)
    cdef PruneLimits limits = PruneLimits(target, shrinking_factor, floor)
    prune_pieces(candidates, piece_scores, &limits, num_threads)
    return set(scores_by_text(candidates, piece_scores))


def unshadowed(ChunkTable counts, dict scores, uint64_t floor=0):
    """Return the set of pieces whose text has no better segmentation (or more, to reach `floor`)."""
    cdef Candidates candidates = load_listed(counts, scores, 1)
    cdef PieceScores piece_scores = score_listed(candidates, scores)
    drop_shadowed(candidates, piece_scores, floor, 1)
    return set(scores_by_text(candidates, piece_scores))
