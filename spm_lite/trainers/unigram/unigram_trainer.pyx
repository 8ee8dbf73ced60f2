"""The Unigram trainer (Kudo 2018): many seed pieces, then EM and pruning in turn until few enough are left."""

cimport cython
from libc.math cimport isfinite
from libc.stdint cimport uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.system.heap cimport give_back_memory
from spm_lite.counts.chunk_table cimport ChunkTable
from spm_lite.counts.cut_rules cimport rules_from_spec
from spm_lite.counts.piece_rules cimport PieceRules
from spm_lite.trainers.trainer_interface cimport Alphabet, Trainer
from spm_lite.trainers.unigram.candidates cimport Candidates, Segment, cut_long_segments
from spm_lite.trainers.unigram.em cimport PieceScores, fill_expected, update_scores
from spm_lite.trainers.unigram.fork cimport Fork
from spm_lite.trainers.unigram.given cimport load_listed, weigh_listed
from spm_lite.trainers.unigram.prune cimport PruneLimits, drop_shadowed, keep_best, prune_pieces
from spm_lite.trainers.unigram.seeds cimport add_seeds

from spm_lite.trainers.bpe.bpe_trainer import BpeTrainer
from spm_lite.trainers.unigram.finalize import final_pieces

cdef double SEEDS_PER_PIECE = 1.15  # with BPE merges as seeds: more than wanted, since EM drops some


@cython.final
cdef class UnigramTrainer(Trainer):
    """Learns Unigram pieces.

    `figures`: seeds, their number; pruned, the number of pieces after each pruning; em_pieces and em_objectives, one
    entry per EM round: its number of pieces at the start, and the mean negative log-likelihood per character (nats).
    `fork`: begin with its state, and leave there the last state that smaller sizes share.
    """

    cdef public Fork fork

    def __cinit__(self):
        self.fork = None

    def learn(self, ChunkTable counts, Alphabet alphabet, spec, n_pieces, *, num_threads=1, progress=None,
              reference_rules=False):
        """Return the final pieces with their log probabilities; see `Trainer.learn`.

        With hard_vocab_limit, useless pieces are kept when there would be fewer than `n_pieces` otherwise.
        """
        cdef Candidates candidates
        cdef PieceScores scores
        cdef PruneLimits limits = limits_from_spec(spec, n_pieces)
        cdef uint32_t n_threads = max(num_threads, 1)
        cdef uint64_t n_final = n_pieces, n_kept
        cdef bint by_loss = spec.prune == "loss"
        cdef bint is_forked = self.fork is not None and self.fork.candidates is not None
        report = progress or ignore
        state = None if self.checkpoint is None else self.checkpoint.load_state()
        report("seeds", 0, 1)
        if is_forked:
            candidates, scores = self.fork.candidates.copy(), self.fork.scores.copy()
        elif state is not None:
            candidates, scores = restored(counts, alphabet, state, self.checkpoint)
        elif spec.seed_source == "bpe":
            merges = BpeTrainer().learn(counts, alphabet, spec, len(alphabet) + int(SEEDS_PER_PIECE * spec.vocab_size))
            candidates = load_listed(counts, [text for text, _ in merges])
            scores = score_listed(candidates)
        else:
            candidates = load_candidates(counts, alphabet)
            self.free_counts(counts)
            scores = score_substrings(candidates, spec, n_threads)
        self.free_counts(counts)
        cut_long_segments(candidates)
        report("seeds", 1, 1)
        if is_forked:
            self.figures, n_before, n_left = self.fork.copy_figures(), self.fork.n_before, self.fork.n_left
        elif state is None:
            self.figures = {"seeds": len(candidates), "pruned": [], "em_pieces": [], "em_objectives": []}
            n_before, n_left = len(candidates) + 2, len(candidates) + 1
        else:
            self.figures, n_before, n_left = state["figures"], state["n_before"], state["n_left"]
        n_seeds = self.figures["seeds"]
        while n_left < n_before and (n_left > limits.target or not self.figures["pruned"]):
            if not is_forked:  # else this was done before
                for _ in range(spec.num_sub_iterations):
                    self.run_em(candidates, scores, limits.floor, n_threads)
                if self.fork is not None and <uint64_t> len(candidates) > limits.floor:  # else EM kept too many
                    self.fork.keep(candidates, scores, self.figures, n_before, n_left)
            is_forked = False
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
        learned = {
            candidates.text(<uint32_t> k): scores.scores[k] for k in range(len(candidates)) if not scores.is_rare[k]
        }
        give_back_memory()
        return final_pieces([character for character, _ in alphabet.items()], learned, n_pieces)

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


cdef PruneLimits limits_from_spec(object spec, uint64_t n_pieces):
    """Return the limits. Pruning by loss ends at 1.1 times the vocabulary size; the last tenth is dropped by score."""
    cdef PruneLimits limits
    limits.target = <uint64_t> (1.1 * spec.vocab_size)
    limits.shrinking_factor = spec.shrinking_factor
    limits.floor = n_pieces if spec.hard_vocab_limit else 0
    return limits


def ignore(phase, done, total):
    """Do nothing: the progress function when the caller gives none."""


cdef Candidates load_candidates(ChunkTable counts, Alphabet alphabet):
    cdef Candidates candidates = Candidates("".join([character for character, _ in alphabet.items()]))
    with nogil:
        candidates.load(counts.texts.data(), counts.chunks.data(), counts.chunks.size())
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


cdef tuple restored(ChunkTable counts, Alphabet alphabet, object state, object checkpoint):
    """Return (candidates, scores) of a state that `state_of` made. Raises ModelError for any other."""
    cdef Candidates candidates
    cdef PieceScores scores = PieceScores()
    try:
        pieces = dict(zip(state["pieces"], zip(state["scores"], state["rare"], strict=True), strict=True))
        characters = {character for character, _ in alphabet.items()} - {"\0"}
        if {piece for piece in pieces if len(piece) == 1} != characters:
            raise ValueError("its characters are not the characters of the text")
        candidates = load_listed(counts, pieces)
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


cdef PieceScores score_substrings(Candidates candidates, object spec, uint32_t n_threads):
    """Add the seeds to the candidates; return first scores in proportion to count times characters."""
    cdef PieceScores scores = PieceScores()
    cdef vector[double] weights
    cdef uint64_t n_seeds = spec.n_seeds
    cdef PieceRules rules = rules_from_spec(spec, False)
    add_seeds(candidates, &rules, n_seeds, n_threads, weights)
    scores.start(weights)
    return scores


cdef PieceScores score_listed(Candidates candidates):
    """Return the first scores of given candidates, in proportion to count times characters."""
    cdef PieceScores scores = PieceScores()
    cdef vector[double] weights
    weigh_listed(candidates, weights)
    scores.start(weights)
    return scores


cdef size_t count_rare(PieceScores scores):
    cdef size_t i, n_rare = 0
    for i in range(scores.is_rare.size()):
        n_rare += scores.is_rare[i]
    return n_rare
