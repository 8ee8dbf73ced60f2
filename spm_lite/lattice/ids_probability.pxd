"""The probability of given ids: of all paths of a lattice that become them."""

from libc.stdint cimport int32_t, uint8_t

from spm_lite.lattice.lattice cimport Lattice
from spm_lite.lattice.path_scores cimport PathVocab


cdef double log_probability_of(
    PathVocab vocab, Lattice lattice, const uint8_t* text, const int32_t* ids, int32_t n_ids,
) except? 1.0 nogil
