cimport cython
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy
from libcpp.algorithm cimport sort as sort_range
from libcpp.vector cimport vector

from spm_lite.errors import ArgumentTypeError, TrainingError

cdef uint32_t FREE = <uint32_t> -1

cdef enum Sizes:
    FIRST_SLOTS = 1024          # a power of two
    MAX_CHUNKS = 0x7FFFFFFF     # slots hold chunk numbers in 32 bits


cdef struct SortKey:
    # One chunk with what decides nearly every comparison.
    uint64_t count
    uint64_t prefix     # its first 8 bytes, big-endian, padded with NUL
    const uint8_t* text
    uint32_t size
    uint32_t hash


cdef inline uint32_t hash_bytes(const uint8_t* text, uint32_t size) noexcept nogil:
    """A multiplicative hash, 8 bytes at a time. It decides where a chunk is stored, never the order of results."""
    cdef uint64_t state = size * <uint64_t> 0x9E3779B97F4A7C15
    cdef uint64_t word = 0
    while size >= 8:
        memcpy(&word, text, 8)
        state = (state ^ word) * <uint64_t> 0xFF51AFD7ED558CCD
        state ^= state >> 32
        text += 8
        size -= 8
    if size > 0:
        word = 0
        memcpy(&word, text, size)
        state = (state ^ word) * <uint64_t> 0xC4CEB9FE1A85EC53
    state ^= state >> 29
    state *= <uint64_t> 0xBF58476D1CE4E5B9
    return <uint32_t> (state >> 32)


cdef inline uint64_t big_endian_prefix(const uint8_t* text, uint32_t size) noexcept nogil:
    cdef uint64_t prefix = 0
    cdef uint32_t i
    for i in range(8):
        prefix = prefix << 8 | (text[i] if i < size else 0)
    return prefix


cdef bint comes_first(const SortKey& a, const SortKey& b) noexcept nogil:
    """Count descending, bytes ascending."""
    cdef uint32_t size = a.size if a.size < b.size else b.size
    cdef int order
    if a.count != b.count:
        return a.count > b.count
    if a.prefix != b.prefix:
        return a.prefix < b.prefix
    order = memcmp(a.text, b.text, size)
    return order < 0 or (order == 0 and a.size < b.size)


