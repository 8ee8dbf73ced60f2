"""Counts characters in a flat table by code point, whose pages take memory only once they are written.

Header: characters.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from spm_lite.base.unicode.utf8 cimport char_size, decode_char

import math

cdef enum:
    N_CODE_POINTS = 0x110000


@cython.final
cdef class CharacterCounts:
    """The occurrences of each character, and of all boundaries."""

    def __cinit__(self, items=(), n_boundaries=0):
        # Pages from calloc take no memory until they are written, and a text uses few scripts.
        self.found = <uint64_t*> calloc(N_CODE_POINTS, sizeof(uint64_t))
        if self.found == NULL:
            raise MemoryError("not enough memory to count characters")
        self.n_boundaries = n_boundaries
        for character, count in items:
            self.found[<uint32_t> ord(character)] = count

    def __dealloc__(self):
        free(self.found)

    cdef void add(self, const uint8_t* text, int32_t size, uint64_t count) noexcept nogil:
        """Add the characters of one chunk. Bytes that are not UTF-8 count as boundaries."""
        cdef uint64_t* found = self.found
        cdef int32_t step
        while size > 0:
            step = char_size(text, size)
            if step == 0:
                self.n_boundaries += count
                step = 1
            else:
                found[decode_char(text, step)] += count
            text += step
            size -= step

    def add_all(self, CharacterCounts other):
        """Add the occurrences of another object."""
        cdef uint32_t i
        for i in range(N_CODE_POINTS):
            if other.found[i] > 0:
                self.found[i] += other.found[i]
        self.n_boundaries += other.n_boundaries

    def multiply(self, uint64_t factor):
        """Multiply all occurrences; the caller knows that they stay below 2^64."""
        cdef uint32_t i
        for i in range(N_CODE_POINTS):
            if self.found[i] > 0:  # writing a 0 would take memory
                self.found[i] *= factor
        self.n_boundaries *= factor

    def divide(self, uint64_t divisor):
        """Divide all occurrences by a common divisor. Raises ValueError for 0."""
        cdef uint32_t i
        if divisor == 0:
            raise ValueError("divisor must be at least 1")
        for i in range(N_CODE_POINTS):
            if self.found[i] > 0:
                self.found[i] //= divisor
        self.n_boundaries //= divisor

    def equals(self, CharacterCounts other):
        """Whether all occurrences are the same."""
        cdef uint32_t i
        for i in range(N_CODE_POINTS):
            if self.found[i] != other.found[i]:
                return False
        return self.n_boundaries == other.n_boundaries

    def items(self):
        """Return (character, occurrences) pairs in code point order."""
        cdef uint32_t i
        return [(chr(i), self.found[i]) for i in range(N_CODE_POINTS) if self.found[i] > 0]


@cython.final
cdef class LeftOut:
    """Totals of the chunks that a memory limit left out of a table. Their characters still count."""

    def __cinit__(self, CharacterCounts characters=None, n_chunks=0, n_occurrences=0, n_bytes=0):
        self.characters = CharacterCounts() if characters is None else characters
        self.n_chunks = n_chunks
        self.n_occurrences = n_occurrences
        self.n_bytes = n_bytes

    cdef void add(self, const uint8_t* text, int32_t size, uint64_t count) noexcept nogil:
        """Count one chunk as left out."""
        self.characters.add(text, size, count)
        self.n_chunks += 1
        self.n_occurrences += count
        self.n_bytes += size * count

    def add_all(self, LeftOut other):
        """Add the totals of another table."""
        self.characters.add_all(other.characters)
        self.n_chunks += other.n_chunks
        self.n_occurrences += other.n_occurrences
        self.n_bytes += other.n_bytes

    def scaled(self, uint64_t factor):
        """Totals of the same chunks that each occur `factor` times as often."""
        cdef LeftOut found = LeftOut()
        found.add_all(self)
        found.characters.multiply(factor)
        found.n_occurrences *= factor
        found.n_bytes *= factor
        return found

    def common_divisor(self):
        """Return the greatest common divisor of all occurrences: of characters, boundaries and chunks."""
        found = [count for _, count in self.characters.items()]
        return math.gcd(self.characters.n_boundaries, self.n_occurrences, self.n_bytes, *found)

    def divided(self, uint64_t divisor):
        """Totals of the same chunks, all divided by a common divisor."""
        cdef LeftOut found = LeftOut()
        found.add_all(self)
        found.characters.divide(divisor)  # raises for 0
        found.n_occurrences //= divisor
        found.n_bytes //= divisor
        return found

    def equals(self, LeftOut other):
        """Whether totals and characters are the same."""
        return (
            self.n_chunks == other.n_chunks and self.n_occurrences == other.n_occurrences
            and self.n_bytes == other.n_bytes and self.characters.equals(other.characters)
        )
