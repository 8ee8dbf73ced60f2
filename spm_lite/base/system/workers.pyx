from spm_lite.base.system.signals cimport stay_if_ending

cdef extern from *:
    """
    #include <thread>
    #include <vector>

    namespace {

    // Until CPython 3.14 a daemon thread that asks for the GIL while the interpreter ends is ended too, and its stack
    // is unwound frame by frame. The helpers must end before the data that they work on is destroyed.
    struct Helpers {
        std::vector<std::thread> threads;
        void join() {
            for (auto& thread : threads) if (thread.joinable()) thread.join();
        }
        ~Helpers() { join(); }
    };

    }  // namespace
    """
    cdef cppclass thread_vector "std::vector<std::thread>":
        size_t size() nogil
        void emplace_back(void (*)(void*) noexcept nogil, void*) except + nogil
    cdef cppclass Helpers:
        Helpers() except +
        thread_vector threads
        void join() except + nogil


cdef class Worker:
    """One share of a job. The first exception of `work` ends it and is kept."""

    cdef int work(self) except -1 nogil:
        with gil:
            raise NotImplementedError(f"{type(self).__name__} does not work")


cdef void run(void* data) noexcept with gil:
    """Run one worker and keep its exception. It attaches to the interpreter once, to have a place for exceptions."""
    worker = <Worker> data
    try:
        with nogil:
            worker.work()
    except BaseException as error:
        worker.error = error


cdef void start(void* data) noexcept nogil:
    stay_if_ending()
    run(data)


cdef int run_workers(list workers) except -1:
    """Run all workers, the first one on this thread; raise the exception of the first that has one.

    If the system refuses a thread, this thread does that share too.
    """
    cdef Helpers helpers
    cdef Worker worker
    cdef size_t n_started = 0
    cdef Py_ssize_t k
    for worker in workers:
        worker.error = None
    try:
        for k in range(1, len(workers)):
            helpers.threads.emplace_back(&start, <void*> workers[k])
    except (RuntimeError, MemoryError):
        pass
    n_started = helpers.threads.size()
    run(<void*> workers[0])
    for k in range(<Py_ssize_t> n_started + 1, len(workers)):
        run(<void*> workers[k])
    with nogil:
        helpers.join()
    for worker in workers:
        if worker.error is not None:
            raise worker.error
    return 0
