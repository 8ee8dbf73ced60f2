"""Where no piece spans a place of the text at hand, although some piece joins the two characters.

A piece that spans the place between x and y of a text vwx|yzu is xy, or wxy or xyz, or it has four characters or more
and holds vwxy, wxyz or xyzu. If none of the first three is a piece, and the others stand side by side in none, the text
may be cut there, as where no piece joins the two (see `joins`).
"""

cimport cython

from spm_lite.base.structures.bloom_filter cimport PatternSet
from spm_lite.chunks.context_cuts cimport MoreCuts


@cython.final
cdef class GramCuts(MoreCuts):
    cdef PatternSet grams
