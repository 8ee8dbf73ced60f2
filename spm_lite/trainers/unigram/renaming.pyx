from libc.stdint cimport uint32_t

from spm_lite.base.system.tasks cimport Worker, run_tasks


cdef enum Blocks:
    PLACES_PER_TASK = 1 << 20


cdef struct Renaming:
    # The job of rename_block.
    uint32_t* places
    size_t n_places
    const uint32_t* new_ids


cdef int rename_block(void* job, uint32_t task, const Worker* worker) except -1 nogil:
    cdef Renaming* renaming = <Renaming*> job
    cdef size_t begin = <size_t> task * PLACES_PER_TASK
    rename(renaming.places + begin, min(<size_t> PLACES_PER_TASK, renaming.n_places - begin), renaming.new_ids)
    return 0


cdef int rename_all(uint32_t* places, size_t n_places, const uint32_t* new_ids, uint32_t n_threads) except -1 nogil:
    """`rename`, a block for each task."""
    cdef Renaming renaming = Renaming(places, n_places, new_ids)
    return run_tasks(rename_block, &renaming, <uint32_t> (n_places // PLACES_PER_TASK + 1), n_threads)
