"""Where no piece spans a place of the text at hand, although some piece pairs the two characters.

A piece that spans the place between x and y of a text vwx|yzu is xy, or wxy or xyz, or it has four characters or more
and holds vwxy, wxyz or xyzu. If none of the first three is a piece, and the others stand side by side in none, the text
may be cut there, as where no piece pairs the two (see `pairs`).
"""

cimport cython

from spm_lite.base.structures.bloom_filter cimport BloomFilter
from spm_lite.chunks.pair_cuts cimport ContextCuts


@cython.final
cdef class GramCuts(ContextCuts):
    cdef BloomFilter grams
