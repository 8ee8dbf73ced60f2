"""Filter flags per character: whether a rule can start with it. Most text is then copied without a trie walk."""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.base.unicode.utf8 cimport read_char
from spm_lite.normalize.rules.rule_graph cimport RuleGraph


cdef enum:
    FIRES = 1           # some rule starts with this character and ends within it
    CONTINUES = 2       # some longer rule starts with this character
    FOLLOWS = 4         # some rule covers this character, in part or whole, as its second one


cdef enum:
    N_CODE_POINTS = 0x110000
    N_SINGLE = 0x10000          # code points with flags of their own; above, 2^GROUP_BITS neighbours share theirs
    GROUP_BITS = 6
    N_FLAGS = N_SINGLE + (N_CODE_POINTS - N_SINGLE >> GROUP_BITS)


cdef inline uint32_t flags_place(uint32_t code_point) noexcept nogil:
    """The index of a character's flags."""
    if code_point < <uint32_t> N_SINGLE:
        return code_point
    return <uint32_t> N_SINGLE + (code_point - <uint32_t> N_SINGLE >> <uint32_t> GROUP_BITS)


cdef inline bint may_fire(
    const uint8_t* flags, uint32_t code_point, const uint8_t* behind, int32_t size,
) noexcept nogil:
    """Whether a rule may match text that starts with this character (False is certain). behind: `size` more bytes."""
    cdef uint8_t of_first = flags[flags_place(code_point)]
    cdef uint32_t second = 0
    cdef int32_t n_bytes
    if not of_first & (FIRES | CONTINUES):
        return False
    if of_first & FIRES:
        return True
    if size == 0:
        return False
    # Only longer rules start here; the second character usually rules them out.
    n_bytes = read_char(behind, size, &second)
    return n_bytes == 0 or flags[flags_place(second)] & FOLLOWS != 0


cdef int fill_char_flags(
    const vector[uint32_t]& units, RuleGraph graph, vector[uint8_t]& flags,
) except -1 nogil       # flags: becomes N_FLAGS bytes
