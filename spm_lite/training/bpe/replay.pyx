"""Replays merges chunk by chunk with a priority queue, the earliest merge first, in blocks of cells per thread.

`MergeRanks.is_rebuilt` tells whether encoding would reach a merge. Header: replay.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.queue cimport priority_queue
from libcpp.vector cimport vector

from spm_lite.base.system.thread_tasks cimport TaskThread, is_stopped, run_tasks
from spm_lite.training.bpe.pairs cimport Pair, PairTable
from spm_lite.training.bpe.symbols cimport NO_SYMBOL, Cell, LearnedSymbol, SymbolTable, write_merge
from spm_lite.training.counts.chunk_table cimport ChunkTable

cdef uint32_t NO_RANK = <uint32_t> -1


@cython.final
cdef class MergeRanks:
    """The merges so far, by their bytes.

    Encoding joins any two neighbours whose bytes are a piece, the lowest rank first. Training counts pairs of symbols,
    so it may learn a pair that encoding never has side by side: earlier merges would have joined its bytes otherwise.
    """

    def __cinit__(self):
        self.pieces = ChunkTable()

    cdef bint add_rebuilt(self, const uint32_t* units, int32_t length) except -1 nogil:
        """Add the next merge; False: encoding would not make it, or another merge has the same bytes. units: bytes."""
        cdef uint64_t n_pieces = self.pieces.chunks.size()
        if not self.is_rebuilt(units, length):
            return False
        self.pieces.add(self.text.data(), <uint32_t> length, 1)
        return self.pieces.chunks.size() > n_pieces

    cdef int fill_text(self, const uint32_t* units, int32_t length) except -1 nogil:
        cdef int32_t i
        self.text.clear()
        for i in range(length):
            self.text.push_back(<uint8_t> units[i])
        return 0

    cdef bint is_rebuilt(self, const uint32_t* units, int32_t length) except -1 nogil:
        """Whether the merges so far join these bytes to two parts, so that a merge of the two is reached."""
        cdef size_t i, best
        cdef int32_t k
        self.fill_text(units, length)
        self.begins.clear()
        self.pair_ranks.clear()
        for k in range(length + 1):
            self.begins.push_back(k)
        for i in range(<size_t> length - 1):
            self.pair_ranks.push_back(self.rank_of_pair(i))
        while self.pair_ranks.size() > 1:
            best = 0
            for i in range(1, self.pair_ranks.size()):
                if self.pair_ranks[i] < self.pair_ranks[best]:
                    best = i
            if self.pair_ranks[best] == NO_RANK:
                return False
            self.begins.erase(self.begins.begin() + best + 1)
            self.pair_ranks.erase(self.pair_ranks.begin() + best)
            if best:
                self.pair_ranks[best - 1] = self.rank_of_pair(best - 1)
            if best < self.pair_ranks.size():
                self.pair_ranks[best] = self.rank_of_pair(best)
        return True

    cdef uint32_t rank_of_pair(self, size_t i) noexcept nogil:
        """The rank of the piece that part `i` and the next one form; NO_RANK: none."""
        return <uint32_t> self.pieces.find(self.text.data() + self.begins[i], self.begins[i + 2] - self.begins[i])


cdef enum:
    CELLS_PER_TASK = 1 << 20
    STEPS_BETWEEN_CHECKS = 1 << 16

cdef uint32_t NONE = <uint32_t> -1


cdef class Replay:
    """The merges and the cells of one call; only `merge_block` changes the cells."""

    cdef PairTable merges       # the pairs in the order in which they were merged
    cdef Cell* cells
    cdef const LearnedSymbol* symbols
    cdef uint32_t n_characters  # symbols of one character; those of merges follow
    cdef vector[uint64_t] block_begins      # offsets in cells, between chunks; one more than there are blocks

    cdef int merge_block(self, uint32_t block, const TaskThread* worker) except -1 nogil:
        """Replay the merges in the chunks of one block of cells."""
        cdef priority_queue[uint64_t] queue
        cdef uint64_t begin, end = self.block_begins[block]
        while end < self.block_begins[block + 1]:
            begin = end
            while end < self.block_begins[block + 1] and self.cells[end].symbol != NO_SYMBOL:
                self.propose(end, self.cells[end].symbol, self.cells[end + 1].symbol, queue)
                end += 1
            self.merge_chunk(queue, worker)
            if begin == end:
                end += 1
            if is_stopped(worker):
                break
        return 0

    cdef int propose(
        self, uint64_t place, uint32_t left, uint32_t right, priority_queue[uint64_t]& queue,
    ) except -1 nogil:
        """Queue the merge of two neighbours, if there is one. Order: the earliest merge, then the leftmost cell."""
        cdef uint32_t merge = NONE if right == NO_SYMBOL else self.merges.find(left, right)
        if merge != NONE:
            queue.push(~(<uint64_t> merge << 32 | place))
        return 0

    cdef int merge_chunk(self, priority_queue[uint64_t]& queue, const TaskThread* worker) except -1 nogil:
        """Make the queued merges, and the merges that these make possible."""
        cdef Cell* cells = self.cells
        cdef uint32_t merged, symbol, n_steps = 0
        cdef uint64_t key, place, middle, end
        cdef Pair pair
        while not queue.empty():
            key = ~queue.top()
            queue.pop()
            place = <uint32_t> key
            pair = self.merges.pairs[key >> 32]
            middle = place + self.symbols[pair.left].length
            if cells[place].symbol != pair.left or cells[middle].symbol != pair.right:
                continue  # stale: one of the two symbols has been merged with another
            end = middle + self.symbols[pair.right].length
            merged = self.n_characters + <uint32_t> (key >> 32)
            write_merge(cells, place, middle, end, merged)
            symbol = cells[place - 1].symbol
            if symbol != NO_SYMBOL:
                self.propose(place - self.symbols[symbol].length, symbol, merged, queue)
            self.propose(place, merged, cells[end].symbol, queue)
            n_steps += 1
            if n_steps % STEPS_BETWEEN_CHECKS == 0 and is_stopped(worker):
                break
        return 0


cdef int merge_task(void* remerger, uint32_t task, const TaskThread* worker) except -1 nogil:
    with gil:
        merge_with_gil(<Replay> remerger, task, worker)
    return 0


cdef int merge_with_gil(Replay remerger, uint32_t block, const TaskThread* worker) except -1:
    with nogil:
        remerger.merge_block(block, worker)
    return 0


cdef int merge_again(vector[Cell]& cells, SymbolTable symbols, PairTable merges, uint32_t n_threads) except -1 nogil:
    """Make all merges in the cells of a text, which hold single characters.

    merges: the pairs in the order in which they were merged; pair k became the symbol of index n_characters + k.
    """
    with gil:
        remerge(cells, symbols, merges, n_threads)
    return 0


cdef int remerge(vector[Cell]& cells, SymbolTable symbols, PairTable merges, uint32_t n_threads) except -1:
    cdef Replay remerger = Replay()
    cdef uint64_t place = 0
    remerger.merges = merges
    remerger.cells = cells.data()
    remerger.symbols = symbols.symbols.data()
    remerger.n_characters = <uint32_t> (symbols.symbols.size() - merges.pairs.size())
    while place < cells.size():
        remerger.block_begins.push_back(place)
        place += CELLS_PER_TASK
        while place < cells.size() and cells[place].symbol != NO_SYMBOL:
            place += 1
    remerger.block_begins.push_back(cells.size())
    with nogil:
        run_tasks(merge_task, <void*> remerger, <uint32_t> remerger.block_begins.size() - 1, n_threads)
    return 0
