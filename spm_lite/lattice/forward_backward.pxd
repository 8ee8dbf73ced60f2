"""The forward-backward algorithm over all segmentations of one text: expected counts of its pieces.

The pieces that begin at one place form a chain, from the longest down to the one that spans one place.
"""

from libc.stdint cimport int32_t, uint32_t


cdef struct PieceLink:
    # One piece in the chain of pieces that begin at one place.
    double weight       # factor of a path through it; a search for best paths holds a logarithm here, and adds it
    uint32_t length     # places that it spans; 1 at the end of the chain, and only there
    uint32_t shorter    # the next piece of the chain


cdef struct Chains:
    # All segmentations of one text.
    const PieceLink* links
    const uint32_t* longest     # per place: the first link of its chain
    uint32_t length             # places
    uint32_t reach              # length of the longest link
    uint32_t period             # places between two scalings; no sum may leave the range of a double between them


cdef double add_expected(
    const Chains* chains, double count, double* forward, double* backward, int32_t* exponents, double* expected,
) noexcept nogil
