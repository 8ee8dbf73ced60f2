"""Phrases to chunks, and phrases to shorter ones that no frequent piece crosses.

A piece that crosses a space joins the last token before the space and the first token after it. So it is at most as
frequent as these two side by side, and where they are rarer than a floor, a phrase can be cut: merges at least as
frequent as the floor stay the same. What is left is short and often repeated, so the table is small.
Pairs of tokens are counted in one array, at the place that the hash of a pair names (a count-min sketch of one row).
Pairs that share a place count together, so no count is too low. The places of a table are found once, and kept until
the table is cut.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.structures.byte_keys cimport KEY_BYTES
from spm_lite.base.system.intrinsics cimport prefetch
from spm_lite.base.unicode.space_mark cimport is_space_mark
from spm_lite.base.unicode.utf8 cimport char_size, decode_char
from spm_lite.encode.segment.segmenter cimport Scratch, Segmenter, Token
from spm_lite.training.counts.chunk_table cimport ChunkTable, Origin
from spm_lite.training.counts.cut_rules cimport CutRules
from spm_lite.training.counts.piece_rules cimport NEVER, carried, class_in_bytes, class_of, is_cut

cdef uint64_t MOST = <uint32_t> -1

cdef enum:
    PLACE_BITS = 22
    PLACES = 1 << PLACE_BITS    # of pairs
    NO_CUT = PLACES - 1         # the place of what is never cut, and of some pairs
    MOST_STEP = 1 << (32 - PLACE_BITS)      # bytes of one step, fewer than these
    AHEAD = 16                  # steps whose places are prefetched
    NO_WORD = -1


def words_of(blocks, CutRules rules not None, bint has_sources, spill=None):
    """Return the table of the chunks of phrases: what counting without phrases gives.

    blocks: tables of phrases. has_sources: they are of several sources. spill: takes full tables (`Spill`), or None.
    """
    cdef ChunkTable words = ChunkTable(), block
    for block in blocks:
        with nogil:
            add_words(words, block, rules, has_sources)
        spill_full(words, spill)
    return finished(words, spill)


cdef int spill_full(ChunkTable table, spill) except -1:
    """Let a spill take a table that is full."""
    if spill is not None and table.memory() > spill.table_bytes:
        spill.spill([table])
    return 0


cdef ChunkTable finished(ChunkTable table, spill):
    """Return the sum of a table and of what a spill took, in canonical order."""
    if spill is not None and spill.n_spills > 0:
        return spill.finish([table])
    with nogil:
        table.sort()
    return table


cdef int add_words(ChunkTable words, ChunkTable phrases, CutRules rules, bint has_sources) except -1 nogil:
    """Cut each phrase where no piece of the first stage can cross, and count what comes out."""
    cdef Origin origin
    cdef uint64_t i
    cdef int32_t begin, end, size
    cdef const uint8_t* text
    phrases.texts.reserve(phrases.texts.size() + KEY_BYTES)
    for i in range(phrases.chunks.size()):
        text = phrases.texts.data() + phrases.chunks[i].begin
        size = <int32_t> phrases.chunks[i].size
        begin = 0
        while begin < size:
            end = end_of_chunk(rules, text, begin, size)
            if has_sources:
                origin = phrases.origins[i]
                origin.documents = 0
                words.add_origin_of(words.add(text + begin, end - begin, phrases.chunks[i].count), &origin)
            else:
                words.add_later(text + begin, end - begin, phrases.chunks[i].count)
            begin = end
    return words.add_waiting()


cdef inline int32_t end_of_chunk(CutRules rules, const uint8_t* text, int32_t begin, int32_t size) noexcept nogil:
    """Return where the chunk of a phrase ends that begins at byte `begin`."""
    cdef const uint8_t* run_classes = rules.run_classes
    cdef bint in_bytes = rules.piece_rules.in_bytes
    cdef uint8_t left = NEVER, right
    cdef int32_t step, pos = begin
    while pos < size:
        while pos < size and run_classes[text[pos]] == left:
            pos += 1
        if pos == size:
            break
        step = char_size(text + pos, size - pos)
        if in_bytes:
            right = class_in_bytes(&rules.piece_rules, text + pos, step)
        else:
            right = NEVER if step == 0 else class_of(&rules.piece_rules, decode_char(text + pos, step))
        if pos > begin and is_cut(&rules.piece_rules, left, right):
            break
        left = carried(left, right) if in_bytes else right
        pos += max(step, 1)
    return pos


cdef struct Ends:
    # The first and the last token of a word.
    int32_t first
    int32_t last


@cython.final
cdef class PhraseCutter:
    """Counts the pairs of tokens at the spaces of phrases, and cuts phrases at rare ones."""

    cdef ChunkTable words
    cdef CutRules rules
    cdef vector[Ends] ends          # of each word
    cdef vector[uint32_t] counts    # by the hash of a pair; those above 2^32 - 1 stay there
    cdef vector[uint32_t] steps     # of all phrases of `stepped`: bytes << PLACE_BITS | place of the pair before them
    cdef ChunkTable stepped         # or None

    def __cinit__(self, ChunkTable words not None, CutRules rules not None, Segmenter segmenter not None):
        """words: the chunks of all phrases, in canonical order. segmenter: of the model."""
        self.words = words
        self.rules = rules
        self.counts.resize(PLACES, 0)
        cdef Scratch scratch = segmenter.new_scratch()
        with nogil:
            words.grow_slots(1)
            self.fill_ends(segmenter, scratch)

    cdef int fill_ends(self, Segmenter segmenter, Scratch scratch) except -1 nogil:
        """Segment all words."""
        cdef vector[uint8_t] text
        cdef vector[Token] tokens
        cdef uint64_t i
        cdef const uint8_t* begin
        for i in range(self.words.chunks.size()):
            begin = self.words.texts.data() + self.words.chunks[i].begin
            text.assign(begin, begin + self.words.chunks[i].size)
            text.resize(text.size() + KEY_BYTES)
            segmenter.segment(text.data(), <int32_t> self.words.chunks[i].size, scratch, tokens)
            self.ends.push_back(Ends(tokens.front().piece_id, tokens.back().piece_id))
        return 0

    def count(self, ChunkTable phrases not None):
        """Count the pairs of a table of phrases."""
        self.fill_steps(phrases)
        with nogil:
            self.count_places(phrases)

    def cut(self, blocks, uint64_t floor, bint is_sorted, spill=None):
        """Return the parts of all phrases, cut where the counted pairs are below a floor.

        is_sorted: in canonical order, else in that of the phrases. spill: as of `words_of`.
        """
        cdef ChunkTable parts = ChunkTable(), block
        cdef vector[uint8_t] is_rare
        cdef uint64_t i
        is_rare.resize(PLACES)
        for i in range(NO_CUT):
            is_rare[i] = self.counts[i] < floor
        for block in blocks:
            if block is not self.stepped:
                self.fill_steps(block)
            with nogil:
                self.cut_block(block, is_rare, parts)
            spill_full(parts, spill)
        if spill is not None:  # the last block is not the next one
            self.stepped = None
            vector[uint32_t]().swap(self.steps)
        return finished(parts, spill) if is_sorted or spill is not None else parts

    def likely_floor(self, uint64_t n_pairs):
        """Return the greatest count that `n_pairs` places reach; 1: fewer than so many are used."""
        cdef uint64_t i, low = 1, high = MOST, middle, n
        while low < high:  # the greatest count with at least n_pairs places
            middle = low + (high - low + 1) // 2
            n = 0
            for i in range(self.counts.size()):
                n += self.counts[i] >= middle
            if n >= n_pairs:
                low = middle
            else:
                high = middle - 1
        return low

    cdef int fill_steps(self, ChunkTable phrases) except -1:
        """Find the places of all pairs at spaces in a table of phrases."""
        cdef uint64_t i
        self.steps.clear()
        self.stepped = phrases
        with nogil:
            for i in range(phrases.chunks.size()):
                self.add_steps(phrases.texts.data() + phrases.chunks[i].begin, <int32_t> phrases.chunks[i].size)
        return 0

    cdef int add_steps(self, const uint8_t* text, int32_t size) except -1 nogil:
        """Append the steps of a phrase: each ends before a space, and the last one at the end."""
        cdef int32_t begin = 0, word, end = 0, last = NO_WORD
        cdef uint64_t place = NO_CUT, next_place
        while end < size:
            word = end
            end = end_of_chunk(self.rules, text, word, size)
            next_place = self.place_of(last, text + word, end - word, &last)
            if word > 0 and self.is_spaced(text + word, size - word):
                self.add_step(word - begin, place)
                begin, place = word, next_place
        return self.add_step(size - begin, place)

    cdef int add_step(self, int32_t size, uint64_t place) except -1 nogil:
        """Append so many bytes, as several steps if they are too many for one."""
        while size >= MOST_STEP:
            self.steps.push_back(<uint32_t> (MOST_STEP - 1) << PLACE_BITS | <uint32_t> place)
            size -= MOST_STEP - 1
            place = NO_CUT
        if size > 0:
            self.steps.push_back(<uint32_t> size << PLACE_BITS | <uint32_t> place)
        return 0

    cdef void count_places(self, ChunkTable phrases) noexcept nogil:
        """Add the counts of phrases, whose steps are known, to those of their places."""
        cdef const uint32_t* step = self.steps.data()
        cdef const uint32_t* last = step + self.steps.size() - 1
        cdef uint32_t* counts = self.counts.data()
        cdef uint64_t i, pos, place
        for i in range(phrases.chunks.size()):
            pos = 0
            while pos < phrases.chunks[i].size:
                prefetch(&counts[step[AHEAD if last - step > AHEAD else 0] & (PLACES - 1)])
                place = step[0] & (PLACES - 1)
                if place != NO_CUT:
                    counts[place] += <uint32_t> min(phrases.chunks[i].count, MOST - counts[place])
                pos += step[0] >> PLACE_BITS
                step += 1

    cdef int cut_block(self, ChunkTable phrases, const vector[uint8_t]& is_rare, ChunkTable parts) except -1 nogil:
        """Count the parts of phrases whose steps are known."""
        cdef const uint32_t* step = self.steps.data()
        cdef int32_t begin, pos
        cdef uint64_t i
        for i in range(phrases.chunks.size()):
            begin = pos = 0
            while pos < <int32_t> phrases.chunks[i].size:
                if is_rare[step[0] & (PLACES - 1)] and pos > 0:
                    self.add_part(parts, phrases, i, begin, pos)
                    begin = pos
                pos += step[0] >> PLACE_BITS
                step += 1
            self.add_part(parts, phrases, i, begin, pos)
        return 0

    cdef bint is_spaced(self, const uint8_t* text, int32_t size) noexcept nogil:
        """Whether a word begins with a space."""
        return text[0] == 0x20 if self.rules.piece_rules.in_bytes else is_space_mark(text, size)

    cdef uint64_t place_of(self, int32_t left, const uint8_t* text, int32_t size, int32_t* last) noexcept nogil:
        """Return the place of the pair of token `left` and the first token of a word. last: set to its last token."""
        cdef int32_t index = self.words.find(text, size)
        cdef Ends ends = Ends(NO_WORD, NO_WORD)
        cdef uint64_t pair
        if index >= 0:
            ends = self.ends[index]
        last[0] = ends.last
        pair = <uint64_t> <uint32_t> left << 32 | <uint32_t> ends.first
        return (pair * <uint64_t> 0x9E3779B97F4A7C15) >> (64 - PLACE_BITS)

    cdef int add_part(
        self, ChunkTable parts, ChunkTable phrases, uint64_t i, int32_t begin, int32_t end,
    ) except -1 nogil:
        """Count bytes [begin, end) of phrase `i`."""
        cdef const uint8_t* text = phrases.texts.data() + phrases.chunks[i].begin
        cdef int32_t index = parts.add(text + begin, end - begin, phrases.chunks[i].count)
        return parts.add_origin_of(index, &phrases.origins[i])
