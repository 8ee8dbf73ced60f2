"""Counts n-grams, computes discounts and contexts, and scores texts by interpolation from order 1 up.

A `Part` has the steps: `count`, `finish`, `score`. The hot function is `probability`. Header: kneser_ney.pxd.
"""

cimport cython
from libc.math cimport log2
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.system.heap cimport refill
from spm_lite.base.system.thread_tasks cimport run_workers
from spm_lite.evaluation.prediction.kneser_ney cimport add_gram, count_of, drop_table, table_bytes

from spm_lite.errors import TextError

MOST_SYMBOLS = (1 << 21) - 2     # three symbols are one key of 64 bits

cdef enum Task:
    COUNT
    FINISH
    SCORE

cdef int64_t UNIT = <int64_t> 1 << 50

cdef enum:
    LOOKED_AT = 1 << 16     # tokens between two looks at the memory


@cython.final
cdef class NgramModel:
    """A model of the order n of the tokens of texts.

    order: 1 to 3. size: of the vocabulary. symbols: of each id, and last of an id -1, a number from 0 on, or -1 if it
    does not occur. n_symbols: how many there are. part_of: for each of them, and for the symbol before a text, a number
    below n_parts.
    """

    def __cinit__(
        self, int order, int64_t size, const int32_t[::1] symbols not None, int32_t n_symbols,
        const uint16_t[::1] part_of not None, int n_parts,
    ):
        cdef Py_ssize_t i
        if n_symbols > <int32_t> MOST_SYMBOLS:
            raise TextError(
                f"{n_symbols:,} different tokens are more than the {MOST_SYMBOLS:,} of an n-gram model: pass a smaller "
                "ngram_bytes"
            )
        self.order = order
        self.n_parts = n_parts
        self.begin, self.end = n_symbols, n_symbols + 1
        while (n_symbols + 1) >> self.symbol_bits:
            self.symbol_bits += 1
        self.base = 1.0 / <double> (size + 1)
        for i in range(symbols.shape[0]):
            self.symbols.push_back(symbols[i])
        for i in range(part_of.shape[0]):
            self.part_of.push_back(part_of[i])
        refill(self.unigrams, <size_t> n_symbols + 2, <int64_t> 0)
        refill(self.first, <size_t> n_symbols + 2, <double> 0)
        self.follows.resize(<size_t> n_symbols + 2)

    def complete(self):
        """Compute the discounts and p_1, after all parts have been counted."""
        cdef Level* lowest = &self.levels[0]
        cdef Context all = Context(0, [0, 0, 0])
        cdef uint32_t count
        cdef size_t i
        cdef int k
        for i in range(self.unigrams.size()):
            count = <uint32_t> self.unigrams[i]
            if count:
                all.total += count
                all.kinds[min(count, <uint32_t> KINDS) - 1] += 1
                lowest.entries += 1
                if count <= 4:
                    lowest.counts_of_counts[count - 1] += 1
        for k in range(self.order):
            self.fill_discounts(&self.levels[k])
        for i in range(self.unigrams.size()):
            self.first[i] = self.base
            if all.total:
                self.first[i] = mixed(&all, lowest, <uint32_t> self.unigrams[i], self.base)

    cdef void fill_discounts(self, Level* level) noexcept nogil:
        """Set the discounts of a level from its counts of counts."""
        cdef int64_t* n = level.counts_of_counts
        cdef double y
        cdef int j
        level.is_fallback = n[0] == 0 or n[1] == 0 or n[2] == 0
        if not level.is_fallback:
            y = n[0] / (n[0] + 2.0 * n[1])
            for j in range(1, KINDS + 1):
                level.discounts[j] = j - (j + 1) * y * n[j] / n[j - 1]
                level.is_fallback |= not 0 < level.discounts[j] <= j
        level.discounts[0] = 0
        if level.is_fallback:
            level.discounts[1], level.discounts[2], level.discounts[3] = 0.5, 1.0, 1.5

    def report(self):
        """Return discounts, counts of counts, fallback and entries, each by level."""
        figures = {"discounts": {}, "counts_of_counts": {}, "fallback": {}, "entries": {}}
        cdef int k
        for k in range(self.order):
            level = str(k + 1)
            figures["discounts"][level] = [self.levels[k].discounts[j] for j in range(1, KINDS + 1)]
            figures["counts_of_counts"][level] = list(self.levels[k].counts_of_counts)
            figures["fallback"][level] = bool(self.levels[k].is_fallback)
            figures["entries"][level] = self.levels[k].entries
        return figures


