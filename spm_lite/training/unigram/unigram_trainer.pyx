"""The Unigram trainer (Kudo 2018): many seed pieces, then EM and pruning in turn until few enough are left."""

cimport cython
from libc.math cimport isfinite
from libc.stdint cimport uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.system.heap cimport give_back_memory, refill
from spm_lite.training.counts.chunk_table cimport ChunkTable
from spm_lite.training.counts.cut_rules cimport rules_from_spec
from spm_lite.training.counts.piece_rules cimport PieceRules
from spm_lite.training.trainer_interface cimport RARE, Alphabet, Trainer
from spm_lite.training.unigram.candidates cimport Candidates, Segment, cut_long_segments
from spm_lite.training.unigram.em cimport PieceScores, count_unit, fill_expected, update_scores
from spm_lite.training.unigram.given cimport load_listed, set_pieces, weigh_listed
from spm_lite.training.unigram.prune cimport PruneLimits, drop_shadowed, keep_best, prune_pieces
from spm_lite.training.unigram.seeds cimport SeedLimits, add_seeds

from spm_lite.kinds import SPACE
from spm_lite.training.bpe.bpe_trainer import BpeTrainer
from spm_lite.training.unigram.finalize import final_pieces

# Merges of BPE are the seeds. There are more of them than pieces, since EM and pruning choose among them. More merges
# gain likelihood and cost tokens (see docs/benchmarks.md).
# Merges beyond vocab_size: the greater of this number and this share of vocab_size.
cdef uint64_t MORE_MERGES = 3500
cdef double SHARE_MORE = 0.15
# Merges for each piece that is to be learned, at most.
cdef uint64_t MOST_MERGES = 3
# Where single characters take more than this share of the pieces, 1 + SHARE_MORE merges for each learned piece are
# better in likelihood and in tokens.
cdef double MOSTLY_CHARACTERS = 0.75
# The occurrences of a seed are above this many times the low mean of all chunks: in plain text, at least 2.
cdef double ABOVE_MEAN = 1.1
# The same for merges beyond 1 + SHARE_MORE for each learned piece.
cdef double FURTHER_ABOVE_MEAN = 2.8
# A text of no more distinct chunks, such as a made-up example, has no rare strings.
cdef size_t FEW_CHUNKS = 256


@cython.final
cdef class SharedSeeds:
    """The seeds that trainings of several vocabulary sizes on one table share; the largest size comes first."""

    cdef list merges            # of the largest size, or None
    cdef list occurrences       # of these
    cdef Candidates substrings  # with their first scores, or None
    cdef PieceScores scores
    cdef uint64_t n_seeds       # asked for when they were found


