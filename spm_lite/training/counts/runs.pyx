"""Writes sorted runs, merges them with a binary heap, and loads of the result what fits the budget.

In the order of use: RunWriter, RunReader, Histogram, RunMerger, HistogramPass, LoadingPass, LongPass,
BlockPass. Header: runs.pxd.
"""

cimport cython
from cpython.buffer cimport PyBUF_WRITE
from cpython.memoryview cimport PyMemoryView_FromMemory
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memmove
from libcpp.vector cimport vector

from spm_lite.base.system.heap cimport give_back_memory
from spm_lite.base.system.thread_tasks cimport TaskThread, is_stopped, run_tasks
from spm_lite.training.counts.characters cimport LeftOut
from spm_lite.training.counts.chunk_budget cimport Budget, LongChunks
from spm_lite.training.counts.chunk_order cimport SortKey, big_endian_prefix, is_less, sort_key, sort_keys
from spm_lite.training.counts.chunk_table cimport Chunk, ChunkTable, Origin, add_origin

from spm_lite.errors import TrainingError

cdef uint32_t HAS_ORIGIN = <uint32_t> 1 << 31   # a bit of the size in a run

cdef enum:
    HEADER = 12                 # bytes before the text of a chunk, or before its origin
    WRITE_AT_ONCE = 1 << 20     # bytes
    READ_AT_ONCE = 1 << 17      # bytes per run
    CHUNKS_AT_ONCE = 1 << 16    # between two checks for Ctrl-C
    N_BUCKETS = 1 << 16         # of a Histogram


@cython.final
cdef class RunWriter:
    """Appends chunks to a raw (unbuffered) file."""

    def __cinit__(self, file):
        self.file = file
        self.n_written = 0

    cdef int put(self, const uint8_t* text, uint32_t size, uint64_t count, const Origin* origin) except -1 nogil:
        """Append one chunk. origin: NULL in a table of one source."""
        cdef uint64_t place = self.buffer.size(), n_more = 0 if origin == NULL else sizeof(Origin)
        cdef uint32_t sized = size if origin == NULL else size | HAS_ORIGIN
        self.buffer.resize(place + HEADER + n_more + size)
        memcpy(self.buffer.data() + place, &sized, 4)
        memcpy(self.buffer.data() + place + 4, &count, 8)
        if origin != NULL:
            memcpy(self.buffer.data() + place + HEADER, origin, sizeof(Origin))
        memcpy(self.buffer.data() + place + HEADER + n_more, text, size)
        if self.buffer.size() >= WRITE_AT_ONCE:
            self.write_buffer()
        return 0

    cdef int write_buffer(self) except -1 nogil:
        cdef uint64_t done = 0
        with gil:
            while done < self.buffer.size():
                done += self.file.write(view_of(self.buffer.data() + done, self.buffer.size() - done))
            self.n_written += done
        self.buffer.clear()
        return 0


@cython.final
cdef class RunReader:
    """Reads several raw files, each chunk by chunk."""

    def __cinit__(self, list files):
        self.files = files
        self.runs.resize(len(files))
        self.buffers.resize(len(files))
        self.n_read = 0
        for number, file in enumerate(files):
            file.seek(0)
            self.runs[<uint32_t> number] = Run(0, 0, NULL, 0, 0, False, Origin(0, 0, 0), 0)
            self.buffers[<uint32_t> number].resize(READ_AT_ONCE)

    cdef bint next(self, uint32_t number) except -1 nogil:
        """Read the next chunk of one run; False: the run has ended."""
        cdef Run* run = &self.runs[number]
        cdef const uint8_t* place
        cdef uint64_t n_needed, n_more = 0
        if run.end - run.begin < HEADER and not self.fill(number, HEADER) and run.end == 0:
            return False
        n_needed = HEADER
        if run.end - run.begin >= HEADER:
            memcpy(&run.size, self.buffers[number].data() + run.begin, 4)
            run.has_origin = run.size >= HAS_ORIGIN
            run.size &= ~HAS_ORIGIN
            n_more = sizeof(Origin) if run.has_origin else 0
            n_needed += run.size + n_more
        if run.end - run.begin < n_needed and not self.fill(number, n_needed):
            raise TrainingError("a temporary file ended too early when it was read back: something else has changed it")
        place = self.buffers[number].data() + run.begin
        memcpy(&run.count, place + 4, 8)
        if run.has_origin:
            memcpy(&run.origin, place + HEADER, sizeof(Origin))
        run.text = place + HEADER + n_more
        run.prefix = big_endian_prefix(run.text, run.size)
        run.begin += n_needed
        self.n_read += n_needed
        return True

    cdef bint fill(self, uint32_t number, uint64_t n_needed) except -1 nogil:
        """Read until the buffer holds `n_needed` bytes; False: the file ends first."""
        cdef Run* run = &self.runs[number]
        cdef vector[uint8_t]* buffer = &self.buffers[number]
        cdef uint64_t n_read
        run.end -= run.begin
        memmove(buffer.data(), buffer.data() + run.begin, run.end)
        run.begin = 0
        if buffer.size() < n_needed:
            buffer.resize(n_needed)
        with gil:
            while run.end < n_needed:
                n_read = self.files[number].readinto(view_of(buffer.data() + run.end, buffer.size() - run.end))
                if n_read == 0:
                    return False
                run.end += n_read
        return True


