"""The original's Unigram trainer, bit for bit: its seeds, single precision, order of sums and quirks."""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport isfinite, log
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.system.heap cimport give_back_memory
from spm_lite.training.counts.chunk_table cimport Chunk, ChunkTable
from spm_lite.training.reference.reference_em cimport fill_expected, update_scores
from spm_lite.training.reference.reference_lattices cimport ReferenceLattices
from spm_lite.training.reference.reference_prune cimport drop_shadowed_pieces, prune_by_loss
from spm_lite.training.reference.reference_seeds cimport Seed, SeedList, find_reference_seeds, score_of
from spm_lite.training.reference.reference_text cimport ReferenceText, count_words, load_text
from spm_lite.training.trainer_interface cimport Alphabet, Trainer

from spm_lite.errors import TrainingError
from spm_lite.training.reference.seed_file import read_seed_file
from spm_lite.training.unigram.finalize import final_pieces
from spm_lite.training.unigram.unigram_trainer import ignore

cdef enum:
    BYTES_AT_ONCE = 1 << 20     # of text, between two checks for Ctrl-C
    MAX_IDLE_ROUNDS = 20        # prunings in a row that drop nothing; the original would go on forever


@cython.final
cdef class ReferenceUnigramTrainer(Trainer):
    """Learns the pieces that the original learns.

    n_lanes: the original's number of threads, on which its sums depend. The number of threads here is independent.
    seed_file: name of a file of seeds; empty: seeds come from the corpus.
    `figures`: seeds, their number; pruned, the number of pieces after each pruning.
    """

    cdef public uint32_t n_lanes
    cdef public str seed_file

    def __cinit__(self):
        self.n_lanes = 16
        self.seed_file = ""

    def learn(self, ChunkTable counts, Alphabet alphabet, spec, n_pieces, *, num_threads=1, progress=None,
              reference_rules=False):
        """Return the pieces with their log probabilities; see `Trainer.learn`. counts: sentences in reading order."""
        cdef ReferenceText text = load_text(counts, alphabet, spec)
        cdef ReferenceLattices lattices = ReferenceLattices()
        cdef vector[float] expected
        cdef uint64_t target = <uint64_t> (1.1 * spec.vocab_size)
        cdef float shrinking_factor = spec.shrinking_factor
        cdef uint32_t n_threads = max(num_threads, 1)
        cdef bint is_logged = self.log is not None
        cdef double log_likelihood = 0
        report = progress or ignore
        report("seeds", 0, 1)
        self.add_seeds(lattices, text, alphabet, spec, n_threads)
        give_back_memory()
        add_sentences(lattices, text, self.n_lanes, n_threads)
        if is_logged:
            self.log_sentences(lattices, text, spec)
        if self.owns_counts:
            counts.clear()
        give_back_memory()
        report("seeds", 1, 1)
        n_seeds = n_left = lattices.pieces.size()
        n_idle = 0
        self.figures = {"seeds": n_seeds, "pruned": []}
        while not self.figures["pruned"] or (n_left > target and n_idle < MAX_IDLE_ROUNDS):
            for iteration in range(spec.num_sub_iterations):
                with nogil:
                    fill_expected(lattices, n_threads, expected, &log_likelihood)
                    update_scores(lattices, expected, n_threads)
                check_pieces(lattices)
                if is_logged:
                    self.log(iteration_line(iteration, lattices, log_likelihood))
            with nogil:
                prune_by_loss(lattices, target, shrinking_factor, n_threads)
            check_pieces(lattices)
            n_idle = n_idle + 1 if lattices.pieces.size() == n_left else 0
            n_left = lattices.pieces.size()
            self.figures["pruned"].append(n_left)
            report("em", n_seeds - n_left, max(n_seeds - n_left, n_seeds - target))
        with nogil:
            drop_shadowed_pieces(lattices, n_threads)
        if is_logged:
            n_shadowed = n_left - lattices.pieces.size()
            self.log(f"PruneUnreachableSentencePieces pruned {n_shadowed} unreachable pieces out of {n_left}")
        learned = {lattices.text(k).decode(): lattices.scores[k] for k in range(lattices.pieces.size())}
        give_back_memory()
        return final_pieces([character for character, _ in alphabet.items()], learned, n_pieces, True)

    cdef int log_sentences(self, ReferenceLattices lattices, ReferenceText text, spec) except -1:
        """Log the number of seeds, and what EM will read."""
        if self.seed_file:
            self.log(f"Initialized {lattices.pieces.size()} seed sentencepieces from file.")
        else:
            if spec.seed_sentencepiece_size:
                self.log(f"Using explicit seed_sentencepiece_size={spec.seed_sentencepiece_size}")
            self.log(f"Initialized {lattices.pieces.size()} seed pieces")
        if text.rules.by_whitespace:
            self.log(f"Tokenizing input sentences with whitespace: {text.sentences.chunks.size()}")
            self.log(f"Done! {lattices.sentences.size()}")
        self.log(f"Using {lattices.sentences.size()} sentences for EM training")
        return 0

    cdef int add_seeds(
        self, ReferenceLattices lattices, ReferenceText text, Alphabet alphabet, spec, uint32_t n_threads,
    ) except -1:
        """Append the first pieces: the characters, and the best strings of the corpus or of the seed file."""
        cdef uint64_t n_seeds = spec.n_seeds
        cdef bytes piece
        characters = [(character, count) for character, count in alphabet.items() if count > 0]
        if self.seed_file:
            for piece, score in read_seed_file(self.seed_file, characters, spec, n_seeds):
                lattices.append_piece(piece, <uint32_t> len(piece), score)
        else:
            for character, count in characters:
                piece = character.encode()
                lattices.append_piece(piece, <uint32_t> len(piece), <float> <uint64_t> count)
            append_best(lattices, find_reference_seeds(text, n_seeds, n_threads), n_seeds)
        if lattices.pieces.empty():
            raise TrainingError("the corpus has no characters to learn from besides meta pieces: give it text")
        with nogil:
            normalize_scores(lattices)
        return 0


