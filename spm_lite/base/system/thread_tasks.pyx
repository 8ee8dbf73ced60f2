"""Runs workers on threads: helpers are started, the caller works on its share, then waits for all.

`run_workers` and `run_tasks` go through `run_on_threads`. Shares that get no thread run on the caller's.
Header: thread_tasks.pxd.
"""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport uint32_t

from spm_lite.base.system.signals cimport check_signals, is_ending

cdef extern from *:
    """
    #include <atomic>
    #include <chrono>
    #include <condition_variable>
    #include <cstdint>
    #include <cstdlib>
    #include <mutex>
    #if defined(__GLIBCXX__)
    #include <cxxabi.h>
    #endif
    #if defined(__linux__)
    #include <sys/resource.h>
    #endif

    namespace spm_lite {

    // What the threads of one call share.
    class TaskBoard {
    public:
        std::atomic<uint32_t> next_task{0};
        std::atomic<bool> stop{false};

        void add_helper() {
            std::lock_guard<std::mutex> lock(mutex);
            ++n_preparing;
            ++n_working;
            ++n_attached;
        }
        // A new helper is ready, or will never be. It waits until it may work.
        void end_preparation() {
            std::lock_guard<std::mutex> lock(mutex);
            --n_preparing;
            changed.notify_all();
        }
        void wait_until_open() {
            std::unique_lock<std::mutex> lock(mutex);
            changed.wait(lock, [this] { return is_open; });
        }
        // Let the helpers work, at once or when all are ready.
        void open(bool when_ready) {
            std::unique_lock<std::mutex> lock(mutex);
            if (when_ready) changed.wait(lock, [this] { return n_preparing == 0; });
            is_open = true;
            changed.notify_all();
        }
        // The helper touches nothing of the call any more but its error.
        void end_work() {
            std::lock_guard<std::mutex> lock(mutex);
            --n_working;
            changed.notify_all();
        }
        // The helper has left its error; it holds the GIL.
        void detach() {
            std::lock_guard<std::mutex> lock(mutex);
            --n_attached;
            changed.notify_all();
        }
        // Whether all helpers have left, after waiting at most `milliseconds` for it.
        bool wait(int milliseconds) {
            std::unique_lock<std::mutex> lock(mutex);
            return changed.wait_for(lock, std::chrono::milliseconds(milliseconds), [this] { return n_attached == 0; });
        }
        void wait_for_work() {
            std::unique_lock<std::mutex> lock(mutex);
            changed.wait(lock, [this] { return n_working == 0; });
        }

    private:
        std::mutex mutex;
        std::condition_variable changed;
        bool is_open = false;
        uint32_t n_preparing = 0;
        uint32_t n_working = 0;
        uint32_t n_attached = 0;
    };

    // Until CPython 3.14 a daemon thread that asks for the GIL while the interpreter ends is ended itself, and its
    // stack is destroyed frame by frame. This guard, on the stack of the caller, keeps what the helpers work on.
    class HelperGuard {
    public:
        void enter(TaskBoard* of) { board = of; }
        ~HelperGuard() {
            if (board == nullptr) return;
            board->stop.store(true);
            board->open(false);
            board->wait_for_work();
        }

    private:
        TaskBoard* board = nullptr;
    };

    // Ends the work of a helper when its function is left, in whatever way.
    class WorkGuard {
    public:
        void enter(TaskBoard* of) { board = of; }
        ~WorkGuard() { if (board != nullptr) board->end_work(); }

    private:
        TaskBoard* board = nullptr;
    };

    }  // namespace spm_lite

    static inline uint32_t take_task(spm_lite::TaskBoard* board) { return board->next_task.fetch_add(1); }
    static inline bool stop_is_set(spm_lite::TaskBoard* board) { return board->stop.load(std::memory_order_relaxed); }
    static inline void set_stop(spm_lite::TaskBoard* board) { board->stop.store(true); }

    // glibc allocates the thread-local data of the C++ library when a thread throws its first exception, and ends the
    // process if there is no memory for it. So a thread has it allocated at its beginning, while that can be refused.
    static bool spm_lite_prepare_thread() {
    #if defined(__GLIBCXX__)
        void* block = std::malloc(1 << 14);  // more than the thread-local data takes, and large enough to be reused
        if (block == nullptr) return false;
        *static_cast<volatile char*>(block) = 0;
        std::free(block);
        void* volatile data = abi::__cxa_get_globals();  // volatile: the function is declared const
        return data != nullptr;
    #endif
        return true;
    }

    // Whether malloc can fail soon. Then helpers prepare before any thread works: work could take the memory for that.
    static bool spm_lite_memory_is_limited() {
    #if defined(__linux__)
        for (auto kind : {RLIMIT_AS, RLIMIT_DATA}) {
            rlimit limit;
            if (getrlimit(kind, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) return true;
        }
    #endif
        return false;
    }
    """
    cdef cppclass TaskBoard "spm_lite::TaskBoard":
        TaskBoard() except +
        void add_helper() except +
        void end_preparation() noexcept nogil
        void wait_until_open() noexcept nogil
        void open(bint when_ready) noexcept nogil
        void end_work() noexcept nogil
        void detach() noexcept nogil
        bint wait(int milliseconds) noexcept nogil

    cdef cppclass HelperGuard "spm_lite::HelperGuard":
        HelperGuard() noexcept nogil
        void enter(TaskBoard* board) noexcept nogil

    cdef cppclass WorkGuard "spm_lite::WorkGuard":
        WorkGuard() noexcept nogil
        void enter(TaskBoard* board) noexcept nogil

    bint memory_is_limited "spm_lite_memory_is_limited"() noexcept nogil
    bint prepare_thread "spm_lite_prepare_thread"() noexcept nogil
    uint32_t take_task(TaskBoard* board) noexcept nogil
    bint stop_is_set(TaskBoard* board) noexcept nogil
    void set_stop(TaskBoard* board) noexcept nogil


