"""Pruning of the original's Unigram trainer: drop the pieces with the least loss, and shadowed ones."""

from libc.stdint cimport uint32_t, uint64_t

from spm_lite.training.reference.reference_lattices cimport ReferenceLattices


cdef int prune_by_loss(
    ReferenceLattices lattices, uint64_t target, float shrinking_factor, uint32_t n_threads,
) except -1 nogil
cdef int drop_shadowed_pieces(ReferenceLattices lattices, uint32_t n_threads) except -1 nogil