cdef object view_of(uint8_t* data, uint64_t size):
    """Return a memoryview for a file to write from or read into; it must not outlive the call."""
    return PyMemoryView_FromMemory(<char*> data, size, PyBUF_WRITE)


cdef struct SpillJob:
    # The data that the tasks of one spill share: borrowed Python lists.
    void* tables
    void* writers


cdef int write_run(void* job_pointer, uint32_t task, const TaskThread* worker) except -1 nogil:
    """Write one table as a run (a task)."""
    cdef SpillJob* job = <SpillJob*> job_pointer
    with gil:
        write_with_gil((<list> job.tables)[task], (<list> job.writers)[task], worker)
    return 0


cdef int write_with_gil(ChunkTable table, RunWriter writer, const TaskThread* worker) except -1:
    with nogil:
        write_table(table, writer, worker)
    return 0


cdef int write_table(ChunkTable table, RunWriter writer, const TaskThread* worker) except -1 nogil:
    """Write the chunks of a table, bytes ascending, and empty the table."""
    cdef vector[SortKey] keys
    cdef const Origin* origin = NULL
    cdef const Chunk* chunk
    cdef uint64_t i
    keys.resize(table.chunks.size())
    for i in range(keys.size()):
        chunk = &table.chunks[i]
        keys[i] = sort_key(table.texts.data() + chunk.begin, chunk.size, chunk.count, chunk.hash)
    sort_keys(keys.data(), keys.size(), is_less, worker)
    for i in range(keys.size()):
        if i % CHUNKS_AT_ONCE == 0 and is_stopped(worker):
            return 0
        if not table.origins.empty():
            origin = &table.origins[table.index_of(keys[i].text)]
        writer.put(keys[i].text, keys[i].size, keys[i].count, origin)
    writer.write_buffer()
    table.clear()
    return 0


def spill_tables(list tables, list files):
    """Write each table to the file of the same index, empty the tables, and return the bytes written."""
    cdef SpillJob job
    cdef ChunkTable table
    cdef uint32_t n_tables = <uint32_t> len(tables)
    for table in tables:
        table.drop_slots()
    give_back_memory()  # the memory limit does not allow for free memory beside the sort keys
    writers = [RunWriter(file) for file in files]
    job.tables = <void*> tables
    job.writers = <void*> writers
    run_tasks(write_run, &job, n_tables, n_tables)
    give_back_memory()
    return sum([writer.n_written for writer in writers])


