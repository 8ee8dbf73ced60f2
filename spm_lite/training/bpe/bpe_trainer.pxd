"""The BPE trainer: the text as cells, its pairs, and the merges so far. `BpeExtender` goes on from a model's merges."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.training.bpe.pairs cimport LearnedMerge, Neighbour, Pair, PairPlace, PairTable
from spm_lite.training.bpe.replay cimport MergeRanks
from spm_lite.training.bpe.symbols cimport Cell, SymbolTable
from spm_lite.training.counts.chunk_table cimport ChunkTable, Origin
from spm_lite.training.trainer_interface cimport Alphabet, Trainer


cdef class BpeTrainer(Trainer):
    cdef public bytes by_ids
    cdef public uint64_t least
    cdef public uint64_t enough
    cdef ChunkTable table
    cdef SymbolTable symbols
    cdef PairTable pairs
    cdef ChunkTable accepted            # the set of the texts of all merges, as code points; not where pieces are bytes
    cdef MergeRanks ranks               # of all merges, where pieces are bytes
    cdef vector[Cell] cells
    cdef vector[uint8_t] begins         # per cell: whether a grapheme cluster begins; empty: clusters do not matter
    cdef bint owns_chunks               # each chunk has an owner of its own; else chunks of one count share it
    cdef vector[uint64_t] weights       # by the owner of a cell: how often its text counts
    cdef uint64_t first_cell            # where the cells begin whose pairs are counted
    cdef vector[uint32_t] cell_pairs    # per cell from there on, while pairs are counted: the pair that begins here
    cdef vector[uint64_t] refused       # best pairs that did not become symbols, as left << 32 | right
    cdef uint64_t least_floor           # no pair with a lower count is merged
    cdef bint keeps_rare                # pairs below the floor have places too; they are still no candidates
    cdef uint64_t returned              # of one merge, weight to take back: its left symbol has been merged itself
    cdef vector[Neighbour] neighbours   # per symbol; all zero between merges
    cdef vector[uint32_t] touched       # symbols whose entry in `neighbours` is not zero; this and the next two have
    cdef vector[PairPlace] before       # occurrences of new pairs (neighbour, merged)
    cdef vector[PairPlace] after        # occurrences of new pairs (merged, neighbour)
    cdef uint64_t n_touched, n_before, n_after      # entries, and room for more
    cdef vector[LearnedMerge] made      # all merges, in order
    cdef vector[Origin] made_origins    # of each merge; see `enough`. Empty: the table is of one source
    cdef vector[uint32_t] symbol_of     # code point -> symbol, NO_SYMBOL outside the alphabet

    cdef int start(self, ChunkTable counts, spec, bint reference_rules) except -1
    cdef int fill_symbols(self, Alphabet alphabet) except -1
    cdef int restore_merges(self, Alphabet alphabet, uint64_t n_merges, bint by_graphemes, state) except -1
    cdef dict state_of(self, Alphabet alphabet)
    cdef int merge_restored(self, uint32_t n_threads) except -1
    cdef uint64_t likely_floor(self, uint64_t n_merges) noexcept nogil
    cdef int fill_cells(self, bint by_graphemes) except -1
    cdef uint64_t n_cells(self) except 0 nogil
    cdef uint64_t length_of(self, uint64_t i) noexcept nogil
    cdef int append_chunks(self, uint64_t begin, uint64_t end) except -1 nogil
    cdef int fill_pairs(self, uint64_t floor, uint64_t begin, uint64_t end) except -1
    cdef uint64_t count_pairs(self, uint64_t begin, uint64_t end) except 0 nogil
    cdef int place_pairs(self) except -1 nogil
    cdef int merge_pairs(self, Alphabet alphabet, uint64_t n_symbols, progress) except -1
    cdef uint64_t log_merges(self, uint64_t n_characters, uint64_t n_logged) except? 0
    cdef bint merge_some(self, uint64_t n_symbols) except -1 nogil
    cdef Origin origin_of(self, const Pair* pair) noexcept nogil
    cdef Origin made_origin(self, uint64_t i) noexcept nogil
    cdef dict rare_merges(self, Alphabet alphabet)
    cdef bint accept_pair(self, uint32_t left, uint32_t right, uint64_t count) except -1 nogil
    cdef int collect_places(self, uint32_t index) except -1 nogil
    cdef int make_room(self, uint64_t n_places) except -1 nogil
    cdef int count_new_pairs(self, uint32_t index) except -1 nogil
    cdef void lower(self, uint32_t left, uint32_t right, uint64_t weight) noexcept nogil
    cdef uint64_t make_pair(
        self, uint32_t left, uint32_t right, uint64_t weight, uint32_t n_positions,
    ) except? 0xFFFFFFFFFFFFFFFE nogil
    cdef void place_new_pairs(self) noexcept nogil
    cdef list merges(self, Alphabet alphabet)
    cdef list merge_texts(self, Alphabet alphabet)
    cdef str text_of(self, uint64_t i)


cdef list byte_pieces(list merges)
cdef str alphabet_text(Alphabet alphabet)
