from cpython.exc cimport PyErr_CheckSignals
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t

from spm_lite.base.system.signals cimport check_signals, stay_if_ending


cdef extern from "Python.h":
    PyObject* item_of "PyList_GET_ITEM"(PyObject* items, Py_ssize_t i) noexcept nogil   # of a list nobody changes

cdef extern from *:
    """
    static inline uint32_t take_task(spm_lite::TaskBoard* board) { return board->next_task.fetch_add(1); }
    static inline bool stop_is_set(spm_lite::TaskBoard* board) { return board->stop.load(std::memory_order_relaxed); }
    static inline void set_stop(spm_lite::TaskBoard* board) { board->stop.store(true); }
    """
    uint32_t take_task(TaskBoard* board) noexcept nogil
    bint stop_is_set(TaskBoard* board) noexcept nogil
    void set_stop(TaskBoard* board) noexcept nogil


cdef enum:
    SIGNAL_INTERVAL = 100       # milliseconds between two signal checks while other threads finish


cdef struct Call:
    # One call of run_tasks.
    Task task
    void* job
    uint32_t n_tasks
    TaskBoard* board
    void* errors        # a Python list: the exceptions raised by tasks, borrowed


cdef int work(Call* call, uint32_t worker_index) except -1 nogil:
    """Run tasks until none are left or the call is stopped."""
    cdef TaskThread worker = TaskThread(worker_index, call.board)
    cdef uint32_t task
    while not is_stopped(&worker):
        task = take_task(call.board)
        if task >= call.n_tasks:
            break
        call.task(call.job, task, &worker)
    return 0


cdef void work_and_report(Call* call, uint32_t worker_index) noexcept with gil:
    """Run `work`; put its exception on the list and tell the other threads to stop."""
    try:
        with nogil:
            work(call, worker_index)
    except BaseException as error:
        set_stop(call.board)
        (<list> call.errors).append(error)


cdef void thread_body(void* call, uint32_t worker_index) noexcept nogil:
    stay_if_ending()
    work_and_report(<Call*> call, worker_index)
    (<Call*> call).board.leave()


cdef int wait_for_others(TaskBoard* board, list errors) except -1:
    """Join the threads; meanwhile check signals."""
    cdef bint finished = False
    while not finished:
        with nogil:
            finished = board.wait(SIGNAL_INTERVAL)
        try:
            PyErr_CheckSignals()
        except BaseException as error:
            set_stop(board)
            errors.append(error)
    with nogil:
        board.join()
    return 0


cdef int run_tasks(Task task, void* job, uint32_t n_tasks, uint32_t n_threads) except -1 nogil:
    """Run tasks 0..n_tasks - 1, each once, on at most `n_threads` threads, the calling one among them.

    Raises what a task raised (when several did, the first one noticed), or KeyboardInterrupt, after all have stopped.
    """
    with gil:
        run_with_errors(task, job, n_tasks, n_threads, [])
    return 0


cdef int run_with_errors(Task task, void* job, uint32_t n_tasks, uint32_t n_threads, list errors) except -1:
    cdef Call call
    cdef TaskBoard board  # after `call`, so that it is destroyed first: its threads use `call`
    call = Call(task, job, n_tasks, &board, <void*> errors)
    with nogil:
        if n_threads > 1 and n_tasks > 1:
            board.start(min(n_threads, n_tasks) - 1, thread_body, &call)
        work_and_report(&call, 0)
    wait_for_others(&board, errors)
    if errors:
        raise errors[0]
    return 0


cdef bint is_stopped(const TaskThread* worker) except -1 nogil:
    """Whether the call is to stop. To be called every few milliseconds; raises KeyboardInterrupt."""
    if worker.index == 0:
        check_signals()
    return stop_is_set(worker.board)


cdef class Worker:
    """One share of a job. The first exception of `work` ends it and is kept."""

    cdef int work(self) except -1 nogil:
        with gil:
            raise NotImplementedError(f"{type(self).__name__} does not work")


cdef void run_worker(PyObject* item) noexcept with gil:
    """Run one worker and keep its exception. The thread attaches to the interpreter once for that."""
    worker = <Worker> item
    try:
        with nogil:
            worker.work()
    except BaseException as error:
        worker.error = error


cdef void worker_body(void* workers, uint32_t index) noexcept nogil:
    stay_if_ending()
    run_worker(item_of(<PyObject*> workers, <Py_ssize_t> index))


cdef int run_workers(list workers) except -1:
    """Run all workers, the first one on this thread; raise the exception of the first that has one.

    All run to their end, unlike tasks: what the first exception is does not depend on the threads. If the system
    refuses a thread, this thread does that share too.
    """
    cdef Worker worker
    cdef Py_ssize_t k
    cdef TaskBoard board
    for worker in workers:
        worker.error = None
    try:
        board.start(<uint32_t> len(workers) - 1, worker_body, <void*> workers)
    except (RuntimeError, MemoryError):
        pass
    run_worker(<PyObject*> workers[0])
    for k in range(<Py_ssize_t> board.n_started() + 1, len(workers)):
        run_worker(<PyObject*> workers[k])
    with nogil:
        board.join()
    for worker in workers:
        if worker.error is not None:
            raise worker.error
    return 0