cdef int check_pieces(ReferenceLattices lattices) except -1:
    """Raise TrainingError if no piece is left, or if a score is not finite."""
    cdef size_t i
    if lattices.pieces.empty():
        raise TrainingError("no piece occurs often enough to be kept: give more text, or fewer seeds")
    for i in range(lattices.scores.size()):
        if not isfinite(lattices.scores[i]):
            raise TrainingError(
                f"the score of piece {lattices.text(i).decode()!r} became {lattices.scores[i]}: a text of "
                f"{lattices.longest_sentence} characters without a space is too long for sums in single precision. "
                "Split it, or lower max_sentence_length"
            )
    return 0


cdef str iteration_line(uint32_t iteration, ReferenceLattices lattices, double log_likelihood):
    """The line of the log on one iteration of EM, which began with this likelihood of the corpus.

    The original also counts tokens for its line, which would cost a tenth of the training.
    """
    cdef double n_sentences = 0
    cdef size_t i
    for i in range(lattices.sentences.size()):
        n_sentences += lattices.sentences[i].count
    return f"EM sub_iter={iteration} size={lattices.pieces.size()} obj={-log_likelihood / n_sentences:g}"


cdef int append_best(ReferenceLattices lattices, SeedList seeds, uint64_t n_seeds) except -1:
    cdef vector[uint32_t] order
    cdef Seed* seed
    cdef size_t i
    with nogil:
        seeds.rank(n_seeds, order)
        for i in range(order.size()):
            seed = &seeds.seeds[order[i]]
            lattices.append_piece(seeds.texts.data() + seed.begin, seed.size, score_of(seed))
    return 0


cdef void normalize_scores(ReferenceLattices lattices) noexcept nogil:
    """Turn scores from counts to log probabilities."""
    cdef double total = 0
    cdef size_t i
    for i in range(lattices.scores.size()):
        total += lattices.scores[i]
    total = log(total)
    for i in range(lattices.scores.size()):
        lattices.scores[i] = <float> (log(<double> lattices.scores[i]) - total)


cdef int add_sentences(
    ReferenceLattices lattices, ReferenceText text, uint32_t n_lanes, uint32_t n_threads,
) except -1:
    """Append the texts for EM: words, or whole sentences if pieces may cross spaces.

    Lane k takes every n_lanes-th text, from index k on.
    """
    cdef vector[uint32_t] units
    cdef ChunkTable table = text.sentences
    cdef uint32_t lane
    cdef size_t i
    with nogil:
        lattices.match_pieces(units)
        give_back_memory()
    if text.rules.by_whitespace:
        table = count_words(text, n_threads)
        give_back_memory()
    for lane in range(n_lanes):
        i = lane
        while i < table.chunks.size():
            with nogil:
                i = add_sentences_from(lattices, text, table, i, n_lanes, units.data())
            PyErr_CheckSignals()
        lattices.end_lane()
    return 0


cdef size_t add_sentences_from(
    ReferenceLattices lattices, ReferenceText text, ChunkTable table, size_t i, uint32_t n_lanes,
    const uint32_t* units,
) except? 0 nogil:
    """Append some texts of one lane (words or sentences), from index i on; return the index at which to go on."""
    cdef vector[uint8_t] marked
    cdef Chunk chunk
    cdef uint64_t n_bytes = 0
    while i < table.chunks.size() and n_bytes < BYTES_AT_ONCE:
        chunk = table.chunks[i]
        if table is text.sentences:
            text.mark(i, marked)
            lattices.append_sentence(units, marked.data(), <uint32_t> marked.size(), chunk.count)
        else:
            lattices.append_sentence(units, table.texts.data() + chunk.begin, chunk.size, chunk.count)
        n_bytes += chunk.size
        i += n_lanes
    return i
