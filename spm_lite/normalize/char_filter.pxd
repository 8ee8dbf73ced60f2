"""Which characters the rules can touch at all: most text is copied without a walk through the array."""

from libc.stdint cimport uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.normalize.rule_graph cimport RuleGraph


cdef enum CharFlag:
    FIRES = 1           # some rule ends within this character when it comes first
    CONTINUES = 2       # some longer rule starts with it
    FOLLOWS = 4         # some rule reaches into it when it comes second


cdef int fill_char_flags(
    const vector[uint32_t]& units, RuleGraph graph, vector[uint8_t]& flags,
) except -1 nogil       # a byte of flags for each code point below U+10000
