"""The trainer for parity: what the next merge is, in the turn of which language."""

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.training.bpe.language_merger cimport LanguageMerger
from spm_lite.training.bpe.pairs cimport PairTable
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


cdef class ParityTrainer(LanguageMerger):
    cdef vector[double] most_tokens     # by the number of pieces: above so many, a merge is plain; empty: never
    cdef uint64_t global_merges         # so many first merges are plain
    cdef uint64_t n_plain               # plain merges so far
    cdef vector[int32_t] turns          # of each merge: its language, NO_LANGUAGE for a plain one
    cdef bint is_plain_done             # no pair is frequent enough in all texts
    cdef uint64_t n_at_start            # symbols before the first merge
    cdef PairTable refused_pairs        # none of these becomes a piece
    cdef vector[vector[CharacterGain]] gains    # per language, and of all: the least first; may have some that are made

    cdef Alphabet split_alphabet(self, Alphabet alphabet, spec)
    cdef int restore_turns(self) except -1
    cdef int fill_gains(self) except -1
    cdef bint is_next_plain(self) noexcept nogil
    cdef int fill_rates(self, vector[double]& gains) except -1 nogil
    cdef int best_of(self, uint32_t language, Candidate* best) except -1 nogil
    cdef int best_pair(self, PairTable pairs, Candidate* best) except -1 nogil
    cdef bint make(self, const Candidate* best) except -1 nogil
    cdef int note_turn(self, int32_t language) except -1 nogil
