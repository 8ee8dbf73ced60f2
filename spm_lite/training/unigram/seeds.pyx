"""Seed pieces by a multikey quicksort (Bentley and Sedgewick 1997) of the suffixes of all segments.

It sorts up to `max_length` symbols deep. Each group of suffixes with the same first symbols is visited once, as the
middle part of a partition. The sum of its counts is the count of that string. Groups are visited in code point order, a
prefix before longer strings, so the candidates come out sorted without comparisons. Header: seeds.pxd.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libcpp.algorithm cimport sort as sort_range
from libcpp.functional cimport greater as greater_key
from libcpp.vector cimport vector

from spm_lite.base.structures.ranking cimport mark_greatest
from spm_lite.base.system.heap cimport TRIM_AFTER, give_back_memory, refill
from spm_lite.base.system.thread_tasks cimport TaskThread, is_stopped, run_tasks
from spm_lite.training.counts.chunk_table cimport Origin
from spm_lite.training.counts.cluster_places cimport is_in_place
from spm_lite.training.counts.piece_rules cimport PieceRules, PieceWalk, class_in_walk, extend, is_piece, start_walk
from spm_lite.training.unigram.candidates cimport CUT, NOT_A_PIECE, Candidates, Piece, Segment

cdef enum:
    MAX_LENGTH = 512            # characters; the largest max_sentencepiece_length
    STEPS_BETWEEN_CHECKS = 1 << 20
    LEAST_AT_ONCE = 1 << 16     # a batch has room for so many suffixes at least,
    SHARE_AT_ONCE = 4           # and for a fourth of all

cdef uint32_t NOT_NOW = <uint32_t> -1   # a bucket that is not in the present batch


cdef struct Found:
    # A candidate seed.
    uint64_t count
    uint64_t occurrences
    uint32_t begin
    uint32_t length
    uint32_t shorter    # index in the bucket of the candidate that it extends; NOT_A_PIECE: only the character


cdef struct Group:
    # Suffixes [begin, end) that share their first `depth` symbols.
    uint64_t count      # weighted occurrences; not used if is_part
    uint64_t occurrences    # before weights
    uint32_t begin
    uint32_t end
    uint32_t depth
    uint32_t shorter    # the longest candidate so far that is a prefix of them all
    bint is_part        # one part of a group; suffixes with other symbols at `depth` are in other parts


cdef struct SeedJob:
    # The data that the tasks of one call share. A bucket holds the suffixes that begin with one character.
    const uint32_t* symbols
    const uint16_t* classes             # per character of the alphabet: class_in_walk
    const Segment* segments             # as loaded: each followed by CUT
    const Origin* origins               # of the segments, or NULL
    uint64_t divisor                    # without origins: occurrences per count
    uint64_t least                      # occurrences of a candidate
    Suffix* suffixes
    const uint32_t* buckets             # the buckets of the present batch
    const uint32_t* bucket_ends         # per character: the end of its bucket in `suffixes`
    const uint32_t* bucket_sizes
    const uint64_t* bucket_counts
    vector[Found]* found                # per bucket
    uint32_t* longest                   # per place: the longest candidate, as an index in its bucket
    const uint8_t* begins               # per place: whether a grapheme cluster begins; NULL: clusters do not matter
    const PieceRules* rules
    uint32_t max_length


cdef class SuffixSorter:
    """Finds the candidates of one bucket."""

    cdef SeedJob* job
    cdef vector[Found]* found
    cdef vector[Group] groups           # a stack of groups to visit

    cdef int find(self, uint32_t bucket, const TaskThread* worker) except -1 nogil:
        cdef uint32_t end = self.job.bucket_ends[bucket], begin = end - self.job.bucket_sizes[bucket]
        cdef uint64_t n_steps = 0
        cdef Group group
        self.found = self.job.found + bucket
        if begin < end:
            group = Group(self.job.bucket_counts[bucket], 0, begin, end, 1, NOT_A_PIECE, False)
            group.occurrences = self.occurrences_in(begin, end, group.count)
            self.groups.push_back(group)
        while not self.groups.empty():
            group = self.groups.back()
            self.groups.pop_back()
            if not group.is_part:
                self.visit(&group)
            if group.depth < self.job.max_length and group.begin < group.end:
                self.split(group)
            n_steps += group.end - group.begin + 1
            if n_steps > STEPS_BETWEEN_CHECKS:
                n_steps = 0
                if is_stopped(worker):
                    self.groups.clear()
        return 0

    cdef uint64_t occurrences_in(self, uint32_t begin, uint32_t end, uint64_t count) noexcept nogil:
        """Return the occurrences of the suffixes [begin, end), whose weighted count is given."""
        cdef uint64_t occurrences = 0
        cdef uint32_t i
        if self.job.origins == NULL:
            return count * self.job.divisor
        for i in range(begin, end):
            occurrences += self.job.origins[self.job.suffixes[i].segment].occurrences
        return occurrences

    cdef int visit(self, Group* group) except -1 nogil:
        """Extend the string of a group until it branches, and note a candidate. Empty the group if it is finished.

        Of all strings with the same occurrences, only the longest valid one becomes a candidate.
        """
        cdef uint32_t branched = group.depth - 1  # strings up to this length have been considered
        if group.occurrences < self.job.least:
            self.settle(group)
            return 0
        if branched == 0:
            branched = 1  # single characters are pieces anyway
        self.follow(group)
        self.note(group, branched)
        if group.end - group.begin == 1 or group.depth == self.job.max_length:
            self.settle(group)
        return 0

    cdef void follow(self, Group* group) noexcept nogil:
        """Increase `depth` while all suffixes of the group have the same next symbol."""
        cdef const uint32_t* symbols = self.job.symbols + group.depth
        cdef const Suffix* suffixes = self.job.suffixes
        cdef uint32_t symbol, i
        while group.depth < self.job.max_length:
            symbol = symbols[suffixes[group.begin].begin]
            if symbol == CUT:
                return
            for i in range(group.begin + 1, group.end):
                if symbols[suffixes[i].begin] != symbol:
                    return
            group.depth += 1
            symbols += 1

    cdef int note(self, Group* group, uint32_t branched) except -1 nogil:
        """Append the longest valid prefix to the candidates, if it has more than `branched` characters.

        Where clusters matter, it is the prefix of the best score that occurs often enough in place, and counts there.
        """
        cdef uint32_t begin = self.job.suffixes[group.begin].begin
        cdef uint32_t length = self.valid_length(begin, group.depth)
        cdef Found found = Found(group.count, group.occurrences, begin, length, group.shorter)
        cdef Found other = found
        if self.job.begins != NULL:
            found.count = found.length = 0
            while other.length > branched:
                if self.is_often_in_place(group, &other) and other.count * other.length > found.count * found.length:
                    found = other
                other.length = self.valid_length(begin, other.length - 1)
        if found.length > branched:
            group.shorter = <uint32_t> self.found.size()
            self.found.push_back(found)
        return 0

    cdef uint32_t valid_length(self, uint32_t begin, uint32_t length) noexcept nogil:
        """Return the length of the longest valid piece that starts at `begin`, at most `length`."""
        cdef PieceWalk walk
        cdef uint32_t i, longest = 0
        start_walk(&walk)
        for i in range(length):
            if not extend(self.job.rules, &walk, self.job.classes[self.job.symbols[begin + i] - 1]):
                break
            if is_piece(self.job.rules, &walk):
                longest = i + 1
        return longest

    cdef bint is_often_in_place(self, const Group* group, Found* found) noexcept nogil:
        """Count a candidate at the places of its group where it is in place. Whether it occurs often enough there."""
        cdef const Suffix* suffix
        cdef uint32_t i
        found.count = found.occurrences = 0
        for i in range(group.begin, group.end):
            suffix = &self.job.suffixes[i]
            if not is_in_place(self.job.begins, suffix.begin, suffix.begin + found.length):
                continue
            found.count += self.job.segments[suffix.segment].count
            found.occurrences += self.occurrences_in(i, i + 1, self.job.segments[suffix.segment].count)
        return found.occurrences >= self.job.least

    cdef void settle(self, Group* group) noexcept nogil:
        """Write the longest candidate at the places of this group, and empty the group."""
        cdef uint32_t i
        for i in range(group.begin, group.end):
            self.job.longest[self.job.suffixes[i].begin] = group.shorter
        group.begin = group.end

    cdef int split(self, Group group) except -1 nogil:
        """Partition by the symbol at `depth`: less, the same, greater than a pivot. They are visited in this order."""
        cdef const uint32_t* symbols = self.job.symbols + group.depth
        cdef Suffix* suffixes = self.job.suffixes
        cdef uint32_t pivot = choose_pivot(symbols, suffixes, group.begin, group.end)
        cdef Parts parts = partition(symbols, suffixes, group.begin, group.end, pivot)
        cdef uint64_t count = 0
        cdef uint32_t i
        cdef Group part
        for i in range(parts.same, parts.greater):
            count += self.job.segments[suffixes[i].segment].count
        if parts.greater < group.end:
            part = Group(0, 0, parts.greater, group.end, group.depth, group.shorter, True)
            self.groups.push_back(part)
        part = Group(count, 0, parts.same, parts.greater, group.depth + 1, group.shorter, False)
        part.occurrences = self.occurrences_in(parts.same, parts.greater, count)
        if pivot == CUT:
            self.settle(&part)
        else:
            self.groups.push_back(part)
        if group.begin < parts.same:
            part = Group(0, 0, group.begin, parts.same, group.depth, group.shorter, True)
            self.groups.push_back(part)
        return 0


cdef Parts partition(
    const uint32_t* symbols, Suffix* suffixes, uint32_t begin, uint32_t end, uint32_t pivot,
) noexcept nogil:
    """Partition the suffixes [begin, end) by one symbol: less than, the same as, greater than a pivot.

    symbols: the symbol of suffix s is symbols[s.begin], so the caller advances this pointer by the depth.
    """
    cdef uint32_t same = begin, i = begin, greater = end, symbol
    cdef Suffix suffix
    while i < greater:
        suffix = suffixes[i]
        symbol = symbols[suffix.begin]
        if symbol < pivot:
            suffixes[i] = suffixes[same]
            suffixes[same] = suffix
            same += 1
            i += 1
        elif symbol > pivot:
            greater -= 1
            suffixes[i] = suffixes[greater]
            suffixes[greater] = suffix
        else:
            i += 1
    return Parts(same, greater)


cdef inline uint32_t median(uint32_t a, uint32_t b, uint32_t c) noexcept nogil:
    return max(min(a, b), min(max(a, b), c))


cdef uint32_t choose_pivot(
    const uint32_t* symbols, const Suffix* suffixes, uint32_t begin, uint32_t end,
) noexcept nogil:
    """Return the median of three symbols; of a long part, the median of three medians."""
    cdef uint32_t step = (end - begin) // 8
    cdef uint32_t medians[3]
    cdef uint32_t k
    if step < 8:
        return median(
            symbols[suffixes[begin].begin],
            symbols[suffixes[begin + (end - begin) // 2].begin],
            symbols[suffixes[end - 1].begin],
        )
    for k in range(3):
        medians[k] = median(
            symbols[suffixes[begin + 3 * k * step].begin],
            symbols[suffixes[begin + (3 * k + 1) * step].begin],
            symbols[suffixes[begin + (3 * k + 2) * step - 1].begin],
        )
    return median(medians[0], medians[1], medians[2])


cdef int sort_bucket(void* job, uint32_t task, const TaskThread* worker) except -1 nogil:
    with gil:
        sorter = SuffixSorter()
        sorter.job = <SeedJob*> job
    return sorter.find((<SeedJob*> job).buckets[task], worker)


cdef int count_suffixes(Candidates candidates, vector[uint32_t]& sizes) except -1 nogil:
    """Fill the number of suffixes that begin with each character."""
    cdef const uint32_t* symbols = candidates.symbols.data()
    cdef Segment segment
    cdef size_t i
    cdef uint32_t place
    refill(sizes, candidates.n_characters, 0)
    for i in range(candidates.segments.size()):
        segment = candidates.segments[i]
        for place in range(segment.begin, segment.begin + segment.length):
            sizes[symbols[place] - 1] += 1
    return 0


cdef int plan_batches(
    const vector[uint32_t]& sizes, vector[uint32_t]& order, vector[uint32_t]& batch_ends,
) except -1 nogil:
    """Order the buckets, the largest first, and cut the order into batches, since suffixes take most of the memory.

    A batch has room for twice the largest bucket, so that two threads have work.
    """
    cdef uint64_t total = 0, n_suffixes = 0, room
    cdef vector[uint64_t] keys
    cdef uint32_t bucket
    cdef size_t i
    for bucket in range(<uint32_t> sizes.size()):
        total += sizes[bucket]
        keys.push_back(<uint64_t> sizes[bucket] << 32 | <uint32_t> ~bucket)
    sort_range(keys.begin(), keys.end(), greater_key[uint64_t]())
    room = max(total // SHARE_AT_ONCE, <uint64_t> LEAST_AT_ONCE)
    if keys.size() > 0:
        room = max(room, 2 * (keys[0] >> 32))
    for i in range(keys.size()):
        bucket = ~<uint32_t> keys[i]
        if n_suffixes + sizes[bucket] > room:
            batch_ends.push_back(<uint32_t> i)
            n_suffixes = 0
        n_suffixes += sizes[bucket]
        order.push_back(bucket)
    batch_ends.push_back(<uint32_t> order.size())
    return 0


cdef int fill_buckets(
    Candidates candidates, const uint32_t* buckets, uint32_t n_buckets, const vector[uint32_t]& sizes,
    vector[Suffix]& suffixes, vector[uint32_t]& ends,
) except -1 nogil:
    """Fill the suffixes of some buckets, one bucket after the other, each in the order of the text."""
    cdef const uint32_t* symbols = candidates.symbols.data()
    cdef uint32_t n_segments = <uint32_t> candidates.segments.size()
    cdef uint32_t i, place, end = 0
    cdef uint32_t* next_place
    cdef Segment segment
    refill(ends, candidates.n_characters, NOT_NOW)
    for i in range(n_buckets):
        ends[buckets[i]] = end  # the begin of the bucket; it grows to the end as the bucket is filled
        end += sizes[buckets[i]]
    suffixes.resize(end)
    for i in range(n_segments):
        segment = candidates.segments[i]
        for place in range(segment.begin, segment.begin + segment.length):
            next_place = &ends[symbols[place] - 1]
            if next_place[0] != NOT_NOW:
                suffixes[next_place[0]] = Suffix(place, i)
                next_place[0] += 1
    return 0


cdef int add_seeds(
    Candidates candidates, const PieceRules* rules, const SeedLimits* limits, uint32_t n_threads,
    vector[double]& scores,
) except -1:
    """Add the best substrings to the candidates (so far the alphabet) and fill the scores of all.

    A seed has 2 or more characters, is valid under the rules, and occurs `limits.least` times or more. Of strings with
    the same occurrences only the longest valid one is a seed. Its score is weighted count times characters; on equal
    scores the longer seed comes first, then code point order. The score of a character is its count.
    Return 1 if rarer strings became seeds, since there were too few others; else 0.
    """
    find_substrings(candidates, rules, limits, limits.least, n_threads, scores)
    if candidates.pieces.size() - candidates.n_characters < limits.n_needed and limits.rarest < limits.least:
        with nogil:
            candidates.drop_pieces()
        find_substrings(candidates, rules, limits, limits.rarest, n_threads, scores)
        return 1
    return 0


cdef int find_substrings(
    Candidates candidates, const PieceRules* rules, const SeedLimits* limits, uint64_t least, uint32_t n_threads,
    vector[double]& scores,
) except -1:
    """Add the best substrings that occur `least` times or more, and fill the scores of all pieces."""
    cdef vector[Suffix] suffixes
    cdef vector[uint32_t] sizes, ends, order, batch_ends
    cdef vector[vector[Found]] found
    cdef vector[uint16_t] classes
    cdef vector[uint64_t] bucket_counts
    cdef SeedJob job
    cdef uint32_t i, begin = 0
    cdef uint32_t n_buckets = candidates.n_characters
    with nogil:
        count_suffixes(candidates, sizes)
        plan_batches(sizes, order, batch_ends)
        found.resize(n_buckets)
        for i in range(n_buckets):
            classes.push_back(class_in_walk(rules, candidates.alphabet[i]))
            bucket_counts.push_back(candidates.character_counts[i] - candidates.lone_counts[i])
        job.symbols = candidates.symbols.data()
        job.classes = classes.data()
        job.segments = candidates.segments.data()
        job.origins = NULL
        if not candidates.origins.empty():
            job.origins = candidates.origins.data()
        job.begins = candidates.begins.data() if candidates.by_graphemes else NULL
        job.divisor = candidates.divisor
        job.least = least
        job.bucket_sizes = sizes.data()
        job.bucket_counts = bucket_counts.data()
        job.found = found.data()
        job.longest = candidates.longest.data()
        job.rules = rules
        job.max_length = min(rules.max_length, MAX_LENGTH)
        for i in range(<uint32_t> batch_ends.size()):
            job.buckets = order.data() + begin
            fill_buckets(candidates, job.buckets, batch_ends[i] - begin, sizes, suffixes, ends)
            job.suffixes = suffixes.data()
            job.bucket_ends = ends.data()
            run_tasks(sort_bucket, &job, batch_ends[i] - begin, n_threads)
            begin = batch_ends[i]
        vector[Suffix]().swap(suffixes)
        gather(candidates, found, limits, scores)
    return 0


cdef int gather(
    Candidates candidates, vector[vector[Found]]& found, const SeedLimits* limits, vector[double]& scores,
) except -1 nogil:
    """Append the candidates of all buckets to the pieces, then keep the best; fill `scores`, and empty the buckets."""
    cdef uint32_t n_characters = candidates.n_characters
    cdef uint32_t bucket, k, first
    cdef size_t n_pieces = n_characters, n_freed = 0, n_rare = 0
    cdef uint64_t n_seeds
    cdef double rank
    cdef bint is_rare
    cdef vector[uint32_t] firsts, new_ids
    cdef vector[uint8_t] is_best
    cdef vector[double] order   # of the seeds
    cdef Found seed
    cdef Piece piece
    for bucket in range(n_characters):
        n_pieces += found[bucket].size()
    candidates.pieces.reserve(n_pieces)  # there are many: growing step by step would take half as much memory again
    scores.clear()
    scores.reserve(n_pieces)
    order.reserve(n_pieces)
    for k in range(n_characters):
        scores.push_back(<double> candidates.character_counts[k])
        order.push_back(0)
    for bucket in range(n_characters):
        first = <uint32_t> candidates.pieces.size()
        firsts.push_back(first)
        for k in range(<uint32_t> found[bucket].size()):
            seed = found[bucket][k]
            piece = Piece(seed.begin, seed.length, bucket if seed.shorter == NOT_A_PIECE else first + seed.shorter)
            candidates.pieces.push_back(piece)
            scores.push_back(<double> seed.count * seed.length)
            # Scores are whole numbers (exact up to 2^53), so a fraction that grows with the length only breaks ties.
            rank = scores.back() + seed.length / <double> (2 * MAX_LENGTH)
            is_rare = seed.occurrences < limits.least
            order.push_back(-1 / rank if is_rare else rank)  # rarer strings come after all others
            n_rare += is_rare
        n_freed += found[bucket].capacity() * sizeof(Found)
        vector[Found]().swap(found[bucket])
        if n_freed > TRIM_AFTER:
            n_freed = 0
            give_back_memory()
    number_places(candidates, firsts)
    n_seeds = max(n_pieces - n_characters - n_rare, limits.n_needed)
    mark_greatest(order, n_characters, min(n_seeds, limits.n_seeds), is_best)
    new_ids.resize(candidates.pieces.size())
    candidates.keep(is_best.data(), 1, new_ids.data())
    for k in range(<uint32_t> is_best.size()):
        if is_best[k]:
            scores[new_ids[k]] = scores[k]
    scores.resize(candidates.pieces.size())
    scores.shrink_to_fit()
    candidates.pieces.shrink_to_fit()
    give_back_memory()
    return 0


cdef void number_places(Candidates candidates, const vector[uint32_t]& firsts) noexcept nogil:
    """Turn the indices in `longest` from buckets to piece ids. firsts: the first piece id of each bucket."""
    cdef const uint32_t* symbols = candidates.symbols.data()
    cdef uint32_t* longest = candidates.longest.data()
    cdef uint32_t place, character
    cdef Segment segment
    cdef size_t i
    for i in range(candidates.segments.size()):
        segment = candidates.segments[i]
        for place in range(segment.begin, segment.begin + segment.length):
            character = symbols[place] - 1
            longest[place] = character if longest[place] == NOT_A_PIECE else longest[place] + firsts[character]
