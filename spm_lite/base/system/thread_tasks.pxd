"""Threads of one call: workers with a share of the work each, or tasks that threads take one by one.

Helper threads are threads of the interpreter. The caller, who holds the GIL, makes their thread states. So no helper
touches the list of thread states while another thread forks, and too little memory for one is a MemoryError there.
Ctrl-C stops tasks. Workers look for signals themselves.
"""

from libc.stdint cimport uint32_t


cdef struct TaskThread:
    # The thread that a task runs on.
    uint32_t index      # 0: the thread that called run_tasks
    void* board         # the TaskBoard of the call

# One task: `job` is the caller's, `task` counts from 0. It may raise.
ctypedef int (*Task)(void* job, uint32_t task, const TaskThread* worker) except -1 nogil

cdef int run_tasks(Task task, void* job, uint32_t n_tasks, uint32_t n_threads) except -1 nogil
cdef bint is_stopped(const TaskThread* worker) except -1 nogil


cdef class Worker:
    """One share of a job with buffers of its own. The first exception of `work` ends the share and is kept."""

    cdef object error                   # the exception, or None

    cdef int work(self) except -1 nogil


cdef int run_workers(list workers) except -1