@cython.final
cdef class UnigramTrainer(Trainer):
    """Learns Unigram pieces.

    `figures`: seeds, their number; pruned, the number of pieces after each pruning; em_pieces and em_objectives, one
    entry per EM round: its number of pieces at the start, and the mean negative log-likelihood per character (nats);
    bytes_per_character, of the text that was learned from.
    `shared`: seeds of trainings on the same table; this training adds those that it finds.
    """

    cdef public SharedSeeds shared

    def __cinit__(self):
        self.shared = None

    def learn(self, ChunkTable counts, Alphabet alphabet, spec, n_pieces, *, num_threads=1, progress=None,
              reference_rules=False):
        """Return the final pieces with their log probabilities; see `Trainer.learn`.

        With hard_vocab_limit, useless pieces are kept when there would be fewer than `n_pieces` otherwise.
        """
        cdef Candidates candidates
        cdef PieceScores scores
        cdef PruneLimits limits = limits_from_spec(spec, n_pieces)
        cdef SeedLimits seeds
        cdef uint32_t n_threads = max(num_threads, 1)
        cdef uint64_t n_final = n_pieces, n_kept
        cdef bint by_loss = spec.prune == "loss"
        report = progress or ignore
        state = None if self.checkpoint is None else self.checkpoint.load_state()
        report("seeds", 0, 1)
        low_count, low_occurrence = counts.low_means()
        if counts.chunks.size() <= FEW_CHUNKS:
            low_occurrence = 0
        if isinstance(state, dict) and "merges" in state:
            state = None  # BPE goes on with these merges for the seeds
        if state is not None:
            candidates, scores = restored(counts, alphabet, state, self.checkpoint, n_threads)
        else:
            seeds = seed_limits(spec, n_pieces, n_pieces - len(alphabet), low_occurrence)
            candidates, scores = self.find_seeds(counts, alphabet, spec, &seeds, n_threads, report)
        scores.unit = count_unit(low_count)
        self.free_counts(counts)
        cut_long_segments(candidates)
        report("seeds", 1, 1)
        if state is None:
            self.figures = {"seeds": len(candidates), "pruned": [], "em_pieces": [], "em_objectives": []}
            n_before, n_left = len(candidates) + 2, len(candidates) + 1
        else:
            self.figures, n_before, n_left = state["figures"], state["n_before"], state["n_left"]
        n_seeds = self.figures["seeds"]
        while n_left < n_before and (n_left > limits.target or not self.figures["pruned"]):
            for _ in range(spec.num_sub_iterations):
                self.run_em(candidates, scores, limits.floor, n_threads)
            n_kept = max(limits.target, <uint64_t> (limits.shrinking_factor * len(candidates)))
            with nogil:
                if by_loss:
                    prune_pieces(candidates, scores, &limits, n_threads)
                else:
                    keep_best(candidates, scores, n_kept, n_threads)
                cut_long_segments(candidates)
            self.figures["pruned"].append(len(candidates))
            n_before, n_left = n_left, len(candidates) - count_rare(scores)
            if self.checkpoint is not None and self.checkpoint.is_due():
                numbers = {"figures": self.figures, "n_before": n_before, "n_left": n_left}
                self.checkpoint.save_state({**numbers, **state_of(candidates, scores)})
            report("em", n_seeds - n_left, max(n_seeds - n_left, n_seeds - limits.target))
        with nogil:
            drop_shadowed(candidates, scores, limits.floor, n_threads)
            keep_best(candidates, scores, n_final, n_threads)
        # The scores are those of a larger vocabulary. One more EM round for the final one gains 0.5 to 2 % of
        # likelihood on held-out text; the original does not do it.
        self.run_em(candidates, scores, len(candidates), n_threads)
        self.figures["bytes_per_character"] = round(bytes_per_character(candidates), 6)
        learned = {
            candidates.text(<uint32_t> k): scores.scores[k] for k in range(len(candidates)) if not scores.is_rare[k]
        }
        self.rare = rare_pieces(candidates)
        give_back_memory()
        return final_pieces([character for character, _ in alphabet.items()], learned, n_pieces)

    cdef tuple find_seeds(
        self, ChunkTable counts, Alphabet alphabet, object spec, const SeedLimits* limits, uint32_t n_threads,
        object report,
    ):
        """Return (candidates, scores) of the seeds: merges of BPE, or substrings where these are asked for.

        While there are fewer merges than the vocabulary needs, substrings fill up.
        """
        cdef Candidates candidates
        cdef PieceScores scores = PieceScores()
        cdef vector[double] weights
        cdef SharedSeeds shared = self.shared
        cdef list merges = []
        cdef bint needs_substrings, has_rarer = False
        if spec.seed_source == "bpe":
            merges = self.find_merges(counts, alphabet, spec, limits, n_threads, report)
        needs_substrings = <uint64_t> len(merges) < limits.n_needed or spec.seed_source != "bpe"
        if needs_substrings and shared is not None and shared.n_seeds == spec.n_seeds:
            candidates, scores = shared.substrings.copy(), shared.scores.copy()
        else:
            candidates = load_candidates(counts, alphabet, spec.graphemes)
            self.free_counts(counts)
            if needs_substrings:
                has_rarer = add_substrings(candidates, spec, limits, n_threads, scores)
            if needs_substrings and shared is not None and not has_rarer:
                shared.substrings, shared.scores, shared.n_seeds = candidates.copy(), scores.copy(), spec.n_seeds
        if spec.seed_source == "bpe":
            merges += [candidates.text(k) for k in range(candidates.n_characters, <uint32_t> len(candidates))]
            set_pieces(candidates, merges, n_threads)
            weigh_listed(candidates, weights)
            scores.start(weights)
        return candidates, scores

    cdef list find_merges(
        self, ChunkTable counts, Alphabet alphabet, object spec, const SeedLimits* limits, uint32_t n_threads,
        object report,
    ):
        """Return the texts of the first merges of BPE, `limits.n_seeds` at most, that occur often enough.

        After the first `limits.n_sure`, they end before one with fewer occurrences than `limits.least_further`.
        """
        cdef SharedSeeds shared = SharedSeeds() if self.shared is None else self.shared
        cdef uint64_t n, end
        if shared.merges is None:
            trainer = BpeTrainer()
            trainer.least, trainer.enough = limits.least, limits.least_further
            trainer.checkpoint = None if self.shared is not None else self.checkpoint
            learned = trainer.learn(
                counts, alphabet, spec, len(alphabet) + limits.n_seeds, num_threads=n_threads,
                progress=lambda phase, done, total: report("seeds", done, total + 1),
            )
            shared.merges = [text for text, _ in learned[:trainer.figures["merges"]]]
            shared.occurrences = trainer.occurrences()
        end = min(<uint64_t> len(shared.merges), limits.n_seeds)
        for n in range(limits.n_sure, end):
            if shared.occurrences[n] < limits.least_further:
                return shared.merges[:n]
        return shared.merges[:end]

    cdef int free_counts(self, ChunkTable counts) except -1:
        """Free the table if the trainer owns it, and return freed memory to the system."""
        if self.owns_counts:
            counts.clear()
        give_back_memory()
        return 0

    cdef int run_em(self, Candidates candidates, PieceScores scores, uint64_t floor, uint32_t n_threads) except -1:
        """Run one E-step and M-step, and note it in the figures."""
        cdef vector[double] expected
        cdef double log_likelihood, n_characters = 0
        cdef size_t i
        self.figures["em_pieces"].append(len(candidates))
        with nogil:
            log_likelihood = fill_expected(candidates, scores, n_threads, expected)
            update_scores(candidates, scores, expected, floor, n_threads)
            for i in range(candidates.n_characters):
                n_characters += <double> candidates.character_counts[i]
        self.figures["em_objectives"].append(round(-log_likelihood / max(n_characters, 1), 6))
        return 0