@cython.final
cdef class CountTable:
    """Texts with 64-bit counts, in the order of arrival until `sort` brings the canonical one.

    `add` keeps them distinct; `append` keeps every one, in reading order, and is never mixed with `add`.
    """

    cdef int add(self, const uint8_t* text, uint32_t size, uint64_t count) except -1 nogil:
        """Count `text` (at least 1 byte) `count` more times."""
        cdef uint32_t hash = hash_bytes(text, size)
        cdef uint64_t mask, slot
        cdef uint32_t index
        cdef Chunk* chunk
        cdef Chunk new_chunk
        if 2 * (self.chunks.size() + 1) > self.slots.size():
            self.grow_slots()
        mask = self.slots.size() - 1
        slot = hash & mask
        while True:
            index = self.slots[slot]
            if index == FREE:
                break
            chunk = &self.chunks[index]
            if (
                chunk.hash == hash and chunk.size == size
                and memcmp(self.texts.data() + chunk.begin, text, size) == 0
            ):
                if count > ~chunk.count:
                    raise TrainingError("the count of one chunk of text exceeds 2^64 - 1; scale the counts down")
                chunk.count += count
                return 0
            slot = (slot + 1) & mask
        new_chunk.begin = self.texts.size()
        new_chunk.size = size
        new_chunk.hash = hash
        new_chunk.count = count
        self.texts.insert(self.texts.end(), text, text + size)
        self.chunks.push_back(new_chunk)
        self.slots[slot] = <uint32_t> (self.chunks.size() - 1)
        return 0

    cdef int grow_slots(self) except -1 nogil:
        """Twice the slots, filled again."""
        if self.chunks.size() >= MAX_CHUNKS:
            raise TrainingError("the corpus has more than 2^31 - 1 distinct chunks of text; train on a part of it")
        self.slots.resize(max(<uint64_t> FIRST_SLOTS, 2 * self.slots.size()))
        self.fill_slots()
        return 0

    cdef void fill_slots(self) noexcept nogil:
        """Enter every chunk into the slots anew."""
        cdef uint64_t mask = self.slots.size() - 1
        cdef uint64_t slot
        cdef uint32_t i
        for slot in range(self.slots.size()):
            self.slots[slot] = FREE
        for i in range(<uint32_t> self.chunks.size()):
            slot = self.chunks[i].hash & mask
            while self.slots[slot] != FREE:
                slot = (slot + 1) & mask
            self.slots[slot] = i

    cdef int add_all(self, CountTable other) except -1 nogil:
        """Add the counts of another table."""
        cdef uint64_t i
        cdef Chunk* chunk
        if other is self:
            raise TrainingError("a count table cannot be added to itself")
        for i in range(other.chunks.size()):
            chunk = &other.chunks[i]
            self.add(other.texts.data() + chunk.begin, chunk.size, chunk.count)
        return 0

    cdef int append(self, const uint8_t* text, uint32_t size, uint64_t count) except -1 nogil:
        """A chunk of its own, whatever came before; it may be empty."""
        cdef Chunk chunk = Chunk(self.texts.size(), size, 0, count)
        if self.chunks.size() >= MAX_CHUNKS:
            raise TrainingError("the corpus has more than 2^31 - 1 lines; train on a part of it")
        if size > 0:
            self.texts.insert(self.texts.end(), text, text + size)
        self.chunks.push_back(chunk)
        return 0

    cdef int append_all(self, CountTable other) except -1 nogil:
        """Append the chunks of another table in their order."""
        cdef uint64_t i
        cdef Chunk chunk
        for i in range(other.chunks.size()):
            chunk = other.chunks[i]
            self.append(other.texts.data() + chunk.begin, chunk.size, chunk.count)
        return 0

    cdef void close_gaps(self) noexcept nogil:
        """Put the last chunk in the place of each empty one, as the original does."""
        cdef size_t i = 0, n = self.chunks.size()
        while i < n:
            if self.chunks[i].size == 0:
                n -= 1
                self.chunks[i] = self.chunks[n]
            else:
                i += 1
        self.chunks.resize(n)

    cdef void clear(self) noexcept nogil:
        """Forget everything and give the memory back."""
        vector[uint8_t]().swap(self.texts)
        vector[Chunk]().swap(self.chunks)
        vector[uint32_t]().swap(self.slots)

    cdef int sort(self) except -1 nogil:
        """Bring chunks and texts into canonical order: count descending, bytes ascending."""
        cdef uint64_t n = self.chunks.size()
        cdef vector[SortKey] keys
        cdef vector[uint8_t] texts
        cdef uint64_t i
        cdef Chunk* chunk
        if n == 0:
            return 0
        keys.resize(n)
        texts.reserve(self.texts.size())
        for i in range(n):
            chunk = &self.chunks[i]
            keys[i].count = chunk.count
            keys[i].text = self.texts.data() + chunk.begin
            keys[i].size = chunk.size
            keys[i].hash = chunk.hash
            keys[i].prefix = big_endian_prefix(keys[i].text, chunk.size)
        sort_range(keys.begin(), keys.end(), &comes_first)
        for i in range(n):
            chunk = &self.chunks[i]
            chunk.begin = texts.size()
            chunk.size = keys[i].size
            chunk.hash = keys[i].hash
            chunk.count = keys[i].count
            texts.insert(texts.end(), keys[i].text, keys[i].text + keys[i].size)
        self.texts.swap(texts)
        self.fill_slots()
        return 0

    @staticmethod
    def from_items(items):
        """A table in canonical order from (bytes, count) pairs; equal texts add up.

        Raises ArgumentTypeError unless texts are bytes and counts are int, TrainingError on an empty text, on a
        count below 1 and on a count above 2^64 - 1.
        """
        cdef CountTable table = CountTable()
        cdef bytes data
        for text, count in items:
            if not isinstance(text, bytes) or not isinstance(count, int):
                raise ArgumentTypeError(f"a count table takes (bytes, int) pairs, not ({text!r}, {count!r})")
            if not 0 < len(text) < 2**31 or not 1 <= count < 2**64:
                raise TrainingError(
                    f"count {count} of {text[:40]!r}: a count must be 1..2^64 - 1, a text 1..2^31 - 1 bytes"
                )
            data = text
            table.add(data, <uint32_t> len(data), count)
        table.sort()
        return table

    @staticmethod
    def from_sentences(items):
        """A table of (bytes, count) pairs in their order, unmerged."""
        cdef CountTable table = CountTable()
        cdef bytes data
        for text, count in items:
            data = text
            table.append(data, <uint32_t> len(data), count)
        table.close_gaps()
        return table

    def items(self):
        """All (text, count) pairs in the table's order. A boundary is the text b"\\xff"."""
        cdef uint64_t i
        cdef Chunk chunk
        result = []
        for i in range(self.chunks.size()):
            chunk = self.chunks[i]
            result.append((self.texts.data()[chunk.begin:chunk.begin + chunk.size], chunk.count))
        return result

    def __len__(self):
        return self.chunks.size()

    @property
    def text_bytes(self):
        """Bytes of all distinct texts."""
        return self.texts.size()