cdef enum:
    SIGNAL_INTERVAL = 100       # milliseconds between two signal checks while other threads finish


cdef class Worker:
    """One share of a job. The first exception of `work` ends it and is kept."""

    cdef int work(self) except -1 nogil:
        with gil:
            raise NotImplementedError(f"{type(self).__name__} does not work")


cdef object NO_MEMORY = MemoryError("not enough memory to start a thread")


@cython.final
cdef class Board:
    """A TaskBoard that lives as long as a thread of the call."""

    cdef TaskBoard board


@cython.final
cdef class Helper:
    """What a helper thread runs: one worker. A helper that never runs leaves a MemoryError."""

    cdef Board board
    cdef Worker worker
    cdef bint has_begun
    cdef bint has_ended

    def __cinit__(self, Board board not None, Worker worker not None):
        self.worker = worker
        board.board.add_helper()
        self.board = board

    def __call__(self):
        if not prepare_thread():
            return  # as if it had never run: see __dealloc__
        self.has_begun = True
        self.board.board.end_preparation()
        try:
            with nogil:
                work_as_helper(self.worker, &self.board.board)
        except BaseException as error:
            set_stop(&self.board.board)
            self.worker.error = error
        self.has_ended = True
        self.board.board.detach()

    def __dealloc__(self):
        if self.board is None or self.has_ended:
            return
        if not self.has_begun:
            self.board.board.end_preparation()
            self.board.board.end_work()
            self.worker.error = NO_MEMORY
        self.board.board.detach()


cdef int work_as_helper(Worker worker, TaskBoard* board) except -1 nogil:
    """Work on a helper thread. The guard ends the work before the thread asks for the GIL again."""
    cdef WorkGuard guard
    guard.enter(board)
    board.wait_until_open()
    worker.work()
    return 0


cdef int work_as_caller(Worker worker, TaskBoard* board) except -1:
    """Work on the thread of the caller, and keep the exception."""
    try:
        with nogil:
            worker.work()
    except BaseException as error:
        set_stop(board)
        worker.error = error
    return 0


cdef Py_ssize_t start_helpers(list workers, Board board) except -1:
    """Start a thread for each worker but the first. Return the number of workers that have a thread, with the first."""
    cdef Py_ssize_t k
    if is_ending():
        return 1
    for k in range(1, len(workers)):
        try:
            start_thread(Helper(board, workers[k]), ())
        except (RuntimeError, MemoryError):  # no more threads to be had, or the interpreter ends
            return k
    return len(workers)


