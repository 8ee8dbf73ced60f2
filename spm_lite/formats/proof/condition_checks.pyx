"""Paths of a Unigram model as tokenizers finds them, in double precision, and how near the second best comes.

The hot loop is `reach_from`. `reads_alone` tells whether a charsmap reads characters of a text together, which
tokenizers does in its own way.
"""

cimport cython
from libc.math cimport HUGE_VAL, fabs
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.base.structures.double_array cimport TrieCursor, TrieKey, build_double_array, trie_advance, trie_root
from spm_lite.base.system.signals cimport check_signals
from spm_lite.base.unicode.graphemes cimport CONSONANT, PREPEND, START_OF_TEXT, GraphemeContext, next_char
from spm_lite.base.unicode.utf8 cimport char_size, lead_size
from spm_lite.normalize.rules.charsmap cimport Charsmap

cdef enum:
    UNKNOWN_EDGE = -1
    SIGNAL_BYTES = 1 << 18      # between two checks for signals

cdef double ROUNDING = 2.0 ** -50      # of a sum, for each addition and each score that is read from decimals


cdef struct Reached:
    # The two best paths that end before one byte; -infinity: there is none.
    double best
    double second
    int32_t begin       # where the last piece of the best path starts
    int32_t piece_id    # that piece; UNKNOWN_EDGE: a character that no piece covers


@cython.final
cdef class DoublePaths:
    """The best paths in double precision. Source: the search of spm_lite.encode.segment.unigram, without its rounding.

    pieces: (UTF-8, score) by id, all of which match. unknown_cost: what an unknown character takes from the lowest.
    """

    cdef vector[uint32_t] units
    cdef vector[double] scores
    cdef double unknown_score

    def __cinit__(self, list pieces not None, double unknown_cost=10.0):
        cdef vector[TrieKey] keys
        cdef TrieKey key
        cdef bytes text
        cdef list in_order
        cdef double score, lowest = HUGE_VAL
        cdef int32_t i
        for _, score in pieces:
            self.scores.push_back(score)
            lowest = min(lowest, score)
        self.unknown_score = lowest - unknown_cost
        in_order = sorted((text, i) for i, (text, _) in enumerate(pieces) if text and b"\0" not in text)
        for text, i in in_order:
            key.data = <const uint8_t*> <const char*> text
            key.size = <int32_t> len(text)
            key.value = i
            keys.push_back(key)
        build_double_array(keys.data(), keys.size(), self.units)

    def best(self, bytes text not None):
        """Return ([(id, begin, end) ...], margin, limit) of a normalized text.

        id: -1 for a character that no piece covers. begin, end: bytes. margin: by how much the best path wins; at or
        below the limit, rounding may decide.
        """
        cdef vector[Reached] reached
        cdef const uint8_t* data = text
        cdef int32_t size = <int32_t> len(text), pos = 0, end, next_check = SIGNAL_BYTES
        cdef double greatest = 0
        cdef list found = []
        reached.resize(<size_t> size + 1, Reached(-HUGE_VAL, -HUGE_VAL, 0, UNKNOWN_EDGE))
        reached[0].best = 0
        while pos < size:
            end = min(pos + lead_size(data[pos]), size)
            self.reach_from(data, size, pos, end, reached.data())
            greatest = max(greatest, fabs(reached[end].best))
            if end >= next_check:
                next_check = end + <int32_t> SIGNAL_BYTES
                check_signals()
            pos = end
        end = size
        while end > 0:
            found.append((reached[end].piece_id, reached[end].begin, end))
            end = reached[end].begin
        found.reverse()
        return found, reached[size].best - reached[size].second, (greatest + 1) * <double> size * ROUNDING

    cdef void reach_from(
        self, const uint8_t* text, int32_t size, int32_t begin, int32_t char_end, Reached* reached,
    ) noexcept nogil:
        """Extend the two best paths that end at `begin` by every piece that starts there, or one unknown character."""
        cdef const uint32_t* units = self.units.data()
        cdef TrieCursor cursor
        cdef int32_t end
        cdef bint is_covered = False
        trie_root(units, &cursor)
        for end in range(begin + 1, size + 1):
            if not trie_advance(units, &cursor, text[end - 1]):
                break
            if cursor.value < 0:
                continue
            arrive(reached + begin, begin, cursor.value, self.scores[cursor.value], reached + end)
            is_covered |= end == char_end
        if not is_covered:
            arrive(reached + begin, begin, UNKNOWN_EDGE, self.unknown_score, reached + char_end)


cdef inline void arrive(
    const Reached* before, int32_t begin, int32_t piece_id, double score, Reached* end,
) noexcept nogil:
    """Keep the two best of the present paths and of two new ones. On equal scores the present one stays."""
    cdef double best = score + before.best, second = score + before.second
    if best > end.best:
        end.second = max(max(end.second, end.best), second)
        end.best, end.begin, end.piece_id = best, begin, piece_id
    else:
        end.second = max(end.second, best)


cdef enum:
    SHORT_CLUSTER = 6   # bytes; tokenizers looks up a shorter grapheme cluster as a whole


def reads_alone(Charsmap charsmap not None, bytes text not None):
    """Whether each rule that can apply in a text is of one character, and is applied by tokenizers too.

    There are two conditions. No rule of several characters matches anywhere. And no grapheme cluster of several
    characters and less than 6 bytes begins with a character that has a rule: tokenizers would lose the rest of it.
    A consonant that a virama joins counts as a beginning, since it is one before Unicode 18 if no consonant precedes
    the virama. A short cluster holds no such two: they have 6 bytes.
    """
    cdef const uint8_t* data = text
    cdef const uint8_t* target = NULL
    cdef GraphemeContext context = GraphemeContext(START_OF_TEXT, 0)
    cdef int32_t size = <int32_t> len(text), pos = 0, step, target_size = 0, matched
    cdef int32_t cluster = 0        # where the present cluster begins
    cdef bint has_rule = False      # its first character has one
    cdef bint begins = False, is_long = False, after_prepend
    while pos < size:
        after_prepend = context.last == PREPEND
        step = next_char(data + pos, size - pos, &context, &begins)
        begins = begins or (context.last == CONSONANT and not after_prepend)
        matched = charsmap.longest_match(data + pos, size - pos, &target, &target_size)
        if matched > max(char_size(data + pos, size - pos), 1):
            return False
        if begins:
            if is_long and has_rule and pos - cluster < SHORT_CLUSTER:
                return False
            cluster, has_rule, is_long = pos, matched > 0, False
        else:
            is_long = True
        pos += step
    return not (is_long and has_rule and size - cluster < SHORT_CLUSTER)
