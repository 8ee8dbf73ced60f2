"""The trainer for parity: the cells of all languages one after another, and the pairs of each language apart."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.training.bpe.bpe_trainer cimport BpeTrainer
from spm_lite.training.bpe.language_choice cimport LanguageChoice
from spm_lite.training.bpe.pairs cimport HeapEntry, Pair, PairTable
from spm_lite.training.counts.chunk_table cimport ChunkTable, Origin
from spm_lite.training.trainer_interface cimport Alphabet


cdef struct Candidate:
    # The best merge of a language, or of all: a pair, or the bytes of a character.
    uint64_t gain           # tokens that it saves in the text that is learned from; 0: there is none
    uint32_t left           # of a pair; of a character, its number among `later`
    uint32_t right          # NO_SYMBOL: a character


cdef struct CharacterGain:
    # What a character that is no piece yet would save in one language, or in all.
    uint64_t gain
    uint32_t character      # its number among `later`


cdef class ParityTrainer(BpeTrainer):
    cdef LanguageChoice choice
    cdef list texts                     # of each language: its chunks and those of its dev text, or None
    cdef vector[uint64_t] first_cells   # of each language, and the end
    cdef vector[uint64_t] dev_weights   # by the owner of a cell: how often its dev text has it
    cdef uint64_t dev_total             # tokens of all dev texts now
    cdef vector[double] most_tokens     # by the number of pieces: above so many, a merge is plain; empty: never
    cdef uint64_t global_merges         # so many first merges are plain
    cdef uint64_t n_plain               # plain merges so far
    cdef uint64_t n_at_start            # symbols before the first merge
    cdef uint64_t n_visited             # positions, since the last check for signals
    cdef vector[int32_t] turns          # of each merge: its language, NO_LANGUAGE for a plain one
    # The pairs of each language while they are not in `pairs`; see `exchange`.
    cdef vector[vector[Pair]] pairs_of
    cdef vector[vector[uint64_t]] slots_of
    cdef vector[vector[uint32_t]] positions_of
    cdef vector[vector[HeapEntry]] heaps_of
    cdef PairTable totals               # the pairs of all languages without positions; None: no merge is plain
    cdef vector[uint32_t] new_totals    # pairs that the merge in progress has made
    cdef bint is_plain_done
    cdef PairTable refused_pairs        # none of these becomes a piece
    # Characters that become pieces by a merge of their bytes.
    cdef vector[uint32_t] later         # code points
    cdef vector[uint64_t] later_counts  # of each language and character: occurrences in the text
    cdef vector[uint64_t] later_dev     # and in the dev text
    cdef vector[uint8_t] is_made        # per character
    cdef vector[uint64_t] first_places  # per character, where its places begin, and the end
    cdef vector[uint32_t] places        # cells of all these characters, ascending
    cdef vector[vector[CharacterGain]] gains    # per language, and of all: the least first, without those that are made

    cdef Alphabet split_alphabet(self, Alphabet alphabet, spec)
    cdef int fill_texts(self, bint by_graphemes) except -1
    cdef int add_dev(self, ChunkTable dev, ChunkTable both) except -1 nogil
    cdef uint64_t count_units(self, ChunkTable table, uint64_t* found) noexcept nogil
    cdef uint64_t count_chunk(self, const uint8_t* text, int32_t size, uint64_t count, uint64_t* found) noexcept nogil
    cdef int place_later(self) except -1 nogil
    cdef int fill_languages(self) except -1
    cdef int add_totals(self) except -1 nogil
    cdef int add_total(self, uint32_t left, uint32_t right, uint64_t weight) except -1 nogil
    cdef int push_totals(self) except -1 nogil
    cdef int fill_gains(self, uint32_t n_languages) except -1
    cdef void exchange(self, uint32_t language) noexcept nogil
    cdef uint64_t saved_so_far(self, uint32_t language) noexcept nogil
    cdef bint is_next_plain(self) noexcept nogil
    cdef int fill_rates(self, vector[double]& gains) except -1 nogil
    cdef int best_of(self, uint32_t language, Candidate* best) except -1 nogil
    cdef int best_pair(self, PairTable pairs, Candidate* best) except -1 nogil
    cdef bint make(self, const Candidate* best) except -1 nogil
    cdef int note_turn(self, int32_t language) except -1 nogil
    cdef int merge_everywhere(self, uint32_t left, uint32_t right, Origin* origin) except -1 nogil
    cdef void expect(self, uint32_t language, uint32_t left, uint32_t right) noexcept nogil
    cdef void shorten(self, uint32_t language, uint64_t n_tokens) noexcept nogil
    cdef void note_origin(self, uint32_t language, uint64_t count, Origin* origin) noexcept nogil
    cdef uint64_t dev_savings(self, uint32_t index) noexcept nogil
    cdef int make_character(self, uint32_t character, uint64_t gain, Origin* origin) except -1 nogil
    cdef uint32_t append_character(self, uint32_t character, uint64_t gain) except? 0xFFFFFFFE nogil
    cdef uint64_t place_character(
        self, uint32_t symbol, uint64_t place, uint64_t last, uint64_t end,
    ) except? 0xFFFFFFFFFFFFFFFE nogil
    cdef void note_before(self, uint32_t symbol, uint32_t position, uint64_t weight) noexcept nogil
    cdef void note_after(self, uint32_t symbol, uint32_t position, uint64_t weight) noexcept nogil
    cdef int count_neighbours(self, uint32_t symbol) except -1 nogil
