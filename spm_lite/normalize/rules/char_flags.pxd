"""Which characters the rules can touch at all: most text is copied without a walk through the array."""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.base.unicode.utf8 cimport read_char
from spm_lite.normalize.rules.rule_graph cimport RuleGraph


cdef enum:
    FIRES = 1           # some rule ends within this character when it comes first
    CONTINUES = 2       # some longer rule starts with it
    FOLLOWS = 4         # some rule reaches into it when it comes second


cdef enum:
    N_CODE_POINTS = 0x110000
    N_SINGLE = 0x10000          # that have flags of their own; above, those that differ in GROUP_BITS bits share theirs
    GROUP_BITS = 6
    N_FLAGS = N_SINGLE + (N_CODE_POINTS - N_SINGLE >> GROUP_BITS)


cdef inline uint32_t flags_place(uint32_t code_point) noexcept nogil:
    """Where the flags of a character are."""
    if code_point < <uint32_t> N_SINGLE:
        return code_point
    return <uint32_t> N_SINGLE + (code_point - <uint32_t> N_SINGLE >> <uint32_t> GROUP_BITS)


cdef inline bint may_fire(
    const uint8_t* flags, uint32_t code_point, const uint8_t* behind, int32_t size,
) noexcept nogil:
    """Whether a rule may be for text that begins with this character; `behind` it are `size` bytes more."""
    cdef uint8_t of_first = flags[flags_place(code_point)]
    cdef uint32_t second = 0
    cdef int32_t n_bytes
    if not of_first & (FIRES | CONTINUES):
        return False
    if of_first & FIRES:
        return True
    if size == 0:
        return False
    # Longer rules may start here; seldom does one of them read on.
    n_bytes = read_char(behind, size, &second)
    return n_bytes == 0 or flags[flags_place(second)] & FOLLOWS != 0


cdef int fill_char_flags(
    const vector[uint32_t]& units, RuleGraph graph, vector[uint8_t]& flags,
) except -1 nogil       # N_FLAGS bytes of flags
