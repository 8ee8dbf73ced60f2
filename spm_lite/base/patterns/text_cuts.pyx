"""`cut` walks from match to match, and gives each part to the next split. Header: text_cuts.pxd."""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.base.patterns.pattern_scanner cimport (
    FLAGS, IS_HELD, IS_MATCH, LOOKS, MATCHES, NO_MATCH, PatternScanner, PatternScratch,
)
from spm_lite.base.system.heap cimport refill

from spm_lite.kinds import BEHAVIORS


cdef enum:
    NOWHERE = -1
    NO_END = 0x7FFFFFFF
    CHAR_BYTES = 4
    SHORT = 32      # bytes of a part that is looked at as a whole first
    # Flags of a byte in `may_start`.
    ALONE = 1       # a match may begin with it
    SPACED = 2      # a match may begin with a space and it


cdef bint may_start_spaced(PatternScanner scanner, int byte):
    """Whether a match may begin with a space and `byte`; a byte of a longer character stands for all of them."""
    cdef uint32_t entry
    if scanner.looks_back or scanner.looks_far or scanner.rows.empty():
        return True
    entry = scanner.rows[(scanner.first >> FLAGS) + scanner.ascii_classes[0x20]]
    if entry & (MATCHES | LOOKS):
        return True
    if entry < 1 << FLAGS:
        return False
    return byte >= 128 or scanner.rows[(entry >> FLAGS) + scanner.ascii_classes[byte]] != 0


cdef inline int add_restart(
    CutScratch first, int32_t begin, int32_t reach, int32_t held, int32_t n_splits,
) except -1 nogil:
    first.restarts.push_back(Restart(begin, <int32_t> first.parts.size(), reach, held, n_splits, 0))
    return 0


@cython.final
cdef class CutScratch:
    """Buffers of one thread."""

    cdef void start(self, bint is_whole) noexcept nogil:
        """Prepare for another text, or for another window of it."""
        self.scan.start(is_whole)
        self.parts.clear()
        self.restarts.clear()
        self.n_taken = 0
        self.done = 0