cdef double bytes_per_character(Candidates candidates):
    """Return the mean bytes of UTF-8 of the characters in the corpus; U+2581 is the one byte of its space."""
    cdef double n_bytes = 0, n_characters = 0
    cdef uint32_t k
    for k in range(candidates.n_characters):
        text = candidates.text(k)
        n_characters += <double> candidates.character_counts[k]
        size = 1 if text == SPACE else len(text.encode("utf-8", "surrogatepass"))
        n_bytes += <double> candidates.character_counts[k] * size
    return n_bytes / max(n_characters, 1)


cdef SeedLimits seed_limits(object spec, Py_ssize_t n_pieces, Py_ssize_t n_needed, double low_mean):
    """Return how many seeds there may be, and how often each must occur.

    n_pieces: of the vocabulary, without meta pieces; n_needed of them are not single characters. low_mean: of the
    occurrences of chunks; 0: no string is rare.
    """
    cdef SeedLimits limits
    cdef uint64_t vocab_size = spec.vocab_size, n_merges
    limits.n_seeds = spec.n_seeds
    limits.n_needed = limits.n_sure = max(n_needed, 0)
    if spec.seed_source == "bpe":
        n_merges = vocab_size + max(MORE_MERGES, <uint64_t> (SHARE_MORE * <double> vocab_size))
        limits.n_sure = <uint64_t> ((1 + SHARE_MORE) * <double> limits.n_needed)
        if limits.n_needed < (1 - MOSTLY_CHARACTERS) * <double> n_pieces:
            n_merges = limits.n_sure
        limits.n_seeds = min(limits.n_seeds, min(n_merges, MOST_MERGES * limits.n_needed))
    limits.rarest = spec.min_count
    limits.least = max(limits.rarest, <uint64_t> (ABOVE_MEAN * low_mean) + 1)
    limits.least_further = max(limits.rarest, <uint64_t> (FURTHER_ABOVE_MEAN * low_mean) + 1)
    if not spec.hard_vocab_limit:  # then a smaller vocabulary is better than one of rare strings
        limits.rarest = limits.least
    return limits


cdef dict rare_pieces(Candidates candidates):
    """Return {piece: (occurrences, sources)} of the pieces of two or more characters that are rare."""
    cdef vector[uint64_t] occurrences, sources
    cdef uint32_t piece_id, n_pieces = <uint32_t> candidates.pieces.size()
    cdef const Segment* segment
    cdef uint64_t n, bits
    cdef size_t i, place
    with nogil:
        refill(occurrences, n_pieces, 0)
        refill(sources, n_pieces, 0)
        for i in range(candidates.segments.size()):
            segment = candidates.segments.data() + i
            n, bits = segment.count * candidates.divisor, 0
            if not candidates.origins.empty():
                n, bits = candidates.origins[i].occurrences, candidates.origins[i].sources
            for place in range(segment.begin, segment.begin + segment.length):
                piece_id = candidates.longest[place]
                while candidates.pieces[piece_id].length != 1:
                    occurrences[piece_id] += n
                    sources[piece_id] |= bits
                    piece_id = candidates.pieces[piece_id].shorter
    return {
        candidates.text(piece_id): (occurrences[piece_id], sources[piece_id])
        for piece_id in range(candidates.n_characters, n_pieces) if occurrences[piece_id] < RARE
    }


cdef PruneLimits limits_from_spec(object spec, uint64_t n_pieces):
    """Return the limits. Pruning by loss ends at 1.1 times the vocabulary size; the last tenth is dropped by score."""
    cdef PruneLimits limits
    limits.target = <uint64_t> (1.1 * spec.vocab_size)
    limits.shrinking_factor = spec.shrinking_factor
    limits.floor = n_pieces if spec.hard_vocab_limit else 0
    return limits


