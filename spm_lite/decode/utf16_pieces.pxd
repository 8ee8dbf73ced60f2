"""ids -> units of UTF-16, which need no decoding to become a str."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libcpp.vector cimport vector


cdef enum:
    # Of a piece; a text has those of all its pieces.
    LATIN = 1           # a character from U+0080 to U+00FF
    WIDE = 2            # from U+0100 to U+FFFF
    PAIRED = 4          # from U+10000 on: two units
    STARTS_WITH_SPACE = 8          # a plain piece that begins with U+2581
    BYTE_PIECE = 16
    NO_UTF16 = 32            # what has no units: ill-formed bytes


cdef enum:
    SHORT_UNITS = 7
    SPECIAL = 0xFF      # in place of a number of units: look at the traits


cdef struct PieceEntry:
    # What one piece adds to a text.
    uint16_t units[7]   # its text; of a byte piece the byte; of a long one where its units begin (low, high), how many
    uint8_t n_units
    uint8_t traits


cdef struct UnitCursor:
    # How far the ids of a text are decoded.
    const int32_t* id
    const int32_t* end      # of the ids
    uint16_t* to            # where the next unit is written
    uint32_t traits         # of the text so far


@cython.final
cdef class Utf16Pieces:
    """What each piece adds to a text, as units; never changed once all are added."""

    cdef bint strips_leading_space                     # spaces at the start of a text,
    cdef bint strips_once                # one of them, not one of each piece before the first text
    cdef vector[PieceEntry] entries     # per id
    cdef vector[uint16_t] units         # of pieces that are not short, one after the other
    cdef size_t n_units                 # so many are used

    cdef int set_piece(self, int32_t piece_id, const uint8_t* text, int64_t size, uint32_t traits) except -1 nogil
    cdef void set_ascii(self, int32_t piece_id, const uint8_t* text, int32_t size, uint32_t traits) noexcept nogil
    cdef void keep_long(self, PieceEntry* entry, size_t n_units, uint32_t traits) noexcept nogil
    cdef void set_byte(self, int32_t piece_id, uint8_t byte) noexcept nogil
    cdef int32_t append_text(
        self, const int32_t* ids, int64_t n_ids, vector[uint16_t]& out, size_t* n_out,
    ) except -1 nogil
    cdef int append_start(self, vector[uint16_t]& out, UnitCursor* cursor) except -1 nogil
    cdef Py_ssize_t append_piece(
        self, const PieceEntry* piece, size_t n_dropped, vector[uint16_t]& out, UnitCursor* cursor,
    ) except -1 nogil


cdef inline int make_room(vector[uint16_t]& out, size_t n_out, size_t n_units) except -1 nogil:
    """Let `n_units` follow the first `n_out`. What is there beyond stays as it is: zeros cost as much as text."""
    if out.size() < n_out + n_units:
        out.resize(max(n_out + n_units, 2 * out.size()))
    return 0
