cimport cython
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.normalize.utf8 cimport char_size, decode_char
from spm_lite.trie.double_array cimport TrieCursor, trie_advance, trie_root

cdef enum Sizes:
    N_PAGES = 0x110000 >> PAGE_BITS


@cython.final
cdef class FirstCharTable:
    """The nodes of all characters that a trie knows as first ones, by code point, in pages of 64."""

    cdef int fill(self, const vector[uint32_t]& units, bint compact) except -1:
        cdef TrieCursor root, node
        cdef uint8_t text[4]
        self.pages.assign(N_PAGES, 0)
        self.nodes.assign(1 << PAGE_BITS, TrieCursor(NO_BASE, -1))  # the page of those that start no piece
        trie_root(units.data(), &root)
        for lead in range(1, 0xF5):  # a NUL continues nothing
            node = root
            if trie_advance(units.data(), &node, lead):
                text[0] = lead
                self.add_chars(units.data(), text, 1, node)
        self.view = FirstChars(units.data(), self.pages.data(), self.nodes.data(), compact)
        return 0

    cdef int add_chars(self, const uint32_t* units, uint8_t* text, int32_t size, TrieCursor node) except -1:
        """Enter all characters that start with these bytes, which end at `node`."""
        cdef TrieCursor child
        cdef int32_t n = char_size(text, size)
        if n == size:
            return self.add_char(decode_char(text, size), node)
        if size == 4:
            return 0
        for byte in range(0x80, 0xC0):
            child = node
            if trie_advance(units, &child, byte):
                text[size] = byte
                self.add_chars(units, text, size + 1, child)
        return 0

    cdef int add_char(self, uint32_t code_point, TrieCursor node) except -1:
        cdef size_t page = code_point >> PAGE_BITS
        if self.pages[page] == 0:
            self.pages[page] = <uint16_t> (self.nodes.size() >> PAGE_BITS)
            self.nodes.resize(self.nodes.size() + (1 << PAGE_BITS), TrieCursor(NO_BASE, -1))
        self.nodes[self.pages[page] << PAGE_BITS | (code_point & ((1 << PAGE_BITS) - 1))] = node
        return 0