def ignore(phase, done, total):
    """Do nothing: the progress function when the caller gives none."""


cdef Candidates load_candidates(ChunkTable counts, Alphabet alphabet, bint by_graphemes):
    cdef Candidates candidates = Candidates("".join([character for character, _ in alphabet.items()]))
    candidates.by_graphemes = by_graphemes
    with nogil:
        candidates.load(counts)
    return candidates


cdef dict state_of(Candidates candidates, PieceScores scores):
    """Return pieces, scores and segments as values for JSON."""
    cdef uint32_t k
    return {
        "pieces": [candidates.text(k) for k in range(<uint32_t> len(candidates))],
        "scores": [scores.scores[k] for k in range(<uint32_t> len(candidates))],
        "rare": [int(scores.is_rare[k]) for k in range(<uint32_t> len(candidates))],
        "segments": [
            [candidates.segments[k].begin, candidates.segments[k].length]
            for k in range(<uint32_t> candidates.segments.size())
        ],
    }


cdef tuple restored(ChunkTable counts, Alphabet alphabet, object state, object checkpoint, uint32_t n_threads):
    """Return (candidates, scores) of a state that `state_of` made. Raises ModelError for any other."""
    cdef Candidates candidates
    cdef PieceScores scores = PieceScores()
    try:
        pieces = dict(zip(state["pieces"], zip(state["scores"], state["rare"], strict=True), strict=True))
        characters = {character for character, _ in alphabet.items()} - {"\0"}
        if {piece for piece in pieces if len(piece) == 1} != characters:
            raise ValueError("its characters are not the characters of the text")
        candidates = load_listed(counts, pieces, n_threads)
        for k in range(len(candidates)):
            score, is_rare = pieces[candidates.text(<uint32_t> k)]
            scores.scores.push_back(score)
            scores.is_rare.push_back(bool(is_rare))
        restore_cuts(candidates, state["segments"])
        check_numbers(state, scores, len(candidates))
    except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        raise checkpoint.damaged(f"{type(error).__name__}: {error}") from None
    return candidates, scores


cdef int check_numbers(object state, PieceScores scores, Py_ssize_t n_pieces) except -1:
    """Raise ValueError if the figures, numbers of pieces or scores of a state are impossible."""
    cdef size_t i
    figures = state["figures"]
    lists = all(type(figures[name]) is list for name in ("pruned", "em_pieces", "em_objectives"))
    if not lists or type(figures["seeds"]) is not int or type(state["n_before"]) is not int:
        raise ValueError("it has no figures")
    if state["n_left"] != n_pieces - <Py_ssize_t> count_rare(scores) or len(set(state["pieces"])) != n_pieces:
        raise ValueError("its numbers of pieces differ")
    for i in range(scores.scores.size()):
        if not isfinite(scores.scores[i]) or scores.scores[i] > 0:
            raise ValueError(f"{scores.scores[i]} cannot be the score of a piece")
    return 0


cdef int restore_cuts(Candidates candidates, list segments) except -1:
    """Cut the segments, as loaded from the table, as in the state. Raises ValueError if they do not fit together."""
    cdef vector[Segment] parts
    cdef size_t i = 0
    cdef uint64_t place = candidates.segments[0].begin if candidates.segments.size() else 0
    for begin, length in segments:
        if i == candidates.segments.size() or begin != place or not 2 <= length:
            raise ValueError("its segments are not those of the text")
        place += length
        if place > candidates.segments[i].begin + candidates.segments[i].length:
            raise ValueError("its segments are not those of the text")
        parts.push_back(Segment(candidates.segments[i].count, begin, length))
        if place == candidates.segments[i].begin + candidates.segments[i].length:
            i += 1
            place = candidates.segments[i].begin if i < candidates.segments.size() else 0
    if i != candidates.segments.size():
        raise ValueError("its segments are not those of the text")
    candidates.segments.swap(parts)
    return 0


cdef int add_substrings(
    Candidates candidates, object spec, const SeedLimits* limits, uint32_t n_threads, PieceScores scores,
) except -1:
    """Add substrings as seeds to the candidates; fill first scores in proportion to count times characters.

    Return 1 if rarer ones are among them, since there were too few others; else 0.
    """
    cdef bint has_rarer
    cdef vector[double] weights
    cdef PieceRules rules = rules_from_spec(spec, False)
    cdef SeedLimits of_substrings = limits[0]
    of_substrings.n_seeds = spec.n_seeds
    has_rarer = add_seeds(candidates, &rules, &of_substrings, n_threads, weights)
    scores.start(weights)
    return has_rarer


cdef size_t count_rare(PieceScores scores):
    cdef size_t i, n_rare = 0
    for i in range(scores.is_rare.size()):
        n_rare += scores.is_rare[i]
    return n_rare
