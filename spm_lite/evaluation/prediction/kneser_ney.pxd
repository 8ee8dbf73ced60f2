"""Interpolated modified Kneser-Ney models of order 1 to 3, as KenLM builds them: counts, discounts, bits of texts.

A model is made of parts: a part has all that follows some of the symbols. So one part after the other, or several on
as many threads, give the same numbers, and only the parts at work need memory.
Source: Chen and Goodman 1998; Heafield et al. 2013.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.evaluation.prediction.gram_table cimport GramTable
from spm_lite.base.system.thread_tasks cimport Worker


cdef enum:
    MOST_ORDER = 3
    KINDS = 3           # counts of 1, of 2, of 3 and more have discounts of their own


cdef struct Context:
    # What is known of a context: sums over the symbols that follow it.
    uint32_t total          # of their counts
    uint32_t kinds[KINDS]   # how many have the count 1, 2, 3 and more


cdef struct Level:
    # What is known of all n-grams of one length.
    int64_t entries
    int64_t counts_of_counts[4]
    double discounts[KINDS + 1]     # by min(count, 3); that of 0 is 0
    bint is_fallback                # the counts of counts give no discounts


cdef struct ExactSum:
    # A sum of numbers that does not depend on their order: whole + rest / UNIT, with 0 <= rest < UNIT.
    int64_t whole
    int64_t rest


cdef struct SomeTexts:
    # Texts of a block, one after the other.
    const int32_t* ids
    const int32_t* lengths      # of each text
    const uint8_t* wanted       # of each text: whether it counts
    int64_t n_texts


@cython.final
cdef class NgramModel:
    """A model of the order n of the tokens of texts."""

    cdef readonly int order
    cdef readonly int n_parts
    cdef int32_t begin          # the symbol before a text
    cdef int32_t end            # the symbol after it
    cdef int symbol_bits
    cdef vector[int32_t] symbols        # of each id; -1: it does not occur
    cdef vector[uint16_t] part_of       # of each symbol: the part that has what follows it
    cdef vector[int64_t] unigrams       # a_1 of each symbol
    cdef vector[double] first           # p_1 of each symbol
    cdef vector[Context] follows        # of each symbol as a context; of order 1: not used
    cdef Level levels[MOST_ORDER]
    cdef double base                    # p_0

    cdef void fill_discounts(self, Level* level) noexcept nogil


@cython.final
cdef class Part(Worker):
    """One part of a model, and what it does next."""

    cdef NgramModel model
    cdef int number
    cdef int task
    cdef SomeTexts texts
    cdef uint64_t limit                 # bytes of the tables; 0: none
    cdef readonly bint is_too_large     # the limit was reached, and counting ended
    cdef bint is_known                  # the model has the sums of this part already
    cdef GramTable grams                # of the order of the model
    cdef GramTable pairs                # of order 3: (v, w) and their a_2
    cdef GramTable places               # of order 3: (u, v) -> place in `contexts` plus 1
    cdef vector[Context] contexts
    cdef vector[int64_t] unigrams       # a_1 as far as this part knows
    cdef Level levels[MOST_ORDER]
    cdef vector[ExactSum] bits          # of each text of the block

    cdef int count(self) except -1 nogil
    cdef int finish(self) except -1 nogil
    cdef int count_pairs(self, const GramTable* pairs, int b, uint64_t mask) noexcept nogil
    cdef int add_context(self, uint64_t key, uint32_t count) except -1 nogil
    cdef void add_count(self, int level, uint32_t count) noexcept nogil
    cdef int score(self) except -1 nogil
    cdef double probability(self, int32_t before, int32_t last, int32_t next) noexcept nogil
