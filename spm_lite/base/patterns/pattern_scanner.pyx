"""Walks through the tables of a compiled pattern. The hot loop is that of `end_of_match`.

Header: pattern_scanner.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from spm_lite.base.patterns.pattern_scanner cimport IS_HELD, IS_MATCH
from spm_lite.base.unicode.utf8 cimport char_size


cdef enum:
    CAREFREE = 32       # bytes of a walk before its places are kept
    BLOCK_SHIFT = 3     # one place in so many bytes (1 << 3) is kept, so that later walks soon come to one


cdef inline int32_t char_before(const uint8_t* text, int32_t pos) noexcept nogil:
    """Return the start of the character that ends at `pos` (not 0); an ill-formed byte is a character."""
    cdef int32_t n
    for n in range(1, min(pos, 4) + 1):
        if char_size(text + pos - n, n) == n:
            return pos - n
    return pos - 1


cdef inline uint64_t key_of(uint32_t entry, int32_t pos) noexcept nogil:
    return <uint64_t> (entry >> FLAGS) << 32 | <uint32_t> pos


@cython.final
cdef class PatternScratch:
    """What one thread knows of the text that it scans."""

    def __cinit__(self):
        self.start(True)


@cython.final
cdef class PatternScanner:
    """Finds the matches of one pattern; `pattern_compiler` fills the tables. It never changes after that."""

    cdef uint32_t first_entry(self, int32_t automaton, const uint8_t* text, int32_t pos) noexcept nogil:
        """Return the entry of the row in which a walk begins at `pos`."""
        cdef int32_t step = 0, before
        cdef const uint32_t* entries = self.starts.data() + <size_t> automaton * (self.n_classes + 1)
        if not self.looks_back or pos == 0:
            return entries[self.n_classes]
        before = char_before(text, pos)
        return entries[self.class_at(text, before, pos, &step)]

    cdef int32_t end_of_match(
        self, const uint8_t* text, int32_t begin, int32_t size, PatternScratch scratch,
    ) except -1 nogil:
        """Return the end of the match that begins at `begin`; NO_MATCH: none does."""
        cdef const uint32_t* rows = self.rows.data()
        cdef uint32_t entry = self.first_entry(0, text, begin) if self.looks_back else self.first, loops
        cdef int32_t pos = begin, last = NO_MATCH, careful = begin + CAREFREE, step = 1, n = self.n_classes
        cdef uint16_t kind
        cdef uint64_t key
        while True:
            if entry & (LOOPS | LOOKS):
                if entry & LOOKS:
                    entry = self.looked(text, pos, size, entry, scratch)
                else:
                    loops = rows[(entry >> FLAGS) + n + 1]
                    pos = end_of_loops(
                        self.loops.data() + (loops & ~<uint32_t> LOOP_KINDS), loops & LOOP_KINDS, text, pos, size,
                    )
            if pos >= size:
                break
            if text[pos] < 0x80:
                kind = self.ascii_classes[text[pos]]
                step = 1
            else:
                kind = self.class_at(text, pos, size, &step)
            entry = rows[(entry >> FLAGS) + kind]
            if entry & MATCHES:
                last = pos
                careful = pos + CAREFREE
                if not scratch.trail.empty():
                    scratch.trail.clear()
            pos += step
            if entry < 1 << FLAGS:
                break
            if pos > careful and not entry & IS_SURE and (pos >> BLOCK_SHIFT) != ((pos - step) >> BLOCK_SHIFT):
                key = key_of(entry, pos)
                if scratch.known.count(key) and scratch.known[key] == 0:
                    entry = 0
                    break
                scratch.trail.push_back(key)
        scratch.n_steps += pos - begin + 1
        if entry >= 1 << FLAGS:  # the end of the text
            scratch.reach = size + 1
            if not scratch.is_whole:
                scratch.at_end = True
            elif rows[(entry >> FLAGS) + n] & MATCHES:
                last = size
                scratch.trail.clear()
        elif pos > scratch.reach:
            scratch.reach = pos
        if not self.ends_freely:
            scratch.near_reach = scratch.reach
        elif last != NO_MATCH:
            scratch.near_reach = max(scratch.near_reach, size + 1 if entry >= 1 << FLAGS else pos)
        if not scratch.trail.empty():
            if not scratch.at_end:
                for key in scratch.trail:
                    scratch.known[key] = False
            scratch.trail.clear()
        return last

    cdef int32_t quick_ends(
        self, const uint8_t* text, int32_t pos, int32_t size, int32_t* ends, int32_t room,
    ) noexcept nogil:
        cdef const uint32_t* rows = self.rows.data()
        cdef const uint8_t* loops = self.loops.data()
        cdef const uint16_t* classes = self.ascii_classes
        cdef uint32_t entry, first = self.first, loop, place_of_loops = self.n_classes + 1
        cdef int32_t n = 0, last, stop = size - <int32_t> LOOP_ROOM, careful, step = 1
        while n < room and pos < stop:
            # Nearly all matches of English: a word of ASCII, or a space and a word, before another character of ASCII.
            if text[pos] == 0x20:
                entry, last = self.spaced_entries[text[pos + 1]], pos + 2
            else:
                entry, last = self.word_entries[text[pos]], pos + 1
            if entry:
                loop = rows[(entry >> FLAGS) + place_of_loops]
                last = end_of_loops(loops + (loop & ~<uint32_t> LOOP_KINDS), loop & LOOP_KINDS, text, last, size)
                if last < size and text[last] < 0x80 and (
                    rows[(entry >> FLAGS) + classes[text[last]]] == MATCHES
                ):
                    ends[n] = pos = last
                    n += 1
                    continue
            entry = first
            last = NO_MATCH
            careful = min(stop, pos + <int32_t> CAREFREE)
            while pos < careful:
                if text[pos] < 0x80:
                    entry = rows[(entry >> FLAGS) + classes[text[pos]]]
                    step = 1
                else:
                    entry = rows[(entry >> FLAGS) + self.class_at(text, pos, size, &step)]
                if entry & MATCHES:
                    last = pos
                if entry < 1 << FLAGS:
                    break
                pos += step
                if entry & LOOPS:
                    loop = rows[(entry >> FLAGS) + place_of_loops]
                    pos = end_of_loops(loops + (loop & ~<uint32_t> LOOP_KINDS), loop & LOOP_KINDS, text, pos, size)
            if entry >= 1 << FLAGS or last == NO_MATCH:
                break
            ends[n] = pos = last
            n += 1
        return n

    cdef bint find(
        self, const uint8_t* text, int32_t pos, int32_t size, PatternScratch scratch, int32_t* begin, int32_t* end,
    ) except -1 nogil:
        """Set `begin` and `end` to the first match from `pos` on; False: there is none."""
        cdef int32_t step = 1
        if scratch.is_gap:
            return False
        while True:
            if not self.takes_all:
                pos = self.next_start(text, pos, size)
                if pos == size and not self.may_be_empty and scratch.is_whole:
                    scratch.reach = size + 1
                    return False
            begin[0] = pos
            end[0] = self.end_of_match(text, pos, size, scratch)
            if scratch.at_end:
                return False
            if end[0] != NO_MATCH:
                return True
            if pos >= size:
                return False
            self.class_at(text, pos, size, &step)
            pos += step

    cdef void mark_ends(self, const uint8_t* text, int32_t size, uint8_t* ends) noexcept nogil:
        cdef const uint32_t* row
        cdef uint32_t entry = self.first_entry(0, text, 0), last = 0
        cdef int32_t pos = 0, step = 1, i
        cdef uint8_t flags = 0
        if self.looks_far:
            return
        while pos < size:
            entry = self.rows[(entry >> FLAGS) + self.class_at(text, pos, size, &step)]
            if entry & MATCHES:
                ends[pos] |= IS_HELD  # the next character was enough to tell
            if entry < 1 << FLAGS:
                return
            pos += step
            if entry >> FLAGS != last:
                last = entry >> FLAGS
                row = self.rows.data() + last
                flags = IS_HELD
                for i in range(self.n_classes):
                    if not row[i] & (MATCHES | IS_SURE):
                        flags = 0
                if row[self.n_classes] & MATCHES:
                    flags |= IS_MATCH
            ends[pos] = flags

    cdef int32_t next_start(self, const uint8_t* text, int32_t pos, int32_t size) noexcept nogil:
        """Return the first place from `pos` on where the character may begin a match, or `size`."""
        cdef int32_t step = 1
        while pos < size:
            if text[pos] < 0x80:
                if self.may_start[self.ascii_classes[text[pos]]]:
                    return pos
                pos += 1
            elif self.may_start[self.class_at(text, pos, size, &step)]:
                return pos
            else:
                pos += step
        return pos

    cdef uint32_t looked(
        self, const uint8_t* text, int32_t pos, int32_t size, uint32_t entry, PatternScratch scratch,
    ) except? 0 nogil:
        """Return the entry of the row that fits what the looks ahead find."""
        cdef int32_t width = self.n_classes + 3, variant = 0, bit = 0, automaton = 1
        cdef uint32_t looks = self.rows[(entry >> FLAGS) + self.n_classes + 2]
        while looks:
            if looks & 1:
                variant |= self.holds(automaton, text, pos, size, scratch) << bit
                bit += 1
            looks >>= 1
            automaton += 1
        return entry + <uint32_t> (variant * width << FLAGS)

    cdef int holds(
        self, int32_t automaton, const uint8_t* text, int32_t pos, int32_t size, PatternScratch scratch,
    ) except -1 nogil:
        """Whether a match of a look ahead begins at `pos`."""
        cdef const uint32_t* rows = self.rows.data()
        cdef uint32_t entry = self.first_entry(automaton, text, pos)
        cdef int32_t begin = pos, step = 1
        cdef bint is_found = False, is_known = False
        cdef size_t i, n_before = scratch.trail.size()
        cdef uint64_t key
        while True:
            if entry & LOOKS:
                entry = self.looked(text, pos, size, entry, scratch)
            if pos >= size:
                break
            entry = rows[(entry >> FLAGS) + self.class_at(text, pos, size, &step)]
            pos += step
            if entry & MATCHES or entry < 1 << FLAGS:
                is_found = entry & MATCHES != 0
                is_known = True
                break
            if pos > begin + CAREFREE and (pos >> BLOCK_SHIFT) != ((pos - step) >> BLOCK_SHIFT):
                key = key_of(entry, pos)
                if scratch.known.count(key):
                    is_found = scratch.known[key] != 0
                    is_known = True
                    break
                scratch.trail.push_back(key)
        scratch.n_steps += pos - begin + 1
        if not is_known:
            scratch.reach = size + 1
            is_found = rows[(entry >> FLAGS) + self.n_classes] & MATCHES != 0
            if not scratch.is_whole:
                scratch.at_end = True
        elif pos > scratch.reach:
            scratch.reach = pos
        for i in range(n_before, scratch.trail.size()):
            if not scratch.at_end:
                scratch.known[scratch.trail[i]] = is_found
        scratch.trail.resize(n_before)
        return is_found

    def matches(self, bytes text not None):
        """Return (begin, end) of each match, from left to right; an empty one only where no match ended just before.

        >>> compile_pattern("a+").matches(b"caab")
        [(1, 3)]
        """
        return self.counted_matches(text)[0]

    def counted_matches(self, bytes text not None):
        """Return the matches and the number of characters that were read to find them."""
        cdef PatternScratch scratch = PatternScratch()
        cdef const uint8_t* data = <const uint8_t*> <const char*> text
        cdef int32_t size = <int32_t> len(text), pos = 0, last = -1, begin = 0, end = 0, step = 1
        found = []
        if self.rows.empty():  # not made by `compile_pattern`
            return found, 0
        while pos <= size and self.find(data, pos, size, scratch, &begin, &end):
            if begin == end == last:  # as Rust and Oniguruma go on
                if pos >= size:
                    break
                self.class_at(data, pos, size, &step)
                pos += step
                continue
            found.append((begin, end))
            pos = last = end
        return found, scratch.n_steps
