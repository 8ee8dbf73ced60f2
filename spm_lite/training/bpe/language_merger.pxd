"""The cells of several languages one after another, and the pairs of each apart. `ParityTrainer` chooses the merges."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.training.bpe.bpe_trainer cimport BpeTrainer
from spm_lite.training.bpe.language_choice cimport LanguageChoice
from spm_lite.training.bpe.pairs cimport HeapEntry, Pair, PairTable
from spm_lite.training.counts.chunk_table cimport ChunkTable, Origin


cdef enum:
    LATER = 0x80000000              # in `symbol_of` and cells, before a number: a character that is no piece yet


cdef class LanguageMerger(BpeTrainer):
    cdef LanguageChoice choice          # has the languages
    cdef list texts                     # of each language: its chunks, those of its dev text or None, and its goal
    cdef vector[uint64_t] first_cells   # of each language, and the end
    cdef vector[uint64_t] dev_weights   # by the owner of a cell: how often its dev text has it
    cdef uint64_t dev_total             # tokens of all dev texts now
    cdef uint64_t n_visited             # positions, since the last check for signals
    # The pairs of each language while they are not in `pairs`; see `exchange`.
    cdef vector[vector[Pair]] pairs_of
    cdef vector[vector[uint64_t]] slots_of
    cdef vector[vector[uint32_t]] positions_of
    cdef vector[vector[HeapEntry]] heaps_of
    cdef bint has_totals                # the pairs of all languages are counted, since some merges are plain
    cdef PairTable totals               # these, without positions, or None
    cdef vector[uint32_t] new_totals    # pairs that the merge in progress has made
    # Characters that become pieces by a merge of their bytes.
    cdef vector[uint32_t] later         # code points
    cdef vector[uint64_t] later_counts  # of each language and character: occurrences in the text
    cdef vector[uint64_t] later_dev     # and in the dev text
    cdef vector[uint8_t] is_made        # per character
    cdef vector[uint64_t] first_places  # per character, where its places begin, and the end
    cdef vector[uint32_t] places        # cells of all these characters, ascending

    cdef int fill_texts(self, bint by_graphemes) except -1
    cdef int add_dev(self, ChunkTable dev, ChunkTable both) except -1 nogil
    cdef uint64_t count_units(self, ChunkTable table, uint64_t* found) noexcept nogil
    cdef uint64_t count_chunk(self, const uint8_t* text, int32_t size, uint64_t count, uint64_t* found) noexcept nogil
    cdef int place_later(self) except -1 nogil
    cdef int fill_languages(self) except -1
    cdef int add_totals(self) except -1 nogil
    cdef int add_total(self, uint32_t left, uint32_t right, uint64_t weight) except -1 nogil
    cdef int push_totals(self) except -1 nogil
    cdef void exchange(self, uint32_t language) noexcept nogil
    cdef uint64_t saved_so_far(self, uint32_t language) noexcept nogil
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


cdef inline uint64_t char_bytes(uint32_t code_point) noexcept nogil:
    """Return the bytes of a character."""
    return 1 + (code_point >= 0x80) + (code_point >= 0x800) + (code_point >= 0x10000)
