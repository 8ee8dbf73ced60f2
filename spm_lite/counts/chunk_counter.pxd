"""Lines of raw text -> counted chunks: normalize, take meta pieces out, cut where no piece can lie."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.system.workers cimport Worker
from spm_lite.counts.chunk_table cimport ChunkTable
from spm_lite.counts.piece_rules cimport PieceRules
from spm_lite.normalize.normalizer cimport Normalizer


cdef enum CutMode:
    CUT_PIECES = 0          # wherever no valid piece can lie
    CUT_WORDS = 1           # before every space mark; boundaries stay inside as BOUNDARY_BYTE
    CUT_CHARACTERS = 2      # everywhere
    CUT_LINES = 3           # nowhere; boundaries stay inside


cdef struct Line:
    # One text of a block; the bytes belong to the caller.
    const uint8_t* text
    uint64_t size
    uint64_t count


cdef struct LineFigures:
    # What became of the lines.
    uint64_t read
    uint64_t empty
    uint64_t too_long       # more bytes than max_sentence_length
    uint64_t marked         # reference rules: U+2585 in it
    uint64_t blank          # nothing left after normalization
    uint64_t bytes_used
    uint64_t ill_formed     # bytes that are no UTF-8 (without `lossless`, U+FFFD as well), in no piece or as U+FFFD
    uint64_t space_marks    # lossless: literal U+2581, which are in no piece
    uint64_t nuls           # U+0000, which is in no piece


cdef class CutRules:
    """What decides the cuts; never changes, shared by all threads."""

    cdef Normalizer normalizer
    cdef PieceRules piece_rules
    cdef CutMode mode
    cdef bint in_order                  # every line stays a chunk of its own, in reading order
    cdef bint are_normalized            # the lines come from a pretokenizer: an empty one holds a place, too
    cdef uint64_t max_line_size         # bytes
    cdef vector[uint32_t] meta_units    # double array of the meta pieces as they stand in normalized text
    cdef uint8_t meta_starts[256]       # whether some meta piece starts with this byte
    cdef uint8_t ascii_classes[128]     # CharClass of an ASCII character
    cdef vector[uint8_t] delimiter      # pretokenization_delimiter in normalized form; empty: none

    cdef int32_t boundary_size(self, const uint8_t* text, int32_t size) noexcept nogil
    cdef int32_t meta_size(self, const uint8_t* text, int32_t size) noexcept nogil


cdef class LineCutter(Worker):
    """One thread's share: its own table, buffers and figures."""

    cdef CutRules rules
    cdef ChunkTable table
    cdef LineFigures figures
    cdef vector[uint8_t] normalized
    cdef vector[uint8_t] chunk          # the chunk in work
    cdef const Line* lines              # the lines in work, owned by the caller
    cdef uint64_t n_lines

    cdef int cut_line(self, const Line* line) except -1 nogil
    cdef void count_odd(self, uint32_t code_point, bint is_ill_formed, uint64_t count) noexcept nogil
    cdef int end_chunk(self, uint64_t count) except -1 nogil
    cdef int add_boundary(self, uint64_t count) except -1 nogil