cdef int wait_for_helpers(Board board, bint checks_signals) except -1:
    """Wait until all helpers have left. checks_signals: meanwhile, so that the exception of a signal stops tasks."""
    cdef bint finished = False
    cdef object caught = None
    while not finished:
        with nogil:
            finished = board.board.wait(SIGNAL_INTERVAL)
        try:
            if checks_signals:
                PyErr_CheckSignals()
        except BaseException as error:
            set_stop(&board.board)
            caught = error
    if caught is not None:
        raise caught
    return 0


cdef int run_on_threads(list workers, Board board, bint checks_signals) except -1:
    """Run all workers, the first one on this thread; their exceptions are kept."""
    cdef HelperGuard guard
    cdef Worker worker
    cdef Py_ssize_t n_started, k
    for worker in workers:
        worker.error = None
    guard.enter(&board.board)
    n_started = start_helpers(workers, board)
    if n_started > 1:
        with nogil:
            board.board.open(memory_is_limited())
    work_as_caller(workers[0], &board.board)
    for k in range(n_started, len(workers)):
        work_as_caller(workers[k], &board.board)
    if n_started > 1:
        wait_for_helpers(board, checks_signals)
    return 0


cdef int run_workers(list workers) except -1:
    """Run all workers, the first one on this thread; raise the exception of the first that has one.

    All run to their end, unlike tasks: what the first exception is does not depend on the threads. If the system
    refuses a thread, this thread does that share too.
    """
    cdef Worker worker
    run_on_threads(workers, Board(), checks_signals=False)
    for worker in workers:
        if worker.error is not None:
            raise worker.error
    return 0


@cython.final
cdef class TaskWorker(Worker):
    """A thread of run_tasks: it runs tasks until none are left or the call is stopped."""

    cdef Task task
    cdef void* job
    cdef uint32_t n_tasks
    cdef TaskThread thread

    cdef int work(self) except -1 nogil:
        cdef uint32_t task
        while not is_stopped(&self.thread):
            task = take_task(<TaskBoard*> self.thread.board)
            if task >= self.n_tasks:
                break
            self.task(self.job, task, &self.thread)
        return 0


cdef int run_tasks(Task task, void* job, uint32_t n_tasks, uint32_t n_threads) except -1 nogil:
    """Run tasks 0..n_tasks - 1, each once, on at most `n_threads` threads, the calling one among them.

    Raises what a task raised (of several, that of the first thread), or KeyboardInterrupt, after all have stopped.
    """
    with gil:
        run_task_workers(task, job, n_tasks, max(1, min(n_threads, n_tasks)))
    return 0


cdef int run_task_workers(Task task, void* job, uint32_t n_tasks, uint32_t n_threads) except -1:
    cdef Board board = Board()
    cdef TaskWorker worker
    cdef list workers = []
    cdef uint32_t k
    for k in range(n_threads):
        worker = TaskWorker()
        worker.task, worker.job, worker.n_tasks = task, job, n_tasks
        worker.thread = TaskThread(k, &board.board)
        workers.append(worker)
    run_on_threads(workers, board, checks_signals=True)
    for worker in workers:
        if worker.error is not None:
            raise worker.error
    return 0


cdef bint is_stopped(const TaskThread* worker) except -1 nogil:
    """Whether the call is to stop. To be called every few milliseconds; raises KeyboardInterrupt."""
    if worker.index == 0:
        check_signals()
    return stop_is_set(<TaskBoard*> worker.board)


cdef object find_thread_starter():
    """Return `_thread.start_new_thread` of the interpreter.

    Libraries of green threads replace it by a function whose threads do not run while the caller waits for them.
    """
    import _thread

    if isinstance(_thread.start_new_thread, type(len)):
        return _thread.start_new_thread
    from importlib.machinery import BuiltinImporter
    from importlib.util import module_from_spec

    spec = BuiltinImporter.find_spec("_thread")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.start_new_thread


cdef object start_thread = find_thread_starter()
prepare_thread()