@cython.final
cdef class TextCuts:
    """Cuts texts by one pattern, and the parts by the patterns after it."""

    def __cinit__(self, PatternScanner scanner not None, str behavior not None, bint inverts, TextCuts inner=None):
        cdef int i
        self.scanner = scanner
        self.behavior = <Behavior> <int> BEHAVIORS.index(behavior)
        self.inverts = inverts
        self.inner = inner
        is_apart = self.behavior == ISOLATED or self.behavior == REMOVED
        self.has_windows = is_apart and not scanner.looks_back and not scanner.may_be_empty
        self.keeps_plain = not (self.behavior == REMOVED and inverts or scanner.may_be_empty)
        self.keeps_plain = self.keeps_plain and (inner is None or inner.keeps_plain)
        for i in range(256):
            self.may_start[i] = 0 if inner is None else inner.may_start[i]
            if i >= 128 or scanner.may_start[scanner.ascii_classes[i & 127]]:
                self.may_start[i] |= ALONE
            if may_start_spaced(scanner, i):
                self.may_start[i] |= SPACED
        self.drops = self.behavior == REMOVED or inner is not None and inner.drops
        self.n_splits = 1 if inner is None else inner.n_splits + 1

    cdef CutScratch new_scratch(self):
        scratch = CutScratch()
        scratch.scan = PatternScratch()
        scratch.inner = None if self.inner is None else self.inner.new_scratch()
        return scratch

    cdef int32_t cut(self, const uint8_t* text, int32_t begin, int32_t size, CutScratch scratch) except -1 nogil:
        scratch.parts.clear()
        scratch.restarts.clear()
        scratch.n_taken = 0
        scratch.scan.at_end = False
        if begin == 0 and scratch.keeps_restarts and self.inner is not None:
            refill(scratch.match_ends, <size_t> size + 1, IS_MATCH | IS_HELD)
        if self.has_windows:
            return self.walk(text, begin, size, 0, scratch, scratch)
        if begin > 0 or not scratch.scan.is_whole:
            return begin
        self.append(text, size, 0, scratch, scratch)
        return size

    cdef int32_t walk(
        self, const uint8_t* text, int32_t begin, int32_t size, int32_t offset, CutScratch scratch, CutScratch first,
    ) except -1 nogil:
        """Append the parts from `begin` on to those of `first`, where a match is a part or dropped; return their end.

        Of the text of `first`, the walk ends at ENOUGH_PARTS, or before what more text may change.
        """
        cdef int32_t match_begin = 0, match_end = 0, done = begin, step = 0, held
        cdef bint is_first = scratch is first, takes_gaps, takes_matches, is_sure
        takes_gaps = self.behavior == ISOLATED or not self.inverts
        takes_matches = self.behavior == ISOLATED or self.inverts
        cdef int32_t ends[ENOUGH_PARTS]
        cdef int32_t i, n
        cdef size_t n_parts
        cdef Part* part
        while done < size and not (is_first and first.parts.size() >= <size_t> ENOUGH_PARTS):
            if self.scanner.is_quick and not first.keeps_restarts:
                n = self.scanner.quick_ends(text, done, size, ends, <int32_t> ENOUGH_PARTS)
                if takes_matches and self.inner is None:
                    n_parts = first.parts.size()
                    first.parts.resize(n_parts + n)
                    part = first.parts.data() + n_parts
                    for i in range(n):
                        part[i] = Part(offset + done, offset + ends[i])
                        done = ends[i]
                elif takes_matches:
                    for i in range(n):
                        self.append_part(text, done, ends[i], offset, scratch, first)
                        done = ends[i]
                elif n:
                    done = ends[n - 1]
                if n == ENOUGH_PARTS:
                    continue
            is_sure = scratch.keeps_restarts and scratch.scan.reach <= size
            if not self.scanner.find(text, done, size, scratch.scan, &match_begin, &match_end):
                if scratch.scan.at_end:
                    break
                match_begin = match_end = size
            # No match may begin in this text, whatever follows.
            is_sure = is_sure and (
                scratch.scan.is_gap or self.scanner.next_start(text, done, match_begin) == match_begin
            )
            if match_begin > done and takes_gaps:
                if is_sure:
                    self.append_sure(text, done, match_begin, offset, False, scratch, first)
                else:
                    self.append_part(text, done, match_begin, offset, scratch, first)
                if is_sure and match_end > match_begin:
                    self.scanner.class_at(text, match_begin, size, &step)
                    if is_match_alone(self.scanner, text + match_begin, step):
                        held = offset + match_begin + step
                        add_restart(first, offset + match_begin, held, held, self.n_splits)
            elif is_sure and match_begin > done:
                held = offset + match_begin
                add_restart(first, held, held, held, self.n_splits)
            if match_end > match_begin and takes_matches:
                if is_sure and match_end - match_begin > <int32_t> SHORT:
                    self.append_sure(text, match_begin, match_end, offset, True, scratch, first)
                else:
                    self.append_part(text, match_begin, match_end, offset, scratch, first)
            # If the end of the text was not looked at to find it, a prefix may be cut on from the match.
            if scratch.keeps_restarts and match_end > match_begin and scratch.scan.near_reach <= size:
                held = offset + scratch.scan.reach if scratch.scan.reach <= size else NO_END
                add_restart(first, offset + match_end, offset + scratch.scan.near_reach, held, self.n_splits)
            done = match_end
        return done

    cdef int32_t cut_between(self, const uint8_t* text, int32_t begin, int32_t end, CutScratch scratch) except -1 nogil:
        if self.has_windows or begin == 0:
            return self.cut(text, begin, end, scratch)
        scratch.parts.clear()
        scratch.restarts.clear()
        scratch.n_taken = 0
        self.append(text + begin, end - begin, begin, scratch, scratch)
        return end

    cdef int append(
        self, const uint8_t* text, int32_t size, int32_t offset, CutScratch scratch, CutScratch first,
    ) except -1 nogil:
        """Append the parts of a whole text to those of `first`. offset: where it begins in the text of `first`."""
        cdef int32_t begin = 0, end = 0, done = 0, last = NOWHERE, pos = 0, step = 1, reach = 0, near = 0
        cdef Fold fold = Fold(NOWHERE, 0, False)
        # A text may be cut on from where a part begins: no match depends on the text before it.
        cdef bint keeps = scratch.keeps_restarts and not self.scanner.looks_back and not self.scanner.may_be_empty
        if size <= <int32_t> SHORT and self.keeps_plain and self.is_plain(text, size):
            first.parts.push_back(Part(offset, offset + size))
            return 0
        if scratch is not first:
            scratch.scan.start(True)
        if self.has_windows:
            self.walk(text, 0, size, offset, scratch, first)
            return 0
        while pos <= size and self.scanner.find(text, pos, size, scratch.scan, &begin, &end):
            if begin == end and end == last:  # an empty match counts only where none ended just before
                if pos >= size:
                    break
                self.scanner.class_at(text, pos, size, &step)
                pos += step
                continue
            if begin > done:
                self.fold(text, done, begin, self.inverts, &fold, offset, scratch, first)
                if keeps and fold.begin == done:
                    self.add_gap(text, done, begin, offset, near, reach, scratch, first)
            self.fold(text, begin, end, not self.inverts, &fold, offset, scratch, first)
            reach, near = scratch.scan.reach, scratch.scan.near_reach
            if keeps and fold.begin == begin:
                add_restart(first, offset + begin, offset + near, offset + reach, self.n_splits)
            pos = last = done = end
        if done < size:
            self.fold(text, done, size, self.inverts, &fold, offset, scratch, first)
            if keeps and fold.begin == done:
                self.add_gap(text, done, size, offset, near, reach, scratch, first)
        if fold.begin != NOWHERE:
            self.append_part(text, fold.begin, fold.end, offset, scratch, first)
        return 0

    cdef int add_gap(
        self, const uint8_t* text, int32_t begin, int32_t end, int32_t offset, int32_t near, int32_t reach,
        CutScratch scratch, CutScratch first,
    ) except -1 nogil:
        """Add a restart before text without a match, which begins a part. near, reach: of the last match.

        offset: as of `append`.
        """
        if self.behavior == MERGED_WITH_PREVIOUS:
            pass  # whatever follows the match, the part ends with it
        elif self.scanner.next_start(text, begin, end) == end:
            reach = max(reach, begin + <int32_t> CHAR_BYTES)  # the first character cannot begin a match
        else:
            reach = scratch.scan.reach
        if not self.scanner.ends_freely:
            near = reach
        return add_restart(first, offset + begin, offset + near, offset + reach, self.n_splits)

    cdef int fold(
        self, const uint8_t* text, int32_t begin, int32_t end, bint is_match, Fold* fold, int32_t offset,
        CutScratch scratch, CutScratch first,
    ) except -1 nogil:
        """Take the next match, or text between two: it joins the last part, or ends it and is the next one."""
        cdef bint was_match = fold.was_match, joins = False
        fold.was_match = is_match
        if self.behavior == REMOVED and is_match:
            return 0
        if self.behavior == CONTIGUOUS:
            joins = is_match == was_match
        elif self.behavior == MERGED_WITH_PREVIOUS:
            joins = is_match and not was_match
        elif self.behavior == MERGED_WITH_NEXT:
            joins = was_match and not is_match
        if fold.begin != NOWHERE:
            if joins:
                fold.end = end
                return 0
            self.append_part(text, fold.begin, fold.end, offset, scratch, first)
        fold.begin, fold.end = begin, end
        return 0

    cdef int append_sure(
        self, const uint8_t* text, int32_t begin, int32_t end, int32_t offset, bint is_match, CutScratch scratch,
        CutScratch first,
    ) except -1 nogil:
        """As `append_part`; where the next splits may cut on is kept, since any text with this beginning has the part.

        is_match: it is a match, which a text that ends in it has only where the scanner says so.
        """
        cdef size_t i = first.restarts.size()
        cdef int32_t k
        if self.inner is None or not self.inner.has_windows:
            return self.append_part(text, begin, end, offset, scratch, first)
        if is_match:
            refill(scratch.ends, <size_t> (end - begin) + 1, 0)
            self.scanner.mark_ends(text + begin, end - begin, scratch.ends.data())
            for k in range(1, end - begin + 1):
                first.match_ends[offset + begin + k] &= scratch.ends[k]
        scratch.inner.keeps_restarts = True
        self.append_part(text, begin, end, offset, scratch, first)
        scratch.inner.keeps_restarts = False
        while i < first.restarts.size():
            if first.restarts[i].match_end == 0:
                if is_match:
                    first.restarts[i].match_end = offset + end
                else:
                    first.restarts[i].n_splits = self.n_splits
            i += 1
        return 0

    cdef int append_part(
        self, const uint8_t* text, int32_t begin, int32_t end, int32_t offset, CutScratch scratch, CutScratch first,
    ) except -1 nogil:
        """Append a part, or the parts that the next split makes of it."""
        if begin == end:
            return 0
        if self.inner is not None:
            return self.inner.append(text + begin, end - begin, offset + begin, scratch.inner, first)
        first.parts.push_back(Part(offset + begin, offset + end))
        return 0

    cdef int append_last(
        self, int32_t n_splits, const uint8_t* text, int32_t size, CutScratch scratch, CutScratch first,
    ) except -1 nogil:
        if self.n_splits > n_splits:
            return self.inner.append_last(n_splits, text, size, scratch.inner, first)
        return self.append(text, size, 0, scratch, first)

    cdef int mark_ends(
        self, int32_t n_splits, const uint8_t* text, int32_t size, CutScratch scratch, vector[uint8_t]& ends,
    ) except -1 nogil:
        cdef int32_t k
        if self.n_splits > n_splits:
            return self.inner.mark_ends(n_splits, text, size, scratch.inner, ends)
        if self.inner is None:
            refill(ends, <size_t> size + 1, IS_MATCH | IS_HELD)
        else:
            self.inner.mark_ends(n_splits, text, size, scratch.inner, ends)
        refill(scratch.ends, <size_t> size + 1, 0)
        if not self.scanner.may_be_empty:
            if not (self.behavior == REMOVED and self.inverts):
                self.mark_gap(text, size, scratch)
            if not (self.behavior == REMOVED and not self.inverts) and not scratch.ends[size] & IS_MATCH:
                refill(scratch.ends, <size_t> size + 1, 0)
                self.scanner.mark_ends(text, size, scratch.ends.data())
            if self.behavior > REMOVED and not self.scanner.looks_back and not scratch.ends[size] & IS_MATCH:
                mark_joined(self.scanner, text, size, scratch)
        for k in range(size + 1):
            # The part that holds text[:k] may end there, and the next split must leave that whole, too.
            ends[k] = scratch.ends[k] & ends[k] if ends[k] & IS_MATCH else 0
        return 0

    cdef int32_t first_match(
        self, int32_t n_splits, const uint8_t* text, int32_t size, bint is_whole, CutScratch scratch, int32_t* end,
        int32_t* reach,
    ) except -1 nogil:
        """Return where the first match begins; the size if there is none.

        The pattern must be one whose matches in any piece of a text are also there in the whole of it. So where none
        begins, none does in a part that another split leaves, nor in a prefix. Otherwise a match is said to be at 0.
        """
        cdef int32_t begin = 0
        if self.n_splits > n_splits:
            return self.inner.first_match(n_splits, text, size, is_whole, scratch.inner, end, reach)
        end[0] = reach[0] = 0
        scratch.scan.is_gap = False
        scratch.scan.start(is_whole)
        if self.scanner.looks_back or self.scanner.may_be_empty or not self.scanner.ends_freely:
            return 0
        if not self.scanner.find(text, 0, size, scratch.scan, &begin, end):
            if not scratch.scan.at_end:
                begin = end[0] = size
            elif end[0] == NO_MATCH:
                end[0] = size + 1
        reach[0] = min(scratch.scan.reach, size)
        return begin

    cdef int mark_gap(self, const uint8_t* text, int32_t size, CutScratch scratch) except -1 nogil:
        """Set `scratch.ends` for text without a match, whose beginnings have none either; else leave the rest of it."""
        cdef int32_t pos = 0, step = 1, k, next_pos
        scratch.scan.start(True)
        while pos < size:
            next_pos = size if scratch.scan.is_gap else self.scanner.next_start(text, pos, size)
            if next_pos < size:
                if not self.scanner.ends_freely:
                    return 0
                if self.scanner.end_of_match(text, next_pos, size, scratch.scan) != NO_MATCH:
                    return 0
                self.scanner.class_at(text, next_pos, size, &step)
                next_pos += step
            for k in range(pos + 1, next_pos + 1):
                scratch.ends[k] = IS_MATCH | (IS_HELD if scratch.scan.reach <= k else 0)
            pos = next_pos
        return 0

    cdef bint cuts_between(self, const uint8_t* text, int32_t pos, int32_t size) noexcept nogil:
        """Whether a split cuts between the first two characters of a text, whatever is around them.

        So it is if no match holds both, and one of them begins a match wherever none is before it. pos: between them.
        """
        cdef int32_t step = 0
        if self.inner is not None and self.inner.cuts_between(text, pos, size):
            return True
        if not self.has_windows or may_hold_both(self.scanner, text, pos, size):
            return False
        self.scanner.class_at(text, pos, size, &step)
        return is_match_alone(self.scanner, text, pos) or is_match_alone(self.scanner, text + pos, step)

    cdef bint is_plain(self, const uint8_t* text, int32_t size) noexcept nogil:
        """Whether no byte of a text may begin a match, of this pattern or of one after it. Most short parts are so.

        Many parts are a space and a word, and many patterns begin with a space that may be left out. So a space at the
        beginning counts only with the byte after it.
        """
        cdef uint8_t found = 0
        cdef int32_t i, begin = 0
        if size > 1 and text[0] == 0x20:
            if self.may_start[text[1]] & SPACED:
                return False
            begin = 1
        for i in range(begin, size):
            found |= self.may_start[text[i]]
        return not found & ALONE

    def parts(self, bytes text not None, int window=0):
        """Return (begin, end) of each part of a text. window: bytes that are seen at first, then twice as many."""
        cdef const uint8_t* data = <const uint8_t*> <const char*> text
        cdef CutScratch scratch = self.new_scratch()
        cdef int32_t size = <int32_t> len(text), begin = 0, end, seen = size if window == 0 else min(size, window)
        cdef Part part
        found = []
        while begin < size:
            while seen < size and data[seen] & 0xC0 == 0x80:
                seen += 1  # a window ends with a whole character
            scratch.start(seen == size)
            end = begin
            while end < seen:
                begin = end
                end = self.cut(data, begin, seen, scratch)
                for part in scratch.parts:
                    found.append((part.begin, part.end))
                if end == begin:
                    break
            begin = end
            seen = min(size, max(2 * seen, 1))
        return found


