"""Threads of one call: started by the driver, joined before it returns."""


cdef class Worker:
    """One share of a job. The first exception of `work` ends it and is kept."""

    cdef object error                   # the exception, or None

    cdef int work(self) except -1 nogil


cdef int run_workers(list workers) except -1
