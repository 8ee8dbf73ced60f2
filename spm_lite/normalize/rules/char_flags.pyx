"""Walks the array of rules, and flags the characters that a rule begins or goes on with. Header: char_flags.pxd."""

from libc.stdint cimport int64_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.base.structures.double_array cimport ENDS_KEY, unit_offset
from spm_lite.base.system.heap cimport refill
from spm_lite.normalize.rules.rule_graph cimport RuleGraph

cdef enum:
    MAX_VISITS = 1 << 20    # edges and flags looked at, a few hundredths of a second; the named sets need some 14,000


cdef struct Partial:
    # A character of which the walk has read some or all bytes.
    uint32_t base       # of the node that the walk has reached
    uint32_t begin      # code points that it can still be: [begin, begin + size)
    uint32_t size
    bint fires          # a rule ends at the last byte read


cdef inline bint first_byte(uint8_t byte, Partial* char_range) noexcept nogil:
    """Set the range of code points whose UTF-8 starts with `byte`; False: there are none."""
    if byte < 0x80:
        char_range.begin, char_range.size = byte, 1
    elif 0xC2 <= byte < 0xE0:
        char_range.begin, char_range.size = <uint32_t> (byte & 0x1F) << 6, 1 << 6
    elif 0xE0 <= byte < 0xF0:
        char_range.begin, char_range.size = <uint32_t> (byte & 0x0F) << 12, 1 << 12
    elif 0xF0 <= byte < 0xF5:
        char_range.begin, char_range.size = <uint32_t> (byte & 0x07) << 18, 1 << 18
    else:
        return False
    return True


cdef inline bint next_byte(uint8_t byte, Partial* char_range) noexcept nogil:
    """Narrow the range by the next byte; False: it is no continuation byte."""
    if byte & 0xC0 != 0x80:
        return False
    char_range.size >>= 6
    char_range.begin += (byte & 0x3F) * char_range.size
    return True


cdef int64_t visit_chars(
    const vector[uint32_t]& units, RuleGraph graph, uint32_t base, vector[Partial]& chars,
) except -1 nogil:
    """Append every character that a walk from `base` can read, and return the number of edges looked at.

    A rule that ends within a character adds all characters that begin so. After MAX_VISITS edges the walk ends early.
    """
    cdef vector[Partial] pending
    cdef Partial here, char_range
    cdef uint32_t k, unit
    cdef int64_t n_visits = 0
    pending.push_back(Partial(base, 0, 0, False))
    while not pending.empty() and n_visits <= MAX_VISITS:
        here = pending.back()
        pending.pop_back()
        n_visits += graph.first[here.base + 1] - graph.first[here.base]
        for k in range(graph.first[here.base], graph.first[here.base + 1]):
            unit = units[graph.edges[k]]
            char_range = here
            if not (first_byte(unit & 0xFF, &char_range) if here.size == 0 else next_byte(unit & 0xFF, &char_range)):
                continue
            char_range.base = graph.edges[k] ^ unit_offset(unit)
            char_range.fires = unit & ENDS_KEY != 0
            if char_range.fires or char_range.size == 1:
                chars.push_back(char_range)
            if char_range.size > 1:
                pending.push_back(char_range)
    return n_visits


cdef int64_t set_flag(vector[uint8_t]& flags, const Partial* char_range, uint8_t flag) noexcept nogil:
    """Set a flag for all code points of a range, and return the number of entries visited."""
    cdef uint32_t first, last, k
    if char_range.begin >= <uint32_t> N_CODE_POINTS:
        return 0
    first = flags_place(char_range.begin)
    last = flags_place(min(char_range.begin + char_range.size, <uint32_t> N_CODE_POINTS) - 1)
    for k in range(first, last + 1):
        flags[k] |= flag
    return last + 1 - first


cdef int fill_char_flags(
    const vector[uint32_t]& units, RuleGraph graph, vector[uint8_t]& flags,
) except -1 nogil:
    """Set FIRES, CONTINUES and FOLLOWS for every character that a walk from the root reads first or second."""
    cdef vector[Partial] first_chars, second_chars
    cdef vector[uint8_t] is_done
    cdef int64_t n_visits
    cdef size_t k, j
    refill(flags, N_FLAGS, 0)
    refill(is_done, units.size(), 0)
    n_visits = visit_chars(units, graph, unit_offset(units[0]), first_chars)
    if n_visits > MAX_VISITS:  # a contrived array: every character takes the walk
        refill(flags, N_FLAGS, FIRES)
        return 0
    for k in range(first_chars.size()):
        if first_chars[k].fires:
            set_flag(flags, &first_chars[k], FIRES)
        if first_chars[k].size > 1 or graph.first[first_chars[k].base] == graph.first[first_chars[k].base + 1]:
            continue
        set_flag(flags, &first_chars[k], CONTINUES)
        if is_done[first_chars[k].base] or n_visits > MAX_VISITS:
            continue
        is_done[first_chars[k].base] = 1
        second_chars.clear()
        n_visits += visit_chars(units, graph, first_chars[k].base, second_chars)
        for j in range(second_chars.size()):
            n_visits += set_flag(flags, &second_chars[j], FOLLOWS)
    if n_visits > MAX_VISITS:  # a contrived array: filter by the first character only
        for k in range(N_FLAGS):
            flags[k] |= FOLLOWS
    return 0
