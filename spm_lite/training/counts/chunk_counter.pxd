"""Count the chunks of raw text: normalize each line, take meta pieces out, and cut where no piece can cross."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.patterns.text_cuts cimport CutScratch
from spm_lite.base.system.thread_tasks cimport Worker
from spm_lite.training.counts.chunk_table cimport ChunkTable
from spm_lite.training.counts.cut_rules cimport CutRules
from spm_lite.training.counts.phrases cimport PhraseMaker


cdef struct Line:
    # One text of a block; the caller owns its bytes.
    const uint8_t* text
    uint64_t size
    uint64_t count


cdef struct LineFigures:
    # How many lines were read and left out, and characters or bytes that no piece can hold.
    uint64_t read
    uint64_t empty
    uint64_t too_long       # more bytes than max_sentence_length
    uint64_t marked         # reference rules: left out, since they hold U+2585
    uint64_t blank          # nothing left after normalization
    uint64_t bytes_used     # of the text as given; this and the next two count a text as often as its line says
    uint64_t characters_used
    uint64_t texts_used
    uint64_t ill_formed     # bytes that are not UTF-8, and without `lossless` each U+FFFD too
    uint64_t space_marks    # lossless: literal U+2581, which no piece holds
    uint64_t nuls           # U+0000, which no piece holds


cdef class LineCutter(Worker):
    """The work of one thread, with a table, buffers and figures of its own."""

    cdef CutRules rules
    cdef ChunkTable table
    cdef PhraseMaker phrases            # joins the chunks; None: they are counted as they are
    cdef LineFigures figures
    cdef vector[uint8_t] normalized
    cdef vector[uint8_t] chunk          # texts that wait in the table; the current one is [chunk_begin, chunk_end)
    cdef uint64_t chunk_begin
    cdef uint64_t chunk_end
    cdef CutScratch cuts                # of compiled patterns; None: there are none
    cdef const Line* lines              # the lines to cut, owned by the caller
    cdef uint64_t n_lines
    cdef const uint8_t* lines_end       # where the memory of all lines ends; NULL: they do not share one

    cdef int start_table(self) except -1
    cdef int cut_one(self, const Line* line) except -1 nogil
    cdef int cut_plain_line(self, const Line* line) except -1 nogil
    cdef void count_used(self, const Line* line) noexcept nogil
    cdef int cut_line(self, const Line* line) except -1 nogil
    cdef int cut_text(self, const uint8_t* text, int32_t size, uint64_t count) except -1 nogil
    cdef int cut_stretches(self, const uint8_t* text, int32_t size, uint64_t count) except -1 nogil
    cdef int cut_matches(self, const uint8_t* text, int32_t size, uint64_t count) except -1 nogil
    cdef int cut_match(self, const uint8_t* text, int32_t size, uint64_t count) except -1 nogil
    cdef int cut_words(self, const uint8_t* text, int32_t size, uint64_t count) except -1 nogil
    cdef int add_word(self, const uint8_t* text, int32_t size, uint64_t count) except -1 nogil
    cdef int add_chunk(self, const uint8_t* text, int64_t size, uint64_t count) except -1 nogil
    cdef void count_odd(self, uint32_t code_point, bint is_ill_formed, uint64_t count) noexcept nogil
    cdef int put(self, const uint8_t* text, int32_t size) except -1 nogil
    cdef int make_room(self, uint64_t size) except -1 nogil
    cdef int end_chunk(self, uint64_t count) except -1 nogil
    cdef int add_boundary(self, uint64_t count) except -1 nogil