@cython.final
cdef class Part(Worker):
    """One part of a model: what follows some of its symbols.

    limit: bytes of its tables, above which counting ends; 0: none.
    """

    def __cinit__(self, NgramModel model not None, int number, uint64_t limit):
        self.model = model
        self.number = number
        self.limit = limit
        self.clear()

    def clear(self):
        """Forget all counts."""
        cdef int k
        drop_table(&self.grams)
        drop_table(&self.pairs)
        drop_table(&self.places)
        self.contexts = vector[Context]()
        refill(self.unigrams, self.model.unigrams.size(), <int64_t> 0)
        for k in range(MOST_ORDER):
            self.levels[k] = Level(0, [0, 0, 0, 0], [0, 0, 0, 0], False)

    cdef int work(self) except -1 nogil:
        if self.task == <int> COUNT:
            return self.count()
        return self.score() if self.task == <int> SCORE else self.finish()

    cdef int count(self) except -1 nogil:
        """Count the n-grams of the wanted texts whose last symbol but one is of this part."""
        cdef const int32_t* ids = self.texts.ids
        cdef const int32_t* symbols = self.model.symbols.data()
        cdef const uint16_t* part_of = self.model.part_of.data()
        cdef int32_t unknown = <int32_t> self.model.symbols.size() - 1, before, last, next, n
        cdef int order = self.model.order, b = self.model.symbol_bits
        cdef int64_t i, k
        cdef uint64_t n_seen = 0
        for i in range(self.texts.n_texts):
            n = self.texts.lengths[i]
            if not self.texts.wanted[i] or self.is_too_large:
                ids += n
                continue
            before, last = -1, self.model.begin
            for k in range(n + 1):
                next = self.model.end if k == n else symbols[ids[k] if ids[k] >= 0 else unknown]
                if part_of[last] == self.number:
                    if order == 1:
                        self.unigrams[next] += 1
                    elif order == 2:
                        add_gram(&self.grams, <uint64_t> last << b | <uint64_t> next, 1)
                    elif before < 0:  # what a text begins with is counted as it is
                        add_gram(&self.pairs, <uint64_t> last << b | <uint64_t> next, 1)
                    else:
                        add_gram(&self.grams, (<uint64_t> before << b | <uint64_t> last) << b | <uint64_t> next, 1)
                before, last = last, next
            ids += n
            n_seen += <uint64_t> n + 1
            if n_seen > LOOKED_AT:
                n_seen = 0
                self.is_too_large = 0 < self.limit < table_bytes(&self.grams) + table_bytes(&self.pairs)
        return 0

    cdef int finish(self) except -1 nogil:
        """Make the contexts and the counts of the shorter n-grams."""
        cdef int b = self.model.symbol_bits
        cdef uint64_t mask = (<uint64_t> 1 << b) - 1, low = (<uint64_t> 1 << 2 * b) - 1, key
        cdef size_t i
        cdef uint32_t count
        if self.model.order == 3:
            for i in range(self.grams.keys.size()):
                if self.grams.keys[i] == 0:
                    continue
                key, count = self.grams.keys[i] - 1, self.grams.counts[i]
                self.add_count(2, count)
                self.add_context(key >> b, count)
                add_gram(&self.pairs, key & low, 1)
        if self.model.order > 1 and not self.is_known:
            self.count_pairs(&self.pairs if self.model.order == 3 else &self.grams, b, mask)
        return 0

    cdef int count_pairs(self, const GramTable* pairs, int b, uint64_t mask) noexcept nogil:
        """Add the pairs to what follows their first symbols, and to the a_1 of their second."""
        cdef size_t i
        cdef uint64_t key
        cdef uint32_t count
        cdef Context* context
        for i in range(pairs.keys.size()):
            if pairs.keys[i] == 0:
                continue
            key, count = pairs.keys[i] - 1, pairs.counts[i]
            self.add_count(1, count)
            context = &self.model.follows.data()[key >> b]  # no other part has this symbol
            context.total += count
            context.kinds[min(count, <uint32_t> KINDS) - 1] += 1
            self.unigrams[key & mask] += 1
        return 0

    cdef int add_context(self, uint64_t key, uint32_t count) except -1 nogil:
        """Add a count to what follows the two symbols of a key."""
        cdef uint32_t place = count_of(&self.places, key)
        cdef Context* context
        if place == 0:
            self.contexts.resize(self.contexts.size() + 1)
            place = <uint32_t> self.contexts.size()
            add_gram(&self.places, key, place)
        context = &self.contexts.data()[place - 1]
        context.total += count
        context.kinds[min(count, <uint32_t> KINDS) - 1] += 1
        return 0

    cdef void add_count(self, int level, uint32_t count) noexcept nogil:
        """Count an n-gram of `level` + 1 symbols."""
        self.levels[level].entries += 1
        if count <= 4:
            self.levels[level].counts_of_counts[count - 1] += 1

    cdef int score(self) except -1 nogil:
        """Set `bits` to those of the wanted texts, as far as they are predicted from symbols of this part."""
        cdef const int32_t* ids = self.texts.ids
        cdef const int32_t* symbols = self.model.symbols.data()
        cdef const uint16_t* part_of = self.model.part_of.data()
        cdef int32_t unknown = <int32_t> self.model.symbols.size() - 1, before, last, next, n
        cdef int64_t i, k
        cdef ExactSum total
        for i in range(self.texts.n_texts):
            n = self.texts.lengths[i]
            if not self.texts.wanted[i]:
                ids += n
                continue
            before, last = -1, self.model.begin
            total = ExactSum(0, 0)
            for k in range(n + 1):
                next = self.model.end if k == n else symbols[ids[k] if ids[k] >= 0 else unknown]
                if part_of[last] == self.number:
                    add_bits(&total, -log2(self.probability(before, last, next)))
                before, last = last, next
            self.bits[i] = total
            ids += n
        return 0

    cdef double probability(self, int32_t before, int32_t last, int32_t next) noexcept nogil:
        """p of a symbol after two others. before: -1: there is only one."""
        cdef int order = self.model.order, b = self.model.symbol_bits
        cdef uint64_t pair = <uint64_t> last << b | <uint64_t> next
        cdef double p = self.model.first.data()[next]
        cdef const Context* context
        cdef uint32_t place
        if order == 1:
            return p
        context = &self.model.follows.data()[last]
        if context.total:
            p = mixed(context, &self.model.levels[1], count_of(&self.pairs if order == 3 else &self.grams, pair), p)
        if order == 3 and before >= 0:
            place = count_of(&self.places, <uint64_t> before << b | <uint64_t> last)
            if place:
                pair |= <uint64_t> before << 2 * b
                p = mixed(&self.contexts.data()[place - 1], &self.model.levels[2], count_of(&self.grams, pair), p)
        return p


