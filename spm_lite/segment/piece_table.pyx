cimport cython
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.machine cimport prefetch
from spm_lite.normalize.space_mark cimport COPY_SLACK
from spm_lite.segment.byte_keys cimport KEY_BYTES, SHORT_BYTES, fill_maker, hash_key, hash_long, read_key
from spm_lite.segment.displacement cimport find_steps
from spm_lite.segment.large_pages cimport free_zeroed, take_zeroed
from spm_lite.vectors cimport refill
from spm_lite.vocab.vocab cimport Vocab

from spm_lite.errors import ModelError

cdef enum Filling:
    AHEAD = 8               # slots that come from memory meanwhile
    N_ASCII_PAIRS = 1 << 14
    MOST_TRIES = 16         # pairs of seeds; the first is enough for 98 tables of 100


@cython.final
cdef class PieceTable:
    """The pieces that text can become. A slot holds all that a hit needs; most misses end at the filter.

    A file's author does not know the seeds, so no pieces can be made that share a hash; ids do not depend on them.
    """

    def __cinit__(self, Vocab vocab not None, bint compact):
        self.entries = NULL
        self.fill_texts(vocab, compact)
        self.fill_entries(vocab)
        self.fill_ascii(vocab)

    def __dealloc__(self):
        free_zeroed(&self.memory)

    cdef int fill_texts(self, Vocab vocab, bint compact) except -1:
        """Pieces as they stand in normalized text."""
        cdef uint8_t* end
        cdef int32_t i, size
        self.texts.resize(vocab.texts.size() + <size_t> COPY_SLACK)
        self.begins.reserve(<size_t> vocab.size + 1)
        self.begins.push_back(0)
        end = self.texts.data()
        for i in range(vocab.size):
            size = vocab.copy_matchable(i, compact, end)
            if size > 0:
                end += size
                self.view.longest = max(self.view.longest, <uint32_t> size)
            self.begins.push_back(<uint32_t> (end - self.texts.data()))
        self.texts.resize(self.begins.back() + <size_t> KEY_BYTES)  # which are read behind the last piece
        self.view.texts = self.texts.data()
        self.view.begins = self.begins.data()
        return 0

    cdef int find_places(self, Vocab vocab, vector[uint64_t]& hashes, vector[uint8_t]& steps) except -1:
        """Find seeds with which all pieces have places, their hashes, and the steps to the places."""
        cdef uint32_t logarithm = 1
        while <uint64_t> 1 << logarithm < <uint64_t> vocab.size * 3 // 4:
            logarithm += 1
        self.view.maker = &self.maker
        self.view.n_places = 16 + <uint64_t> vocab.size * 5 // 4
        self.view.shift = 64 - logarithm
        for _ in range(MOST_TRIES):
            fill_maker(&self.maker)
            hash_pieces(&self.view, vocab.size, hashes)
            if find_steps(hashes, self.view.shift, self.view.n_places, steps):
                return 0
        raise ModelError(f"no table of the {hashes.size()} pieces can be made with {<int> MOST_TRIES} pairs of seeds")

    cdef int fill_entries(self, Vocab vocab) except -1:
        cdef vector[uint64_t] hashes
        cdef vector[uint8_t] steps
        cdef size_t k
        cdef int32_t i
        self.find_places(vocab, hashes, steps)
        self.entries = <PieceEntry*> take_zeroed((self.view.n_places + 1) * sizeof(PieceEntry), &self.memory)
        if self.entries == NULL:
            raise MemoryError
        self.groups.assign(steps.begin(), steps.end())
        self.view.entries = self.entries
        self.view.groups = self.groups.data()
        for k in range(hashes.size()):
            self.groups[hashes[k] >> self.view.shift] |= <uint16_t> (1 << (<int> STEP_BITS + (hashes[k] & FILTER_MASK)))
        k = 0
        for i in range(vocab.size):
            if self.begins[i] == self.begins[i + 1]:
                continue
            if k + AHEAD < hashes.size():
                prefetch(self.entries + slot_of(&self.view, hashes[k + AHEAD]))
            make_entry(&self.view, i, rank_of(vocab.scores[i]), self.entries + slot_of(&self.view, hashes[k]))
            k += 1
        return 0

    cdef int fill_ascii(self, Vocab vocab) except -1:
        """Enter the pieces of two ASCII characters."""
        cdef const uint8_t* text
        cdef int32_t i
        refill(self.ascii, N_ASCII_PAIRS, AsciiPair(0, -1))
        for i in range(vocab.size):
            text = self.texts.data() + self.begins[i]
            if self.begins[i + 1] - self.begins[i] == 2 and (text[0] | text[1]) < 0x80:
                self.ascii[ascii_place(text)] = AsciiPair(rank_of(vocab.scores[i]), i)
        self.view.ascii = self.ascii.data()
        return 0


cdef int hash_pieces(const TableView* table, int32_t n_pieces, vector[uint64_t]& hashes) except -1:
    """The hashes of all pieces that text can become, by id."""
    cdef PieceEntry entry
    cdef int32_t i
    hashes.clear()
    hashes.reserve(n_pieces)
    for i in range(n_pieces):
        if table.begins[i] < table.begins[i + 1]:
            hashes.push_back(make_entry(table, i, 0, &entry))
    return 0


cdef inline uint64_t make_entry(
    const TableView* table, int32_t piece_id, uint32_t rank, PieceEntry* entry,
) noexcept nogil:
    """Let `entry` be that of a piece; its hash is returned. KEY_BYTES behind the piece must be readable."""
    cdef const uint8_t* text = table.texts + table.begins[piece_id]
    cdef int32_t size = <int32_t> (table.begins[piece_id + 1] - table.begins[piece_id])
    entry[0] = PieceEntry(0, 0, piece_id, rank)
    if size > SHORT_BYTES:
        entry.low = hash_long(table.maker, text, size)
        entry.high = long_key(size)
        return entry.low
    read_key(table.maker, text, size, &entry.low, &entry.high)
    return hash_key(entry.low, entry.high)