@cython.final
cdef class Histogram:
    """A histogram over counts: the number and bytes of the chunks that are not long, per bucket.

    Buckets span `width` counts each, from `least` on; the last one takes all greater counts.
    """

    cdef Budget budget
    cdef readonly uint64_t least
    cdef readonly uint64_t width
    cdef readonly uint64_t greatest     # the greatest count so far
    cdef vector[uint64_t] n_chunks      # per bucket
    cdef vector[uint64_t] n_bytes

    def __cinit__(self, Budget budget, uint64_t least=1, uint64_t end=N_BUCKETS):
        """Resolve counts least <= count < end as finely as the buckets allow."""
        self.budget = budget
        self.least = least
        self.width = max((end - least + N_BUCKETS - 2) // (N_BUCKETS - 1), <uint64_t> 1)
        self.greatest = 0
        self.n_chunks.resize(N_BUCKETS, 0)
        self.n_bytes.resize(N_BUCKETS, 0)

    cdef void add(self, uint32_t size, uint64_t count) noexcept nogil:
        """Add one chunk, unless it is long or its count is below `least`."""
        cdef uint64_t bucket
        if count < self.least or self.budget.is_long(size):
            return
        bucket = min((count - self.least) // self.width, <uint64_t> N_BUCKETS - 1)
        self.n_chunks[bucket] += 1
        self.n_bytes[bucket] += size
        self.greatest = max(self.greatest, count)

    def crowded(self):
        """Return the bucket where the budget ends: (low, high, n_chunks, n_bytes), or None if all chunks fit.

        low, high: low <= count < high in the first bucket, from the greatest counts down, that does not fit as a
        whole. n_chunks, n_bytes: sums over the buckets above it.
        """
        cdef uint64_t n_chunks = 0, n_bytes = 0, i
        for i in range(N_BUCKETS, 0, -1):
            if not self.budget.fits(n_chunks + self.n_chunks[i - 1], n_bytes + self.n_bytes[i - 1]):
                low = int(self.least) + int(self.width) * (i - 1)
                high = int(self.greatest) + 1 if i == N_BUCKETS else low + int(self.width)
                return low, high, n_chunks, n_bytes
            n_chunks += self.n_chunks[i - 1]
            n_bytes += self.n_bytes[i - 1]
        return None


@cython.final
cdef class RunMerger:
    """A k-way merge of runs with a binary heap, which also fills a histogram. Call `step` until it is done."""

    cdef RunReader reader
    cdef RunWriter writer
    cdef vector[uint32_t] heap          # indices of runs, the one with the least chunk first
    cdef vector[uint8_t] text           # the chunk whose counts are added up now
    cdef Histogram histogram
    cdef LongChunks long_chunks
    cdef uint64_t n_chunks              # written so far

    def __cinit__(self, list files, target, Histogram histogram, LongChunks long_chunks):
        """files: at least one. target: an empty raw file."""
        cdef uint32_t number
        self.reader = RunReader(files)
        self.writer = RunWriter(target)
        self.histogram = histogram
        self.long_chunks = long_chunks
        self.n_chunks = 0
        for number in range(<uint32_t> len(files)):
            if self.reader.next(number):
                self.heap.push_back(number)
        for number in range(<uint32_t> self.heap.size(), 0, -1):
            self.sift_down(number - 1)

    @property
    def n_read(self):
        """Bytes of the runs read so far."""
        return self.reader.n_read

    def step(self):
        """Merge some chunks; False: all are merged."""
        cdef uint64_t _i
        cdef bint has_more = True
        with nogil:
            for _i in range(CHUNKS_AT_ONCE):
                has_more = not self.heap.empty()
                if not has_more:
                    self.writer.write_buffer()
                    break
                self.merge_next()
        return has_more

    cdef int merge_next(self) except -1 nogil:
        """Write the least chunk with the sum of its counts in all runs."""
        cdef const Run* run = &self.reader.runs[self.heap[0]]
        cdef Origin origin = Origin(0, 0, 0)
        cdef bint has_origin = run.has_origin
        cdef uint64_t count = 0
        self.text.assign(run.text, run.text + run.size)
        while True:
            if run.count > ~count:
                raise TrainingError("the count of one chunk of text exceeds 2^64 - 1; scale the counts down")
            count += run.count
            add_origin(&origin, &run.origin)
            if not self.reader.next(self.heap[0]):
                self.heap[0] = self.heap.back()
                self.heap.pop_back()
            if self.heap.empty():
                break
            self.sift_down(0)
            run = &self.reader.runs[self.heap[0]]
            if run.size != self.text.size() or memcmp(run.text, self.text.data(), run.size) != 0:
                break
        self.histogram.add(<uint32_t> self.text.size(), count)
        if self.histogram.budget.is_long(<uint32_t> self.text.size()):
            self.long_chunks.add(count, self.n_chunks, <uint32_t> self.text.size())
        self.n_chunks += 1
        return self.writer.put(
            self.text.data(), <uint32_t> self.text.size(), count, &origin if has_origin else NULL,
        )

    cdef bint is_before(self, uint32_t a, uint32_t b) noexcept nogil:
        """Whether the current chunk of run `a` is less than that of run `b`. Equal chunks may come in any order."""
        cdef const Run* x = &self.reader.runs[a]
        cdef const Run* y = &self.reader.runs[b]
        cdef int order
        if x.prefix != y.prefix:
            return x.prefix < y.prefix
        order = memcmp(x.text, y.text, min(x.size, y.size))
        return order < 0 or (order == 0 and x.size < y.size)

    cdef void sift_down(self, uint64_t hole) noexcept nogil:
        """Move the run at `hole` down to its place in the heap."""
        cdef uint64_t size = self.heap.size()
        cdef uint64_t child = 2 * hole + 1
        cdef uint32_t number = self.heap[hole]
        while child < size:
            if child + 1 < size and self.is_before(self.heap[child + 1], self.heap[child]):
                child += 1
            if not self.is_before(self.heap[child], number):
                break
            self.heap[hole] = self.heap[child]
            hole = child
            child = 2 * hole + 1
        self.heap[hole] = number


@cython.final
cdef class HistogramPass:
    """A pass over a merged run that fills a histogram. Call `step` until it is done."""

    cdef RunReader reader
    cdef Histogram histogram

    def __cinit__(self, file, Histogram histogram):
        self.reader = RunReader([file])
        self.histogram = histogram

    @property
    def n_read(self):
        """Bytes of the run read so far."""
        return self.reader.n_read

    def step(self):
        """Read some chunks; False: the run has ended."""
        cdef const Run* run = &self.reader.runs[0]
        cdef uint64_t _i
        cdef bint has_more = True
        with nogil:
            for _i in range(CHUNKS_AT_ONCE):
                has_more = self.reader.next(0)
                if not has_more:
                    break
                self.histogram.add(run.size, run.count)
        return has_more


@cython.final
cdef class LoadingPass:
    """A pass over a merged run that loads the chunks within the budget into a table; the others are left out.

    Chunks with a count above `least` are taken: `n_above` chunks of `bytes_above` bytes. Of those with the count
    `least`, the first ones are taken until the budget is full. Long chunks are skipped. Call `step` until it is done.
    """

    cdef RunReader reader
    cdef Budget budget
    cdef ChunkTable table
    cdef LeftOut left_out
    cdef uint64_t least
    cdef uint64_t n_taken               # n_above, and the chunks with the count `least` taken so far
    cdef uint64_t bytes_taken
    cdef bint is_full

    def __cinit__(self, file, Budget budget, uint64_t least=0, uint64_t n_above=0, uint64_t bytes_above=0):
        self.reader = RunReader([file])
        self.budget = budget
        self.table = ChunkTable()
        self.left_out = LeftOut()
        self.least = least
        self.n_taken = n_above
        self.bytes_taken = bytes_above
        self.is_full = False

    @property
    def n_read(self):
        """Bytes of the run read so far."""
        return self.reader.n_read

    def step(self):
        """Read some chunks; False: the run has ended."""
        cdef uint64_t _i
        cdef bint has_more = True
        with nogil:
            for _i in range(CHUNKS_AT_ONCE):
                has_more = self.reader.next(0)
                if not has_more:
                    break
                if not self.budget.is_long(self.reader.runs[0].size):
                    self.take_or_leave(&self.reader.runs[0])
        return has_more

    cdef int take_or_leave(self, const Run* run) except -1 nogil:
        """Take one chunk into the table, or leave it out."""
        cdef bint is_taken = run.count > self.least
        if run.count == self.least and not self.is_full:
            self.is_full = not self.budget.fits(self.n_taken + 1, self.bytes_taken + run.size)
            if not self.is_full:
                is_taken = True
                self.n_taken += 1
                self.bytes_taken += run.size
        return self.put(run, is_taken)

    cdef int put(self, const Run* run, bint is_taken) except -1 nogil:
        if is_taken:
            self.table.append(run.text, run.size, run.count)
            if run.has_origin:
                self.table.origins.push_back(run.origin)
        else:
            self.left_out.add(run.text, <int32_t> run.size, run.count)
        return 0

    def finish(self):
        """Return the table, in canonical order."""
        with nogil:
            give_back_memory()
            self.table.sort()
            give_back_memory()
        if self.left_out.n_chunks > 0:
            self.table.left_out = self.left_out
        return self.table


@cython.final
cdef class LongPass:
    """A second pass over a merged run, after LoadingPass, for its long chunks. Call `step` until it is done."""

    cdef RunReader reader
    cdef LoadingPass loading
    cdef vector[uint64_t] chosen        # indices in the run of the chunks to take, ascending
    cdef uint64_t n_chunks              # read so far
    cdef size_t n_taken                 # of `chosen`

    def __cinit__(self, file, LoadingPass loading, LongChunks long_chunks):
        cdef ChunkTable table = loading.table
        self.reader = RunReader([file])
        self.loading = loading
        self.n_chunks = self.n_taken = 0
        long_chunks.choose(loading.budget, table.chunks.size(), table.texts.size(), self.chosen)

    @property
    def n_read(self):
        """Bytes of the run read so far."""
        return self.reader.n_read

    def step(self):
        """Read some chunks; False: the run has ended."""
        cdef uint64_t _i
        cdef bint has_more = True, is_taken
        with nogil:
            for _i in range(CHUNKS_AT_ONCE):
                has_more = self.reader.next(0)
                if not has_more:
                    break
                is_taken = self.n_taken < self.chosen.size() and self.chosen[self.n_taken] == self.n_chunks
                self.n_taken += is_taken
                self.n_chunks += 1
                if self.loading.budget.is_long(self.reader.runs[0].size):
                    self.loading.put(&self.reader.runs[0], is_taken)
        return has_more


@cython.final
cdef class BlockPass:
    """A pass over a merged run that gives all of its chunks, table by table."""

    cdef RunReader reader

    def __cinit__(self, file):
        self.reader = RunReader([file])

    def next_table(self):
        """Return the table of the next chunks, in the order of the run; empty at its end."""
        cdef ChunkTable table = ChunkTable()
        cdef const Run* run = &self.reader.runs[0]
        with nogil:
            while table.chunks.size() < CHUNKS_AT_ONCE and self.reader.next(0):
                table.append(run.text, run.size, run.count)
                if run.has_origin:
                    table.origins.push_back(run.origin)
        return table
