"""A hash table with linear probing, prefetched (hot: `add_waiting`, `add_hashed`), and a sort into canonical order.

The second half of the class makes other tables of it, lists it, and reads and writes its blocks.
Header: chunk_table.pxd.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport sqrt
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp
from libcpp.vector cimport vector

from spm_lite.base.structures.byte_keys cimport SHORT_BYTES, KeyMaker, fill_maker, hash_key as hash_of_key, read_key
from spm_lite.base.structures.text_hash cimport HashKey, hash_text, is_same
from spm_lite.base.system.intrinsics cimport prefetch
from spm_lite.base.system.signals cimport check_signals
from spm_lite.base.unicode.space_mark cimport is_space_mark
from spm_lite.base.unicode.utf8 cimport count_chars
from spm_lite.training.counts.characters cimport LeftOut
from spm_lite.training.counts.chunk_budget cimport Budget, LongChunks
from spm_lite.training.counts.chunk_order cimport (
    KEYS_AT_ONCE, SortKey, big_endian_prefix, is_more_frequent, sort_key, sort_keys,
)

from spm_lite.errors import ArgumentTypeError, TrainingError

import os

cdef uint64_t MAX_SAVED = 0x7FFFFFFFFFFFFFFF    # the largest count of a table that can be saved

cdef enum:
    FREE = 0                    # a slot
    FIRST_SLOTS = 1024          # a power of two
    N_RECENT = 1 << 11          # a power of two
    MAX_CHUNKS = 0x7FFFFFFF     # slots hold chunk numbers in 32 bits


cdef KeyMaker key_maker
fill_maker(&key_maker)

# Random in every process. It decides the slot of a chunk, never the order of results.
cdef HashKey hash_key
hash_key.low = int.from_bytes(os.urandom(4), "little")
hash_key.high = int.from_bytes(os.urandom(4), "little")
hash_key.factor = int.from_bytes(os.urandom(8), "little") | 1


@cython.final
cdef class ChunkTable:
    """Texts with 64-bit counts, in order of arrival until `sort` brings them into canonical order.

    `add` keeps texts distinct. `append_line` keeps every line in reading order. One table never uses both.
    In a table of several sources, the counts have weights, and `origins` has the occurrences before them.
    """

    def __cinit__(self):
        self.left_out = None
        self.divisor = 1

    cdef int32_t find(self, const uint8_t* text, uint32_t size) noexcept nogil:
        """Return the index of the chunk with this text (at least 1 byte); -1: there is none."""
        cdef uint32_t hash = hash_text(text, size, &hash_key)
        cdef uint64_t mask = self.slots.size() - 1, slot = hash & mask
        if self.slots.size() == 0:
            return -1
        while self.slots[slot] != FREE:
            if self.slots[slot] >> 32 == hash and self.has_text(<uint32_t> self.slots[slot] - 1, text, size):
                return <int32_t> self.slots[slot] - 1
            slot = (slot + 1) & mask
        return -1

    cdef bint has_text(self, uint32_t index, const uint8_t* text, uint32_t size) noexcept nogil:
        """Whether chunk `index` spells these bytes."""
        cdef const Chunk* chunk = &self.chunks[index]
        return chunk.size == size and is_same(self.texts.data() + chunk.begin, text, size)

    cdef int32_t add(self, const uint8_t* text, uint32_t size, uint64_t count) except -1 nogil:
        """Add `count` to the count of `text` (at least 1 byte); return the index of its chunk."""
        if 2 * (self.chunks.size() + 1) > self.slots.size():
            self.grow_slots(1)
        return self.add_hashed(text, size, count, hash_text(text, size, &hash_key))

    cdef int32_t add_hashed(self, const uint8_t* text, uint32_t size, uint64_t count, uint32_t hash) except -1 nogil:
        """Do the same with a known hash, if there is a free slot."""
        cdef uint64_t* slots = self.slots.data()
        cdef uint64_t mask = self.slots.size() - 1, slot = hash & mask
        cdef uint32_t index
        while slots[slot] != FREE:
            if slots[slot] >> 32 == hash:
                index = <uint32_t> slots[slot] - 1
                if self.has_text(index, text, size):
                    self.add_count(index, count)
                    return <int32_t> index
            slot = (slot + 1) & mask
        self.append(text, size, count)
        slots[slot] = <uint64_t> hash << 32 | self.chunks.size()
        return <int32_t> self.chunks.size() - 1

    cdef int add_later(self, const uint8_t* text, uint32_t size, uint64_t count) except -1 nogil:
        """Add to the count of a recent chunk; add any other text (at least 1 byte) together with the next ones."""
        cdef uint64_t low = 0, high = 0
        cdef const RecentChunk* recent
        if size > <uint32_t> SHORT_BYTES:
            return self.wait(text, size, count, 0, 0)
        if self.recent.empty():
            self.recent.resize(N_RECENT)
        read_key(&key_maker, text, size, &low, &high)
        recent = &self.recent[hash_of_key(low, high) & (N_RECENT - 1)]
        if recent.low != low or recent.high != high:
            return self.wait(text, size, count, low, high)
        self.add_count(recent.index, count)
        return 0

    cdef int wait(
        self, const uint8_t* text, uint32_t size, uint64_t count, uint64_t low, uint64_t high,
    ) except -1 nogil:
        """Prefetch the place of a text, and add it together with the next ones. low, high: its key, or 0."""
        cdef uint32_t hash = hash_text(text, size, &hash_key)
        if self.slots.size() > 0:
            prefetch(&self.slots[hash & (self.slots.size() - 1)])
        self.waiting[self.n_waiting] = WaitingChunk(text, count, size, hash, low, high)
        self.n_waiting += 1
        return self.add_waiting() if self.n_waiting == MOST_WAITING else 0

    cdef int add_waiting(self) except -1 nogil:
        """Add all texts that wait. What each reads was prefetched while others had their turn."""
        cdef uint32_t n = self.n_waiting, k
        cdef const WaitingChunk* one
        cdef uint64_t entry
        cdef int32_t index
        self.n_waiting = 0
        if 2 * (self.chunks.size() + n) > self.slots.size():
            self.grow_slots(n)
        for k in range(n):
            entry = self.slots[self.waiting[k].hash & (self.slots.size() - 1)]
            if entry != FREE:
                prefetch(&self.chunks[<uint32_t> entry - 1])
        for k in range(n):
            one = &self.waiting[k]
            index = self.add_hashed(one.text, one.size, one.count, one.hash)
            if one.high:
                self.recent[hash_of_key(one.low, one.high) & (N_RECENT - 1)] = RecentChunk(one.low, one.high, index)
        return 0

    cdef int add_count(self, uint32_t index, uint64_t count) except -1 nogil:
        """Add to the count of chunk `index`; beyond 2^64, it is an error."""
        cdef Chunk* chunk = &self.chunks[index]
        if count > ~chunk.count:
            raise TrainingError("the count of one chunk of text exceeds 2^64 - 1; scale the counts down")
        chunk.count += count
        return 0

    cdef int add_origin_of(self, uint64_t i, const Origin* origin) except -1 nogil:
        """Add to the occurrences and the sources of chunk `i`."""
        cdef Origin none = Origin(0, 0, 0)
        if self.origins.size() <= i:
            self.origins.resize(i + 1, none)
        add_origin(&self.origins[i], origin)
        return 0

    cdef int append(self, const uint8_t* text, uint32_t size, uint64_t count) except -1 nogil:
        """Append a text that the table does not hold yet, without entering it into the slots."""
        self.chunks.push_back(Chunk(self.texts.size(), size, hash_text(text, size, &hash_key), count))
        self.texts.insert(self.texts.end(), text, text + size)
        return 0

    cdef int grow_slots(self, uint64_t n_more) except -1 nogil:
        """Make at least two slots per chunk (a power of two), for so many more chunks, and fill them again."""
        cdef uint64_t size = max(<uint64_t> FIRST_SLOTS, self.slots.size())
        if self.chunks.size() + n_more > MAX_CHUNKS:
            raise TrainingError("the corpus has more than 2^31 - 1 distinct chunks of text; train on a part of it")
        while 2 * (self.chunks.size() + n_more) > size:
            size *= 2
        vector[uint64_t]().swap(self.slots)
        self.slots.resize(size, FREE)
        self.fill_slots()
        return 0

    cdef void drop_slots(self) noexcept nogil:
        """Free the slots and the recent chunks, which only adding needs."""
        vector[uint64_t]().swap(self.slots)
        vector[RecentChunk]().swap(self.recent)

    cdef void clear(self) noexcept nogil:
        """Empty the table and free its memory."""
        vector[uint8_t]().swap(self.texts)
        vector[Chunk]().swap(self.chunks)
        vector[Origin]().swap(self.origins)
        self.drop_slots()

    cdef uint64_t memory(self) noexcept nogil:
        """Return the bytes of the table, including the bytes that sorting it needs.

        The spare capacity of a vector takes no memory. But while it grows, it briefly exists twice.
        """
        cdef uint64_t per_chunk = sizeof(Chunk) + sizeof(SortKey)
        if not self.origins.empty():
            per_chunk += 2 * sizeof(Origin)
        return 2 * self.texts.size() + self.chunks.size() * per_chunk + self.slots.capacity() * sizeof(uint64_t)

    cdef void fill_slots(self) noexcept nogil:
        """Enter every chunk into free slots."""
        cdef uint64_t mask = self.slots.size() - 1, slot, i
        for i in range(self.chunks.size()):
            slot = self.chunks[i].hash & mask
            while self.slots[slot] != FREE:
                slot = (slot + 1) & mask
            self.slots[slot] = <uint64_t> self.chunks[i].hash << 32 | (i + 1)

    cdef int add_all(self, ChunkTable other) except -1 nogil:
        """Add the counts of another table, and its origins."""
        cdef uint64_t i
        cdef int32_t index
        cdef Chunk* chunk
        if other is self:
            raise TrainingError("a count table cannot be added to itself")
        if self.chunks.size() and other.chunks.size() and self.origins.empty() != other.origins.empty():
            raise TrainingError("a table of several sources can be added to another such table only")
        for i in range(other.chunks.size()):
            if i % KEYS_AT_ONCE == 0:
                check_signals()
            chunk = &other.chunks[i]
            if other.origins.empty():
                self.wait(other.texts.data() + chunk.begin, chunk.size, chunk.count, 0, 0)
                continue
            index = self.add(other.texts.data() + chunk.begin, chunk.size, chunk.count)
            self.add_origin_of(<uint64_t> index, &other.origins[i])
        return self.add_waiting()

    cdef uint64_t index_of(self, const uint8_t* text) noexcept nogil:
        """Return the index of the chunk whose text is at this place: texts are in the order of the chunks."""
        cdef uint64_t begin = 0, end = self.chunks.size(), middle
        while end - begin > 1:
            middle = begin + (end - begin) // 2
            if self.texts.data() + self.chunks[middle].begin <= text:
                begin = middle
            else:
                end = middle
        return begin

    cdef int append_line(self, const uint8_t* text, uint32_t size, uint64_t count) except -1 nogil:
        """Append a line as a chunk of its own, even if it is empty or equal to another."""
        cdef Chunk chunk = Chunk(self.texts.size(), size, 0, count)
        if self.chunks.size() >= MAX_CHUNKS:
            raise TrainingError("the corpus has more than 2^31 - 1 lines; train on a part of it")
        if size > 0:
            self.texts.insert(self.texts.end(), text, text + size)
        self.chunks.push_back(chunk)
        return 0

    cdef int append_all(self, ChunkTable other) except -1 nogil:
        """Append each chunk of another table as a line, in its order."""
        cdef uint64_t i
        cdef Chunk chunk
        for i in range(other.chunks.size()):
            chunk = other.chunks[i]
            self.append_line(other.texts.data() + chunk.begin, chunk.size, chunk.count)
        return 0

    cdef void close_gaps(self) noexcept nogil:
        """Move the last chunk into the place of each empty one, as the original does."""
        cdef size_t i = 0, n = self.chunks.size()
        while i < n:
            if self.chunks[i].size == 0:
                n -= 1
                self.chunks[i] = self.chunks[n]
            else:
                i += 1
        self.chunks.resize(n)

    cdef int sort(self) except -1 nogil:
        """Bring chunks and texts into canonical order: count descending, bytes ascending."""
        cdef vector[SortKey] keys
        cdef vector[uint8_t] texts
        cdef vector[Origin] origins
        cdef vector[uint32_t] hashes
        cdef uint64_t i
        cdef Chunk* chunk
        self.drop_slots()
        keys.resize(self.chunks.size())
        for i in range(keys.size()):
            chunk = &self.chunks[i]
            keys[i] = sort_key(self.texts.data() + chunk.begin, chunk.size, chunk.count, chunk.hash)
        if not self.origins.empty():
            hashes.resize(keys.size())
            for i in range(keys.size()):  # sorting does not read the hash, so its place holds the index meanwhile
                hashes[i] = keys[i].hash
                keys[i].hash = <uint32_t> i
        sort_keys(keys.data(), keys.size(), &is_more_frequent, NULL)
        if not self.origins.empty():
            origins.reserve(keys.size())
            for i in range(keys.size()):
                origins.push_back(self.origins[keys[i].hash])
                keys[i].hash = hashes[keys[i].hash]
            self.origins.swap(origins)
        texts.reserve(self.texts.size())
        for i in range(keys.size()):
            chunk = &self.chunks[i]
            chunk.begin = texts.size()
            chunk.size = keys[i].size
            chunk.hash = keys[i].hash
            chunk.count = keys[i].count
            texts.insert(texts.end(), keys[i].text, keys[i].text + keys[i].size)
        self.texts.swap(texts)
        return 0

    @staticmethod
    def from_items(items):
        """Return a table in canonical order from (bytes, count) pairs; the counts of equal texts add up.

        Raises ArgumentTypeError unless texts are bytes and counts are int. Raises TrainingError for an empty text, and
        for a count below 1 or above 2^64 - 1.
        """
        cdef ChunkTable table = ChunkTable()
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
    def sum(tables):
        """Return the sum of the tables, in canonical order. Raises TrainingError for a count of 2^63 or more."""
        cdef ChunkTable table = ChunkTable()
        cdef ChunkTable other
        for item in tables:
            other = <ChunkTable?> item
            with nogil:
                table.add_all(other)
            if other.left_out is not None:
                table.leave_out(other.left_out)
        with nogil:
            table.sort()
        table.check_counts()
        return table

    def weighted(self, uint64_t factor, uint64_t source):
        """Return a table of the same chunks, each counted `factor` times (at least 1), in the same order.

        It has the occurrences before the factor as origins. source: the number of the source that the table is of.
        Raises TrainingError for a count of 2^63 or more, ValueError if `factor` is 0.
        """
        cdef ChunkTable table = ChunkTable()
        cdef uint64_t i, most, documents, sources = <uint64_t> 1 << min(source, <uint64_t> 63)
        if factor == 0:
            raise ValueError("factor must be at least 1")
        most = MAX_SAVED // factor
        with nogil:
            table.texts = self.texts
            table.chunks = self.chunks
            table.origins.reserve(self.chunks.size())
            for i in range(table.chunks.size()):
                if table.chunks[i].count > most:
                    break
                documents = 0 if self.origins.empty() else self.origins[i].documents
                table.origins.push_back(Origin(table.chunks[i].count, sources, documents))
                table.chunks[i].count *= factor
            else:
                i = table.chunks.size()
        if i < table.chunks.size():
            text, count = self.items_from(i, i + 1)[0]
            raise TrainingError(f"{factor} times the count {count} of {text[:40]!r} is above 2^63 - 1: the limit")
        if self.left_out is not None:
            table.left_out = self.left_out.scaled(factor)
        return table

    def common_divisor(self):
        """Return the greatest common divisor of all counts, those of the chunks left out among them; at least 1."""
        cdef uint64_t divisor = 0, i
        for i in range(self.chunks.size()):
            divisor = gcd(divisor, self.chunks[i].count)
            if divisor == 1:
                break
        if self.left_out is not None:
            divisor = gcd(divisor, self.left_out.common_divisor())
        return max(divisor, <uint64_t> 1)

    def divided(self, uint64_t divisor):
        """Return a table of the same chunks in the same order, with all counts divided by a common divisor.

        Its occurrences stay what they were. Raises ValueError if `divisor` is 0.
        """
        cdef ChunkTable table = ChunkTable()
        cdef uint64_t i
        if divisor == 0:
            raise ValueError("divisor must be at least 1")
        with nogil:
            table.texts = self.texts
            table.chunks = self.chunks
            table.origins = self.origins
            for i in range(table.chunks.size()):
                table.chunks[i].count //= divisor
        table.divisor = self.divisor * divisor
        if self.left_out is not None:
            table.left_out = self.left_out.divided(divisor)
        return table

    def low_means(self):
        """Return the low means of the counts and of the occurrences of the chunks.

        A low mean is the power mean with the exponent -2, in which rare chunks decide. Most chunks of a text occur once
        or twice, so it is 1 to 1.6, or k times that if all text stands there k times. It changes little when a part of
        the text is repeated. An empty table has means of 1.
        """
        cdef double of_counts = 0, of_occurrences = 0, counted = 0, occurred = 0, left_out
        cdef uint64_t i, n = self.chunks.size()
        for i in range(n):
            of_counts += inverse_square(<double> self.chunks[i].count)
            of_occurrences += inverse_square(<double> occurrences_of(self, i))
            counted += <double> self.chunks[i].count
            occurred += <double> occurrences_of(self, i)
        if n and self.left_out is not None and self.left_out.n_chunks > 0:
            # Chunks left out are rare, so all have nearly one count. Their weights are taken as those of the others.
            left_out = <double> self.left_out.n_occurrences
            of_counts += self.left_out.n_chunks * inverse_square(left_out / self.left_out.n_chunks)
            left_out *= occurred / counted
            of_occurrences += self.left_out.n_chunks * inverse_square(left_out / self.left_out.n_chunks)
            n += self.left_out.n_chunks
        return (sqrt(n / of_counts), sqrt(n / of_occurrences)) if n else (1.0, 1.0)

    def leave_out(self, LeftOut left_out not None):
        """Add chunks that a memory limit left out elsewhere to the chunks left out here."""
        self.left_out = self.left_out or LeftOut()
        self.left_out.add_all(left_out)

    def check_counts(self):
        """Raise TrainingError if the greatest count of this table, in canonical order, is 2^63 or more."""
        if self.chunks.size() > 0 and self.chunks[0].count > MAX_SAVED:
            text, count = self.items_from(0, 1)[0]
            raise TrainingError(f"the counts of the chunk {text[:40]!r} add up to {count}: 2^63 - 1 is the limit")

    def fitting(self, Budget budget):
        """Return this table (in canonical order) if it fits the budget, else a new table of the chunks that do.

        The `left_out` of the new table counts the other chunks. See chunk_budget for the choice.
        """
        cdef ChunkTable table = ChunkTable()
        cdef vector[uint8_t] is_taken
        cdef const uint8_t* texts = self.texts.data()
        cdef uint64_t n = self.chunks.size(), i
        cdef Chunk chunk
        if budget.fits(n, self.texts.size()):
            return self
        self.mark_taken(budget, is_taken)
        table.divisor = self.divisor
        table.left_out = LeftOut()
        if self.left_out is not None:
            table.left_out.add_all(self.left_out)
        for i in range(n):
            chunk = self.chunks[i]
            if is_taken[i]:
                table.append(texts + chunk.begin, chunk.size, chunk.count)
                if not self.origins.empty():
                    table.origins.push_back(self.origins[i])
            else:
                table.left_out.add(texts + chunk.begin, chunk.size, chunk.count)
        return table

    cdef int mark_taken(self, Budget budget, vector[uint8_t]& is_taken) except -1:
        """Mark the chunks to take when not all fit."""
        cdef LongChunks long_chunks = LongChunks()
        cdef vector[uint64_t] chosen
        cdef uint64_t n_taken = 0, bytes_taken = 0, i
        cdef uint32_t size
        cdef bint is_full = False
        is_taken.resize(self.chunks.size(), False)
        for i in range(self.chunks.size()):
            size = self.chunks[i].size
            if budget.is_long(size):
                long_chunks.add(self.chunks[i].count, i, size)
                continue
            is_full = is_full or not budget.fits(n_taken + 1, bytes_taken + size)
            if not is_full:
                is_taken[i] = True
                n_taken += 1
                bytes_taken += size
        long_chunks.choose(budget, n_taken, bytes_taken, chosen)
        for i in range(chosen.size()):
            is_taken[chosen[i]] = True
        return 0

    def items(self):
        """Return all (text, count) pairs in the table's order. A boundary is the text b"\\xff"."""
        return self.items_from(0, self.chunks.size())

    def items_from(self, uint64_t begin, uint64_t end):
        """Return the (text, count) pairs begin <= i < end; fewer where the table ends earlier."""
        cdef uint64_t i
        cdef Chunk chunk
        result = []
        for i in range(begin, min(end, self.chunks.size())):
            chunk = self.chunks[i]
            result.append((self.texts.data()[chunk.begin:chunk.begin + chunk.size], chunk.count))
        return result

    def __len__(self):
        return self.chunks.size()

    @property
    def has_origins(self):
        """Whether the table is of several sources."""
        return not self.origins.empty()

    @property
    def text_bytes(self):
        """Bytes of all distinct texts."""
        return self.texts.size()

    @property
    def total(self):
        """The sum of all counts."""
        cdef uint64_t i, low = 0, high = 0
        for i in range(self.chunks.size()):
            low += self.chunks[i].count & 0xFFFFFFFF
            high += self.chunks[i].count >> 32
        return (int(high) << 32) + low

    @property
    def text_weight(self):
        """Bytes of text in all occurrences of the chunks, without the chunks that were left out."""
        cdef uint64_t i, low = 0, high = 0
        for i in range(self.chunks.size()):
            low += self.chunks[i].size * (self.chunks[i].count & 0xFFFFFFFF)
            high += self.chunks[i].size * (self.chunks[i].count >> 32)
        return (int(high) << 32) + low

    def given_sizes(self, bint has_marks):
        """Return (bytes, characters) of the text in all occurrences of the chunks, with a space as one byte.

        has_marks: a space is U+2581 in the chunks. Those that were left out count too.
        """
        cdef uint64_t i, n_marks
        cdef const uint8_t* text
        cdef uint32_t k, size
        n_bytes = n_all = 0
        for i in range(self.chunks.size()):
            text, size = self.texts.data() + self.chunks[i].begin, self.chunks[i].size
            n_marks = 0
            for k in range(size):
                n_marks += is_space_mark(text + k, size - k)
            n_bytes += (size - (2 * n_marks if has_marks else 0)) * int(self.chunks[i].count)
            n_all += count_chars(text, size) * int(self.chunks[i].count)
        if self.left_out is not None:
            found = dict(self.left_out.characters.items())
            n_bytes += self.left_out.n_bytes - (2 * found.get("\u2581", 0) if has_marks else 0)
            n_all += sum(found.values()) + self.left_out.characters.n_boundaries
        return n_bytes, n_all

    def origin_items(self):
        """Return (occurrences, bit set of sources) of each chunk in the table's order."""
        cdef uint64_t i
        return [(occurrences_of(self, i), sources_of(self, i)) for i in range(self.chunks.size())]

    def equals(self, ChunkTable other):
        """Whether chunks, counts and documents are the same, in the same order; `left_out` is not compared."""
        cdef uint64_t i
        if self.chunks.size() != other.chunks.size() or self.texts.size() != other.texts.size():
            return False
        for i in range(self.chunks.size()):
            if self.chunks[i].count != other.chunks[i].count or self.chunks[i].size != other.chunks[i].size:
                return False
            if not (self.origins.empty() or other.origins.empty()) and (
                self.origins[i].documents != other.origins[i].documents
            ):
                return False
        return self.texts.empty() or memcmp(self.texts.data(), other.texts.data(), self.texts.size()) == 0

    def numbers_block(self, uint64_t begin, uint64_t end):
        """Return the counts (8 bytes each, little-endian), then the sizes (4 bytes), of chunks begin <= i < end."""
        cdef uint64_t n = max(begin, min(end, self.chunks.size())) - begin, i
        cdef bytes block = bytes(12 * n)
        cdef uint8_t* place = <uint8_t*> PyBytes_AS_STRING(block)
        for i in range(n):
            write_little_endian(place + 8 * i, self.chunks[begin + i].count, 8)
            write_little_endian(place + 8 * n + 4 * i, self.chunks[begin + i].size, 4)
        return block

    def documents_block(self, uint64_t begin, uint64_t end):
        """Return the marks of documents (8 bytes each, little-endian) of phrases begin <= i < end."""
        cdef uint64_t n = max(begin, min(end, self.chunks.size())) - begin, i
        cdef bytes block = bytes(8 * n)
        cdef uint8_t* place = <uint8_t*> PyBytes_AS_STRING(block)
        for i in range(n):
            write_little_endian(place + 8 * i, self.origins[begin + i].documents, 8)
        return block

    def texts_block(self, uint64_t begin, uint64_t end):
        """Return bytes begin <= i < end of all texts joined in the table's order. The table must be sorted."""
        end = min(end, self.texts.size())
        return (<const char*> self.texts.data())[begin:end] if begin < end else b""

    def load_numbers(self, bytes block):
        """Append chunks without texts from a block of `numbers_block`."""
        cdef uint64_t n = len(block) // 12, i
        cdef const uint8_t* place = <const uint8_t*> PyBytes_AS_STRING(block)
        cdef Chunk chunk
        chunk.begin = 0
        chunk.hash = 0
        for i in range(n):
            chunk.count = read_little_endian(place + 8 * i, 8)
            chunk.size = <uint32_t> read_little_endian(place + 8 * n + 4 * i, 4)
            self.chunks.push_back(chunk)

    def load_documents(self, bytes block):
        """Give the next phrases, whose numbers are loaded, the marks of a block of `documents_block`."""
        cdef const uint8_t* place = <const uint8_t*> PyBytes_AS_STRING(block)
        cdef uint64_t first = self.origins.size(), i
        for i in range(<uint64_t> (len(block) // 8)):
            self.origins.push_back(Origin(self.chunks[first + i].count, 0, read_little_endian(place + 8 * i, 8)))

    def load_texts(self, bytes block):
        """Append a block of `texts_block` to the texts."""
        cdef const uint8_t* begin = <const uint8_t*> PyBytes_AS_STRING(block)
        if len(block) > 0:
            self.texts.insert(self.texts.end(), begin, begin + len(block))

    def finish_loading(self, LeftOut left_out=None):
        """Assign the loaded texts to the chunks. Return an error text for an invalid table, else None."""
        cdef uint64_t begin = 0, i
        cdef SortKey key, before = SortKey(0, 0, NULL, 0, 0)
        cdef Chunk* chunk
        for i in range(self.chunks.size()):
            if i % KEYS_AT_ONCE == 0:
                PyErr_CheckSignals()
            chunk = &self.chunks[i]
            if chunk.size == 0 or chunk.size > 0x7FFFFFFF or chunk.size > self.texts.size() - begin:
                return f"chunk {i} has {chunk.size} bytes"
            if chunk.count == 0 or chunk.count > MAX_SAVED:
                return f"chunk {i} has the count {chunk.count}, not 1..2^63 - 1"
            chunk.begin = begin
            begin += chunk.size
            chunk.hash = hash_text(self.texts.data() + chunk.begin, chunk.size, &hash_key)
            key.text = self.texts.data() + chunk.begin
            key.size = chunk.size
            key.count = chunk.count
            key.prefix = big_endian_prefix(key.text, key.size)
            if i > 0 and not is_more_frequent(before, key):
                return f"chunk {i} is in the wrong place: counts must fall, and among equal counts the bytes must rise"
            before = key
        self.left_out = left_out
        return None if begin == self.texts.size() else f"{self.texts.size() - begin} bytes of text are left over"


cdef inline double inverse_square(double x) noexcept nogil:
    return 1 / (x * x)


cdef uint64_t gcd(uint64_t a, uint64_t b) noexcept nogil:
    """Return the greatest common divisor (Euclid); gcd(0, b) is b."""
    while b:
        a, b = b, a % b
    return a


cdef inline void write_little_endian(uint8_t* place, uint64_t value, int size) noexcept nogil:
    cdef int i
    for i in range(size):
        place[i] = <uint8_t> (value >> (8 * i))


cdef inline uint64_t read_little_endian(const uint8_t* place, int size) noexcept nogil:
    cdef uint64_t value = 0
    cdef int i
    for i in range(size):
        value |= <uint64_t> place[i] << (8 * i)
    return value
