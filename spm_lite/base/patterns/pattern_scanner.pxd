"""Where the matches of a compiled pattern are in a text: tables of a deterministic automaton, and a walk through them.

A state knows in which order the ways through a pattern are tried, so that the first way that matches wins (as in Perl),
though no way is ever tried again. What a place must look like is decided by the next character: the class of the
character before is part of a state. Looks ahead at several characters have automata of their own.

All time is linear in the text. A walk that goes on for long without a match keeps its states and places. A later walk
that comes to one of them stops there (T. Reps, "Maximal-munch" tokenization in linear time, 1998).
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

from spm_lite.base.system.intrinsics cimport first_bit, first_lowest
from spm_lite.base.unicode.utf8 cimport read_char, read_word


cdef inline uint64_t not_between(uint64_t word, uint8_t first, uint8_t last) noexcept nogil:
    """Return the highest bit of each byte that is not from `first` to `last`, which are ASCII."""
    cdef uint64_t each = 0x0101010101010101, high = each * 0x80, low = word & ~high
    return (~(low + each * (0x80 - first)) | (low + each * (0x7F - last)) | word) & high


cdef enum:
    NO_MATCH = -2
    # Flags of an entry, which is the offset of a row of the table above them.
    MATCHES = 1         # a match ends before the character that was read
    LOOPS = 2           # some ASCII leads from the row to itself
    LOOKS = 4           # which row it is depends on looks ahead
    IS_SURE = 8         # a match will end further on, whatever follows
    FLAGS = 4           # the number of them


cdef enum:
    # Flags of the beginning of a text.
    IS_MATCH = 1        # if no more text follows, it is one match
    IS_HELD = 2         # if the text goes on, its first match still holds all of this


cdef enum:
    # What the loops of a row are, in the lowest bits of the place of their table.
    ANY_LOOPS = 0       # only the table tells
    LETTER_LOOPS = 1    # all letters of ASCII, and what the table tells
    LOWER_LOOPS = 2     # the lower-case ones
    LOOP_KINDS = 3
    LOOP_ROOM = 16      # bytes that must be readable for letters to be looked at eight at once


cdef inline int32_t end_of_loops(
    const uint8_t* loops, uint32_t kind, const uint8_t* text, int32_t pos, int32_t size,
) noexcept nogil:
    """Return the first place from `pos` on whose byte leads to another row. The length of a word is hard to predict."""
    cdef uint64_t stop, small = 0x2020202020202020
    if kind != ANY_LOOPS and pos + <int32_t> LOOP_ROOM <= size:
        if kind == LOWER_LOOPS:
            small = 0
        stop = not_between(first_lowest(read_word(text + pos)) | small, 0x61, 0x7A)
        if stop == 0:
            pos += 8
            stop = not_between(first_lowest(read_word(text + pos)) | small, 0x61, 0x7A)
        pos += first_bit(stop) >> 3 if stop else 8
    while pos < size and loops[text[pos]]:
        pos += 1
    return pos


@cython.final
cdef class PatternScratch:
    """What one thread knows of the text that it scans."""

    cdef unordered_map[uint64_t, uint8_t] known     # row and place of a long walk -> whether a match ends further on
    cdef vector[uint64_t] trail                 # of the walk now
    cdef bint is_whole                          # no more text follows
    cdef bint at_end                            # more text could change what was found
    cdef int32_t reach                          # no byte from here on was looked at
    cdef int32_t near_reach                     # the same, except for matches that are in no prefix of the text either
    cdef int64_t n_steps                        # characters that were read, all in all
    cdef bint is_gap                            # no match begins in this text, whatever follows it

    cdef inline void start(self, bint is_whole) noexcept nogil:
        """Prepare for another text."""
        if not self.known.empty():
            self.known.clear()
        self.is_whole = is_whole
        self.at_end = False
        self.reach = self.near_reach = 0


@cython.final
cdef class PatternScanner:
    cdef vector[uint32_t] rows          # of all automata: an entry for each class, the end of a text, and two more
    cdef vector[uint8_t] loops          # for rows with LOOPS: by byte, whether it leads from the row to itself
    cdef vector[uint32_t] starts        # by automaton and class of the character before: entry of the first row
    cdef uint16_t ascii_classes[128]
    cdef uint16_t page_of[0x1100]       # code point >> 8 -> its page
    cdef vector[uint16_t] pages         # 256 classes each
    cdef uint16_t other_class           # of a byte that is no character
    cdef vector[uint8_t] may_start      # by class: whether a match may begin with such a character
    cdef uint32_t first             # entry of the first row, if nothing looks behind
    cdef int32_t n_classes
    cdef bint looks_back                # a match may depend on the character before it
    # By ASCII character, the entry of the row with LOOPS in which a match that begins with it (or with a space and it)
    # is then; 0: it is in another row.
    cdef uint32_t word_entries[256]
    cdef uint32_t spaced_entries[256]
    cdef bint is_quick                  # `quick_ends` may be called
    cdef bint looks_far                 # there are looks ahead at several characters
    cdef bint ends_freely               # no match needs the end of the text, or more than a character after it
    cdef readonly bint may_be_empty
    cdef readonly bint takes_all        # at each place a match of a character or more begins
    cdef readonly int32_t n_states
    cdef readonly object signature      # bytes that are equal for patterns of equal meaning; None: not known
    cdef readonly str pattern           # in the dialect of Oniguruma

    cdef inline uint16_t class_at(
        self, const uint8_t* text, int32_t pos, int32_t size, int32_t* step,
    ) noexcept nogil:
        """Return the class of the character at `pos`, and set `step` to its bytes."""
        cdef uint32_t code_point = 0
        if text[pos] < 0x80:
            step[0] = 1
            return self.ascii_classes[text[pos]]
        step[0] = read_char(text + pos, size - pos, &code_point)
        if step[0] == 0:
            step[0] = 1
            return self.other_class
        return self.pages[(<uint32_t> self.page_of[code_point >> 8] << 8) | (code_point & 0xFF)]

    cdef uint32_t first_entry(self, int32_t automaton, const uint8_t* text, int32_t pos) noexcept nogil
    cdef int32_t end_of_match(
        self, const uint8_t* text, int32_t begin, int32_t size, PatternScratch scratch,
    ) except -1 nogil
    # The end of the match that begins at `begin`; NO_MATCH: none does. The text begins at `text`.
    # Set `ends` to the ends of the next matches from `pos` on, each of which begins where the last one ended; return
    # their number, at most `room`. The rest is left to `find`: the end of the text, gaps, long walks. Nothing may look
    # behind or far ahead, or match nothing.
    cdef int32_t quick_ends(
        self, const uint8_t* text, int32_t pos, int32_t size, int32_t* ends, int32_t room,
    ) noexcept nogil
    cdef bint find(
        self, const uint8_t* text, int32_t pos, int32_t size, PatternScratch scratch, int32_t* begin, int32_t* end,
    ) except -1 nogil
    # Set `begin` and `end` to the first match from `pos` on; False: there is none. A walk that met the end of a text
    # that is not whole ends the search, with `scratch.at_end`; `begin` is then where the walk began.
    cdef uint32_t looked(
        self, const uint8_t* text, int32_t pos, int32_t size, uint32_t entry, PatternScratch scratch,
    ) except? 0 nogil
    cdef int holds(
        self, int32_t automaton, const uint8_t* text, int32_t pos, int32_t size, PatternScratch scratch,
    ) except -1 nogil
    # Set ends[k] to flags of text[:k], in one walk. Nothing is set if a look goes far ahead.
    cdef void mark_ends(self, const uint8_t* text, int32_t size, uint8_t* ends) noexcept nogil
    cdef int32_t next_start(self, const uint8_t* text, int32_t pos, int32_t size) noexcept nogil
