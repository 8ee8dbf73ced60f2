"""What a text is before any tokenizer: characters, clusters, words, scripts, and its letter words."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.evaluation.figures.character_counts cimport N_SCRIPTS
from spm_lite.texts.text_view cimport TextView
from spm_lite.training.counts.chunk_table cimport ChunkTable


cdef struct LetterWord:
    # A run of letters, marks and joiners that begins with a letter, all of scripts that part words by spaces.
    int32_t begin           # in characters
    int32_t end
    int32_t begin_byte
    int32_t end_byte


cdef struct ShapeSums:
    # Sums over texts.
    int64_t texts
    int64_t bytes
    int64_t characters      # an ill-formed byte counts as one
    int64_t graphemes
    int64_t words           # runs without white space
    int64_t letters
    int64_t space_free_letters
    int64_t letter_words
    int64_t carriage_returns    # texts that end with one
    int64_t scripts[N_SCRIPTS]  # characters of each


cdef inline void add_fields(int64_t* to, const int64_t* other, size_t n_bytes) noexcept nogil:
    """Add one struct of sums to another of its kind: all fields are int64. n_bytes: its size."""
    cdef size_t i
    for i in range(n_bytes // sizeof(int64_t)):
        to[i] += other[i]


@cython.final
cdef class TextShape:
    """Looks at one text after the other, and adds up what they are."""

    cdef ShapeSums sums
    cdef vector[LetterWord] letter_words    # of all texts since `clear`, in order
    cdef vector[size_t] ends                # of each such text: its last letter word is before this one
    cdef vector[int32_t] characters         # of each such text
    cdef ChunkTable words                   # how often each letter word occurs; None: not wanted

    cdef void clear(self) noexcept nogil

    cdef int look_at(self, const TextView* text) except -1 nogil
    cdef int32_t look_at_ascii(self, const uint8_t* text, int32_t size) except -1 nogil
    cdef int32_t look_at_any(self, const uint8_t* text, int32_t size) except -1 nogil
    cdef int end_word(self, const LetterWord* word, const uint8_t* text) except -1 nogil
