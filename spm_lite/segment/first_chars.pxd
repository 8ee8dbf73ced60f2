"""Where a walk through a trie of pieces stands after the first character: one look instead of one for each byte."""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.normalize.utf8 cimport read_char
from spm_lite.segment.segmenter cimport unit_size
from spm_lite.trie.double_array cimport TrieCursor, trie_advance, trie_root


cdef enum Pages:
    PAGE_BITS = 6               # of a code point: its place in a page


cdef enum Bases:
    NO_BASE = <uint32_t> 0xFFFFFFFF     # no piece starts with the character


cdef struct FirstChars:
    # Pointers into the tables of a `FirstCharTable` and the trie that it is of.
    const uint32_t* units
    const uint16_t* pages       # per 64 code points
    const TrieCursor* nodes     # per page 64
    bint compact


@cython.final
cdef class FirstCharTable:
    cdef vector[uint16_t] pages
    cdef vector[TrieCursor] nodes
    cdef FirstChars view

    cdef int fill(self, const vector[uint32_t]& units, bint compact) except -1
    cdef int add_chars(self, const uint32_t* units, uint8_t* text, int32_t size, TrieCursor node) except -1
    cdef int add_char(self, uint32_t code_point, TrieCursor node) except -1


cdef inline int32_t read_first(
    const FirstChars* firsts, const uint8_t* text, int32_t size, TrieCursor* node,
) noexcept nogil:
    """Bytes of the character that `text` (at least 1 byte) starts with, and the node behind it."""
    cdef uint32_t code_point = 0
    cdef int32_t n = read_char(text, size, &code_point)
    if n > 0 and firsts.compact:
        node[0] = firsts.nodes[
            <uint32_t> firsts.pages[code_point >> PAGE_BITS] << PAGE_BITS | (code_point & ((1 << PAGE_BITS) - 1))
        ]
        return n
    # An ill-formed byte, or a model in which only the first byte of a character is looked at.
    n = unit_size(text, size, firsts.compact)
    walk_char(firsts.units, text, n, node)
    return n


cdef inline void walk_char(const uint32_t* units, const uint8_t* text, int32_t size, TrieCursor* node) noexcept nogil:
    """The node behind `size` bytes, byte by byte."""
    cdef int32_t k
    trie_root(units, node)
    for k in range(size):
        if not trie_advance(units, node, text[k]):
            node[0] = TrieCursor(NO_BASE, -1)
            return