cdef bint may_hold_both(PatternScanner scanner, const uint8_t* text, int32_t pos, int32_t size) noexcept nogil:
    """Whether a match may hold the first two characters: some row of the automata goes on with both."""
    cdef int32_t step = 0
    cdef size_t first = scanner.class_at(text, 0, size, &step), second = scanner.class_at(text, pos, size, &step)
    cdef uint32_t entry
    while first < scanner.rows.size():
        entry = scanner.rows[first]
        if entry >= 1 << FLAGS and (entry & LOOKS or scanner.rows[(entry >> FLAGS) + second] >= 1 << FLAGS):
            return True
        first += <size_t> scanner.n_classes + 3
    return False


cdef bint is_match_alone(PatternScanner scanner, const uint8_t* char, int32_t size) noexcept nogil:
    """Whether a match begins with a character wherever one is looked for there."""
    cdef uint8_t flags[CHAR_BYTES + 1]
    flags[0] = flags[size] = 0
    scanner.mark_ends(char, size, flags)
    return flags[size] & IS_MATCH and flags[size] & IS_HELD


cdef int mark_joined(PatternScanner scanner, const uint8_t* text, int32_t size, CutScratch scratch) except -1 nogil:
    """Set `scratch.ends` for matches and text between them that are one part.

    Each beginning of it is one, too, if what is before its last match, or text after one, stays as it is.
    """
    cdef int32_t pos = 0, begin = 0, end = 0, reach = 0, k
    refill(scratch.ends, <size_t> size + 1, 0)
    scratch.scan.start(True)
    while pos < size:
        if not scanner.find(text, pos, size, scratch.scan, &begin, &end):
            begin = end = size
        if scanner.next_start(text, pos, begin) < begin:
            break
        for k in range(max(pos + 1, reach), begin + 1):
            scratch.ends[k] = IS_MATCH | IS_HELD
        if begin > 0 and scratch.scan.reach > size and not scanner.ends_freely:
            break  # it may be a match only because the text ends, and then it joins nothing
        if end > begin:
            scanner.mark_ends(text + begin, end - begin, scratch.ends.data() + begin)
            for k in range(begin + 1, min(end, reach - 1) + 1):
                scratch.ends[k] = 0
        pos, reach = end, scratch.scan.reach
    return 0


cpdef TextCuts make_cuts(tuple splits):
    """Return the cuts of a vocabulary; None: there are none. Raises ModelError for a pattern that is not read."""
    cdef TextCuts cuts = None
    from spm_lite.base.patterns.pattern_compiler import compile_pattern  # here, since few models need it

    for pattern, behavior, inverts in reversed(splits):
        cuts = TextCuts(compile_pattern(pattern), behavior, inverts, cuts)
    return cuts