cdef inline void add_bits(ExactSum* total, double bits) noexcept nogil:
    """Add a number that is not negative, rounded to 1 / UNIT."""
    cdef int64_t whole = <int64_t> bits
    total.whole += whole
    total.rest += <int64_t> ((bits - <double> whole) * <double> UNIT + 0.5)
    carry(total)


cdef inline void carry(ExactSum* total) noexcept nogil:
    """Make the rest smaller than UNIT again; it is smaller than two."""
    if total.rest >= UNIT:
        total.rest -= UNIT
        total.whole += 1


cdef inline double mixed(const Context* context, const Level* level, uint32_t count, double shorter) noexcept nogil:
    """p_k of a symbol with this count after a context, from p_(k-1)."""
    cdef double total = context.total
    cdef double rest = (
        level.discounts[1] * context.kinds[0] + level.discounts[2] * context.kinds[1]
        + level.discounts[3] * context.kinds[2]
    )
    return (count - level.discounts[min(count, <uint32_t> KINDS)]) / total + rest / total * shorter


def run_parts(list parts not None, str task not None, ids, lengths, wanted):
    """Let parts count or score the texts of a block, each on a thread.

    task: "count" or "score". ids, lengths: int32 arrays of the texts. wanted: uint8, which of them count.
    Return after "score" the bits of each text, as lists of whole numbers and of rests in 2^-50; 0 for those that do not
    count.
    """
    cdef const int32_t[::1] flat = ids, sizes = lengths
    cdef const uint8_t[::1] flags = wanted
    cdef vector[ExactSum] bits
    cdef Part part
    cdef size_t i
    for part in parts:
        part.task = SCORE if task == "score" else COUNT
        part.texts.n_texts = sizes.shape[0]
        if sizes.shape[0]:
            part.texts.lengths, part.texts.wanted = &sizes[0], &flags[0]
        if flat.shape[0]:
            part.texts.ids = &flat[0]
        refill(part.bits, <size_t> sizes.shape[0], ExactSum(0, 0))
    run_workers(parts)
    if task != "score":
        return None
    refill(bits, <size_t> sizes.shape[0], ExactSum(0, 0))
    for part in parts:
        for i in range(bits.size()):
            bits[i].whole += part.bits[i].whole
            bits[i].rest += part.bits[i].rest
            carry(&bits[i])
    return [one.whole for one in bits], [one.rest for one in bits]


def finish_parts(list parts not None, bint is_known):
    """Make what scoring needs of the counts of parts, each on a thread.

    is_known: the parts were counted before, and the model knows their sums.
    """
    cdef NgramModel model
    cdef Part part
    cdef size_t i
    cdef int k, j
    for part in parts:
        part.task = FINISH
        part.is_known = is_known
    run_workers(parts)
    if is_known:
        return
    for part in parts:
        model = part.model
        for i in range(part.unigrams.size()):
            model.unigrams[i] += part.unigrams[i]
        for k in range(1, MOST_ORDER):
            model.levels[k].entries += part.levels[k].entries
            for j in range(4):
                model.levels[k].counts_of_counts[j] += part.levels[k].counts_of_counts[j]
