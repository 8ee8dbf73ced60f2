"""Threads of one call: workers with a share of the work each, or tasks that threads take one by one.

Helper threads are threads of the interpreter. The caller, who holds the GIL, makes their thread states. So no helper
touches the list of thread states while another thread forks, and too little memory for one is a MemoryError there.
Ctrl-C stops tasks. Workers look for signals themselves.
"""

from libc.stdint cimport uint32_t


cdef extern from *:
    """
    #include <atomic>
    #include <chrono>
    #include <condition_variable>
    #include <cstdint>
    #include <mutex>

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


cdef struct TaskThread:
    # The thread that a task runs on.
    uint32_t index      # 0: the thread that called run_tasks
    TaskBoard* board

# One task: `job` is the caller's, `task` counts from 0. It may raise.
ctypedef int (*Task)(void* job, uint32_t task, const TaskThread* worker) except -1 nogil

cdef int run_tasks(Task task, void* job, uint32_t n_tasks, uint32_t n_threads) except -1 nogil
cdef bint is_stopped(const TaskThread* worker) except -1 nogil


cdef class Worker:
    """One share of a job with buffers of its own. The first exception of `work` ends the share and is kept."""

    cdef object error                   # the exception, or None

    cdef int work(self) except -1 nogil


cdef int run_workers(list workers) except -1
