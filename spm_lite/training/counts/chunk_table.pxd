"""A hash table of chunks of text with their counts, which is all that a trainer sees of a corpus."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.training.counts.characters cimport LeftOut
from spm_lite.training.counts.chunk_budget cimport Budget


cdef enum:
    # A byte that no UTF-8 text holds. It marks a place that no piece may cross (a meta piece stood there).
    BOUNDARY_BYTE = 0xFF
    MOST_WAITING = 16           # chunks whose places are prefetched together


cdef struct Chunk:
    # One text: ChunkTable.texts[begin : begin + size]. Texts are distinct, except those of append_line.
    uint64_t begin
    uint32_t size       # bytes, at least 1 (see close_gaps); an escaped space is U+2581
    uint32_t hash
    uint64_t count


cdef struct Origin:
    # Where a chunk comes from, in a table of several sources or of phrases.
    uint64_t occurrences    # before weights
    uint64_t sources        # bit set of the sources that hold it; from the 64th on they share the last bit
    uint64_t documents      # marks of the documents that hold it, in a table of phrases


cdef struct WaitingChunk:
    # A text that is to be added.
    const uint8_t* text
    uint64_t count
    uint32_t size
    uint32_t hash
    uint64_t low        # its key, if it is short (byte_keys)
    uint64_t high


cdef struct RecentChunk:
    # A short chunk that was counted not long ago.
    uint64_t low        # its key; both 0: none
    uint64_t high
    uint32_t index


cdef inline void add_origin(Origin* sum, const Origin* origin) noexcept nogil:
    """Add occurrences, sources and documents to those of a sum."""
    sum.occurrences += origin.occurrences
    sum.sources |= origin.sources
    sum.documents |= origin.documents


cdef class ChunkTable:
    cdef vector[uint8_t] texts
    cdef vector[Chunk] chunks
    cdef vector[uint64_t] slots         # open addressing: hash << 32 | index + 1, 0 = free; empty: `add` fills them
    cdef WaitingChunk waiting[MOST_WAITING]
    cdef uint32_t n_waiting
    cdef vector[RecentChunk] recent     # by the hash of their keys; empty: none
    cdef vector[Origin] origins         # of each chunk, in the same order; empty: the table is of one source
    cdef readonly uint64_t divisor      # of all counts so far (see `divided`)
    cdef readonly LeftOut left_out      # the chunks that a memory limit kept out, or None

    cdef int32_t add(self, const uint8_t* text, uint32_t size, uint64_t count) except -1 nogil  # the chunk's index
    cdef int32_t find(self, const uint8_t* text, uint32_t size) noexcept nogil      # the chunk's index; -1: none
    cdef int add_count(self, uint32_t index, uint64_t count) except -1 nogil
    cdef bint has_text(self, uint32_t index, const uint8_t* text, uint32_t size) noexcept nogil
    cdef int32_t add_hashed(self, const uint8_t* text, uint32_t size, uint64_t count, uint32_t hash) except -1 nogil
    # As `add`, at the next `add_waiting` at the latest. Until then the text stays, and KEY_BYTES of it are readable.
    cdef int add_later(self, const uint8_t* text, uint32_t size, uint64_t count) except -1 nogil
    cdef int wait(self, const uint8_t* text, uint32_t size, uint64_t count, uint64_t low, uint64_t high) except -1 nogil
    cdef int add_waiting(self) except -1 nogil
    cdef int add_all(self, ChunkTable other) except -1 nogil    # `other` is left as it is
    cdef int append(self, const uint8_t* text, uint32_t size, uint64_t count) except -1 nogil   # a new text
    cdef int append_line(self, const uint8_t* text, uint32_t size, uint64_t count) except -1 nogil
    cdef int add_origin_of(self, uint64_t i, const Origin* origin) except -1 nogil
    cdef uint64_t index_of(self, const uint8_t* text) noexcept nogil    # of the chunk whose text is at this place
    cdef int append_all(self, ChunkTable other) except -1 nogil
    cdef void close_gaps(self) noexcept nogil   # the last texts take the places of empty ones
    cdef int sort(self) except -1 nogil         # canonical order: count descending, bytes ascending
    cdef int grow_slots(self, uint64_t n_more) except -1 nogil
    cdef void fill_slots(self) noexcept nogil
    cdef void drop_slots(self) noexcept nogil
    cdef void clear(self) noexcept nogil
    cdef uint64_t memory(self) noexcept nogil   # bytes, including those that sorting needs
    cdef int mark_taken(self, Budget budget, vector[uint8_t]& is_taken) except -1


cdef inline uint64_t occurrences_of(ChunkTable table, uint64_t i) noexcept nogil:
    """How often chunk `i` stands in the text, before weights."""
    return table.chunks[i].count * table.divisor if table.origins.empty() else table.origins[i].occurrences


cdef inline uint64_t sources_of(ChunkTable table, uint64_t i) noexcept nogil:
    """The bit set of the sources that hold chunk `i`; 0 in a table of one source."""
    return 0 if table.origins.empty() else table.origins[i].sources
