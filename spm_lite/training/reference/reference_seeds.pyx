"""The original's seeds by a multikey quicksort (Bentley and Sedgewick 1997) of the suffixes of distinct segments.

The original builds a suffix array of the whole text. A string w is a seed if it occurs at least twice and is not always
followed by the same byte. No seed crosses the end of its segment, so the distinct segments with their counts suffice.
Each is followed by an end symbol: the byte after it, which is NUL at the end of a sentence. The original also finds w +
NUL and strips the NUL. So w counts a second time if the byte after that NUL varies. Header: reference_seeds.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy
from libcpp.algorithm cimport nth_element, sort as sort_range
from libcpp.utility cimport pair
from libcpp.vector cimport vector

from spm_lite.base.system.heap cimport TRIM_AFTER, give_back_memory, refill
from spm_lite.base.system.thread_tasks cimport TaskThread, is_stopped, run_tasks
from spm_lite.base.unicode.utf8 cimport encode_char, read_char
from spm_lite.training.counts.chunk_table cimport ChunkTable
from spm_lite.training.counts.piece_rules cimport NEVER, PieceRules, PieceWalk, extend, is_piece, start_walk
from spm_lite.training.reference.reference_text cimport ReferenceText, TextPart, count_segments
from spm_lite.training.unigram.seeds cimport Parts, Suffix, choose_pivot, partition, plan_batches

from spm_lite.errors import TrainingError

cdef enum:
    MIN_COUNT = 2               # weighted occurrences of a seed
    N_ENDS = 256                # lower symbols end a segment: the byte after it
    N_CODE_POINTS = 0x110000
    GUARD = 16                  # times n_seeds: a longer list is shortened after each part of the text,
    GUARDED = 8                 # to so many times n_seeds
    STEPS_BETWEEN_CHECKS = 1 << 20

cdef uint64_t MAX_SYMBOLS = 0xFFFFFFFE
cdef uint32_t NOT_NOW = <uint32_t> -1   # a bucket that is not in the present batch


cdef struct SeedSegment:
    uint64_t count
    int32_t after_nul   # for a segment that ends a sentence: the byte after NUL; -1 at the end of the part


cdef struct SentenceGroup:
    # Suffixes [begin, end) that share their first `depth` symbols.
    uint32_t begin
    uint32_t end
    uint32_t depth
    bint is_part        # one part of a group; suffixes with other symbols at `depth` are in other parts
    PieceWalk walk      # the walk of the piece rules over the shared characters


cdef struct Followers:
    # The bytes and symbols that follow the occurrences of one string.
    uint64_t count      # all occurrences
    uint64_t n_ends     # occurrences at the end of a sentence
    int32_t after_nul   # the byte after NUL at the first of these; -1 at the end of the part
    bint nul_varies     # the byte after NUL is not always the same
    bint byte_varies    # the next byte is not always the same
    bint symbol_varies  # the next symbol is not always the same


cdef struct FoundSeed:
    uint64_t count
    uint32_t begin
    uint32_t length


@cython.final
cdef class SeedText:
    """The distinct segments of one part of the text, as symbols, and the suffixes of the present batch."""

    cdef vector[uint32_t] code_points       # of the alphabet, ascending
    cdef vector[uint8_t] leads              # per symbol: its first byte
    cdef vector[uint8_t] classes            # per symbol: class_of the character
    cdef vector[uint32_t] symbols           # N_ENDS + index in the alphabet; an end symbol follows each segment
    cdef vector[SeedSegment] segments
    cdef vector[uint32_t] sizes             # per character: how many suffixes begin with it
    cdef vector[Suffix] suffixes
    cdef vector[uint32_t] ends              # per character: the end of its bucket in `suffixes`, or NOT_NOW

    cdef int load_alphabet(self, ReferenceText text, vector[uint32_t]& places) except -1 nogil:
        """Load the characters of the alphabet. places: filled with the symbol of each code point up to the last."""
        cdef uint32_t code_point
        cdef uint8_t encoded[4]
        self.leads.resize(N_ENDS)
        refill(self.classes, N_ENDS, NEVER)
        for code_point in range(N_ENDS):
            self.leads[code_point] = <uint8_t> code_point
        for code_point in range(N_CODE_POINTS):
            if text.classes[code_point] != NEVER:
                places.resize(code_point + 1, 0)
                places[code_point] = N_ENDS + <uint32_t> self.code_points.size()
                self.code_points.push_back(code_point)
                encode_char(code_point, encoded)
                self.leads.push_back(encoded[0])
                self.classes.push_back(text.classes[code_point])
        return 0

    cdef int load(self, ReferenceText text, ChunkTable table) except -1 nogil:
        """Load the segments of a table of `count_segments`, and empty it. Segments of one character hold no seed."""
        cdef vector[uint32_t] places
        cdef size_t i
        self.load_alphabet(text, places)
        if table.texts.size() > MAX_SYMBOLS:
            raise TrainingError(
                f"the distinct texts have {table.texts.size()} bytes, and {MAX_SYMBOLS} is the most that can be "
                "looked for in: use less text, or stronger normalization"
            )
        for i in range(table.chunks.size()):
            self.load_key(table.texts.data() + table.chunks[i].begin, table.chunks[i].size, table.chunks[i].count,
                          places.data())
        table.clear()
        vector[uint32_t]().swap(places)
        give_back_memory()
        return self.count_suffixes()

    cdef int load_key(
        self, const uint8_t* key, uint32_t size, uint64_t count, const uint32_t* places,
    ) except -1 nogil:
        cdef size_t n_before = self.symbols.size()
        cdef SeedSegment segment = SeedSegment(count, -1)
        cdef uint32_t pos = 0, code_point = 0, end_size = 1
        if size >= 2 and key[size - 2] == 0:
            segment.after_nul = key[size - 1]
            end_size = 2
        while pos < size - end_size:
            pos += read_char(key + pos, size - pos, &code_point)
            self.symbols.push_back(places[code_point])
        if self.symbols.size() < n_before + 2:
            self.symbols.resize(n_before)
            return 0
        self.symbols.push_back(key[pos])
        self.segments.push_back(segment)
        return 0

    cdef int count_suffixes(self) except -1 nogil:
        cdef size_t place
        refill(self.sizes, self.code_points.size(), 0)
        for place in range(self.symbols.size()):
            if self.symbols[place] >= N_ENDS:
                self.sizes[self.symbols[place] - N_ENDS] += 1
        return 0

    cdef int fill_suffixes(self, const uint32_t* buckets, uint32_t n_buckets) except -1 nogil:
        """Fill the suffixes of some buckets, one bucket after the other."""
        cdef const uint32_t* symbols = self.symbols.data()
        cdef uint32_t* ends
        cdef uint32_t i, place, symbol, segment = 0, end = 0
        refill(self.ends, self.code_points.size(), NOT_NOW)
        ends = self.ends.data()
        for i in range(n_buckets):
            ends[buckets[i]] = end  # the begin of the bucket; it grows to the end as the bucket is filled
            end += self.sizes[buckets[i]]
        self.suffixes.resize(end)
        for place in range(<uint32_t> self.symbols.size()):
            symbol = symbols[place]
            if symbol < N_ENDS:
                segment += 1
            elif ends[symbol - N_ENDS] != NOT_NOW:
                self.suffixes[ends[symbol - N_ENDS]] = Suffix(place, segment)
                ends[symbol - N_ENDS] += 1
        return 0

    cdef int append_text(self, FoundSeed found, SeedList seeds) except -1 nogil:
        """Append a found seed, as UTF-8, to a list."""
        cdef Seed seed = Seed(found.count, seeds.texts.size(), 0, found.length)
        cdef uint8_t encoded[4]
        cdef uint32_t i
        cdef int32_t step
        for i in range(found.begin, found.begin + found.length):
            step = encode_char(self.code_points[self.symbols[i] - N_ENDS], encoded)
            seeds.texts.insert(seeds.texts.end(), encoded, encoded + step)
        seed.size = <uint32_t> (seeds.texts.size() - seed.begin)
        seeds.seeds.push_back(seed)
        return 0


cdef struct ReferenceSeedJob:
    # The data that the tasks of one call share. A bucket holds the suffixes that begin with one character.
    const uint32_t* symbols
    const uint8_t* leads
    const uint8_t* classes
    const SeedSegment* segments
    Suffix* suffixes
    const uint32_t* buckets     # the buckets of the present batch
    const uint32_t* ends        # per character: the end of its bucket in `suffixes`
    const uint32_t* sizes
    vector[FoundSeed]* found        # per bucket, in the order of bytes
    const PieceRules* rules


@cython.final
cdef class ReferenceSuffixSorter:
    """Finds the seeds that begin with one character."""

    cdef ReferenceSeedJob* job
    cdef vector[FoundSeed]* found
    cdef vector[SentenceGroup] groups       # a stack of groups to visit

    cdef int find(self, uint32_t bucket, const TaskThread* worker) except -1 nogil:
        cdef SentenceGroup group
        cdef uint64_t n_steps = 0
        self.found = self.job.found + bucket
        group.end = self.job.ends[bucket]
        group.begin = group.end - self.job.sizes[bucket]
        group.depth = 1
        group.is_part = False
        start_walk(&group.walk)
        if extend(self.job.rules, &group.walk, self.job.classes[bucket + N_ENDS]):
            self.groups.push_back(group)
        while not self.groups.empty():
            group = self.groups.back()
            self.groups.pop_back()
            if group.is_part or self.visit(&group):
                self.split(&group)
            n_steps += group.end - group.begin + 1
            if n_steps > STEPS_BETWEEN_CHECKS:
                n_steps = 0
                if is_stopped(worker):
                    self.groups.clear()
        return 0

    cdef bint visit(self, SentenceGroup* group) except -1 nogil:
        """Extend the string of a group until it branches, and note seeds on the way; False: the group is finished."""
        cdef Followers followers
        cdef FoundSeed found
        cdef uint32_t next_symbol
        while group.end - group.begin > 1:
            look_behind(self.job, group, &followers)
            found = FoundSeed(0, self.job.suffixes[group.begin].begin, group.depth)
            if group.depth > 1 and is_piece(self.job.rules, &group.walk):
                if followers.byte_varies and followers.count >= MIN_COUNT:
                    found.count = followers.count
                if followers.nul_varies and followers.n_ends >= MIN_COUNT:
                    found.count += followers.n_ends
            if found.count > 0:
                self.found.push_back(found)
            if followers.symbol_varies:
                return True
            next_symbol = self.job.symbols[found.begin + group.depth]
            if not self.deepen(group, next_symbol):
                return False
        return False

    cdef inline bint deepen(self, SentenceGroup* group, uint32_t symbol) noexcept nogil:
        """Extend the shared string by a symbol; False: no piece starts with the result."""
        group.depth += 1
        return symbol >= N_ENDS and extend(self.job.rules, &group.walk, self.job.classes[symbol])

    cdef int split(self, SentenceGroup* group) except -1 nogil:
        """Partition by the symbol at `depth`: less, the same, greater than a pivot. They are visited in this order."""
        cdef const uint32_t* symbols = self.job.symbols + group.depth
        cdef Suffix* suffixes = self.job.suffixes
        cdef uint32_t pivot = choose_pivot(symbols, suffixes, group.begin, group.end)
        cdef Parts parts = partition(symbols, suffixes, group.begin, group.end, pivot)
        cdef SentenceGroup part = group[0]
        part.is_part = True
        if group.end - parts.greater > 1:
            part.begin = parts.greater
            self.groups.push_back(part)
        if parts.greater - parts.same > 1:
            part = group[0]
            part.is_part = False
            part.begin = parts.same
            part.end = parts.greater
            if self.deepen(&part, pivot):
                self.groups.push_back(part)
        if parts.same - group.begin > 1:
            part = group[0]
            part.is_part = True
            part.end = parts.same
            self.groups.push_back(part)
        return 0


cdef void look_behind(const ReferenceSeedJob* job, const SentenceGroup* group, Followers* followers) noexcept nogil:
    """Fill the followers of the string that a group shares."""
    cdef const Suffix* suffixes = job.suffixes
    cdef const uint32_t* symbols = job.symbols + group.depth
    cdef uint32_t first = symbols[suffixes[group.begin].begin]
    cdef uint8_t first_byte = job.leads[first]
    cdef const SeedSegment* segment
    cdef uint32_t i, symbol
    followers.count = followers.n_ends = 0
    followers.after_nul = -1
    followers.nul_varies = followers.byte_varies = followers.symbol_varies = False
    for i in range(group.begin, group.end):
        symbol = symbols[suffixes[i].begin]
        segment = job.segments + suffixes[i].segment
        followers.count += segment.count
        followers.symbol_varies |= symbol != first
        followers.byte_varies |= job.leads[symbol] != first_byte
        if symbol == 0:
            if followers.n_ends == 0:
                followers.after_nul = segment.after_nul
            followers.n_ends += segment.count
            followers.nul_varies |= segment.after_nul != followers.after_nul


cdef int sort_bucket(void* job, uint32_t task, const TaskThread* worker) except -1 nogil:
    with gil:
        sorter = ReferenceSuffixSorter()
        sorter.job = <ReferenceSeedJob*> job
    return sorter.find((<ReferenceSeedJob*> job).buckets[task], worker)


cdef float score_of(const Seed* seed) noexcept nogil:
    """Return count times characters, each factor rounded to single precision."""
    return <float> seed.count * <float> seed.length


@cython.final
cdef class SeedList:
    """Seeds with their counts, in the order of their bytes."""

    cdef int merge(self, SeedList other) except -1 nogil:
        """Add the seeds of another list, which must not be used again; the counts of equal strings add up."""
        cdef vector[Seed] seeds
        cdef Seed seed
        cdef size_t i = 0, k
        if self.seeds.empty():
            self.seeds.swap(other.seeds)
            self.texts.swap(other.texts)
            return 0
        for k in range(other.seeds.size()):
            other.seeds[k].begin += self.texts.size()
        if not other.texts.empty():
            self.texts.insert(self.texts.end(), other.texts.begin(), other.texts.end())
        for k in range(other.seeds.size()):
            seed = other.seeds[k]
            while i < self.seeds.size() and self.compare(&self.seeds[i], &seed) < 0:
                seeds.push_back(self.seeds[i])
                i += 1
            if i < self.seeds.size() and self.compare(&self.seeds[i], &seed) == 0:
                seed.count += self.seeds[i].count
                i += 1
            seeds.push_back(seed)
        while i < self.seeds.size():
            seeds.push_back(self.seeds[i])
            i += 1
        self.seeds.swap(seeds)
        return 0

    cdef int compare(self, const Seed* a, const Seed* b) noexcept nogil:
        """Compare by bytes: negative if `a` comes first, 0 if the texts are equal."""
        cdef int order = memcmp(self.texts.data() + a.begin, self.texts.data() + b.begin, min(a.size, b.size))
        if order != 0:
            return order
        return (a.size > b.size) - (a.size < b.size)

    cdef int keep_best(self, uint64_t n_best) except -1 nogil:
        """Keep the best `n_best` seeds, still in the order of bytes."""
        cdef vector[uint32_t] order
        cdef vector[Seed] seeds
        cdef size_t i
        self.rank(n_best, order)
        sort_range(order.begin(), order.end())
        seeds.reserve(order.size())
        for i in range(order.size()):
            seeds.push_back(self.seeds[order[i]])
        self.seeds.swap(seeds)
        return 0

    cdef int rank(self, uint64_t n_best, vector[uint32_t]& order) except -1 nogil:
        """Fill the indices of the best `n_best` seeds: highest score, then most bytes, then order of bytes."""
        cdef vector[pair[uint64_t, uint32_t]] keys
        cdef pair[uint64_t, uint32_t] key
        cdef float score
        cdef uint32_t bits = 0
        cdef size_t i
        keys.reserve(self.seeds.size())
        for i in range(self.seeds.size()):
            score = score_of(&self.seeds[i])
            memcpy(&bits, &score, 4)  # the bits of floats above 0 are in the order of their values
            key.first = ~(<uint64_t> bits << 32 | self.seeds[i].size)
            key.second = <uint32_t> i
            keys.push_back(key)
        if n_best < keys.size():
            nth_element(keys.begin(), keys.begin() + <ptrdiff_t> n_best, keys.end())
            keys.resize(n_best)
        sort_range(keys.begin(), keys.end())
        order.resize(keys.size())
        for i in range(keys.size()):
            order[i] = keys[i].second
        return 0


cdef SeedList find_reference_seeds(ReferenceText text, uint64_t n_seeds, uint32_t n_threads):
    """Return all seeds of the text. If it has several parts, the worst may be missing: see GUARD."""
    cdef SeedList seeds = SeedList(), found
    cdef TextPart part = TextPart(0, 0, 0)
    while part.end < text.sentences.chunks.size():
        part = text.next_part(part.end)
        found = SeedList()
        find_part(text, count_segments(text, part, n_threads), n_threads, found)
        with nogil:
            seeds.merge(found)
            if seeds.seeds.size() > GUARD * n_seeds:
                seeds.keep_best(GUARDED * n_seeds)
    return seeds


cdef int find_part(ReferenceText text, ChunkTable segments, uint32_t n_threads, SeedList seeds) except -1:
    """Fill the seeds of one part of the text. segments: of `count_segments`; it is emptied."""
    cdef SeedText seed_text = SeedText()
    cdef vector[vector[FoundSeed]] found
    cdef ReferenceSeedJob job
    cdef vector[uint32_t] order, batch_ends
    cdef uint32_t begin = 0
    cdef size_t i, k, n_seeds = 0, n_freed = 0
    with nogil:
        seed_text.load(text, segments)
        found.resize(seed_text.code_points.size())
        job.symbols = seed_text.symbols.data()
        job.leads = seed_text.leads.data()
        job.classes = seed_text.classes.data()
        job.segments = seed_text.segments.data()
        job.sizes = seed_text.sizes.data()
        job.found = found.data()
        job.rules = &text.rules
        plan_batches(seed_text.sizes, order, batch_ends)
        for i in range(batch_ends.size()):
            job.buckets = order.data() + begin
            seed_text.fill_suffixes(job.buckets, batch_ends[i] - begin)
            job.suffixes = seed_text.suffixes.data()
            job.ends = seed_text.ends.data()
            run_tasks(sort_bucket, &job, batch_ends[i] - begin, n_threads)
            begin = batch_ends[i]
        vector[Suffix]().swap(seed_text.suffixes)
        give_back_memory()
        for i in range(found.size()):
            n_seeds += found[i].size()
        seeds.seeds.reserve(n_seeds)
        for i in range(found.size()):
            for k in range(found[i].size()):
                seed_text.append_text(found[i][k], seeds)
            n_freed += found[i].capacity() * sizeof(FoundSeed)
            vector[FoundSeed]().swap(found[i])
            if n_freed > TRIM_AFTER:
                n_freed = 0
                give_back_memory()
    return 0
